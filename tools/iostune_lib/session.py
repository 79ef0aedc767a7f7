# SPDX-License-Identifier: GPL-2.0-only
"""Run iostune on one target: open the journal, run the stages, restore the tunables."""

from __future__ import annotations

import errno
import time
from dataclasses import dataclass, replace
from pathlib import Path

from seqkeep_lib.host import Host
from seqkeep_lib.output import show_error
from seqkeep_lib.progress import Progress
from seqkeep_lib.signals import StopSignals

from . import advice, plan, stages, target
from . import tunables as t
from .errors import IostuneError
from .fio import Fio
from .journal import Journal
from .layout import SMALLEST_AREA, place_areas
from .measurement import Arm, Sample, Workload
from .plan import Rules, Stage
from .report import Result
from .settings import Settings, previous_values, recommended
from .target import Target
from .tunables import Tunables

# A device smaller than this may be in a cache as a whole. Read caches of disks and controllers have up to some GB.
SMALL_SIZE = 4e9
# The second read of an area is so much faster in each of the pairs if a cache holds it.
CACHE_PAIRS, CACHED = 3, 1.5
# How long to watch for I/O of others.
BUSY_CHECK_S = 0.5
READAHEADS_KB = (128, 512, 2048, 8192)
MAX_SECTORS_KB = (64, 128, 256, 1024)
NR_REQUESTS = (32, 128, 512)
STRIPE_CACHES = (256, 1024, 4096)
GROUP_THREADS = (0, 2, 4)
MODES = ("direct", "buffered")
# In a quick run the scheduler gets all the time that the readahead does not need.
QUICK_WEIGHT = 99


@dataclass(frozen=True)
class Request:
    """The user's options."""

    max_readers: int
    seconds: float
    is_quick: bool

    @property
    def rules(self) -> Rules:
        return plan.QUICK if self.is_quick else plan.FULL


def plan_stages(tunables: Tunables | None, request: Request, modes: tuple[str, ...]) -> list[Stage]:
    """Return the stages for this disk."""
    counts = plan.reader_counts(request.max_readers)
    if request.is_quick:
        counts = plan.first_and_last(counts)
    every = plan.all_workloads(modes, counts)
    if not tunables:
        return [Stage("scheduler", t.SCHEDULER, (Arm("as it is", ()),), every, 1, has_kind=True)]
    names = tunables.snapshot()
    arms = plan.scheduler_arms(names) if t.SCHEDULER in names else (Arm("as it is", ()),)
    if tunables.reason_unsafe(t.SCHEDULER):
        arms = arms[:1]
    if request.is_quick:
        arms = tuple(arm for arm in arms if arm.settings != ((t.SCHEDULER, "kyber"),))
    found = [Stage("scheduler", t.SCHEDULER, arms, every, QUICK_WEIGHT if request.is_quick else 8, has_kind=True)]

    buffered = plan.all_workloads(modes[-1:], plan.first_and_last(counts))
    limit = tunables.limit_kb() or 0
    values: list[tuple[str, tuple[int, ...], float]] = [(t.READAHEAD, READAHEADS_KB, 2.0)]
    if not request.is_quick:
        values += [
            (t.MAX_SECTORS, tuple(kb for kb in MAX_SECTORS_KB if kb <= limit), 2.0),
            (t.NR_REQUESTS, NR_REQUESTS, 1.0),
            (t.STRIPE_CACHE, STRIPE_CACHES, 1.0),
            (t.GROUP_THREADS, GROUP_THREADS, 1.0),
        ]
    for name, choices, weight in values:
        if name in names and choices and not tunables.reason_unsafe(name):
            found.append(Stage(name.rpartition("/")[2], name, (), buffered, weight, choices))
    return found


