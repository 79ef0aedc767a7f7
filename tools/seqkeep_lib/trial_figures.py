# SPDX-License-Identifier: GPL-2.0-only
"""The figures that matter to each module, and their values from what the kernel counted. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .trial_counters import Quantities

MIB = float(1 << 20)
# A phase in which less was read or written than this tells nothing.
LEAST_BYTES = MIB


@dataclass(frozen=True)
class Figure:
    """A quotient of two quantities."""

    key: str
    words: str
    numerator: str
    denominator: str
    unit: str
    # What one unit is, of the quotient.
    scale: float = 1.0
    more_is_better: bool = False
    # The least numerator, because a ratio to 0 has no logarithm.
    floor: float = 1.0
    # A certain loss in this figure is harm, whatever the module gains elsewhere.
    is_judged: bool = True

    def value(self, quantities: Quantities) -> float | None:
        """Return the figure; None if there was too little to measure."""
        divisor = quantities.get(self.denominator, 0.0)
        if divisor < (LEAST_BYTES if self.denominator.endswith("_bytes") else 1e-9):
            return None
        return max(quantities.get(self.numerator, 0.0), self.floor) / divisor / self.scale


@dataclass(frozen=True)
class Profile:
    """What matters to a module. The first figure decides; the denominator of each is what was delivered."""

    figures: tuple[Figure, ...]
    # The quantities whose quotient is the wait that the guard watches.
    wait_ms: str
    wait_per: str
    # Where the load comes from, and what is needed for one: for the sentences.
    source: str
    load: str
    # Prefixes and names of the counters that show that the module acted.
    acts: tuple[str, ...]


def per_mib(key: str, words: str, numerator: str, denominator: str, unit: str = "per MiB") -> Figure:
    return Figure(key, words, numerator, denominator, unit, 1 / MIB)


def rate(words: str, numerator: str) -> Figure:
    return Figure("throughput", words, numerator, "seconds", "MiB/s", MIB, more_is_better=True)


def cpu(denominator: str, words: str) -> Figure:
    return Figure("cpu", words, "cpu_ms", denominator, "ms per MiB", 1 / MIB)


def shown(key: str, words: str, numerator: str, denominator: str, unit: str, scale: float = 1.0) -> Figure:
    """Return a figure that is shown and not judged: a larger request takes longer, and is better for that."""
    return Figure(key, words, numerator, denominator, unit, scale, is_judged=False)


SHOWN = (
    shown("read_kib", "KiB per disk read", "disk_read_bytes", "disk_reads", "KiB", 1024),
    shown("read_await", "time of a disk read", "disk_read_ms", "disk_reads", "ms"),
    shown("write_await", "time of a disk write", "disk_write_ms", "disk_writes", "ms"),
    shown("flush_await", "time of a flush, which an fsync waits for", "disk_flush_ms", "disk_flushes", "ms"),
)
ACTS = {
    "ctxra": ("trail_windows", "reorder_windows", "reverse_windows", "stride_windows", "thrash_windows", "resized"),
    "nfsd-dio": ("direct", "prefetched"),
    "raid5-deadline": ("held",),
    "nfs-ra": ("set_mount", "set_apply", "auto_grown"),
}
CTXRA_SERVER = Profile(
    (
        per_mib("reads", "disk reads per MiB served", "disk_reads", "served_bytes"),
        Figure("amplification", "data read from disk per MiB served", "disk_read_bytes", "served_bytes", "MiB per MiB"),
        per_mib("wait", "disk wait per MiB served", "disk_read_ms", "served_bytes", "ms per MiB"),
        rate("data served per second", "served_bytes"),
        cpu("served_bytes", "CPU time per MiB served"),
        *SHOWN,
    ),
    "disk_read_ms",
    "disk_read_bytes",
    "what nfsd and iSCSI targets served",
    "clients read files that are not cached",
    ACTS["ctxra"],
)
CTXRA_LOCAL = Profile(
    (
        per_mib("reads", "disk reads per MiB read", "disk_reads", "disk_read_bytes"),
        per_mib("wait", "disk wait per MiB read", "disk_read_ms", "disk_read_bytes", "ms per MiB"),
        rate("data read from disk per second", "disk_read_bytes"),
        cpu("disk_read_bytes", "CPU time per MiB read"),
        *SHOWN,
    ),
    "disk_read_ms",
    "disk_read_bytes",
    "what was read from the disks, because neither nfsd nor an iSCSI target served most of it: whether it was used is "
    "not seen",
    "programs read files that are not cached",
    ACTS["ctxra"],
)
RAID5 = Profile(
    (
        Figure(
            "prereads",
            "pre-reads per MiB written",
            "preread_bytes",
            "array_written_bytes",
            "MiB per MiB",
            1,
            floor=4096,
        ),
        per_mib("wait", "wait per MiB written", "array_write_ms", "array_written_bytes", "ms per MiB"),
        rate("data written per second", "array_written_bytes"),
        cpu("array_written_bytes", "CPU time per MiB written"),
        *SHOWN,
    ),
    "array_write_ms",
    "array_written_bytes",
    "what was written to arrays of levels 4, 5 and 6",
    "programs write to an array of level 4, 5 or 6",
    ACTS["raid5-deadline"],
)
NFSD_DIO = Profile(
    (
        per_mib("reads", "disk reads per MiB that clients write", "disk_reads", "client_bytes"),
        Figure(
            "amplification",
            "data written to disk per MiB that clients write",
            "disk_written_bytes",
            "client_bytes",
            "MiB per MiB",
        ),
        rate("data that clients write per second", "client_bytes"),
        cpu("client_bytes", "CPU time per MiB that clients write"),
        *SHOWN,
    ),
    "disk_write_ms",
    "disk_written_bytes",
    "what nfsd wrote for clients",
    "clients write",
    ACTS["nfsd-dio"],
)
NFS_RA = Profile(
    (
        per_mib("reads", "READs per MiB fetched", "read_calls", "fetched_bytes"),
        Figure(
            "amplification", "data fetched per MiB that programs read", "fetched_bytes", "program_bytes", "MiB per MiB"
        ),
        per_mib("wait", "READ wait per MiB fetched", "read_call_ms", "fetched_bytes", "ms per MiB"),
        rate("data that programs read per second", "program_bytes"),
        cpu("program_bytes", "CPU time per MiB that programs read"),
        shown("read_await", "time of a READ", "read_call_ms", "read_calls", "ms"),
        shown("commit_await", "time of a COMMIT, which an fsync waits for", "commit_call_ms", "commit_calls", "ms"),
    ),
    "read_call_ms",
    "fetched_bytes",
    "what NFS mounts fetched",
    "programs read files of NFS mounts that are not cached",
    ACTS["nfs-ra"],
)
# nfs-ra sets mounts that exist only if it is told to, and a trial has no others.
DEFAULT_OPTIONS = {"nfs-ra": {"apply": "1"}}


def choose_profile(module: str, phases: Sequence[Quantities]) -> Profile:
    """Return the profile of a module for the load that was seen.

    What nfsd and iSCSI targets served is what ctxra's reads are divided by, if it is most of what was read: otherwise
    the disks were read for others.
    """
    if module == "ctxra":
        served = sum(q.get("served_bytes", 0.0) for q in phases)
        read = sum(q.get("disk_read_bytes", 0.0) for q in phases)
        return CTXRA_SERVER if served > read / 2 else CTXRA_LOCAL
    return {"raid5-deadline": RAID5, "nfsd-dio": NFSD_DIO, "nfs-ra": NFS_RA}[module]


def has_acted(profile: Profile, counters: Mapping[str, int]) -> bool | None:
    """Return whether the module acted, by what it counted; None if that is not known."""
    known = [counters[name] for name in profile.acts if name in counters]
    return any(known) if known else None
