# SPDX-License-Identifier: GPL-2.0-only
"""Read the JSON of the benches as records of one kind; compute ratios with their spread, and verdicts."""

import enum
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Json = dict[str, Any]

# The least gain of a median that counts as better.
MIN_GAIN = 0.01
# A cost whose median is so much above stock's is listed, even if its runs differ.
LISTED_COST = 0.05


@dataclass(frozen=True)
class Figure:
    """A quantity that is measured in each run. Main figures are rates, which users notice; the others are costs."""

    key: str
    title: str
    more_is_better: bool = False
    main: bool = False
    # It follows from the main figure, and is only in the table of every arm.
    implied: bool = False


@dataclass(frozen=True)
class Spread:
    """One figure of one arm over all rounds."""

    median: float
    low: float
    high: float
    runs: tuple[float, ...] = ()


@dataclass(frozen=True)
class Ratio:
    """The ratio of two medians, with the lowest and highest ratio of a round."""

    median: float
    low: float
    high: float


@dataclass(frozen=True)
class Case:
    """One workload, measured under all arms in one boot. An arm is a setting of the kernel."""

    bench: str
    suite: str
    kernel: str
    setting: str
    name: str
    rounds: int
    arms: Mapping[str, Mapping[str, Spread]]


@dataclass(frozen=True)
class Bench:
    name: str
    module: str
    # The arm of the stock kernel without settings, and our arms, the default first. Others are controls.
    stock: str
    ours: tuple[str, ...]
    figures: tuple[Figure, ...]
    cases: Callable[[str, Json], Iterator[Case]]
    conditions: str
    # The share of the best stock arm's rate that is good enough, for benches whose goal is not to be better.
    enough: float | None = None

    @property
    def main_figures(self) -> list[Figure]:
        return [figure for figure in self.figures if figure.main]


@dataclass
class Results:
    cases: list[Case] = field(default_factory=list)
    # The command lines of each bench.
    commands: dict[str, list[str]] = field(default_factory=dict)
    # Messages about entries that could not be read.
    errors: list[str] = field(default_factory=list)


def arm_of(found: Json) -> dict[str, Spread]:
    """Return the complete figures of an arm."""
    return {
        key: Spread(spread["median"], spread["min"], spread["max"], tuple(spread.get("runs", ())))
        for key, spread in found.items()
        if isinstance(spread, dict) and {"median", "min", "max"} <= spread.keys()
    }


def case_of(bench: str, suite: str, entry: Json, setting: str, name: str, arms: Json) -> Case:
    spreads = {arm: arm_of(found) for arm, found in arms.items() if isinstance(found, dict)}
    return Case(bench, suite, entry.get("kernel", "?"), setting, name, entry.get("rounds", 0), spreads)


def ctxra_cases(suite: str, entry: Json) -> Iterator[Case]:
    for result in entry.get("results", []):
        arms = {arm: result[arm] for arm in ("stock", "ctxra") if arm in result}
        about = entry | {"rounds": result.get("rounds", 0)}
        yield case_of("ctxra", suite, about, "", result["case"]["name"], arms)


def nfsd_cases(name: str, entry: Json) -> Iterator[Case]:
    suite, _, fs = name.partition(" ")
    for case, arms in entry.get("results", {}).items():
        yield case_of("nfsd", suite, entry, fs, case, arms)


def nfsra_cases(name: str, entry: Json) -> Iterator[Case]:
    suite, _, file = name.partition(" rsize ")
    for rsize, delays in entry.get("results", {}).items():
        for delay, found in delays.items():
            arms = dict(found)
            # nfs-ra's default is 4x, which older entries have as a number.
            if same := arms.get(str(4 * int(rsize))):
                arms.setdefault("4x", same)
            setting = f"{file.partition(' file ')[2] or '?'} file"
            yield case_of("nfsra", suite, entry, setting, f"rsize {rsize}K, {delay} ms", arms)


