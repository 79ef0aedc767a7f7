# SPDX-License-Identifier: GPL-2.0-only
"""Check for write-back throttling of the disks that nfsd exports."""

from __future__ import annotations

from collections.abc import Iterator

from .arrays import arrays
from .device_conf import stable_name
from .finding import ADVICE, Finding
from .host import Host
from .modules import State
from .nfs import exported_directories
from .sample import read_disks
from .storage import disk_of_mount, lowest_disks, mount_of
from .throttle import ROTATIONAL_USEC, throttled


def check_exported_disks(host: Host, states: list[State]) -> Iterator[Finding]:
    """Check that the disks that nfsd exports are not throttled because their reads take long."""
    served = [mount for path in exported_directories(host) if (mount := mount_of(host, path))]
    exported = {disk_of_mount(host, mount) for mount in served}
    # checks_raid.py says what members of RAID 4, 5 and 6 need.
    members = {member.disk for array in arrays(host) if array.has_parity for member in array.members}
    disks = {low for top in exported if top for low in lowest_disks(host, top)} - members
    for disk in throttled(host, disks, read_disks(host)):
        # Not all exports are written to, so say nothing on a guess; and a larger limit than the remedy's was chosen.
        if disk.read_ms is None or disk.limit_usec >= ROTATIONAL_USEC:
            continue
        yield Finding(
            ADVICE,
            "nfsd",
            f"nfsd exports files on {disk.disk}: the kernel throttles writes that clients wait for while its reads"
            f" take more than {disk.limit}",
            f"seqkeep set {stable_name(host, disk.disk) or disk.disk} wbt_lat_usec={ROTATIONAL_USEC}"
            "  # reads may wait longer beside much write-back",
        )
