# SPDX-License-Identifier: GPL-2.0-only
"""Check arrays: their readahead, their stripe cache, and the block layer's throttling of their members."""

from __future__ import annotations

from collections.abc import Iterator

from .arrays import DEFAULT_STRIPES, ROTATIONAL_USEC, Array, arrays
from .device_conf import stable_name
from .finding import ADVICE, Finding
from .host import Host
from .modules import State, enabled_module
from .sample import read_disks
from .storage import KEEP, set_disk_command

RULE = "/usr/share/seqkeep/udev/69-raid-members.rules"


def check_md_arrays(host: Host, states: list[State]) -> Iterator[Finding]:
    """Check that an md array reads ahead at least one row of its chunks."""
    for array in arrays(host):
        now = array.read_ahead_kb
        if array.dm or now is None or not array.row_kb:
            continue
        if now < array.row_kb:
            yield Finding(
                ADVICE,
                "readahead",
                f"{array.name} reads ahead {now} KiB, less than a row of its chunks ({array.row_kb} KiB):"
                " some members are idle",
                set_disk_command(array.name, 2 * array.row_kb, KEEP),
            )


def check_stripe_cache(host: Host, states: list[State]) -> Iterator[Finding]:
    """Check that an array of RAID 4, 5 or 6 has more than md's smallest stripe cache."""
    if enabled_module(states, "raid5-deadline"):
        # It raises the cache itself.
        return
    for array in arrays(host):
        if array.has_parity and not array.dm and array.stripes is not None and array.stripes <= DEFAULT_STRIPES:
            yield Finding(
                ADVICE,
                "stripes",
                f"{array.name} has a stripe cache of {array.stripes}: large writes read from its members",
                f"seqkeep set {array.name} stripe_cache_size=8192  # takes {array.cache_mb(8192)} MiB",
            )


def throttled_members(host: Host, array: Array) -> Iterator[tuple[str, float, float | None]]:
    """Yield the members that the block layer may throttle, with their limit and their mean read since boot, ms.

    A limit for disks that rotate is reached by slow reads only.
    """
    disks = read_disks(host)
    for member in array.members:
        if not member.is_throttled:
            continue
        limit = (member.wbt_lat_usec or 0) / 1000
        numbers = disks.get(member.disk, {})
        takes = numbers["read_ms"] / numbers["reads"] if numbers.get("reads") else None
        if limit < ROTATIONAL_USEC / 1000 or (takes is not None and takes > limit):
            yield member.disk, limit, takes


def check_raid_members(host: Host, states: list[State]) -> Iterator[Finding]:
    """Check that the block layer does not hold back what an array of RAID 4, 5 or 6 writes to its members."""
    for array in arrays(host):
        throttled = list(throttled_members(host, array)) if array.has_parity else []
        if not throttled:
            continue
        limits = ", ".join(
            f"{disk} more than {limit:g} ms" + (f" (since boot {takes:.1f} ms on average)" if takes is not None else "")
            for disk, limit, takes in throttled
        )
        names = [stable_name(host, disk) or disk for disk, _, _ in throttled]
        yield Finding(
            ADVICE,
            "raid-members",
            f"the kernel takes what {array.name} writes to its members for background write-back, and throttles it"
            f" while reads take on {limits}",
            "; ".join(f"seqkeep set {name} wbt_lat_usec=0" for name in names)
            + f"  # or all members by udev: {RULE}; their own reads may then wait longer beside writes",
        )
