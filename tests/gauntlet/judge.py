# SPDX-License-Identifier: GPL-2.0-only
"""Judge a measured case: better, same or worse.

Runs come in pairs, one on stock and one with the modules, directly after one another. A figure is judged by the ratio
of each pair, so that a slow change of the machine does not count. Less is better in every figure.
"""

import enum
import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]

# Beyond this a ratio is a difference. A time that fewer pairs than ENOUGH_PAIRS measured needs more, because it varies
# by chance, and counts hardly do.
MARGIN = 0.02
WIDE_MARGIN = 0.05
ENOUGH_PAIRS = 3
# Up to so many pairs the spread is the range of their ratios, beyond it the range without the outer tenths.
FEW_PAIRS = 8
OUTER = 0.1

# What judges, by the group of cases. Figures that a load reports by `figure` judge too.
READS = ("ios", "sectors", "time_ms", "p50_us", "p99_us", "waits")
JUDGED = {
    "reads": READS,
    "random": READS,
    "raid": ("sectors", "wios", "wsectors", "time_ms", "p50_us", "p99_us"),
    "nfs-writes": ("ios", "sectors", "wios", "wsectors", "time_ms", "p50_us", "p99_us"),
    "mounts": ("ios", "sectors", "time_ms", "p50_us", "p99_us"),
}
# Reported, and never judged.
REPORTED = ("cpu_ms", "wios", "wsectors", "ios", "sectors", "waits", "stall_ms", "time_ms", "p50_us", "p99_us")
# The least difference of two medians that counts: below it a ratio says nothing to a user.
LEAST = {"ios": 8, "wios": 8, "waits": 8, "sectors": 256, "wsectors": 256, "time_ms": 1.0, "ms": 1.0, "us": 20.0}
TITLES = {
    "ios": "disk reads",
    "sectors": "sectors read",
    "wios": "disk writes",
    "wsectors": "sectors written",
    "waits": "waits",
    "stall_ms": "stalled, ms",
    "time_ms": "time, ms",
    "p50_us": "p50, us",
    "p99_us": "p99, us",
    "cpu_ms": "CPU, ms",
}


class Verdict(enum.Enum):
    WORSE = "worse"
    SAME = "same"
    BETTER = "better"


@dataclass(frozen=True)
class Judged:
    """A figure of one case: medians, the median ratio of the pairs, its spread, and what that says.

    tends: what it would say with many pairs. Unlike the verdict, it does not know the wide margin.
    """

    key: str
    stock: float
    ours: float
    ratio: float
    low: float
    high: float
    verdict: Verdict
    tends: Verdict
    judges: bool

    @property
    def title(self) -> str:
        return TITLES.get(self.key, self.key)


def divide(one: float, other: float) -> float:
    if other:
        return one / other
    return math.inf if one else 1.0


def spread(ratios: Sequence[float]) -> tuple[float, float]:
    """The lowest and the highest ratio, for many pairs without the outer tenths."""
    ordered = sorted(ratios)
    cut = int(len(ordered) * OUTER) if len(ordered) > FEW_PAIRS else 0
    return ordered[cut], ordered[-1 - cut]


def least(key: str) -> float:
    return LEAST.get(key, LEAST.get(key.rpartition("_")[2], 0.0))


def margin(key: str, pairs: int) -> float:
    is_time = key.endswith(("_ms", "_us"))
    return WIDE_MARGIN if is_time and pairs < ENOUGH_PAIRS else MARGIN


def verdict_of(stock: Sequence[float], ours: Sequence[float], key: str, pairs: int) -> Verdict:
    """Worse: the median ratio is beyond the margin of so many pairs, and 1 is beyond the spread of the ratios."""
    ratios = [divide(mine, its) for mine, its in zip(ours, stock, strict=True)]
    median = statistics.median(ratios)
    low, high = spread(ratios)
    if abs(statistics.median(ours) - statistics.median(stock)) < least(key):
        return Verdict.SAME
    beyond = 1 + margin(key, pairs)
    if median > beyond and low > 1:
        return Verdict.WORSE
    # One pair may warn, but does not praise.
    if median < 1 / beyond and high < 1 and len(ratios) > 1:
        return Verdict.BETTER
    return Verdict.SAME


def judge_figure(key: str, stock: Sequence[float], ours: Sequence[float], judges: bool) -> Judged:
    ratios = [divide(mine, its) for mine, its in zip(ours, stock, strict=True)]
    low, high = spread(ratios)
    return Judged(
        key,
        statistics.median(stock),
        statistics.median(ours),
        statistics.median(ratios),
        low,
        high,
        verdict_of(stock, ours, key, len(ratios)),
        verdict_of(stock, ours, key, ENOUGH_PAIRS),
        judges,
    )


def judged_keys(entry: Json) -> set[str]:
    if entry.get("judged"):
        return set(entry["judged"].split())
    group = entry["case"].partition("/")[0]
    own = {key for key in {**entry["stock"], **entry["ours"]} if key not in REPORTED}
    return set(JUDGED.get(group, READS)) | own


def missing(entry: Json) -> list[str]:
    """The judging figures that cannot be judged: those that some runs lack, or all runs of a case that chooses them."""
    runs = {key: [len(entry[arm].get(key, ())) for arm in ("stock", "ours")] for key in judged_keys(entry)}
    return sorted(key for key, (stock, ours) in runs.items() if stock != ours or (entry.get("judged") and not stock))


def figures(entry: Json) -> list[Judged]:
    """All figures that every run of both arms has, those that judge first."""
    judging = judged_keys(entry)
    order = [*JUDGED.get(entry["case"].partition("/")[0], READS), *REPORTED]

    def place(key: str) -> tuple[bool, int, str]:
        return key not in judging, order.index(key) if key in order else -1, key

    stock: Mapping[str, Sequence[float]] = entry["stock"]
    ours: Mapping[str, Sequence[float]] = entry["ours"]
    both = [key for key in stock if key in ours and stock[key] and len(stock[key]) == len(ours[key])]
    return [judge_figure(key, stock[key], ours[key], key in judging) for key in sorted(both, key=place)]


def verdict(found: Iterable[Judged]) -> Verdict:
    """One verdict: worse if any judging figure is worse, else better if any is better."""
    verdicts = {figure.verdict for figure in found if figure.judges}
    if Verdict.WORSE in verdicts:
        return Verdict.WORSE
    return Verdict.BETTER if Verdict.BETTER in verdicts else Verdict.SAME


def judge(entry: Json) -> Verdict:
    """The verdict of an entry. A case that the modules promise to make better is worse if it is the same."""
    found = verdict(figures(entry))
    return Verdict.WORSE if found is Verdict.SAME and entry.get("bar") == "better" else found


def worst(found: Iterable[Judged]) -> float:
    """How bad the worst judging figure is, to sort by: its ratio if it is worse, else the lowest gain."""
    judging = [figure for figure in found if figure.judges]
    bad = [figure.ratio for figure in judging if figure.verdict is Verdict.WORSE]
    good = [figure.ratio for figure in judging if figure.verdict is Verdict.BETTER]
    return max(bad, default=min(good, default=1.0))
