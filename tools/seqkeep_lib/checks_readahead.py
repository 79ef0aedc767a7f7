# SPDX-License-Identifier: GPL-2.0-only
"""
Settings of readahead that fight each other.

The figures are those of the thread that context readahead comes from (Wu Fengguang, 2009): where a client and its
server both read ahead, the client's is best small (128 to 512 KiB) and the server's large (1 to 2 MiB, more for RAID).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .finding import ADVICE, Finding
from .host import Host, unescape
from .modules import State

# What the kernel gives each mount, KiB, and as much as docs/nfs-ra.md found of use: 8 MiB, by a network with a delay.
DEFAULT_KB = 128
MOST_KB = 8192
# A client that keeps more reads in flight than this, and than is of use, mixes up their order at the server.
MOST_RSIZES = 16
UDEV_RULES = ("/etc/udev/rules.d", "/run/udev/rules.d", "/usr/local/lib/udev/rules.d", "/usr/lib/udev/rules.d")
NFS_RULE = "99-nfs.rules"


@dataclass(frozen=True)
class Mount:
    device: str
    path: str
    fstype: str
    options: str


def mounts(host: Host) -> Iterator[Mount]:
    for line in (host.text("/proc/self/mountinfo") or "").splitlines():
        before, _, after = line.partition(" - ")
        words, rest = before.split(), after.split()
        if len(words) > 4 and len(rest) > 2:
            yield Mount(words[2], unescape(words[4]), rest[0], rest[2])


def disk_of(host: Host, device: str) -> str | None:
    """The whole disk that a device number is of, or is a part of: its name in /sys/block."""
    link = host.path(f"/sys/dev/block/{device}")
    if not link.exists():
        return None
    here = link.resolve()
    return here.parent.name if (here / "partition").exists() else here.name


def read_ahead_kb(host: Host, disk: str) -> int | None:
    return host.number(f"/sys/block/{disk}/queue/read_ahead_kb")


def set_disk_command(disk: str, kib: int, besides: str) -> str:
    """The remedy for a disk: as it is shown it can be pasted into a shell."""
    return f"echo {kib} > /sys/block/{disk}/queue/read_ahead_kb  # {besides}"


def exported_directories(host: Host) -> list[str]:
    """The directories that nfsd exports; none unless it runs."""
    if not host.number("/proc/fs/nfsd/threads"):
        return []
    lines = (host.text("/var/lib/nfs/etab") or "").splitlines()
    return sorted({unescape(line.split("\t")[0]) for line in lines if line.startswith("/")})


def check_nfs_exports(host: Host, states: list[State]) -> Iterator[Finding]:
    """What a client asks for in one read, its server reads ahead in one piece."""
    most = host.number("/proc/fs/nfsd/max_block_size")
    wanted = min((most or 0) // 1024, 1024)
    seen = set()
    for path in exported_directories(host):
        disk = disk_of(host, host.device_of(path) or "")
        if disk is None or disk in seen:
            continue
        seen.add(disk)
        now = read_ahead_kb(host, disk)
        if now is not None and now < wanted and not is_widened_by_ctxra(host, states, disk, wanted):
            yield Finding(
                ADVICE,
                "readahead",
                f"nfsd exports {path} from {disk}, which reads ahead {now} KiB;"
                f" clients ask for up to {wanted} KiB at once",
                set_disk_command(disk, wanted, "2048 on RAID; by a udev rule, to keep it"),
            )


def enabled_module(states: list[State], name: str) -> State | None:
    return next((state for state in states if state.module.name == name and state.enabled), None)


def list_items(state: State, parameter: str) -> list[str]:
    """What a parameter that is a list has."""
    return [item for item in state.parameters.get(parameter, "").split(",") if item]


def disk_names(host: Host, disk: str) -> tuple[str, ...]:
    """What ctxra's lists may call a disk: vda, or 253:0."""
    number = host.text(f"/sys/block/{disk}/dev")
    return (disk, number) if number else (disk,)


def ctxra_window_kb(host: Host, ctxra: State, disk: str) -> int:
    """The window that ctxra gives a disk: "512,vda=64" is 64 for vda, and 512 for the others. 0: the disk's own."""
    found = 0
    for item in list_items(ctxra, "max_kb"):
        name, is_own, kib = item.rpartition("=")
        if is_own and name in disk_names(host, disk):
            return int(kib)
        if not is_own:
            found = int(kib)
    return found


def is_widened_by_ctxra(host: Host, states: list[State], disk: str, wanted: int) -> bool:
    """ctxra gives the disk's streams such windows."""
    ctxra = enabled_module(states, "ctxra")
    if not ctxra or not read_ahead_kb(host, disk):
        # Where nothing is to be read ahead, it leaves all alone.
        return False
    served = list_items(ctxra, "devices") or [disk]
    return ctxra_window_kb(host, ctxra, disk) >= wanted and any(name in served for name in disk_names(host, disk))


