# SPDX-License-Identifier: GPL-2.0-only
"""The target of a measurement: a block device or a file, the disk below it, and its other users."""

from __future__ import annotations

import os
import re
import stat
import time
from dataclasses import dataclass
from pathlib import Path

from seqkeep_lib.host import unescape

from .errors import IostuneError

DEV = Path("/dev")
BLOCK = Path("/sys/block")
DEVICES = Path("/sys/dev/block")
UDEV = Path("/run/udev/data")
MOUNTS = Path("/proc/self/mountinfo")
SWAPS = Path("/proc/swaps")
BTRFS = Path("/sys/fs/btrfs")


@dataclass(frozen=True)
class Target:
    path: Path
    is_file: bool
    size: int
    # MAJOR:MINOR of the device, or of the device that the file is on.
    number: str
    # Its directory in /sys, and that of the whole disk; None for a file that is on no single disk.
    sysfs: Path | None
    disk: Path | None

    @property
    def name(self) -> str:
        return self.disk.name if self.disk else str(self.path)


def read_file(path: Path) -> str:
    """Return the contents of a file without surrounding white space; "" if it cannot be read."""
    try:
        # A mount point may be any bytes.
        return path.read_bytes().decode(errors="replace").strip()
    except OSError:
        return ""


def path_of(word: str) -> Path:
    """Return the path that a user means: sda is /dev/sda, unless there is a file sda."""
    if "/" not in word and word and not os.path.lexists(word) and (DEV / word).exists():
        return DEV / word
    return Path(word)


def find_target(word: str) -> Target:
    """Return the target that a user names. IostuneError: it cannot be measured."""
    if not word:
        raise IostuneError("'' is no name: name a block device, or a file on one")
    path = path_of(word)
    try:
        status = path.stat()
    except OSError as error:
        hint = "; iostune alone lists the disks" if isinstance(error, FileNotFoundError) else ""
        raise IostuneError(f"{word}: {error.strerror}{hint}") from None
    except ValueError:
        raise IostuneError(f"{word!a} is no name of a file") from None
    is_file = stat.S_ISREG(status.st_mode)
    if not is_file and not stat.S_ISBLK(status.st_mode):
        raise IostuneError(f"{path} is neither a block device nor a file")
    device = status.st_dev if is_file else status.st_rdev
    number = f"{os.major(device)}:{os.minor(device)}"
    link = DEVICES / number
    sysfs = link.resolve() if link.exists() else None
    disk = sysfs.parent if sysfs and (sysfs / "partition").exists() else sysfs
    size = status.st_size if is_file else int(read_file(sysfs / "size") or 0) * 512 if sysfs else 0
    if not size:
        raise IostuneError(f"{path} has nothing to read: it is empty, or no medium is in the drive")
    # Absolute, because fio runs in another directory.
    return Target(path.absolute(), is_file, size, number, sysfs, disk)


def identity(target: Target) -> dict[str, str]:
    """Return what identifies this disk until the next boot."""
    assert target.disk
    # diskseq (since 5.15) is unique. Before that the size helps, although lvextend may change it.
    first = "diskseq" if read_file(target.disk / "diskseq") else "size"
    names = (first, "wwid", "device/wwid", "serial", "device/serial", "dm/uuid")
    return {"disk": str(target.disk)} | {
        name: read_file(target.disk / name) for name in names if read_file(target.disk / name)
    }


def udev_properties(target: Target) -> dict[str, str]:
    """Return udev's properties of the disk."""
    assert target.disk
    lines = read_file(UDEV / f"b{read_file(target.disk / 'dev')}").splitlines()
    return dict(line[2:].split("=", 1) for line in lines if line.startswith("E:") and "=" in line)


def is_multipath(disk: Path) -> bool:
    """Return whether a disk is a map of dm-multipath, which passes each request whole to one of its paths."""
    return read_file(disk / "dm/uuid").startswith("mpath-")


