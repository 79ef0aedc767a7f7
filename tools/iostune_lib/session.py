# SPDX-License-Identifier: GPL-2.0-only
"""A run from start to end: the disk's tunables held in the journal, the stages, everything put back."""

from __future__ import annotations

import errno
import time
from dataclasses import dataclass, replace
from pathlib import Path

from seqkeep_lib.output import show_error

from . import plan, stages, target
from . import tunables as t
from .areas import SMALLEST, areas
from .fio import Fio
from .journal import Journal
from .plan import Rules, Stage
from .progress import Progress
from .report import Result
from .settings import Settings, former, recommended
from .stop import Stop
from .target import Target
from .trial import Arm, Cell, Sample
from .trouble import Trouble
from .tunables import Tunables

# To see whether others use the disk.
LOOK_S = 0.5
READAHEADS_KB = (128, 512, 2048, 8192)
MAX_SECTORS_KB = (64, 128, 256, 1024)
NR_REQUESTS = (32, 128, 512)
STRIPE_CACHES = (256, 1024, 4096)
THREADS = (0, 2, 4)
MODES = ("direct", "buffered")
# Of a quick run the scheduler may have nearly all; what it leaves is for the readahead.
QUICK_WEIGHT = 99


@dataclass(frozen=True)
class Wish:
    """What the user asked for."""

    max_readers: int
    seconds: float
    is_quick: bool

    @property
    def rules(self) -> Rules:
        return plan.QUICK if self.is_quick else plan.FULL


def plan_stages(tunables: Tunables | None, wish: Wish, modes: tuple[str, ...]) -> list[Stage]:
    """What to try on this disk."""
    counts = plan.reader_counts(wish.max_readers)
    if wish.is_quick:
        counts = plan.ends(counts)
    every = plan.cells_of(modes, counts)
    if not tunables:
        return [Stage("scheduler", t.SCHEDULER, (Arm("as it is", ()),), every, 1)]
    names = tunables.snapshot()
    arms = plan.scheduler_arms(names) if t.SCHEDULER in names else (Arm("as it is", ()),)
    if wish.is_quick:
        arms = tuple(arm for arm in arms if arm.settings != ((t.SCHEDULER, "kyber"),))
    found = [Stage("scheduler", t.SCHEDULER, arms, every, QUICK_WEIGHT if wish.is_quick else 8)]

    buffered = plan.cells_of(modes[-1:], plan.ends(counts))
    limit = tunables.limit_kb() or 0
    values: list[tuple[str, tuple[int, ...], float]] = [(t.READAHEAD, READAHEADS_KB, 2.0)]
    if not wish.is_quick:
        values += [
            (t.MAX_SECTORS, tuple(kb for kb in MAX_SECTORS_KB if kb <= limit), 2.0),
            (t.NR_REQUESTS, NR_REQUESTS, 1.0),
            (t.STRIPES, STRIPE_CACHES, 1.0),
            (t.THREADS, THREADS, 1.0),
        ]
    for name, choices, weight in values:
        if name in names and choices and not tunables.does_harm(name):
            found.append(Stage(name.rpartition("/")[2], name, (), buffered, weight, choices))
    return found


