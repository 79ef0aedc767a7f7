# SPDX-License-Identifier: GPL-2.0-only
"""One tunable after another: a look at all values, a comparison of the best with what is in force, a verdict.

The comparison is measured anew. The best of several first surveyed is the best by luck as well, and an interval around
luck says nothing; so the first look chooses whom to compare, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from . import judge, plan
from .judge import Kind, Verdict
from .measurement import Arm, Sample, Series, Workload
from .plan import Rules, Stage

# measure(arm, workload, rounds before, the arm's place among so many, seconds)
Measurement = Callable[[Arm, Workload, int, int, int, float], Sample]


@dataclass
class Decision:
    """What came of a stage."""

    stage: Stage
    verdict: Verdict
    candidate: Arm | None = None
    skipped: dict[str, str] = field(default_factory=dict)
    # The first look, for the tables.
    series: Series = field(default_factory=dict)
    workloads: tuple[Workload, ...] = ()

    @property
    def current(self) -> Arm:
        return self.stage.arms[0]


@dataclass
class StageContext:
    """What stages need of the world."""

    measure: Measurement
    # The stage with its arms, now that earlier ones are decided.
    prepare_stage: Callable[[Stage], Stage]
    # Why an arm cannot be had; empty if it can.
    try_arm: Callable[[Arm], str]
    accept: Callable[[Arm], None]
    clock: Callable[[], float]
    # What a run takes besides its length.
    overhead_s: float
    rules: Rules
    # What is being done.
    report: Callable[[str], None]
    rounds: int = 0


def run_all(context: StageContext, stages: Sequence[Stage], deadline: float) -> list[Decision]:
    """All stages; each gets its share of the time that is left, so what one saves goes to the next."""
    decisions = []
    for number, stage in enumerate(stages):
        left = deadline - context.clock()
        share = stage.weight / sum(s.weight for s in stages[number:])
        decision = run_stage(context, stage, context.clock() + left * share)
        decisions.append(decision)
        if decision.verdict.is_change and decision.candidate:
            context.accept(decision.candidate)
    return decisions


def run_stage(context: StageContext, stage: Stage, deadline: float) -> Decision:
    context.report(stage.name)
    stage = context.prepare_stage(stage)
    skipped = {arm.label: why for arm in stage.arms[1:] for why in [context.try_arm(arm)] if why}
    arms = tuple(arm for arm in stage.arms if arm.label not in skipped)
    usable = replace(stage, arms=arms)
    fit = plan.fit_time(usable, context.rules, deadline - context.clock(), context.overhead_s)
    if not fit:
        # No comparison, but what is in force can be shown.
        arms = arms[:1]
        shown = replace(stage, arms=arms, workloads=plan.reduced_workloads(stage.workloads)[-1])
        fit = plan.fit_time(shown, context.rules, deadline - context.clock(), context.overhead_s)
    decision = Decision(stage, Verdict(False, "time"), skipped=skipped)
    if not fit:
        return decision
    workloads, _, seconds = fit
    decision.workloads = workloads
    decision.series = survey(context, arms, workloads, seconds, deadline)
    if len(usable.arms) == 1:
        decision.verdict = Verdict(False, "only one")
    elif len(arms) > 1 and any(decision.series.values()):
        choose(context, decision, arms, workloads, seconds, deadline)
    return decision


def survey(
    context: StageContext, arms: Sequence[Arm], workloads: Sequence[Workload], seconds: float, deadline: float
) -> Series:
    series: Series = {(arm, workload): [] for arm in arms for workload in workloads}
    for number in range(context.rules.warm_up + context.rules.survey_rounds):
        if not has_time_for(context, arms, workloads, seconds, deadline):
            break
        measure_round(context, series, arms, workloads, seconds, keep=number >= context.rules.warm_up)
    return series


def choose(
    context: StageContext,
    decision: Decision,
    arms: Sequence[Arm],
    workloads: Sequence[Workload],
    seconds: float,
    deadline: float,
) -> None:
    """Compare the best of the first look with what is in force; if it has a fault, the second best."""
    surveyed = {
        arm: judge.gather_evidence(decision.series, arm, arms[0], workloads, context.rules.confidence)
        for arm in arms[1:]
    }
    ranked = sorted(surveyed, key=lambda arm: judge.ranking_score(surveyed[arm]), reverse=True)
    promising = [arm for arm in ranked if judge.is_promising(surveyed[arm])]
    if not promising:
        best = ranked[0]
        decision.candidate, decision.verdict = best, Verdict(False, "no gain", surveyed[best])
        return
    for arm in promising[:2]:
        verdict = compare(context, arm, arms[0], plan.compared_workloads(workloads), seconds, deadline)
        decision.candidate, decision.verdict = arm, verdict
        if verdict.why not in judge.LOSSES:
            return


def compare(
    context: StageContext, candidate: Arm, current: Arm, workloads: Sequence[Workload], seconds: float, deadline: float
) -> Verdict:
    """A B A B, in turn first, until it is sure or there is no time."""
    rules = context.rules
    context.report(f"{candidate.label} against {current.label}")
    series: Series = {(arm, workload): [] for arm in (candidate, current) for workload in workloads}
    verdict = Verdict(False, "time")
    for number in range(rules.warm_up + rules.most_pairs):
        if not has_time_for(context, (candidate, current), workloads, seconds, deadline):
            break
        measure_round(context, series, (candidate, current), workloads, seconds, keep=number >= rules.warm_up)
        if number >= rules.warm_up:
            found = judge.gather_evidence(series, candidate, current, workloads, rules.confidence)
            verdict = judge.judge_evidence(found, rules.confidence)
            if judge.is_settled(found, rules.confidence):
                break
    if verdict.why == "time" and verdict.evidence and not judge.is_promising(verdict.evidence):
        return Verdict(False, "no gain", verdict.evidence)
    return verdict


def has_time_for(
    context: StageContext, arms: Sequence[Arm], workloads: Sequence[Workload], seconds: float, deadline: float
) -> bool:
    return context.clock() + len(arms) * len(workloads) * (seconds + context.overhead_s) <= deadline


def measure_round(
    context: StageContext,
    series: Series,
    arms: Sequence[Arm],
    workloads: Sequence[Workload],
    seconds: float,
    keep: bool,
) -> None:
    """Each workload under each arm, the arms side by side; every second round the other way about."""
    order = list(arms) if context.rounds % 2 == 0 else list(arms)[::-1]
    for workload in workloads:
        for place, arm in enumerate(order):
            sample = context.measure(arm, workload, context.rounds, place, len(order), seconds)
            if keep:
                series[arm, workload].append(sample)
    context.rounds += 1


def device_kind(decision: Decision, confidence: float) -> tuple[Kind, str]:
    """What the device is like, going by the first scheduler there is that holds nothing back, and which that was."""
    arms = list(dict.fromkeys(arm for arm, _ in decision.series))
    modes = list(dict.fromkeys(workload.mode for workload in decision.workloads))
    if not modes or not any(decision.series.values()):
        return Kind("unclear", {}), ""
    by_label = {arm.label: arm for arm in arms}
    preferred = ("none", "mq-deadline", "kyber", "bfq slice_idle=0")
    arm = next((by_label[label] for label in preferred if label in by_label), arms[0])
    return judge.classify(decision.series, arm, modes[0], confidence), arm.label
