# SPDX-License-Identifier: GPL-2.0-only
"""Histograms of how long reads, page faults and fsyncs take, and a count of waits for I/O, by the kernel's own tracing.

Reads of tmpfs, and of the host's shared folders, do not go through filemap_read(). Those by threads of the kernel, such
as nfsd, are left out, because a program waits for them too.
"""

import contextlib
import os
import re
from collections.abc import Mapping
from pathlib import Path

TRACING = Path("/sys/kernel/tracing")
GROUP = "gauntlet"
# By the name of the event: the function. filemap_splice_read() is missing in 6.1, where sendfile uses filemap_read().
TIMED = {
    "read": "filemap_read",
    "splice": "filemap_splice_read",
    "fault": "filemap_fault",
    "sync": "vfs_fsync_range",
}
WAITS = {"wait": "io_schedule", "waitlimit": "io_schedule_timeout"}
KERNEL_THREADS = ("nfsd", "iscsi*", "kworker*", "jbd2*", "xfs*")
BUCKET_US = 4
ROW = re.compile(r"\{ us:\s*(?:~ )?(\d+)[^}]*\} hitcount:\s*(\d+)")
HITS = re.compile(r"hitcount:\s*(\d+)")


def append(path: Path, line: str) -> None:
    # Not by open("a"), which seeks, and tracefs refuses that.
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND)
    try:
        os.write(descriptor, f"{line}\n".encode())
    finally:
        os.close(descriptor)


def percentile(counts: Mapping[int, int], part: float) -> float:
    """Return the key below which so much of the counts is."""
    left = sum(counts.values()) * part
    for key in sorted(counts):
        left -= counts[key]
        if left <= 0:
            return key
    return max(counts)


class Latency:
    """Counts from its start to its end."""

    def __init__(self) -> None:
        # In the order of set-up, and so that the reverse order removes them: triggers refer to earlier ones.
        self.triggers: list[tuple[Path, str]] = []
        self.probes: list[str] = []
        self.waits: list[Path] = []
        append(TRACING / "synthetic_events", f"{GROUP}_lat u64 us")
        self.histogram = TRACING / f"events/synthetic/{GROUP}_lat"
        self.trigger(self.histogram, f"hist:keys=us.buckets={BUCKET_US}:size=16384")
        ours = " && ".join(f'!(COMM ~ "{name}")' for name in KERNEL_THREADS)
        for name, function in TIMED.items():
            with contextlib.suppress(OSError):
                begin, end = (
                    self.probe(f"p:{GROUP}/{name}_in {function}"),
                    self.probe(f"r:{GROUP}/{name}_out {function}"),
                )
                self.trigger(begin, f"hist:keys=common_pid:{name}0=common_timestamp.usecs if {ours}")
                how = f"onmatch({GROUP}.{name}_in).{GROUP}_lat(${name}us)"
                self.trigger(end, f"hist:keys=common_pid:{name}us=common_timestamp.usecs-${name}0:{how}")
        for name, function in WAITS.items():
            self.waits.append(self.probe(f"p:{GROUP}/{name} {function}"))
            self.trigger(self.waits[-1], "hist:keys=common_pid:size=4096")

    def probe(self, definition: str) -> Path:
        append(TRACING / "kprobe_events", definition)
        name = definition.split()[0].partition(":")[2]
        self.probes.append(name)
        return TRACING / "events" / name

    def trigger(self, event: Path, text: str) -> None:
        append(event / "trigger", text)
        self.triggers.append((event / "trigger", text))

    def end(self) -> dict[str, float]:
        rows = ROW.findall((self.histogram / "hist").read_text())
        counts = {int(us): int(hits) for us, hits in rows}
        waits = sum(int(hits) for event in self.waits for hits in HITS.findall((event / "hist").read_text()))
        for path, text in reversed(self.triggers):
            append(path, f"!{text}")
        for name in reversed(self.probes):
            append(TRACING / "kprobe_events", f"-:{name}")
        append(TRACING / "synthetic_events", f"!{GROUP}_lat u64 us")
        found: dict[str, float] = {"waits": waits}
        if counts:
            found |= {f"p{part}_us": percentile(counts, part / 100) for part in (50, 99)}
        return found
