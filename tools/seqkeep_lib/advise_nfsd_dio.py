# SPDX-License-Identifier: GPL-2.0-only
"""Whether nfsd-dio would help: NFS clients write to ext4 or XFS, and the disk has to be read for that."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .advice import HELPS, HELPS_NOT, UNCERTAIN, Advice, Reason, Remedy
from .machine import Machine, trial
from .nfs import IO_CACHE_WRITE, NFSD_IO_DIRECT, io_cache_write, keeps_native_coherent
from .storage import disk_of_mount

SERVED = ("ext4", "xfs")
# nfsd has been able to write direct since then ("NFSD: Implement NFSD_IO_DIRECT for NFS WRITE").
OWN_DIRECT = (6, 19)
# Fewer WRITEs say nothing about a load.
FEWEST_WRITES = 1000
# Reads of a disk for each WRITE that no client asked for: from the first on, blocks are read to be written in part.
PREREADS, NO_PREREADS = 0.25, 0.02


def advise(machine: Machine) -> Advice:
    # Where native=1 is in force a trial would take it away for a while, and cannot see what it does.
    native = machine.is_enabled("nfsd-dio") and keeps_native_coherent(machine.host)
    return Advice("nfsd-dio", list(reasons(machine)), [] if native else trial(machine, "nfsd-dio"))


def reasons(machine: Machine) -> Iterator[Reason]:
    if not machine.threads:
        yield Reason(HELPS_NOT, "nfsd does not run.")
        return
    served = {path: mount for path, mount in machine.exports.items() if mount and mount.fstype in SERVED}
    if machine.exports and not served:
        kinds = sorted({mount.fstype for mount in machine.exports.values() if mount})
        yield Reason(HELPS_NOT, f"nfsd exports no ext4 and no XFS, only {', '.join(kinds) or 'what cannot be seen'}.")
        return
    yield server_reason(machine, sorted({disk_of_mount(machine.host, m) or "" for m in served.values() if m}))


def remedy(machine: Machine) -> tuple[Remedy, ...]:
    """Return nfsd's own switch, where this kernel has it, with the value for direct writes."""
    kernel = tuple(int(part) for part in re.findall(r"\d+", machine.host.release)[:2])
    if io_cache_write(machine.host) == 0 and kernel >= OWN_DIRECT:
        return (
            Remedy(
                f"echo 2 > {IO_CACHE_WRITE}",
                "nfsd's own direct writes, until the next boot, instead of the module's; not on LVM or md."
                " Before you try the module: echo 0",
            ),
        )
    return ()


def server_reason(machine: Machine, disks: list[str]) -> Reason:
    served = machine.sample.server
    writes = served.get("writes", 0)
    own = io_cache_write(machine.host)
    if machine.is_enabled("nfsd-dio") and keeps_native_coherent(machine.host):
        return Reason(HELPS, "nfsd makes direct writes itself, and nfsd-dio updates the times after them (native=1).")
    if own == NFSD_IO_DIRECT:
        why = "nfsd makes direct writes itself (io_cache_write is 2), and nfsd-dio leaves all writes to it."
        readers = "If clients read files while others write them: seqkeep enable --now nfsd-dio native=1"
        return Reason(HELPS_NOT, f"{why} {readers}")
    if own:
        return Reason(HELPS_NOT, f"nfsd's own io_cache_write is {own}: nfsd-dio leaves all writes to it.")
    if writes < FEWEST_WRITES:
        why = f"Clients sent only {writes} WRITEs {machine.over()}: run this again with --watch 60s while they write."
        return Reason(UNCERTAIN if writes else HELPS_NOT, why if writes else f"No client wrote {machine.over()}.")
    size = served["write_bytes"] / writes
    seen = f"Clients sent {writes} WRITEs {machine.over()}, {size / 1024:.1f} KiB each."
    direct = machine.would("nfsd-dio").get("would_direct")
    if machine.is_observing("nfsd-dio") and direct is not None:
        share = direct / writes
        why = f"nfsd-dio would have made {direct} of them direct ({share:.0%})."
        return Reason(HELPS if share >= NO_PREREADS else HELPS_NOT, f"{seen} {why}", remedy(machine))
    if machine.is_enabled("nfsd-dio"):
        direct = machine.sample.counters.get("nfsd-dio", {}).get("direct", 0)
        verdict = HELPS if direct / writes >= NO_PREREADS else HELPS_NOT
        return Reason(
            verdict, f"{seen} nfsd-dio made {direct} of them direct ({direct / writes:.0%}).", remedy(machine)
        )
    if size % 512:
        seen += " Some of them are not aligned to sectors, and nfsd-dio leaves those to nfsd."
    return preread_reason(machine, seen, writes, disks)


def preread_reason(machine: Machine, seen: str, writes: int, disks: list[str]) -> Reason:
    """Judge by the reads of the disks, if clients read nothing that would explain them."""
    reads = sum(machine.disk(disk).get("reads", 0) for disk in disks)
    asked = machine.sample.server.get("reads", 0)
    names = ", ".join(disk for disk in disks if disk) or "a disk that /sys/block does not show"
    unasked = max(reads - asked, 0) / writes
    seen += f" {names} did {reads} reads, and clients sent {asked} READs."
    if machine.seconds is not None and asked < writes / 10 and unasked >= PREREADS:
        why = f"{unasked:.2f} reads for each WRITE: blocks are read because a WRITE changes a part of them."
        return Reason(HELPS, f"{seen} {why}", remedy(machine))
    if reads / writes < NO_PREREADS:
        return Reason(HELPS_NOT, f"{seen} So hardly any WRITE makes the disk read.")
    why = "Whether the reads are for parts of blocks cannot be seen from outside."
    if machine.seconds is None:
        why += " Run this again with --watch 60s while clients write."
    return Reason(UNCERTAIN, f"{seen} {why}", remedy(machine))
