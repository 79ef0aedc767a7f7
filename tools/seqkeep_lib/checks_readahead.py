# SPDX-License-Identifier: GPL-2.0-only
"""
Check for readahead settings that work against each other.

The figures are those of the thread that context readahead comes from (Wu Fengguang, 2009): if a client and its server
both read ahead, the client does best with little (128 to 512 KiB), the server with much (1 to 2 MiB, more for RAID).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .finding import ADVICE, Finding
from .host import Host, unescape
from .modules import State

# The kernel's readahead of a mount, KiB, and the most that docs/nfs-ra.md found useful: 8 MiB, over a slow network.
DEFAULT_KB = 128
MOST_KB = 8192
# With more READs in flight, and more than MOST_KB, the server gets them out of order.
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
    """Return the name in /sys/block of the disk that a device number belongs to, also if it is a partition's."""
    link = host.path(f"/sys/dev/block/{device}")
    if not link.exists():
        return None
    here = link.resolve()
    return here.parent.name if (here / "partition").exists() else here.name


def read_ahead_kb(host: Host, disk: str) -> int | None:
    return host.number(f"/sys/block/{disk}/queue/read_ahead_kb")


def set_disk_command(disk: str, kib: int, besides: str) -> str:
    """Return the remedy for a disk, as a command and a shell comment, so that the user can paste the line."""
    return f"echo {kib} > /sys/block/{disk}/queue/read_ahead_kb  # {besides}"


def exported_directories(host: Host) -> list[str]:
    """Return the directories that nfsd exports; none if nfsd does not run."""
    if not host.number("/proc/fs/nfsd/threads"):
        return []
    lines = (host.text("/var/lib/nfs/etab") or "").splitlines()
    return sorted({unescape(line.split("\t")[0]) for line in lines if line.startswith("/")})


def check_nfs_exports(host: Host, states: list[State]) -> Iterator[Finding]:
    """Check that the server reads ahead at least as much as a client asks for in one READ."""
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
                set_disk_command(disk, wanted, "2048 on RAID; to keep it, write a udev rule"),
            )


def enabled_module(states: list[State], name: str) -> State | None:
    return next((state for state in states if state.module.name == name and state.enabled), None)


def list_items(state: State, parameter: str) -> list[str]:
    """Return the items of a parameter that is a list."""
    return [item for item in state.parameters.get(parameter, "").split(",") if item]


def disk_names(host: Host, disk: str) -> tuple[str, ...]:
    """Return the names that a disk may have in ctxra's lists: vda and 253:0."""
    number = host.text(f"/sys/block/{disk}/dev")
    return (disk, number) if number else (disk,)


def ctxra_window_kb(host: Host, ctxra: State, disk: str) -> int:
    """Return ctxra's max_kb for a disk: "512,vda=64" is 64 for vda, and 512 for the others. 0: the disk's own."""
    found = 0
    for item in list_items(ctxra, "max_kb"):
        name, is_own, kib = item.rpartition("=")
        if is_own and name in disk_names(host, disk):
            return int(kib)
        if not is_own:
            found = int(kib)
    return found


def is_widened_by_ctxra(host: Host, states: list[State], disk: str, wanted: int) -> bool:
    """Return whether ctxra opens windows of at least so many KiB on a disk."""
    ctxra = enabled_module(states, "ctxra")
    if not ctxra or not read_ahead_kb(host, disk):
        # ctxra bypasses disks whose readahead is 0.
        return False
    served = list_items(ctxra, "devices") or [disk]
    return ctxra_window_kb(host, ctxra, disk) >= wanted and any(name in served for name in disk_names(host, disk))


def check_nfs_mounts(host: Host, states: list[State]) -> Iterator[Finding]:
    """Check that an NFS mount reads ahead at least one READ, and not more READs than are useful."""
    if enabled_module(states, "nfs-ra"):
        # nfs-ra sets mounts, and would skip one that the remedy has set by hand. With multiple=auto the mount's own
        # value stays small.
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
                " READs are shorter than rsize, and one waits for the other",
                f"{remedy}  # for all mounts, see nfs-ra(4)",
            )
        elif now > max(MOST_RSIZES * one, MOST_KB):
            yield Finding(
                ADVICE,
                "readahead",
                f"{mount.path} reads ahead {now} KiB, {now // one} READs of {one} KiB:"
                " so many at once reach the server out of order",
                remedy,
            )


def nfs_rule(host: Host) -> str:
    """Return udev's rules for NFS without comments. udev reads the first file of a name, even if it is empty."""
    texts = (host.text(f"{directory}/{NFS_RULE}") for directory in UDEV_RULES)
    text = next((text for text in texts if text is not None), "")
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))


def check_nfs_udev_rule(host: Host, states: list[State]) -> Iterator[Finding]:
    """Check that nfs-utils' udev rule does not overwrite what nfs-ra sets."""
    if not enabled_module(states, "nfs-ra"):
        return
    rule = nfs_rule(host)
    if "nfsrahead" in rule and "nfs_ra" not in rule:
        yield Finding(
            ADVICE,
            "readahead",
            "nfs-ra is enabled, but a udev rule runs nfsrahead, which overwrites the readahead that nfs-ra sets",
            f"add the line with nfs_ra to {UDEV_RULES[0]}/{NFS_RULE} again; it is in nfs-ra(4), NFSRAHEAD",
        )


def check_md_arrays(host: Host, states: list[State]) -> Iterator[Finding]:
    """Check that an md array reads ahead at least one row of its chunks."""
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
                f"{disk} reads ahead {now} KiB, less than a row of its chunks ({row} KiB): some members are idle",
                set_disk_command(disk, 2 * row, "to keep it, write a udev rule"),
            )


def check_stacked_disks(host: Host, states: list[State]) -> Iterator[Finding]:
    """Check that no disk reads ahead more than a disk on top of it: files get the readahead of the upper one."""
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
                    f"{whole} reads ahead {below_kb} KiB, but {disk} on top of it {upper_kb} KiB:"
                    f" files on {disk} get {upper_kb} KiB",
                    f"set /sys/block/{disk}/queue/read_ahead_kb",
                )


def check_readahead_off(host: Host, states: list[State]) -> Iterator[Finding]:
    """Check that the disks in ctxra's parameter devices read ahead at all; ctxra bypasses those that do not."""
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
                f"ctxra's parameter devices names {disk}, whose readahead is switched off",
                set_disk_command(disk, 128, "max_kb alone has no effect"),
            )
