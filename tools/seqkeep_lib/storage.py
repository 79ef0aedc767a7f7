# SPDX-License-Identifier: GPL-2.0-only
"""Mounts, and the disks below them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .host import Host, unescape

# Their files are read through the page cache, from one disk that /sys/block shows.
CACHED_ON_DISK = ("ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs", "jfs", "gfs2", "ocfs2", "vfat", "exfat", "ntfs3")

# What a remedy says of a setting that a boot would undo.
KEEP = "to keep it, use seqkeep set"


@dataclass(frozen=True)
class Mount:
    device: str
    path: str
    fstype: str
    # Of the superblock.
    options: str
    source: str = ""


def mounts(host: Host) -> Iterator[Mount]:
    # Only a blank separates words, and the kernel escapes it; others that Python takes for one are in the paths.
    for line in (host.text("/proc/self/mountinfo") or "").split("\n"):
        before, _, after = line.partition(" - ")
        words, rest = before.split(" "), after.split(" ")
        if len(words) > 4 and len(rest) > 2:
            yield Mount(words[2], unescape(words[4]), rest[0], rest[2], unescape(rest[1]))


def mount_of(host: Host, path: str) -> Mount | None:
    """Return the mount that a file is on: the last one whose path is the longest."""
    found = None
    for mount in mounts(host):
        below = mount.path == "/" or path == mount.path or path.startswith(mount.path + "/")
        if below and (found is None or len(mount.path) >= len(found.path)):
            found = mount
    return found


def whole_disk(host: Host, link: str) -> str | None:
    """Return the name in /sys/block of the disk that a link leads to, also if it is a partition's."""
    path = host.path(link)
    if not path.exists():
        return None
    here = path.resolve()
    return here.parent.name if (here / "partition").exists() else here.name


def disk_of(host: Host, device: str) -> str | None:
    """Return the name in /sys/block of the disk that a device number belongs to."""
    return whole_disk(host, f"/sys/dev/block/{device}")


def disk_of_mount(host: Host, mount: Mount) -> str | None:
    """Return the disk of a mount. btrfs has a number of its own, and names a device as its source."""
    found = disk_of(host, mount.device)
    if found is None and mount.source.startswith("/dev/"):
        found = whole_disk(host, f"/sys/class/block/{mount.source.rpartition('/')[2]}")
    return found


def read_ahead_kb(host: Host, disk: str) -> int | None:
    return host.number(f"/sys/block/{disk}/queue/read_ahead_kb")


def full_read_kb(host: Host, disk: str) -> int | None:
    """Return the size of the largest read that readahead can make on a disk, KiB."""
    window, most = read_ahead_kb(host, disk), host.number(f"/sys/block/{disk}/queue/max_sectors_kb")
    if window is None or not most:
        return window
    return min(window, most)


def slaves(host: Host, disk: str) -> list[str]:
    """Return the disks and partitions directly below a disk."""
    return host.names(f"/sys/block/{disk}/slaves")


def slave_disk(host: Host, disk: str, below: str) -> str:
    """Return the disk of one of slaves(), which may be a partition."""
    return whole_disk(host, f"/sys/block/{disk}/slaves/{below}") or below


def lowest_disks(host: Host, disk: str) -> list[str]:
    """Return the disks that a disk is made of in the end; itself if nothing is below it."""
    below = [lowest for name in slaves(host, disk) for lowest in lowest_disks(host, slave_disk(host, disk, name))]
    return sorted(set(below)) or [disk]


def set_disk_command(disk: str, kib: int, besides: str) -> str:
    """Return the remedy for a disk, as a command and a shell comment, so that the user can paste the line."""
    return f"echo {kib} > /sys/block/{disk}/queue/read_ahead_kb  # {besides}"