def raid5_cases(name: str, entry: Json) -> Iterator[Case]:
    suite, _, setting = name.partition(", ")
    for case, arms in entry.get("results", {}).items():
        yield case_of("raid5", suite, entry, setting, case, arms)


def iostune_cases(suite: str, entry: Json) -> Iterator[Case]:
    for case, arms in entry.get("results", {}).items():
        yield case_of("iostune", suite, entry, "", case, arms)


MB_S = Figure("mb_s", "MB/s", more_is_better=True, main=True)
BENCHES = {
    bench.name: bench
    for bench in (
        Bench(
            name="ctxra",
            module="ctxra",
            stock="stock",
            ours=("ctxra",),
            figures=(
                MB_S,
                Figure("ios", "disk reads"),
                Figure("sectors", "sectors read"),
                Figure("cpu_ms", "CPU time, ms"),
            ),
            cases=ctxra_cases,
            conditions="64 MiB on a disk in memory of 2 ms per I/O, ext4, 128 KiB of readahead unless the case says 1M;"
            " NFS 4.2 with 16 nfsd, rsize 32K, nconnect 8",
        ),
        Bench(
            name="nfsd",
            module="nfsd-dio",
            stock="stock",
            ours=("uncached", "unaligned"),
            figures=(
                Figure("iops", "I/O/s", more_is_better=True, main=True),
                Figure("disk_reads_per_io", "disk reads per I/O"),
                Figure("mean_us", "mean latency, us", implied=True),
                Figure("p99_us", "p99 latency, us"),
                Figure("cpu_us_per_kib", "CPU time, us per KiB"),
            ),
            cases=nfsd_cases,
            enough=0.97,
            conditions='a file of 64 MiB on a disk in memory of 5 ms per I/O, export "sync", 64 nfsd, NFS 4.2, fio with'
            " direct I/O; the kernel takes the disk for an SSD unless the setting says rotational; the name of a case"
            " has the pattern, the offset from the block boundary (512 bytes, or none), and the requests in flight",
        ),
        Bench(
            name="nfsra",
            module="nfs-ra",
            stock="128",
            ours=("4x", "auto"),
            figures=(
                MB_S,
                Figure("pieces_mb_s", "MB/s in pieces", more_is_better=True, main=True),
                Figure("tree_mb_s", "MB/s of a tree", more_is_better=True, main=True),
                Figure("pieces_received", "bytes received per byte read, in pieces"),
                Figure("tree_received", "bytes received per byte read, of a tree"),
            ),
            cases=nfsra_cases,
            # Because the best control is the best of many constants, a different one per case.
            enough=0.95,
            conditions="a sparse file in memory, 8 nfsd, NFS 4.1 between two network namespaces, netem delays both"
            " directions, 64 KiB per read; an arm is a readahead in KiB set by hand, 128 is the kernel's default; 4x is"
            " four times rsize, nfs-ra's default, here set by hand too; auto is `multiple=auto`",
        ),
        Bench(
            name="raid5",
            module="raid5-deadline",
            stock="stock",
            ours=("auto",),
            figures=(
                MB_S,
                Figure("pre_read", "sectors pre-read"),
                Figure("p99_us", "p99 latency, us"),
                Figure("other_mb_s", "MB/s of the other writer", more_is_better=True, main=True),
                Figure("other_p50_us", "p50 latency of the other writer, us"),
                Figure("other_p99_us", "p99 latency of the other writer, us"),
                Figure("cpu_us_per_mib", "CPU time, us per MiB"),
            ),
            cases=raid5_cases,
            conditions="RAID 5 of three members in memory, 1 MiB chunk, 256 stripes unless the arm says 8192; the"
            " setting is the time per I/O of a member, or its throughput; write-back throttling of the members is off,"
            " but in cases whose names begin with throttled; beside means that a stream is written beside another"
            " writer, of the length and number at a time that follow",
        ),
        Bench(
            name="iostune",
            module="iostune",
            stock="none",
            ours=("iostune",),
            figures=(MB_S,),
            cases=iostune_cases,
            enough=0.97,
            conditions="models of disks: a spindle of 60 MB/s and 12 ms per seek, an array that serves 64 requests at"
            " once, an SSD that one reader saturates; 1 to 8 readers, each in an area of its own, through the page"
            " cache; an arm is a scheduler; the arm iostune has what iostune recommends for that disk. The kernel reads"
            " ahead 1024 KiB on the array, because of its optimal I/O size, and 128 or 256 KiB on the others. The JSON"
            " has iostune's recommendations and reasons, under counters",
        ),
    )
}


