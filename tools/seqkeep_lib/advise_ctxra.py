# SPDX-License-Identifier: GPL-2.0-only
"""Whether ctxra would help: several readers share a stream, its reads are small, and the disk is not instant."""

from __future__ import annotations

from collections.abc import Iterator

from .advice import HELPS, HELPS_NOT, UNCERTAIN, Advice, Reason, Remedy
from .machine import Machine, trial
from .sample import Numbers
from .storage import CACHED_ON_DISK, disk_of_mount, full_read_kb, mount_of, read_ahead_kb, set_disk_command

# Fewer reads say nothing about a load.
FEWEST_READS = 1000
# A disk that answers a read so fast gains nothing from fewer reads.
FAST_MS = 0.2
# Reads of three quarters of the largest size, on average, leave nothing to gain; those below half do.
LARGE, SMALL = 0.75, 0.5
# READs of clients: below the first a client reads pieces, from the second on, which is below the least rsize in use
# (32 KiB) because a file has a last READ, it reads files in order.
PIECES_KB, STREAM_KB = 16, 24
# The share of readaheads that find pages of the same stream in the cache and make a reader wait for the next ones.
SHARED_STREAMS, RANDOM = 0.10, 0.95
# What a server does best with, by the thread that context readahead comes from (Wu Fengguang, 2009).
SERVER_KB = 1024


def advise(machine: Machine) -> Advice:
    return Advice("ctxra", list(reasons(machine)), trial(machine, "ctxra"))


def reasons(machine: Machine) -> Iterator[Reason]:
    found = [*export_reasons(machine), *backstore_reasons(machine)]
    yield from found
    if not found:
        yield Reason(
            HELPS_NOT,
            "Nothing here serves files to several readers at once: nfsd runs no thread, and there is no backstore of"
            " LIO or SCST. A program that reads one file in several processes, as dump does, would gain all the same;"
            " ra-trace(4) shows whether one does.",
        )


def export_reasons(machine: Machine) -> Iterator[Reason]:
    seen: set[str] = set()
    for path, mount in machine.exports.items():
        what = f"nfsd ({machine.threads} threads) exports {path}"
        if mount is None:
            yield Reason(UNCERTAIN, f"{what}, and no mount of that path is in /proc/self/mountinfo.")
            continue
        if mount.device in seen:
            continue
        seen.add(mount.device)
        if mount.fstype == "zfs":
            yield Reason(HELPS_NOT, f"{what} from ZFS, which has a cache of its own: ctxra never sees its reads.")
        elif mount.fstype not in CACHED_ON_DISK:
            yield Reason(UNCERTAIN, f"{what} from {mount.fstype}, whose disk, if it has one, cannot be found.")
        elif machine.threads < 2:
            yield Reason(HELPS_NOT, f"nfsd exports {path} by one thread, which reads in order.")
        else:
            yield disk_reason(machine, f"{what} ({mount.fstype})", disk_of_mount(machine.host, mount), True)


def backstore_reasons(machine: Machine) -> Iterator[Reason]:
    uncached = [store for store in machine.backstores if not store.is_cached]
    if uncached:
        kinds = sorted({"fileio with direct I/O" if store.kind == "fileio" else store.kind for store in uncached})
        yield Reason(
            HELPS_NOT,
            f"Of {len(machine.backstores)} backstores of the iSCSI target, {len(uncached)} of type {', '.join(kinds)}:"
            " their reads do not pass the page cache, so ctxra never sees them. It works for fileio.",
        )
    for store in machine.backstores:
        if not store.is_cached:
            continue
        what = f"The iSCSI target serves backstore {store.name} by fileio"
        mount = mount_of(machine.host, store.path) if not store.path.startswith("/dev/") else None
        if mount and mount.fstype == "zfs":
            yield Reason(HELPS_NOT, f"{what} from ZFS, which has a cache of its own: ctxra never sees its reads.")
            continue
        disk = disk_of_mount(machine.host, mount) if mount else store.path.rpartition("/")[2]
        yield disk_reason(machine, what, disk, False)


