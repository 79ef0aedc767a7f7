# SPDX-License-Identifier: GPL-2.0-only
"""Check for write-back throttling of the members of RAID 4, 5 and 6: docs/upstream/raid456-wbt.md has the reason."""

from __future__ import annotations

from collections.abc import Iterator

from .finding import ADVICE, Finding
from .host import Host
from .modules import State

LEVELS = ("raid4", "raid5", "raid6")
RULE = "/usr/share/seqkeep/udev/69-raid-members.rules"


def disks_of_array(host: Host, array: str) -> Iterator[str]:
    """Name the disks, in /sys/block, of an array's members: of a partition the disk that it is on."""
    for member in host.names(f"/sys/block/{array}/slaves"):
        here = host.path(f"/sys/class/block/{member}")
        if here.exists():
            real = here.resolve()
            yield real.parent.name if (real / "partition").exists() else real.name


def check_raid_members(host: Host, states: list[State]) -> Iterator[Finding]:
    """Advise where the block layer throttles what RAID writes to its members."""
    for array in host.names("/sys/block"):
        if host.text(f"/sys/block/{array}/md/level") not in LEVELS:
            continue
        disks = sorted(set(disks_of_array(host, array)))
        throttled = [disk for disk in disks if host.number(f"/sys/block/{disk}/queue/wbt_lat_usec")]
        if throttled:
            yield Finding(
                ADVICE,
                "raid-members",
                f"the kernel throttles what {array} writes to {', '.join(throttled)}, as background write-back",
                f"copy {RULE} to /etc/udev/rules.d, and until then: "
                + "; ".join(f"echo 0 > /sys/block/{disk}/queue/wbt_lat_usec" for disk in throttled),
            )
