# SPDX-License-Identifier: GPL-2.0-only
"""What the figures mean: pure rules.

A change has to be worth it and sure: more than GAIN, by the whole of its interval. A loss that is sure vetoes it: of
one reader alone, of several together, of the slowest of them, or that one waits so long that somebody notices.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from . import stats
from .measurement import Arm, Series, Workload
from .stats import Ratio

# What a change must bring in throughput, or to the slowest reader.
GAIN = 1.05
FAIR_GAIN = 1.15
# What it may cost one reader alone, or several together (or all, for fairness), and the slowest of several.
THROUGHPUT_LOSS = 0.95
SLOWEST_LOSS = 0.85
# Longer waits count if they are so many times as long, and as long as this, and are not made up for: a scheduler that
# stays with a reader for a while has the others wait, and all of them get more by it.
WAIT_TIMES = 2.0
WAIT_MS = 1000.0
# What unacceptable_loss() says.
LOSSES = ("single", "several", "slowest", "waits")
# From one reader to several: less than this is seeking, more is working in parallel.
SEEKS = 0.75
PARALLEL = 1.25


@dataclass(frozen=True)
class Evidence:
    """A candidate against what is in force: ratios of throughput over all workloads, of one reader alone, of several
    together, of the slowest of these, and of its waits; and these in ms."""

    total: Ratio
    single: Ratio | None
    several: Ratio | None
    slowest: Ratio | None
    waits: Ratio | None
    wait_ms: float


@dataclass(frozen=True)
class Verdict:
    is_change: bool
    # gain, fairness; noise, no gain, loss, time, or one of LOSSES
    why: str
    evidence: Evidence | None = None


@dataclass(frozen=True)
class Kind:
    """What seed-like curves say of a device: seek-bound, parallel, flat or unclear; with the ratios to one reader."""

    name: str
    ratios: Mapping[int, Ratio]


def gather_evidence(
    series: Series, candidate: Arm, current: Arm, workloads: Sequence[Workload], confidence: float
) -> Evidence:
    """Compare two arms round by round.

    Each ratio is of geometric means over the workloads, so that a fast workload weighs no more than a slow one.
    """
    several = [workload for workload in workloads if workload.readers > 1]
    alone = [workload for workload in workloads if workload.readers == 1]

    def compare(what: str, among: Sequence[Workload]) -> Ratio | None:
        if not among:
            return None
        sides = []
        for arm in (candidate, current):
            rows = [[getattr(sample, what) for sample in series[arm, workload]] for workload in among]
            sides.append([stats.geometric_mean(values) for values in zip(*rows)])
        return stats.ratio(sides[0], sides[1], confidence)

    total = compare("total", workloads)
    assert total
    waits = [sample.wait_ms for workload in several for sample in series[candidate, workload]]
    return Evidence(
        total,
        compare("total", alone),
        compare("total", several),
        compare("slowest", several),
        compare("wait_ms", several),
        median(waits) if waits else 0.0,
    )


def unacceptable_loss(e: Evidence) -> str:
    """Why the candidate must not be had whatever it gains; empty if it may."""
    if e.single and e.single.high < THROUGHPUT_LOSS:
        return "single"
    if e.several and e.several.high < THROUGHPUT_LOSS:
        return "several"
    if e.slowest and e.slowest.high < SLOWEST_LOSS:
        return "slowest"
    is_made_up_for = e.slowest is not None and e.slowest.low > 1
    if e.waits and e.waits.low > WAIT_TIMES and e.wait_ms > WAIT_MS and not is_made_up_for:
        return "waits"
    return ""


def judge_evidence(e: Evidence, confidence: float) -> Verdict:
    """What the evidence there is says, if no more comes."""
    if e.total.confidence < confidence:
        return Verdict(False, "time", e)
    gains = e.total.low > GAIN
    is_fairer = e.slowest is not None and e.slowest.low > FAIR_GAIN and e.total.low > THROUGHPUT_LOSS
    if gains or is_fairer:
        why = unacceptable_loss(e)
        return Verdict(not why, why or ("gain" if gains else "fairness"), e)
    if e.total.high < THROUGHPUT_LOSS:
        return Verdict(False, "loss", e)
    # Sure that there is nothing to be had, or not sure of anything.
    return Verdict(False, "no gain" if e.total.high < GAIN else "noise", e)


def is_promising(e: Evidence) -> bool:
    """Whether more rounds could make a change of it: half of what it must bring, going by the estimates."""
    fair = e.slowest is not None and e.slowest.estimate > FAIR_GAIN and e.total.estimate > THROUGHPUT_LOSS
    return e.total.estimate > (1 + GAIN) / 2 or fair


def is_settled(e: Evidence, confidence: float) -> bool:
    """Whether more rounds would not alter the verdict."""
    if not is_promising(e):
        return e.total.pairs >= 4
    if e.total.confidence < confidence:
        return False
    return judge_evidence(e, confidence).why != "noise"


def ranking_score(e: Evidence) -> float:
    """By what candidates are ranked for a closer look: throughput, and a little what the slowest reader gets."""
    return e.total.estimate * (e.slowest.estimate**0.25 if e.slowest else 1.0)


def classify(series: Series, arm: Arm, mode: str, confidence: float) -> Kind:
    """What several readers do to a device under a scheduler that does not hold requests back."""
    workloads = sorted(
        (workload for a, workload in series if a == arm and workload.mode == mode),
        key=lambda workload: workload.readers,
    )
    totals = {workload.readers: [sample.total for sample in series[arm, workload]] for workload in workloads}
    if 1 not in totals:
        return Kind("unclear", {})
    ratios = {readers: stats.ratio(values, totals[1], confidence) for readers, values in totals.items() if readers > 1}
    return Kind(kind_of_ratios(list(ratios.values())), ratios)


def kind_of_ratios(ratios: Sequence[Ratio]) -> str:
    if not ratios:
        return "unclear"
    if any(r.high < SEEKS for r in ratios):
        return "seek-bound"
    if any(r.low > PARALLEL for r in ratios):
        return "parallel"
    if all(r.low > SEEKS and r.high < PARALLEL for r in ratios):
        return "flat"
    return "unclear"
