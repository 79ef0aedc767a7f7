# SPDX-License-Identifier: GPL-2.0-only
"""Check arrays: their readahead, their stripe cache, and the block layer's throttling of their members."""

from __future__ import annotations

from collections.abc import Iterator

from .arrays import DEFAULT_STRIPES, arrays
from .device_conf import stable_name
from .finding import ADVICE, Finding
from .host import Host
from .modules import State
from .sample import read_disks
from .storage import KEEP, set_disk_command
from .throttle import throttled_members

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
    # Also with raid5-deadline, which raises the cache of an array only when it needs more to hold stripes.
    for array in arrays(host):
        if array.has_parity and not array.dm and array.stripes is not None and array.stripes <= DEFAULT_STRIPES:
            yield Finding(
                ADVICE,
                "stripes",
                f"{array.name} has a stripe cache of {array.stripes}: large writes read from its members",
                f"seqkeep set {array.name} stripe_cache_size=8192  # takes {array.cache_mb(8192)} MiB",
            )


def check_raid_members(host: Host, states: list[State]) -> Iterator[Finding]:
    """Check that the block layer does not hold back what an array of RAID 4, 5 or 6 writes to its members."""
    counts = read_disks(host)
    for array in arrays(host):
        found = throttled_members(host, array, counts)
        if not found:
            continue
        limits = ", ".join(f"{each.disk} more than {each.limit}" for each in found)
        names = [stable_name(host, each.disk) or each.disk for each in found]
        yield Finding(
            ADVICE,
            "raid-members",
            f"the kernel takes what {array.name} writes to its members for background write-back, and throttles it"
            f" while reads take on {limits}",
            "; ".join(f"seqkeep set {name} wbt_lat_usec=0" for name in names)
            + f"  # or all members by udev: {RULE}; their own reads may then wait longer beside writes",
        )