def is_mapped(disk: Path) -> bool:
    """Return whether a disk is one of device mapper: LVM, dm-crypt and others."""
    return (disk / "dm").is_dir()


def is_zoned(disk: Path) -> bool:
    """Return whether a disk has zones that must be written in order."""
    return read_file(disk / "queue/zoned") == "host-managed"


def multipath_above(disk: Path) -> str:
    """Return the multipath map that a disk is a path of; "" if there is none."""
    names = (read_file(holder / "dm/name") or holder.name for holder in disk.glob("holders/*") if is_multipath(holder))
    return next((f"/dev/mapper/{name}" for name in names), "")


def related_devices(target: Target) -> dict[str, str]:
    """Return the names, by MAJOR:MINOR, of the disk, its partitions, and all devices stacked on them."""
    found: dict[str, str] = {}
    waiting = [target.disk] if target.disk else []
    while waiting:
        device = waiting.pop()
        number = read_file(device / "dev")
        if not number or number in found:
            continue
        found[number] = device.name
        waiting += [part.parent for part in device.glob("*/partition")]
        waiting += [holder.resolve() for holder in device.glob("holders/*")]
    return found


def users(target: Target) -> list[str]:
    """Return messages about the other users of the disk: mounts, swap, and devices on top of it."""
    devices = related_devices(target)
    found = [
        f"{devices[words[2]]} is mounted on {unescape(words[4])}"
        # Split at " " and "\n" only, because names may contain other white space.
        for words in (line.split(" ") for line in read_file(MOUNTS).split("\n"))
        if len(words) > 4 and words[2] in devices
    ]
    found += [
        f"{devices[number]} is part of the mounted btrfs {part.parent.parent.name}"
        # Mounts of btrfs have a device number of their own.
        for part in sorted(BTRFS.glob("*/devices/*"))
        for number in [read_file(part / "dev")]
        if number in devices
    ]
    names = {f"/dev/{name}" for name in devices.values()}
    found += [f"{words[0]} is swap" for words in map(str.split, read_file(SWAPS).splitlines()) if words[0] in names]
    own = {target.disk.name, target.sysfs.name} if target.disk and target.sysfs else set()
    partitions = {part.parent.name for part in target.disk.glob("*/partition")} if target.disk else set()
    found += [f"{name} is on top of it" for name in devices.values() if name not in own | partitions]
    return found


def io_by_others(target: Target, seconds: float) -> str:
    """Count the I/O of others in so many seconds, and return a message; "" if there was none."""
    if not target.disk:
        return ""

    def counts() -> tuple[int, int]:
        words = read_file(target.disk / "stat").split() if target.disk else []
        return (int(words[0]), int(words[4])) if len(words) > 4 else (0, 0)

    before = counts()
    time.sleep(seconds)
    after = counts()
    reads, writes = after[0] - before[0], after[1] - before[1]
    return f"{reads} reads and {writes} writes in {seconds:g} s" if reads or writes else ""


def list_disks() -> list[list[str]]:
    """Return the whole disks that have a size: name, size, kind, scheduler, readahead and model."""
    rows = [["DISK", "GB", "ROTATES", "SCHEDULER", "READ_AHEAD_KB", "MODEL"]]
    for disk in sorted(BLOCK.glob("*")):
        size = read_file(disk / "size")
        if not size.isdigit() or not int(size):
            continue
        scheduler = re.search(r"\[(.*?)\]", read_file(disk / "queue/scheduler"))
        rows.append(
            [
                disk.name,
                f"{int(size) * 512 / 1e9:.1f}",
                {"0": "no", "1": "yes"}.get(read_file(disk / "queue/rotational"), "-"),
                scheduler[1] if scheduler else "-",
                read_file(disk / "queue/read_ahead_kb") or "-",
                read_file(disk / "device/model") or read_file(disk / "dm/name") or read_file(disk / "md/level"),
            ]
        )
    return rows