def disk_reason(machine: Machine, what: str, disk: str | None, is_nfs: bool) -> Reason:
    """Judge the reads of a disk that several readers share."""
    host = machine.host
    window, full = (read_ahead_kb(host, disk), full_read_kb(host, disk)) if disk else (None, None)
    if not disk or window is None or full is None:
        return Reason(UNCERTAIN, f"{what} from a disk that /sys/block does not show.")
    what = f"{what} from {disk}"
    if not window:
        remedy = Remedy(set_disk_command(disk, SERVER_KB, "ctxra bypasses disks without readahead"), "")
        return Reason(HELPS_NOT, f"{what}, whose readahead is switched off.", (remedy,))
    io = machine.disk(disk)
    reads = io.get("reads", 0)
    if reads < FEWEST_READS:
        return Reason(
            UNCERTAIN,
            f"{what}, which did only {reads} reads {machine.over()}: run this again with --watch 60s while it is read.",
            larger_window(disk, window),
        )
    size, latency = io["read_sectors"] / 2 / reads, io["read_ms"] / reads
    seen = f"{what}: {reads} reads {machine.over()}, {size:.0f} KiB and {latency:.2f} ms each;"
    seen += f" readahead makes reads of up to {full} KiB."
    if latency < FAST_MS:
        return Reason(HELPS_NOT, f"{seen} A disk that answers so fast gains little from fewer reads.")
    if size >= LARGE * full:
        return Reason(HELPS_NOT, f"{seen} They are as large as can be.", larger_window(disk, window))
    return pattern_reason(machine, disk, seen, size < SMALL * full, is_nfs, window)


def larger_window(disk: str, window: int) -> tuple[Remedy, ...]:
    if window >= SERVER_KB:
        return ()
    return (Remedy(f"echo {SERVER_KB} > /sys/block/{disk}/queue/read_ahead_kb", "larger reads of what is in order"),)


def pattern_reason(machine: Machine, disk: str, seen: str, small: bool, is_nfs: bool, window: int) -> Reason:
    """Judge reads that could be larger, by the best evidence there is: the module's, ra-trace's, the clients'."""
    first = larger_window(disk, window)
    own = own_evidence(machine)
    if own:
        verdict, why = own
        return Reason(verdict, f"{seen} {why}", first)
    rows = machine.patterns(disk)
    if rows.get("all.count", 0) >= FEWEST_READS:
        verdict, why = trace_evidence(rows)
        return Reason(verdict, f"{seen} {why}", first)
    server = machine.sample.server
    requests = server.get("reads", 0)
    if is_nfs and small and requests >= FEWEST_READS:
        asked = server["read_bytes"] / 1024 / requests
        if asked >= STREAM_KB:
            why = f"Clients ask for {asked:.0f} KiB at a time, so their streams are broken into pieces here."
            return Reason(HELPS, f"{seen} {why}", first)
        if asked < PIECES_KB:
            why = f"Clients ask for {asked:.0f} KiB at a time: they read pieces, or streams by a small rsize."
            return Reason(UNCERTAIN, f"{seen} {why}", first)
    return Reason(
        UNCERTAIN, f"{seen} Whether those are broken streams or random reads cannot be seen from outside.", first
    )


def own_evidence(machine: Machine) -> tuple[str, str] | None:
    """Return what ctxra itself counts, if it is enabled or observes."""
    counters: Numbers = machine.sample.counters.get("ctxra", {})
    if machine.is_enabled("ctxra"):
        windows, what = sum(v for n, v in counters.items() if n.endswith("_windows") and "would" not in n), "opened"
    elif machine.is_observing("ctxra"):
        would = machine.would("ctxra")
        windows, what = sum(v for n, v in would.items() if n.endswith("windows")), "would have opened"
    else:
        return None
    unsure = counters.get("left_unsure", 0)
    if windows + unsure < FEWEST_READS:
        return UNCERTAIN, f"ctxra {what} {windows} windows {machine.over()}, too few to tell."
    share = windows / (windows + unsure)
    verdict = HELPS if share >= SHARED_STREAMS else HELPS_NOT
    return verdict, f"ctxra {what} {windows} windows, and took {unsure} reads for random ({share:.0%} are streams)."


def trace_evidence(rows: Numbers) -> tuple[str, str]:
    """Judge by ra-trace: a shared stream shows as context readahead (trail) that readers wait for."""
    count = rows["all.count"]
    waited, random = rows.get("trail.sync_count", 0) / count, rows.get("random.count", 0) / count
    why = f"ra-trace: readers wait for {waited:.0%} of readaheads in the middle of a stream; {random:.0%} look random."
    if waited >= SHARED_STREAMS:
        return HELPS, why
    return (HELPS_NOT if waited < SHARED_STREAMS / 5 and random >= RANDOM else UNCERTAIN), why