class Session:
    """Measures one target."""

    def __init__(self, found: Target, wish: Wish, stop: Stop, directory: Path) -> None:
        self.target = found
        self.wish = wish
        self.stop = stop
        self.directory = directory
        self.fio = Fio(found.path, stop)
        self.tunables = Tunables(found.disk) if found.disk and (found.disk / "queue").is_dir() else None
        self.settings: Settings | None = None
        self.warnings: list[str] = []
        # Bytes a second of one reader, the most seen: how much has to be there for it to read.
        self.rate = 100e6

    def warn(self, text: str) -> None:
        self.warnings.append(text)
        show_error(f"iostune: warning: {text}")

    def check(self) -> None:
        """What makes measuring impossible, and what makes it doubtful."""
        if self.target.size < self.wish.max_readers * SMALLEST:
            raise Trouble(
                f"{self.target.path} has {self.target.size >> 20} MiB: too small for {self.wish.max_readers} readers "
                f"with {SMALLEST >> 20} MiB each"
            )
        if self.tunables:
            self.check_disk(self.tunables)
        else:
            self.warn("no single disk is below it: it is measured, but there is nothing to tune")
        if self.target.is_file:
            status = self.target.path.stat()
            if status.st_blocks * 512 < status.st_size:
                self.warn("the file has holes, which are read without the disk")
        for user in target.users(self.target):
            # A file's own file system is no surprise.
            if not self.target.is_file or " is mounted on " not in user:
                self.warn(f"in use: {user}; it is only read, but others feel it, and are measured with it")
        busy = target.is_busy(self.target, LOOK_S)
        if busy:
            self.warn(f"busy: {busy}; differences will be harder to see")

    def check_disk(self, tunables: Tunables) -> None:
        """What cannot be set on this disk, or must not be."""
        above = target.multipath_above(tunables.disk)
        if above:
            raise Trouble(f"{tunables.disk.name} is a path of a multipath device: measure that, {above}")
        t.check_writable(tunables)
        if self.wish.is_quick:
            return
        if t.MAX_SECTORS in tunables.names() and target.is_multipath(tunables.disk):
            self.warn(
                "max_sectors_kb is not tried: a multipath device hands its requests down whole, and one that is larger "
                "than a path takes would fail that path"
            )
        if t.STRIPES in tunables.names() and tunables.is_written_for(t.STRIPES):
            self.warn(
                "stripe_cache_size is not tried: when it is set, md writes its superblocks. It is while the array "
                "is read-only (mdadm --readonly), but hardly matters for reads"
            )

    def run(self) -> Result:
        self.check()
        begin = time.monotonic()
        deadline = begin + self.wish.seconds
        progress = Progress(deadline)
        journal = None
        if self.tunables:
            journal = Journal(self.directory, self.tunables, target.identity(self.target))
            self.settings = Settings(self.tunables, journal)
        try:
            result = self.measure_all(progress, begin, deadline)
        finally:
            # First of all: nothing that goes wrong with words may come before it.
            left = journal.restore() if journal else []
            progress.end()
            for text in left:
                self.warn(text)
        return result

    def measure_all(self, progress: Progress, begin: float, deadline: float) -> Result:
        original = self.settings.journal.original if self.settings else {}
        progress.stage("a first run")
        modes = self.usable_modes()
        bench = stages.Bench(
            self.measure(progress),
            self.begin,
            self.try_arm,
            self.accept,
            time.monotonic,
            0.0,
            self.wish.rules,
            progress.stage,
        )
        bench.overhead_s = self.overhead(modes)
        decisions = stages.run_all(bench, plan_stages(self.tunables, self.wish, modes), deadline)
        if self.settings:
            self.settings.journal.check_foreign()
        kind, label = stages.kind(decisions[0], self.wish.rules.confidence)
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
            former(original, accepted),
        )

    def usable_modes(self) -> tuple[str, ...]:
        """Without direct, if the file system has no such thing."""
        try:
            self.one_run(Cell("direct", 1), 0, 0, 1, self.wish.rules.shortest_s)
        except Trouble as trouble:
            self.warn(f"no direct reads ({trouble}): buffered ones only")
            return ("buffered",)
        return MODES

    def overhead(self, modes: tuple[str, ...]) -> float:
        """What a run takes besides its length, with all readers, so as not to promise too much."""
        found = []
        for number in (1, 2):
            begin = time.monotonic()
            self.one_run(Cell(modes[-1], self.wish.max_readers), number, 0, 1, self.wish.rules.shortest_s)
            found.append(time.monotonic() - begin - self.wish.rules.shortest_s)
        return max(0.0, min(found))

    def measure(self, progress: Progress) -> stages.Measurement:
        def measure(arm: Arm, cell: Cell, rounds: int, place: int, places: int, seconds: float) -> Sample:
            progress.run(f"{arm.label}, {cell}")
            self.set_again(arm.label, arm.settings)
            return self.one_run(cell, rounds, place, places, seconds)

        return measure

    def set_again(self, label: str, settings: tuple[tuple[str, str], ...]) -> None:
        """What the kernel took before."""
        if not self.settings:
            return
        try:
            self.settings.apply(settings)
        except OSError as error:
            raise Trouble(f"{label} cannot be set any more: {error.strerror}") from None

    def one_run(self, cell: Cell, rounds: int, place: int, places: int, seconds: float) -> Sample:
        wanted = int(2 * self.rate * seconds)
        sample = self.fio.run(cell.mode, areas(self.target.size, cell.readers, rounds, place, places, wanted), seconds)
        self.rate = max(self.rate, *sample.shares)
        return sample

    def begin(self, stage: Stage) -> Stage:
        """Its arms: the value there is with what was decided before, and those to try instead."""
        if not stage.values:
            return stage
        self.set_again("what was decided", ())
        value = self.tunables_get(stage.tunable) or "not there"
        return replace(stage, arms=plan.value_arms(stage.tunable, value, stage.values))

    def try_arm(self, arm: Arm) -> str:
        self.stop.check()
        if not self.settings:
            return ""
        try:
            self.settings.apply(arm.settings)
        except OSError as error:
            if error.errno == errno.EBUSY:
                return "the kernel would not set it for too long: another disk of that host comes or goes"
            return f"the kernel or the device does not have it ({error.strerror})"
        values = dict(arm.settings)
        odd = [f"{name} became {got}" for name in values for got in [self.tunables_get(name)] if got != values[name]]
        return "; ".join(odd)

    def tunables_get(self, name: str) -> str | None:
        return self.tunables.get(name) if self.tunables else None

    def accept(self, arm: Arm) -> None:
        if self.settings:
            self.settings.accept(arm.settings)

    def describe(self) -> dict[str, object]:
        disk = self.target.disk
        model = target.read(disk / "device/model") if disk else ""
        what = "a file" if self.target.is_file else "a block device"
        below = f" on {disk.name}" if disk and (self.target.is_file or disk != self.target.sysfs) else ""
        return {
            "path": str(self.target.path),
            "disk": disk.name if disk else None,
            "size": self.target.size,
            "model": model or None,
            "rotational": target.read(disk / "queue/rotational") == "1" if disk else None,
            "description": f"{what}{below}, {self.target.size / 1e9:.1f} GB" + (f", {model}" if model else ""),
        }
