# SPDX-License-Identifier: GPL-2.0-only
"""
Check for readahead settings that work against each other.

The figures are those of the thread that context readahead comes from (Wu Fengguang, 2009): if a client and its server
both read ahead, the client does best with little (128 to 512 KiB), the server with much (1 to 2 MiB, more for RAID).
"""

from __future__ import annotations

from collections.abc import Iterator

from .finding import ADVICE, Finding
from .host import Host
from .modules import State, enabled_module
from .nfs import exported_directories, nfs_conf_readahead, nfs_mounts
from .storage import KEEP, disk_of_mount, mount_of, read_ahead_kb, set_disk_command, slave_disk, slaves
from .targets import backstores

# The kernel's readahead of a mount, KiB, and the most that docs/nfs-ra.md found useful: 8 MiB, over a slow network.
DEFAULT_KB = 128
MOST_KB = 8192
# With more READs in flight, and more than MOST_KB, the server gets them out of order.
MOST_RSIZES = 16
UDEV_RULES = ("/etc/udev/rules.d", "/run/udev/rules.d", "/usr/local/lib/udev/rules.d", "/usr/lib/udev/rules.d")
NFS_RULE = "99-nfs.rules"


def check_nfs_exports(host: Host, states: list[State]) -> Iterator[Finding]:
    """Check that the server reads ahead at least as much as a client asks for in one READ."""
    most = host.number("/proc/fs/nfsd/max_block_size")
    wanted = min((most or 0) // 1024, 1024)
    seen = set()
    for path in exported_directories(host):
        # Not by stat() of the directory, which would wait for a disk that hangs, and of btrfs has a number of its own.
        mount = mount_of(host, path)
        disk = disk_of_mount(host, mount) if mount else None
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
                set_disk_command(disk, wanted, f"2048 on RAID; {KEEP}"),
            )


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
        if not kib.isdecimal():
            # auto, or what a later version of the module shows.
            continue
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
    for nfs in nfs_mounts(host):
        mount, now, one = nfs.mount, nfs.read_ahead_kb, nfs.rsize_kb
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
            "nfs-ra is enabled, but a udev rule runs nfsrahead, which sets the readahead of each mount,"
            " so that nfs-ra leaves the mount alone",
            f"add the line with nfs_ra to {UDEV_RULES[0]}/{NFS_RULE} again; it is in nfs-ra(4), NFSRAHEAD",
        )


def check_nfs_conf(host: Host, states: list[State]) -> Iterator[Finding]:
    """Check that nfs-ra does not override a readahead that the administrator chose in nfs.conf."""
    values = nfs_conf_readahead(host)
    nfs_ra = enabled_module(states, "nfs-ra")
    if values and nfs_ra and nfs_ra.parameters.get("override") == "1":
        shown = ", ".join(f"{name}={value}" for name, value in values.items())
        yield Finding(
            ADVICE,
            "readahead",
            f"nfs.conf sets the readahead of NFS mounts ({shown}), but nfs-ra has override=1 and leaves it out",
            "seqkeep set nfs-ra override=0  # or remove the section nfsrahead from nfs.conf",
        )


def check_backstores(host: Host, states: list[State]) -> Iterator[Finding]:
    """Check that ctxra sees the reads of the iSCSI target: those of fileio, not those of block."""
    if not enabled_module(states, "ctxra"):
        return
    stores = backstores(host)
    unseen = [store.name for store in stores if not store.is_cached]
    if unseen:
        only = "; that is all that the target serves" if len(unseen) == len(stores) else ""
        yield Finding(
            ADVICE,
            "target",
            f"ctxra does not see the reads of {len(unseen)} iSCSI backstores ({', '.join(unseen[:5])}),"
            f" which do not pass the page cache{only}",
            "none needed; ctxra works for backstores of type fileio",
        )


def check_stacked_disks(host: Host, states: list[State]) -> Iterator[Finding]:
    """Check that no disk reads ahead more than a disk on top of it: files get the readahead of the upper one."""
    for disk in host.names("/sys/block"):
        upper_kb = read_ahead_kb(host, disk)
        for below in slaves(host, disk):
            whole = slave_disk(host, disk, below)
            below_kb = read_ahead_kb(host, whole)
            if upper_kb is not None and below_kb is not None and below_kb > upper_kb:
                yield Finding(
                    ADVICE,
                    "readahead",
                    f"{whole} reads ahead {below_kb} KiB, but {disk} on top of it {upper_kb} KiB:"
                    f" files on {disk} get {upper_kb} KiB",
                    set_disk_command(disk, below_kb, KEEP),
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