def has_arms_more(one: Any, other: Any) -> bool:
    """Return whether a measurement of a case has an arm, at any depth of the JSON, that another one lacks."""
    if not isinstance(one, dict) or any(isinstance(value, dict) and "median" in value for value in one.values()):
        # An arm. Its figures do not matter, because a run may be unable to measure one.
        return False
    return not isinstance(other, dict) or any(
        key not in other or has_arms_more(value, other[key]) for key, value in one.items()
    )


def show_message(text: str) -> None:
    print(f"results: {text}", flush=True)


def merge(name: str, known: Json, found: Json) -> Json:
    """Merge new figures into an entry of a bench's file, if kernel and settings are the same; otherwise replace it.

    A case stays as it was if it has arms that the new figures lack: a new run of two arms must not lose the best
    control.
    """
    beside = ("results", "counters", "commands")
    about = {key: value for key, value in found.items() if key not in beside}
    former = {key: value for key, value in known.items() if key not in beside}
    if about != former:
        show_message(f"{name}: dropped {len(known.get('results', ()))} cases with other settings: {former}")
        return found
    commands = list(dict.fromkeys(known.get("commands", []) + found.get("commands", [])))
    merged = known | about | ({"commands": commands} if commands else {})
    for key in ("results", "counters"):
        old, new = known.get(key), found.get(key)
        if isinstance(old, list) and isinstance(new, list):
            by_name = {result["case"]["name"]: result for result in old + new}
            merged[key] = list(by_name.values())
        elif isinstance(old, dict) and isinstance(new, dict):
            less = [case for case in new if key == "results" and case in old and has_arms_more(old[case], new[case])]
            for case in less:
                show_message(f"{name}: kept the old figures of {case}, which have more arms")
            merged[key] = old | {case: value for case, value in new.items() if case not in less}
        elif new is not None:
            merged[key] = new
    return merged


def read_file(path: Path) -> Json:
    """Return the entries of a bench's file. ValueError, with the file's name: it is incomplete."""
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path.name}: incomplete, left out: {error}") from None
    if not isinstance(entries, dict):
        raise ValueError(f"{path.name}: not a bench's figures, left out")
    return entries


def write_file(path: Path, entries: Json) -> None:
    """Replace a bench's file atomically, so that an interrupted write leaves the old one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f".{path.name}.new")
    new.write_text(json.dumps(entries, indent=1) + "\n", encoding="utf-8")
    new.replace(path)


def add(path: Path, entries: Json) -> None:
    """Add entries to a bench's file, and merge them with its entries of the same names."""
    known: Json = {}
    if path.exists():
        try:
            known = read_file(path)
        except ValueError:
            # The new figures took hours, so write them, and keep the incomplete file under another name.
            path.replace(path.with_suffix(".broken"))
    merged = {name: merge(name, known[name], entry) if name in known else entry for name, entry in entries.items()}
    write_file(path, known | merged)


def load(folder: Path) -> Results:
    """Read the files of all benches in a folder."""
    results = Results()
    for bench in BENCHES.values():
        path = folder / f"{bench.module}.json"
        if not path.exists():
            continue
        try:
            entries = read_file(path)
        except ValueError as error:
            results.errors.append(str(error))
            continue
        for name, entry in entries.items():
            try:
                results.cases += bench.cases(name, entry)
            except (AttributeError, KeyError, TypeError, ValueError) as error:
                results.errors.append(f'{path.name}, "{name}": incomplete: {error!r}')
                continue
            results.commands.setdefault(bench.name, []).extend(entry.get("commands", []))
    return results


