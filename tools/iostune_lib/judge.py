# SPDX-License-Identifier: GPL-2.0-only
"""Judge measurements. Pure.

A change is recommended if the whole confidence interval of its gain is above GAIN. It is rejected if one of these
losses is certain: throughput of one reader alone, of several together, of the slowest of several, or long waits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from seqkeep_lib import stats
from seqkeep_lib.stats import Ratio

from .measurement import Arm, Series, Workload

# The least gain of a change: in throughput, or of the slowest reader.
GAIN = 1.05
FAIR_GAIN = 1.15
# The largest loss of one reader alone or several together (of all, if the gain is fairness), and of the slowest.
THROUGHPUT_LOSS = 0.95
SLOWEST_LOSS = 0.85
# Waits are a loss if they are WAIT_TIMES as long, longer than WAIT_MS, and the slowest reader does not gain. With a
# scheduler that serves one reader for a while the others wait, but all of them get more.
WAIT_TIMES = 2.0
WAIT_MS = 1000.0
# The results of unacceptable_loss().
LOSSES = ("single", "several", "slowest", "waits")
# Throughput of several readers relative to one: seek-bound below, parallel above.
SEEKS = 0.75
PARALLEL = 1.25
# An interval with a wider span, high by low, is of a disk or a machine whose speed changes for other reasons.
WIDEST = 2.0


@dataclass(frozen=True)
class Evidence:
    """A candidate relative to the present setting."""

    # Throughput over all workloads, of one reader alone, of several together, and of the slowest of several.
    total: Ratio
    single: Ratio | None
    several: Ratio | None
    slowest: Ratio | None
    # The slowest reader's waits, and the candidate's in ms.
    waits: Ratio | None
    wait_ms: float


@dataclass(frozen=True)
class Verdict:
    is_change: bool
    # gain, fairness; noise, no gain, unpromising, loss, time, only one, or one of LOSSES
    why: str
    evidence: Evidence | None = None


@dataclass(frozen=True)
class Kind:
    """The kind of a device (seek-bound, parallel, flat or unclear), and the throughput of N readers relative to one."""

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
    """Return the certain loss for which a candidate is rejected whatever it gains; "" if there is none."""
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
    """Return the verdict on the evidence so far."""
    if e.total.confidence < confidence:
        return Verdict(False, "time", e)
    gains = e.total.low > GAIN
    is_fairer = e.slowest is not None and e.slowest.low > FAIR_GAIN and e.total.low > THROUGHPUT_LOSS
    if gains or is_fairer:
        why = unacceptable_loss(e)
        return Verdict(not why, why or ("gain" if gains else "fairness"), e)
    if e.total.high < THROUGHPUT_LOSS:
        return Verdict(False, "loss", e)
    # Certainly not worth it, or nothing is certain.
    return Verdict(False, "no gain" if e.total.high < GAIN else "noise", e)


def is_promising(e: Evidence) -> bool:
    """Return whether more rounds could lead to a change: whether the estimate is half of the gain that it needs."""
    fair = e.slowest is not None and e.slowest.estimate > FAIR_GAIN and e.total.estimate > THROUGHPUT_LOSS
    return e.total.estimate > (1 + GAIN) / 2 or fair


def is_settled(e: Evidence, confidence: float) -> bool:
    """Return whether the verdict is final, whatever more rounds would show."""
    if not is_promising(e):
        return e.total.pairs >= 4
    if e.total.confidence < confidence:
        return False
    return judge_evidence(e, confidence).why != "noise"


def ranking_score(e: Evidence) -> float:
    """Return the score that selects candidates for a comparison: throughput, and a little of the slowest reader's."""
    return e.total.estimate * (e.slowest.estimate**0.25 if e.slowest else 1.0)


def classify(series: Series, arm: Arm, mode: str, confidence: float) -> Kind:
    """Return the kind of a device, from measurements with a scheduler that does not idle."""
    workloads = sorted(
        (workload for a, workload in series if a == arm and workload.mode == mode),
        key=lambda workload: workload.readers,
    )
    totals = {workload.readers: [sample.total for sample in series[arm, workload]] for workload in workloads}
    if not totals.get(1):
        return Kind("unclear", {})
    ratios = {}
    for readers, values in totals.items():
        if readers > 1 and values:
            # Only some cells are measured in more rounds than the survey's, which come first.
            rounds = min(len(values), len(totals[1]))
            ratios[readers] = stats.ratio(values[:rounds], totals[1][:rounds], confidence)
    return Kind(kind_of_ratios(list(ratios.values()), confidence), ratios)


def kind_of_ratios(found: Sequence[Ratio], confidence: float) -> str:
    """Return the kind that the ratios show with that confidence. Those of fewer pairs show nothing.

    Nor do wide ones. The intervals assume that rounds have nothing to do with each other, and on a machine with other
    work one of 1.6 to 9.8 was followed by one of 0.3 to 1.1.
    """
    ratios = [r for r in found if r.confidence >= confidence]
    if not ratios or any(r.high > r.low * WIDEST for r in ratios):
        return "unclear"
    if any(r.high < SEEKS for r in ratios):
        return "seek-bound"
    if any(r.low > PARALLEL for r in ratios):
        return "parallel"
    if all(r.low > SEEKS and r.high < PARALLEL for r in ratios):
        return "flat"
    return "unclear"
