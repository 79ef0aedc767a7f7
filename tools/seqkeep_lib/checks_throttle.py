# SPDX-License-Identifier: GPL-2.0-only
"""
Check for write-back throttling of the disks that nfsd exports.

A disk that is not rotational, and takes longer than wbt_lat_usec for a read, lets buffered writes through one at a time
as soon as anything is read from it. A WRITE that a client waits for is such a write. docs/nfsd-dio.md has figures.
"""

from __future__ import annotations

from collections.abc import Iterator

from .arrays import ROTATIONAL_USEC, arrays
from .device_conf import stable_name
from .finding import ADVICE, Finding
from .host import Host
from .modules import State
from .nfs import exported_directories
from .storage import disk_of_mount, lowest_disks, mount_of

# Fewer reads since boot say nothing about a disk.
FEWEST_READS = 1000


def read_ms(host: Host, disk: str) -> float | None:
    """Return how long a read has taken since boot, on average; None: too few to tell."""
    words = (host.text(f"/sys/block/{disk}/stat") or "").split()[:4]
    if len(words) < 4 or not all(word.isdecimal() for word in words) or int(words[0]) < FEWEST_READS:
        return None
    return int(words[3]) / int(words[0])


def check_exported_disks(host: Host, states: list[State]) -> Iterator[Finding]:
    """Check that the disks that nfsd exports are not throttled because their reads take long."""
    served = [mount for path in exported_directories(host) if (mount := mount_of(host, path))]
    exported = {disk_of_mount(host, mount) for mount in served}
    # checks_raid.py says what members of RAID 4, 5 and 6 need.
    members = {member.disk for array in arrays(host) if array.has_parity for member in array.members}
    for disk in sorted({low for top in exported if top for low in lowest_disks(host, top)} - members):
        limit = host.number(f"/sys/block/{disk}/queue/wbt_lat_usec")
        takes = read_ms(host, disk)
        if not limit or takes is None or takes * 1000 <= limit or limit >= ROTATIONAL_USEC:
            continue
        yield Finding(
            ADVICE,
            "nfsd",
            f"nfsd exports files on {disk}, whose reads take {takes:.1f} ms on average since boot: the kernel"
            f" throttles writes that clients wait for while they take more than wbt_lat_usec, {limit}",
            f"seqkeep set {stable_name(host, disk) or disk} wbt_lat_usec={ROTATIONAL_USEC}"
            "  # reads may wait longer beside much write-back",
        )