def divide(one: float, other: float) -> float:
    if other:
        return one / other
    return math.inf if one else 1.0


def ratio(one: Spread, other: Spread) -> Ratio:
    """Return the ratio of the medians; its range is over the rounds, or of the extremes if the runs are unknown."""
    median = divide(one.median, other.median)
    if one.runs and len(one.runs) == len(other.runs):
        each = [divide(mine, its) for mine, its in zip(one.runs, other.runs, strict=True)]
        return Ratio(median, min(each), max(each))
    return Ratio(median, divide(one.low, other.high), divide(one.high, other.low))


class Verdict(enum.Enum):
    BETTER = "better"
    NO_BETTER = "no better"
    WORSE = "worse"
    ONE_RUN = "one run"


def gain(found: Ratio, more_is_better: bool) -> Ratio:
    """Return a ratio, inverted if less is better, so that more than 1 is better."""
    return found if more_is_better else Ratio(*(divide(1, part) for part in (found.median, found.high, found.low)))


def verdict(found: Ratio, more_is_better: bool, rounds: int) -> Verdict:
    gained = gain(found, more_is_better)
    if rounds < 2:
        return Verdict.ONE_RUN
    if gained.low > 1 and gained.median >= 1 + MIN_GAIN:
        return Verdict.BETTER
    return Verdict.WORSE if gained.high < 1 else Verdict.NO_BETTER


@dataclass(frozen=True)
class Judged:
    """One figure of one of our arms, relative to the stock arm with the best median."""

    case: Case
    figure: Figure
    arm: str
    best: str
    ratio: Ratio
    verdict: Verdict

    @property
    def listed(self) -> bool:
        """Return whether RESULTS.md lists it: a rate unless it is good enough, a cost if it is worse or looks worse."""
        gained = gain(self.ratio, self.figure.more_is_better).median
        if self.figure.main:
            enough = BENCHES[self.case.bench].enough
            is_enough = enough is not None and gained >= enough and self.verdict is not Verdict.ONE_RUN
            return self.verdict is not Verdict.BETTER and not is_enough
        most = 1 if self.verdict is Verdict.ONE_RUN else 1 / (1 + LISTED_COST)
        looks_worse = self.verdict is Verdict.WORSE or gained < most
        return looks_worse and not self.figure.implied


def full_name(case: Case, cases: Iterable[Case]) -> str:
    """Return the name of a case, with its setting if there are several."""
    return f"{case.name} ({case.setting})" if len({other.setting for other in cases}) > 1 else case.name


def with_stock(cases: Iterable[Case]) -> list[tuple[Case, Figure]]:
    """Return the main figures of the cases in which stock was measured too."""
    benches = [(case, BENCHES[case.bench]) for case in cases]
    return [
        (case, fig)
        for case, bench in benches
        for fig in bench.main_figures
        if fig.key in case.arms.get(bench.stock, {})
    ]


def best_stock_arm(case: Case, figure: Figure) -> str | None:
    """Return the stock arm or control with the best median; None if stock was not measured."""
    ours = BENCHES[case.bench].ours
    if figure.key not in case.arms.get(BENCHES[case.bench].stock, {}):
        return None
    known = {
        arm: found[figure.key].median for arm, found in case.arms.items() if arm not in ours and figure.key in found
    }
    choose = max if figure.more_is_better else min
    return choose(known, key=lambda arm: known[arm])


def judge(case: Case) -> Iterator[Judged]:
    """Judge every measured figure of our arms."""
    bench = BENCHES[case.bench]
    for figure in bench.figures:
        best = best_stock_arm(case, figure)
        for arm in bench.ours:
            if best and figure.key in case.arms.get(arm, {}):
                found = ratio(case.arms[arm][figure.key], case.arms[best][figure.key])
                yield Judged(case, figure, arm, best, found, verdict(found, figure.more_is_better, case.rounds))
