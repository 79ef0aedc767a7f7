# SPDX-License-Identifier: GPL-2.0-only
"""Read the JSON of the benches as records of one kind; compute ratios with their spread, and verdicts.

docs/results.jsonl keeps the records: a line per case, with the figures of each round. A line with commands says how the
cases of a bench were measured.
"""

import enum
import json
import math
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

sys.path.append(str(Path(__file__).resolve().parent.parent / "tools"))

from seqkeep_lib import stats

Json = dict[str, Any]

# The least difference that counts, both ways.
MIN_EFFECT = 0.02
# The confidence of a verdict. By ranks it takes six rounds.
CONFIDENCE = 0.95


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
    # Whether the module is for this: a figure of a case, by their names.
    meant: Callable[[str, str], bool]
    # A cost that the module's figure shows beside the rate.
    drawn_cost: str = ""

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
            # Older entries have 4x as a number.
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
            " NFS 4.2 with 16 nfsd, rsize 32K, nconnect 8; spindle: a model of 60 MB/s, with max_kb=auto, which"
            " is not the default. The emulated CPU bounds the cases through NFS, so that they"
            " show fewer disk reads and hardly more speed",
            # Readers in order have their windows from stock already, and random reads have none.
            meant=lambda case, _: not re.match(r"(cost-)?(in-order|random|runs-of|miss)|turn-|spindle-", case),
            drawn_cost="ios",
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
            # It takes the writes that are not aligned to blocks.
            meant=lambda case, _: not case.startswith("read-") and bool(re.search(r"-512-|^image-", case)),
            conditions='a file of 64 MiB on a disk in memory of 5 ms per I/O, export "sync", 64 nfsd, NFS 4.2, fio with'
            " direct I/O; the kernel takes the disk for an SSD unless the setting says rotational; the name of a case"
            " has the pattern, the offset from the block boundary (512 bytes, or none), and the requests in flight;"
            " uncached is nfsd-dio's mode of that name, its default, and unaligned the other",
        ),
        Bench(
            name="nfsra",
            module="nfs-ra",
            stock="128",
            ours=("auto", "4x"),
            figures=(
                MB_S,
                Figure("pieces_mb_s", "MB/s in pieces", more_is_better=True, main=True),
                Figure("tree_mb_s", "MB/s of a tree", more_is_better=True, main=True),
                Figure("pieces_received", "bytes received per byte read, in pieces"),
                Figure("tree_received", "bytes received per byte read, of a tree"),
            ),
            cases=nfsra_cases,
            # It is for files that are read in order; pieces of a file and trees must not lose.
            meant=lambda _, figure: figure == "mb_s",
            conditions="a sparse file in memory, 8 nfsd, NFS 4.1 between two network namespaces, netem delays both"
            " directions, 64 KiB per read; an arm is a readahead in KiB set by hand, 128 is the kernel's default; 4x is"
            " four times rsize, as `multiple=4`, set by hand too; auto is nfs-ra with its default, `multiple=auto`",
        ),
        Bench(
            name="raid5",
            module="raid5-deadline",
            stock="stock",
            ours=("auto", "auto-cache-8192"),
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
            # It is for streams that are written; a random writer, beside a stream too, must not lose.
            meant=lambda case, figure: figure == "mb_s" and not re.match("cost-|lone-", case),
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
            meant=lambda case, _: not case.startswith("ssd-"),
            conditions="models of disks: a spindle of 60 MB/s and 12 ms per seek, an array that serves 64 requests at"
            " once, a slow SSD (19 MB/s) that one reader saturates; 1 to 8 readers, each in an area of its own, through"
            " the page cache; an arm is a scheduler; the arm iostune has what iostune recommends for that disk. The"
            " kernel reads ahead 1024 KiB on the array, because of its optimal I/O size, and 128 or 256 KiB on the"
            " others",
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


def as_line(case: Case) -> Json:
    """Return what docs/results.jsonl keeps of a case: the runs of the figures of its bench."""
    keys = [figure.key for figure in BENCHES[case.bench].figures]
    arms = {
        arm: {key: spreads[key].runs or [spreads[key].median] for key in keys if key in spreads}
        for arm, spreads in case.arms.items()
    }
    about = {key: getattr(case, key) for key in ("bench", "suite", "kernel", "setting", "name", "rounds")}
    return about | {"arms": arms}


def of_line(line: Json) -> Case:
    arms = {
        arm: {key: Spread(median(runs), min(runs), max(runs), tuple(runs)) for key, runs in found.items()}
        for arm, found in line["arms"].items()
    }
    return Case(**{key: value for key, value in line.items() if key != "arms"}, arms=arms)


def read_kept(path: Path) -> Results:
    """Read docs/results.jsonl. Raise ValueError, with the number of the line, if one is damaged."""
    kept = Results()
    for number, text in enumerate(path.read_text(encoding="utf-8").splitlines() if path.exists() else (), 1):
        try:
            line = json.loads(text)
            if "commands" in line:
                kept.commands[line["bench"]] = line["commands"]
            else:
                kept.cases.append(of_line(line))
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path.name}, line {number}: {error!r}") from None
    return kept


