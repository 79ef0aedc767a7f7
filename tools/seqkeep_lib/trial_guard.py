# SPDX-License-Identifier: GPL-2.0-only
"""End a trial at once when the module may do harm: errors in the kernel's log, long waits, memory that is short."""

from __future__ import annotations

import contextlib
import os
import re

from .host import Host
from .trial_counters import Quantities
from .trial_figures import Profile

DEFAULT_LIMIT, LEAST_LIMIT, MOST_LIMIT = 1.5, 1.05, 1000.0
# The guard looks once a second, or more often in short phases. So many looks above the limit, one after another, are no
# accident. Looks without I/O do not count.
BAD_LOOKS = 3
# So many looks without the module have to be known before those with it are compared with them.
LEAST_OFF_LOOKS = 5
PERCENTILE = 0.99
# Waits below this, in ms per MiB, are of no harm, and neither is less memory pressure than this share of the time.
LEAST_WAIT = 1.0
LEAST_STALLED = 0.10
LEAST_BYTES = 64 << 10
# Lines of the kernel's log after which no trial goes on, whatever caused them.
ERRORS = re.compile(
    r"""
    \bBUG:|\bWARNING:|\bOops\b|general\ protection|Call\ Trace|
    soft\ lockup|hard\ LOCKUP|blocked\ for\ more\ than|rcu.*stall|
    I/O\ error|medium\ error|Medium\ Error|critical\ target\ error|
    EXT4-fs\ error|XFS.*(?:Corruption|corruption|Shutdown|shut\ down|metadata\ I/O\ error)|BTRFS\ (?:error|critical)|
    md/raid.*(?:Disk\ failure|Failing|cannot|not\ correctable)|
    nfs.*not\ responding|nfsd:.*(?:error|failed)|
    page\ allocation\ failure|Out\ of\ memory|oom-kill|
    (?:ctxra|nfsd_dio|nfs_ra|raid5_deadline):\ (?:failed|cannot)
    """,
    re.VERBOSE,
)
OWN = "seqkeep:"


class KernelLog:
    """What the kernel logs from now on."""

    def __init__(self, host: Host) -> None:
        try:
            self.file = os.open(host.path("/dev/kmsg"), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            os.lseek(self.file, 0, os.SEEK_END)
        except OSError:
            self.file = -1

    @property
    def is_readable(self) -> bool:
        return self.file >= 0

    def new_lines(self) -> list[str]:
        lines: list[str] = []
        while self.file >= 0:
            try:
                record = os.read(self.file, 8192)
            except BrokenPipeError:
                # The kernel has overwritten records that were not read yet: go on with the oldest.
                continue
            except OSError:
                break
            if not record:
                break
            # "PRIORITY,NUMBER,TIME,FLAGS;text", then lines of properties that begin with a blank.
            for line in record.decode(errors="replace").splitlines():
                if not line.startswith(" "):
                    lines.append(line.partition(";")[2] or line)
        return lines

    def first_error(self) -> str:
        """Return the first new line that is an error; "" if there is none."""
        return next((line for line in self.new_lines() if ERRORS.search(line) and not line.startswith(OWN)), "")

    def close(self) -> None:
        with contextlib.suppress(OSError):
            os.close(self.file)


def percentile(values: list[float], part: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


class Guard:
    """Compare each look with the module to the looks without it."""

    def __init__(self, profile: Profile, limit: float) -> None:
        self.profile = profile
        self.limit = limit
        self.waits: list[float] = []
        self.stalls: list[float] = []
        self.bad_waits: list[float] = []
        self.bad_stalls: list[float] = []

    def check(self, is_on: bool, quantities: Quantities, stalled: float | None) -> str:
        """Take one look: return why the trial has to end; "" if it does not.

        quantities are what was counted since the last look, stalled is the part of that time.
        """
        moved = quantities.get(self.profile.wait_per, 0.0)
        wait = quantities.get(self.profile.wait_ms, 0.0) / moved * (1 << 20) if moved >= LEAST_BYTES else None
        if not is_on:
            self.bad_waits, self.bad_stalls = [], []
            if wait is not None:
                self.waits.append(wait)
            if stalled is not None:
                self.stalls.append(stalled)
            return ""
        return self.check_wait(wait) or self.check_stalled(stalled)

    def check_wait(self, wait: float | None) -> str:
        if wait is None or len(self.waits) < LEAST_OFF_LOOKS:
            return ""
        usual = percentile(self.waits, PERCENTILE)
        self.bad_waits = [*self.bad_waits, wait] if wait > max(self.limit * usual, LEAST_WAIT) else []
        if len(self.bad_waits) < BAD_LOOKS:
            return ""
        times = min(self.bad_waits) / max(usual, 1e-3)
        return (
            f"waits for I/O were {times:.1f} times as long as 99 in a hundred times without it "
            f"({min(self.bad_waits):.1f} against {usual:.1f} ms per MiB; --guard {self.limit:g})"
        )

    def check_stalled(self, stalled: float | None) -> str:
        if stalled is None:
            return ""
        usual = percentile(self.stalls, PERCENTILE) if self.stalls else 0.0
        is_bad = stalled > max(self.limit * usual, LEAST_STALLED)
        self.bad_stalls = [*self.bad_stalls, stalled] if is_bad else []
        if len(self.bad_stalls) < BAD_LOOKS:
            return ""
        return f"memory was short: tasks waited for it {min(self.bad_stalls) * 100:.0f} % of the time"