class Session:
    """One run on one target."""

    def __init__(self, found: Target, request: Request, stop: StopSignals, directory: Path) -> None:
        self.target = found
        self.request = request
        self.stop = stop
        self.directory = directory
        self.fio = Fio(found.path, stop)
        self.tunables = Tunables(found.disk) if found.disk and (found.disk / "queue").is_dir() else None
        self.settings: Settings | None = None
        self.warnings: list[str] = []
        # The highest speed of one reader so far, bytes/s: an area must be large enough for it.
        self.rate = 100e6

    def warn(self, text: str) -> None:
        self.warnings.append(text)
        show_error(f"iostune: warning: {text}")

    def check(self) -> None:
        """Fail if the target cannot be measured, and warn of what makes the result doubtful."""
        if self.target.size < self.request.max_readers * SMALLEST_AREA:
            raise IostuneError(
                f"{self.target.path} has {self.target.size >> 20} MiB: too small for {self.request.max_readers} "
                f"readers with {SMALLEST_AREA >> 20} MiB each"
            )
        if self.tunables:
            self.check_disk(self.tunables)
        else:
            self.warn("it is on no single disk: it is measured, but there is nothing to tune")
        if self.target.is_file:
            status = self.target.path.stat()
            if status.st_blocks * 512 < status.st_size:
                self.warn("the file has holes, which the file system reads without the disk")
        for user in target.users(self.target):
            # The file system of a file is mounted on the disk anyway.
            if not self.target.is_file or " is mounted on " not in user:
                self.warn(f"in use: {user}; iostune only reads it, but slows its users, whose I/O is measured too")
        busy = target.io_by_others(self.target, BUSY_CHECK_S)
        if busy:
            self.warn(f"busy: {busy}; differences will be harder to detect")

    def check_disk(self, tunables: Tunables) -> None:
        """Fail if the disk's tunables cannot be set, and warn of those that must not be."""
        above = target.multipath_above(tunables.disk)
        if above:
            raise IostuneError(f"{tunables.disk.name} is a path of the multipath device {above}: measure that")
        t.check_writable(tunables)
        names = tunables.names()
        tried = (t.SCHEDULER,) if self.request.is_quick else (t.SCHEDULER, t.MAX_SECTORS, t.STRIPE_CACHE)
        for name in tried:
            why = tunables.reason_unsafe(name) if name in names else ""
            if why:
                self.warn(f"{name.rpartition('/')[2]} is not tried: {why}")

    def check_cache(self, modes: tuple[str, ...]) -> None:
        """Warn if the device, or a host below it, seems to keep in a cache what is measured."""
        if self.target.size < SMALL_SIZE:
            self.warn(
                f"{self.target.size / 1e9:.1f} GB is little: a cache of the device, or of the host below it, may hold "
                "all of it, and then the result is of that cache"
            )
        if "direct" not in modes:
            return
        ratios = []
        for number in range(CACHE_PAIRS):
            # The same place twice in a row, and another place in the next pair.
            first, second = (
                self.measure_once(Workload("direct", 1), number, number, CACHE_PAIRS, self.request.rules.shortest_s)
                for _ in range(2)
            )
            ratios.append(second.total / first.total)
        if min(ratios) > CACHED:
            self.warn(
                f"what was just read is read {min(ratios):.1f} to {max(ratios):.1f} times as fast again: a cache of "
                "the device, or of the host below it, holds it; areas are read again in later rounds"
            )

    def run(self) -> Result:
        self.check()
        begin = time.monotonic()
        deadline = begin + self.request.seconds
        progress = Progress("iostune", deadline)
        journal = None
        if self.tunables:
            journal = Journal(self.directory, self.tunables, target.identity(self.target))
            self.settings = Settings(self.tunables, journal)
        try:
            result = self.measure_all(progress, begin, deadline)
        finally:
            # First of all, because a failure to print must not prevent it.
            left = journal.restore() if journal else []
            progress.end()
            for text in left:
                self.warn(text)
        return result

    def measure_all(self, progress: Progress, begin: float, deadline: float) -> Result:
        original = self.settings.journal.original if self.settings else {}
        progress.stage("first run")
        modes = self.find_modes()
        self.check_cache(modes)
        context = stages.StageContext(
            self.measurement_function(progress),
            self.prepare_stage,
            self.try_arm,
            self.accept,
            time.monotonic,
            0.0,
            self.request.rules,
            progress.stage,
        )
        context.overhead_s = self.measure_overhead(modes)
        decisions = stages.run_all(context, plan_stages(self.tunables, self.request, modes), deadline)
        if self.settings:
            self.settings.journal.check_unchanged()
        kind, label = stages.device_kind(decisions[0], self.request.rules.confidence)
        accepted = self.settings.accepted if self.settings else {}
        return Result(
            self.describe(),
            self.warnings,
            self.fio.protection,
            time.monotonic() - begin,
            decisions,
            kind,
            label,
            recommended(original, accepted),
            previous_values(original, accepted),
            advice.about_throttling(Host(), self.target.disk.name) if self.target.disk else [],
        )

    def find_modes(self) -> tuple[str, ...]:
        """Return the modes that work: some file systems have no direct reads."""
        try:
            self.measure_once(Workload("direct", 1), 0, 0, 1, self.request.rules.shortest_s)
        except IostuneError as error:
            self.warn(f"no direct reads ({error}): buffered ones only")
            return ("buffered",)
        return MODES

    def measure_overhead(self, modes: tuple[str, ...]) -> float:
        """Measure how much longer than its reading a run takes; with all readers, which takes longest."""
        found = []
        for number in (1, 2):
            begin = time.monotonic()
            self.measure_once(
                Workload(modes[-1], self.request.max_readers), number, 0, 1, self.request.rules.shortest_s
            )
            found.append(time.monotonic() - begin - self.request.rules.shortest_s)
        return max(0.0, min(found))

    def measurement_function(self, progress: Progress) -> stages.Measurement:
        def measure(arm: Arm, workload: Workload, rounds: int, place: int, places: int, seconds: float) -> Sample:
            progress.run(f"{arm.label}, {workload}")
            self.apply_settings(arm.label, arm.settings)
            return self.measure_once(workload, rounds, place, places, seconds)

        return measure

    def apply_settings(self, label: str, settings: tuple[tuple[str, str], ...]) -> None:
        """Set values that the kernel has accepted before."""
        if not self.settings:
            return
        try:
            self.settings.apply(settings)
        except OSError as error:
            raise IostuneError(f"cannot set {label} again: {error.strerror}") from None

    def measure_once(self, workload: Workload, rounds: int, place: int, places: int, seconds: float) -> Sample:
        wanted = int(2 * self.rate * seconds)
        sample = self.fio.run(
            workload.mode, place_areas(self.target.size, workload.readers, rounds, place, places, wanted), seconds
        )
        self.rate = max(self.rate, *sample.shares)
        return sample

    def prepare_stage(self, stage: Stage) -> Stage:
        """Add the arms: the present value, after the earlier decisions, and the values to try."""
        if not stage.values:
            return stage
        self.apply_settings("the decided values", ())
        value = self.get_tunable(stage.tunable) or "not there"
        return replace(stage, arms=plan.value_arms(stage.tunable, value, stage.values))

    def try_arm(self, arm: Arm) -> str:
        self.stop.check()
        if not self.settings:
            return ""
        try:
            self.settings.apply(arm.settings)
        except OSError as error:
            if error.errno == errno.EBUSY:
                return "the kernel stayed busy: another disk of that host is being added or removed"
            return f"the kernel or the device does not support it ({error.strerror})"
        values = dict(arm.settings)
        odd = [f"{name} became {got}" for name in values for got in [self.get_tunable(name)] if got != values[name]]
        return "; ".join(odd)

    def get_tunable(self, name: str) -> str | None:
        return self.tunables.get(name) if self.tunables else None

    def accept(self, arm: Arm) -> None:
        if self.settings:
            self.settings.accept(arm.settings)

    def describe(self) -> dict[str, object]:
        disk = self.target.disk
        model = target.read_file(disk / "device/model") if disk else ""
        what = "a file" if self.target.is_file else "a block device"
        below = f" on {disk.name}" if disk and (self.target.is_file or disk != self.target.sysfs) else ""
        return {
            "path": str(self.target.path),
            "disk": disk.name if disk else None,
            "size": self.target.size,
            "model": model or None,
            "rotational": target.read_file(disk / "queue/rotational") == "1" if disk else None,
            "description": f"{what}{below}, {self.target.size / 1e9:.1f} GB" + (f", {model}" if model else ""),
        }
