# SPDX-License-Identifier: GPL-2.0-only
"""Whether nfs-ra would help: an NFS mount is read in order, and its readahead is small for its rsize or network."""

from __future__ import annotations

from collections.abc import Iterator

from .advice import HELPS, HELPS_NOT, UNCERTAIN, Advice, Reason, Remedy
from .machine import Machine, trial
from .nfs import NfsMount, has_nfsrahead, nfs_conf_readahead

# So many READs in flight are enough; a constant readahead allows them.
MULTIPLE = 4
# The most that docs/nfs-ra.md found useful.
MOST_KB = 8192
# Fewer READs say nothing about a load.
FEWEST_READS = 100
NFS_CONF_FILE = "/etc/nfs.conf.d/nfsrahead.conf"
# Files are read in pieces if READs are smaller on average.
PIECES_KB = 16
# Below this round trip a mount with a readahead of one READ is hardly slower.
NEAR_MS = 0.2


def advise(machine: Machine) -> Advice:
    return Advice("nfs-ra", list(reasons(machine)), trial(machine, "nfs-ra"))


def reasons(machine: Machine) -> Iterator[Reason]:
    if not machine.mounts:
        yield Reason(HELPS_NOT, "No NFS file system is mounted.")
    for mount in machine.mounts:
        yield mount_reason(machine, mount)


def mount_reason(machine: Machine, mount: NfsMount) -> Reason:
    path, rsize, now = mount.mount.path, mount.rsize_kb, mount.read_ahead_kb
    if now is None or not rsize:
        return Reason(UNCERTAIN, f"{path}: its readahead cannot be read.")
    wanted = max(MULTIPLE * rsize, 128)
    stats = machine.sample.mounts.get(path, {})
    reads = stats.get("reads", 0)
    seen = f"{path}: rsize {rsize} KiB, readahead {now} KiB"
    small = stats.get("small", 0)
    trip = stats["small_rtt_ms"] / small if small >= 10 else None
    if trip is not None:
        seen += f", round trip {trip:.2f} ms"
        if trip >= NEAR_MS:
            # A reader waits a round trip for each window, unless the next one is on its way: two windows at most.
            seen += f" (so at most {2 * now / 1024 * 1000 / trip:.0f} MiB/s for one reader)"
    if reads:
        size = stats["read_bytes"] / 1024 / reads
        seen += f"; {reads} READs {machine.over()}, {size:.0f} KiB and {stats['read_rtt_ms'] / reads:.2f} ms each"
    seen += "."
    if machine.is_enabled("nfs-ra") and auto_kb(machine, mount):
        return Reason(HELPS_NOT, f"{seen} nfs-ra lets the windows of its files grow already.")
    if now >= wanted:
        return Reason(HELPS_NOT, f"{seen} It reads ahead {now // rsize} READs already{whose(machine, now)}.")
    first = remedies(machine, mount, wanted)
    if reads < FEWEST_READS:
        why = f"Only {reads} READs {machine.over()}: too few to see whether files are read in order."
        return Reason(UNCERTAIN, f"{seen} {why}", first)
    if size < PIECES_KB:
        return Reason(HELPS_NOT, f"{seen} Files are read in pieces, which a larger readahead makes slower.")
    if now < rsize or (trip or 0) >= NEAR_MS:
        why = f"{wanted} KiB would keep {wanted // rsize} READs of full size in flight."
        return Reason(HELPS, f"{seen} {why}", first)
    return Reason(UNCERTAIN, f"{seen} So near a server hardly needs more.", first)


def auto_kb(machine: Machine, mount: NfsMount) -> int:
    """Return up to how many KiB nfs-ra lets the windows of a mount's files grow; 0: they do not, or nobody may know."""
    for line in (machine.host.text("/sys/kernel/debug/nfs_ra/mounts") or "").splitlines():
        words = line.split()
        # The last two columns are auto_kb and server.
        if len(words) >= 8 and words[0] == mount.mount.device:
            return int(words[-2])
    return 0


def whose(machine: Machine, now: int) -> str:
    if machine.is_enabled("nfs-ra"):
        return ", by nfs-ra"
    if str(now) in nfs_conf_readahead(machine.host).values():
        return ", by nfs.conf, whose value nfs-ra would leave"
    return ""


def remedies(machine: Machine, mount: NfsMount, wanted: int) -> tuple[Remedy, ...]:
    wanted = min(wanted, MOST_KB)
    found = []
    if has_nfsrahead(machine.host):
        command = f"mkdir -p /etc/nfs.conf.d; printf '[nfsrahead]\\ndefault={wanted}\\n' > {NFS_CONF_FILE}"
        found.append(Remedy(command, "for all mounts from now on: no module needed"))
    now = f"echo {wanted} > /sys/class/bdi/{mount.mount.device}/read_ahead_kb"
    return (*found, Remedy(now, f"for {mount.mount.path} until it is unmounted"))