def check_nfs_mounts(host: Host, states: list[State]) -> Iterator[Finding]:
    """An NFS mount reads ahead at least one READ, and not many more than do any good."""
    if enabled_module(states, "nfs-ra"):
        # It decides, and would leave a mount alone that is set by hand. With auto the mount's own value stays small.
        return
    seen = set()
    for mount in mounts(host):
        rsize = re.search(r"\brsize=(\d+)", mount.options)
        if mount.fstype not in ("nfs", "nfs4") or not rsize or mount.device in seen:
            continue
        seen.add(mount.device)
        now = host.number(f"/sys/class/bdi/{mount.device}/read_ahead_kb")
        one = int(rsize[1]) // 1024
        if now is None or not one:
            continue
        remedy = f"echo {max(4 * one, DEFAULT_KB)} > /sys/class/bdi/{mount.device}/read_ahead_kb"
        if now < one:
            yield Finding(
                ADVICE,
                "readahead",
                f"{mount.path} reads ahead {now} KiB, less than one READ of {one} KiB:"
                " each is cut short, and the next waits",
                f"{remedy}  # for every mount, see nfs-ra(4)",
            )
        elif now > max(MOST_RSIZES * one, MOST_KB):
            yield Finding(
                ADVICE,
                "readahead",
                f"{mount.path} reads ahead {now} KiB, {now // one} READs of {one} KiB:"
                " so many at once come to the server out of order",
                remedy,
            )


def nfs_rule(host: Host) -> str:
    """What udev does for NFS, without comments: of files with one name it reads the first, be it empty."""
    texts = (host.text(f"{directory}/{NFS_RULE}") for directory in UDEV_RULES)
    text = next((text for text in texts if text is not None), "")
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))


def check_nfs_udev_rule(host: Host, states: list[State]) -> Iterator[Finding]:
    """nfs-utils' udev rule would overwrite what nfs-ra sets."""
    if not enabled_module(states, "nfs-ra"):
        return
    rule = nfs_rule(host)
    if "nfsrahead" in rule and "nfs_ra" not in rule:
        yield Finding(
            ADVICE,
            "readahead",
            "nfs-ra is enabled, but a udev rule has nfsrahead overwrite what it sets",
            f"put the line with nfs_ra back into {UDEV_RULES[0]}/{NFS_RULE}; nfs-ra(4), NFSRAHEAD, says which",
        )


def check_md_arrays(host: Host, states: list[State]) -> Iterator[Finding]:
    """An array reads ahead at least a row of its chunks; what is set on its members does nothing for files."""
    for disk in host.names("/sys/block"):
        if not host.exists(f"/sys/block/{disk}/md"):
            continue
        now = read_ahead_kb(host, disk)
        level = host.text(f"/sys/block/{disk}/md/level") or ""
        chunk = (host.number(f"/sys/block/{disk}/md/chunk_size") or 0) // 1024
        disks = host.number(f"/sys/block/{disk}/md/raid_disks") or 0
        parity = {"raid0": 0, "raid4": 1, "raid5": 1, "raid6": 2}
        if now is None or level not in parity:
            continue
        row = chunk * (disks - parity[level])
        if now < row:
            yield Finding(
                ADVICE,
                "readahead",
                f"{disk} reads ahead {now} KiB, less than a row of its chunks ({row} KiB): some members wait",
                set_disk_command(disk, 2 * row, "by a udev rule, to keep it"),
            )


def check_stacked_disks(host: Host, states: list[State]) -> Iterator[Finding]:
    """Readahead is that of the device that the file system is on, not of those below it."""
    for disk in host.names("/sys/block"):
        upper_kb = read_ahead_kb(host, disk)
        for below in host.names(f"/sys/block/{disk}/slaves"):
            link = host.path(f"/sys/block/{disk}/slaves/{below}")
            whole = link.resolve().parent.name if (link / "partition").exists() else below
            below_kb = read_ahead_kb(host, whole)
            if upper_kb is not None and below_kb is not None and below_kb > upper_kb:
                yield Finding(
                    ADVICE,
                    "readahead",
                    f"{whole} reads ahead {below_kb} KiB and {disk} above it {upper_kb}:"
                    f" files on {disk} get {upper_kb}",
                    f"set /sys/block/{disk}/queue/read_ahead_kb",
                )


def check_readahead_off(host: Host, states: list[State]) -> Iterator[Finding]:
    """ctxra makes windows larger; a device that is told not to read ahead has none."""
    ctxra = enabled_module(states, "ctxra")
    if not ctxra:
        return
    served = list_items(ctxra, "devices")
    for disk in host.names("/sys/block"):
        if not any(name in served for name in disk_names(host, disk)):
            continue
        if read_ahead_kb(host, disk) == 0:
            yield Finding(
                ADVICE,
                "readahead",
                f"ctxra is to serve {disk}, whose readahead is switched off",
                set_disk_command(disk, 128, "max_kb alone does nothing here"),
            )