def write_kept(path: Path, kept: Results) -> None:
    """Replace docs/results.jsonl atomically."""
    lines: list[Json] = [{"bench": bench, "commands": commands} for bench, commands in kept.commands.items()]
    lines += [as_line(case) for case in kept.cases]
    new = path.with_name(f".{path.name}.new")
    new.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines), encoding="utf-8")
    new.replace(path)


def keep(kept: Results, measured: Results) -> Results:
    """Return what is kept, with measured cases in place of those of the same names, unless these have more arms."""

    def place(case: Case) -> tuple[str, ...]:
        return (case.bench, case.suite, case.setting, case.name)

    cases = {place(case): case for case in kept.cases}
    for case in measured.cases:
        former = cases.get(place(case))
        if former and former.kernel == case.kernel and former.arms.keys() > case.arms.keys():
            show_message(f"{case.bench} {case.name}: kept the old figures, which have more arms")
        else:
            cases[place(case)] = case
    commands = {
        bench: list(dict.fromkeys(kept.commands.get(bench, []) + measured.commands.get(bench, [])))
        for bench in {**kept.commands, **measured.commands}
    }
    return Results(list(cases.values()), commands, [*kept.errors, *measured.errors])


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
    SAME = "same"
    WORSE = "worse"
    FEW = "too few rounds"


def gain(found: Ratio, more_is_better: bool) -> Ratio:
    """Return a ratio, inverted if less is better, so that more than 1 is better."""
    return found if more_is_better else Ratio(*(divide(1, part) for part in (found.median, found.high, found.low)))


def verdict(one: Spread, other: Spread, more_is_better: bool) -> Verdict:
    """Judge by the confidence interval of the ratio, and by the least effect; too few rounds have no such interval."""
    if not one.runs or len(one.runs) != len(other.runs):
        return Verdict.FEW
    if min(*one.runs, *other.runs) <= 0:
        # No logarithm. Counts of 0 are compared round by round.
        found = ratio(one, other)
        low, high, sure = found.low, found.high, 1 - 2 * 0.5 ** len(one.runs)
    else:
        interval = stats.ratio(one.runs, other.runs, CONFIDENCE)
        low, high, sure = interval.low, interval.high, interval.confidence
    if sure < CONFIDENCE:
        return Verdict.FEW
    gained = gain(Ratio(divide(one.median, other.median), low, high), more_is_better)
    if gained.low > 1 and gained.median >= 1 + MIN_EFFECT:
        return Verdict.BETTER
    return Verdict.WORSE if gained.high < 1 and gained.median <= 1 - MIN_EFFECT else Verdict.SAME


@dataclass(frozen=True)
class Judged:
    """One figure of one of our arms, relative to another arm."""

    case: Case
    figure: Figure
    arm: str
    other: str
    ratio: Ratio
    verdict: Verdict

    @property
    def gain(self) -> float:
        return gain(self.ratio, self.figure.more_is_better).median

    @property
    def is_meant(self) -> bool:
        """Return whether the module is for this figure of this case."""
        return BENCHES[self.case.bench].meant(self.case.name, self.figure.key)


def series(case: Case) -> str:
    """Return the kernel's major and minor number."""
    return ".".join(case.kernel.split(".")[:2])


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


def judge(case: Case, figure: Figure, arm: str, other: str | None) -> Judged | None:
    """Compare one figure of two arms of a case; None if one of them has no such figure."""
    if other is None or not all(figure.key in case.arms.get(name, {}) for name in (arm, other)):
        return None
    ours, theirs = case.arms[arm][figure.key], case.arms[other][figure.key]
    return Judged(case, figure, arm, other, ratio(ours, theirs), verdict(ours, theirs, figure.more_is_better))


def against_stock(bench: Bench, cases: Iterable[Case], figures: Iterable[Figure]) -> list[Judged]:
    """Compare figures of the default arm with stock's, where both were measured."""
    found = (judge(case, figure, bench.ours[0], bench.stock) for case in cases for figure in figures)
    return [judged for judged in found if judged]


def against_best(judged: Judged) -> Judged | None:
    """Compare the same figure with the best stock arm's."""
    return judge(judged.case, judged.figure, judged.arm, best_stock_arm(judged.case, judged.figure))
