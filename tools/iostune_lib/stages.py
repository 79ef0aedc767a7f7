# SPDX-License-Identifier: GPL-2.0-only
"""One tunable after another: a look at all values, a comparison of the best with what is in force, a verdict.

The comparison is measured anew. The best of several first looks is the best by luck as well, and an interval around
luck says nothing; so the first look chooses whom to compare, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from . import judge, plan
from .judge import Kind, Verdict
from .plan import Rules, Stage
from .trial import Arm, Cell, Sample, Series

# measure(arm, cell, rounds before, the arm's place among so many, seconds)
Measurement = Callable[[Arm, Cell, int, int, int, float], Sample]


@dataclass
class Decision:
    """What came of a stage."""

    stage: Stage
    verdict: Verdict
    candidate: Arm | None = None
    skipped: dict[str, str] = field(default_factory=dict)
    # The first look, for the tables.
    series: Series = field(default_factory=dict)
    cells: tuple[Cell, ...] = ()

    @property
    def current(self) -> Arm:
        return self.stage.arms[0]


@dataclass
class Bench:
    """What stages need of the world."""

    measure: Measurement
    # The stage with its arms, now that earlier ones are decided.
    begin: Callable[[Stage], Stage]
    # Why an arm cannot be had; empty if it can.
    try_arm: Callable[[Arm], str]
    accept: Callable[[Arm], None]
    clock: Callable[[], float]
    # What a run takes besides its length.
    overhead_s: float
    rules: Rules
    # What is being done.
    tell: Callable[[str], None]
    rounds: int = 0


def run_all(bench: Bench, stages: Sequence[Stage], deadline: float) -> list[Decision]:
    """All stages; each gets its share of the time that is left, so what one saves goes to the next."""
    decisions = []
    for number, stage in enumerate(stages):
        left = deadline - bench.clock()
        share = stage.weight / sum(s.weight for s in stages[number:])
        decision = run(bench, stage, bench.clock() + left * share)
        decisions.append(decision)
        if decision.verdict.is_change and decision.candidate:
            bench.accept(decision.candidate)
    return decisions


def run(bench: Bench, stage: Stage, deadline: float) -> Decision:
    bench.tell(stage.name)
    stage = bench.begin(stage)
    skipped = {arm.label: why for arm in stage.arms[1:] for why in [bench.try_arm(arm)] if why}
    arms = tuple(arm for arm in stage.arms if arm.label not in skipped)
    usable = replace(stage, arms=arms)
    fitting = plan.fit(usable, bench.rules, deadline - bench.clock(), bench.overhead_s)
    if not fitting:
        # No comparison, but what is in force can be shown.
        arms = arms[:1]
        shown = replace(stage, arms=arms, cells=plan.fewer(stage.cells)[-1])
        fitting = plan.fit(shown, bench.rules, deadline - bench.clock(), bench.overhead_s)
    decision = Decision(stage, Verdict(False, "time"), skipped=skipped)
    if not fitting:
        return decision
    cells, _, seconds = fitting
    decision.cells = cells
    decision.series = first_look(bench, arms, cells, seconds, deadline)
    if len(usable.arms) == 1:
        decision.verdict = Verdict(False, "only one")
    elif len(arms) > 1 and any(decision.series.values()):
        choose(bench, decision, arms, cells, seconds, deadline)
    return decision


def first_look(bench: Bench, arms: Sequence[Arm], cells: Sequence[Cell], seconds: float, deadline: float) -> Series:
    series: Series = {(arm, cell): [] for arm in arms for cell in cells}
    for number in range(bench.rules.warm_up + bench.rules.looks):
        if not is_time_for(bench, arms, cells, seconds, deadline):
            break
        one_round(bench, series, arms, cells, seconds, keep=number >= bench.rules.warm_up)
    return series


def choose(
    bench: Bench, decision: Decision, arms: Sequence[Arm], cells: Sequence[Cell], seconds: float, deadline: float
) -> None:
    """Compare the best of the first look with what is in force; if it has a fault, the second best."""
    looks = {arm: judge.evidence(decision.series, arm, arms[0], cells, bench.rules.confidence) for arm in arms[1:]}
    ranked = sorted(looks, key=lambda arm: judge.interest(looks[arm]), reverse=True)
    promising = [arm for arm in ranked if judge.is_promising(looks[arm])]
    if not promising:
        best = ranked[0]
        decision.candidate, decision.verdict = best, Verdict(False, "no gain", looks[best])
        return
    for arm in promising[:2]:
        verdict = compare(bench, arm, arms[0], plan.closer_cells(cells), seconds, deadline)
        decision.candidate, decision.verdict = arm, verdict
        if verdict.why not in judge.FAULTS:
            return


def compare(
    bench: Bench, candidate: Arm, current: Arm, cells: Sequence[Cell], seconds: float, deadline: float
) -> Verdict:
    """A B A B, in turn first, until it is sure or there is no time."""
    rules = bench.rules
    bench.tell(f"{candidate.label} against {current.label}")
    series: Series = {(arm, cell): [] for arm in (candidate, current) for cell in cells}
    verdict = Verdict(False, "time")
    for number in range(rules.warm_up + rules.most_pairs):
        if not is_time_for(bench, (candidate, current), cells, seconds, deadline):
            break
        one_round(bench, series, (candidate, current), cells, seconds, keep=number >= rules.warm_up)
        if number >= rules.warm_up:
            found = judge.evidence(series, candidate, current, cells, rules.confidence)
            verdict = judge.verdict(found, rules.confidence)
            if judge.is_settled(found, rules.confidence):
                break
    if verdict.why == "time" and verdict.evidence and not judge.is_promising(verdict.evidence):
        return Verdict(False, "no gain", verdict.evidence)
    return verdict


def is_time_for(bench: Bench, arms: Sequence[Arm], cells: Sequence[Cell], seconds: float, deadline: float) -> bool:
    return bench.clock() + len(arms) * len(cells) * (seconds + bench.overhead_s) <= deadline


def one_round(
    bench: Bench, series: Series, arms: Sequence[Arm], cells: Sequence[Cell], seconds: float, keep: bool
) -> None:
    """Each cell under each arm, the arms side by side; every second round the other way about."""
    order = list(arms) if bench.rounds % 2 == 0 else list(arms)[::-1]
    for cell in cells:
        for place, arm in enumerate(order):
            sample = bench.measure(arm, cell, bench.rounds, place, len(order), seconds)
            if keep:
                series[arm, cell].append(sample)
    bench.rounds += 1


def kind(decision: Decision, confidence: float) -> tuple[Kind, str]:
    """What the device is like, going by the first scheduler there is that holds nothing back, and which that was."""
    arms = list(dict.fromkeys(arm for arm, _ in decision.series))
    modes = list(dict.fromkeys(cell.mode for cell in decision.cells))
    if not modes or not any(decision.series.values()):
        return Kind("unclear", {}), ""
    by_label = {arm.label: arm for arm in arms}
    preferred = ("none", "mq-deadline", "kyber", "bfq slice_idle=0")
    arm = next((by_label[label] for label in preferred if label in by_label), arms[0])
    return judge.classify(decision.series, arm, modes[0], confidence), arm.label
