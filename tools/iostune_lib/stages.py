# SPDX-License-Identifier: GPL-2.0-only
"""Decide one tunable after another: survey all values, compare the best with the present one, judge.

The comparison uses new measurements. The best of several surveyed arms is partly the best by luck, and a confidence
interval of the same figures would not show that; so the survey only selects the arm to compare.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from . import judge, plan
from .judge import Kind, Verdict
from .measurement import Arm, Sample, Series, Workload
from .plan import Rules, Stage

# measure(arm, workload, earlier rounds, place of the arm in the round, arms in the round, seconds)
Measurement = Callable[[Arm, Workload, int, int, int, float], Sample]


@dataclass
class Decision:
    """The result of a stage."""

    stage: Stage
    verdict: Verdict
    candidate: Arm | None = None
    skipped: dict[str, str] = field(default_factory=dict)
    # The samples of the survey, for the tables.
    series: Series = field(default_factory=dict)
    # Of the cells that tell the kind of the device, all samples.
    kind_series: Series = field(default_factory=dict)
    workloads: tuple[Workload, ...] = ()
    # The length of a run, and the --time with which there would have been time to compare.
    seconds: float = 0.0
    needed_s: int = 0

    @property
    def current(self) -> Arm:
        return self.stage.arms[0]


@dataclass
class StageContext:
    """The functions and figures that stages need."""

    measure: Measurement
    # Add the arms to a stage, after the earlier stages' decisions.
    prepare_stage: Callable[[Stage], Stage]
    # Return why an arm cannot be set; "" if it can.
    try_arm: Callable[[Arm], str]
    accept: Callable[[Arm], None]
    clock: Callable[[], float]
    # The time of a run beyond its reading.
    overhead_s: float
    rules: Rules
    # Show progress.
    report: Callable[[str], None]
    rounds: int = 0


def run_all(context: StageContext, stages: Sequence[Stage], deadline: float) -> list[Decision]:
    """Run all stages. Each gets its part of the time that is left, so the next ones get what one does not use."""
    decisions = []
    needs = [plan.needed_seconds(stage, context.rules, context.overhead_s) for stage in stages]
    for number, stage in enumerate(stages):
        seconds = plan.stage_seconds(stages[number:], needs[number:], deadline - context.clock())
        decision = run_stage(context, stage, context.clock() + seconds, plan.whole_run_s(needs))
        decisions.append(decision)
        if decision.verdict.is_change and decision.candidate:
            context.accept(decision.candidate)
    return decisions


def run_stage(context: StageContext, stage: Stage, deadline: float, needed_s: int) -> Decision:
    context.report(stage.name)
    stage = context.prepare_stage(stage)
    skipped = {arm.label: why for arm in stage.arms[1:] for why in [context.try_arm(arm)] if why}
    usable = replace(stage, arms=tuple(arm for arm in stage.arms if arm.label not in skipped))
    left = deadline - context.clock()
    decision = Decision(stage, Verdict(False, "time"), skipped=skipped, needed_s=needed_s)
    fit = plan.fit_time(usable, context.rules, left, context.overhead_s)
    if not fit:
        return decision
    for arm in usable.arms:
        if arm not in fit.arms and len(fit.arms) > 1:
            decision.skipped[arm.label] = f"no time: --time {needed_s} would do"
    decision.workloads, decision.seconds = fit.workloads, fit.seconds
    context = replace(context, rules=fit.rules)
    # The kind takes its rounds of the first stage, whose time fit_time() has counted.
    kind_s = plan.kind_seconds(usable, fit, context.overhead_s)
    decision.series = survey(context, fit.arms, fit.workloads, fit.seconds, deadline - kind_s)
    if stage.has_kind:
        measure_kind(context, decision, deadline)
    if len(usable.arms) == 1:
        decision.verdict = Verdict(False, "only one")
    elif len(fit.arms) > 1 and any(decision.series.values()):
        choose(context, decision, fit.arms, fit.workloads, fit.seconds, deadline)
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
    """Compare the best of the survey with the present setting; if it is rejected for a loss, the second best."""
    surveyed = {
        arm: judge.gather_evidence(decision.series, arm, arms[0], workloads, context.rules.confidence)
        for arm in arms[1:]
    }
    ranked = sorted(surveyed, key=lambda arm: judge.ranking_score(surveyed[arm]), reverse=True)
    promising = [arm for arm in ranked if judge.is_promising(surveyed[arm])]
    if not promising:
        best = ranked[0]
        decision.candidate, decision.verdict = best, Verdict(False, "unpromising", surveyed[best])
        return
    for arm in promising[:2]:
        verdict = compare(context, arm, arms[0], plan.compared_workloads(workloads), seconds, deadline)
        decision.candidate, decision.verdict = arm, verdict
        if verdict.why not in judge.LOSSES:
            return


def compare(
    context: StageContext, candidate: Arm, current: Arm, workloads: Sequence[Workload], seconds: float, deadline: float
) -> Verdict:
    """Measure A B, B A, A B until the verdict is settled or the time is over."""
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
        # Too few rounds for a certain word.
        return Verdict(False, "unpromising", verdict.evidence)
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
    """Measure each workload under each arm, arm after arm; every second round in reverse order of the arms."""
    order = list(arms) if context.rounds % 2 == 0 else list(arms)[::-1]
    for workload in workloads:
        for place, arm in enumerate(order):
            sample = context.measure(arm, workload, context.rounds, place, len(order), seconds)
            if keep:
                series[arm, workload].append(sample)
    context.rounds += 1


def kind_arm(decision: Decision) -> Arm | None:
    """Return the first scheduler that does not idle, of those that were measured."""
    by_label = {arm.label: arm for arm, _ in decision.series}
    preferred = ("none", "mq-deadline", "kyber", "bfq slice_idle=0", *by_label)
    return next((by_label[label] for label in preferred if label in by_label), None)


def measure_kind(context: StageContext, decision: Decision, deadline: float) -> None:
    """Measure one reader and the most readers in so many more rounds that the kind has the confidence asked for.

    The survey's rounds count, because they measured the same.
    """
    arm = kind_arm(decision)
    workloads = plan.kind_workloads(decision.workloads)
    if not arm or len(workloads) < 2 or not all((arm, workload) in decision.series for workload in workloads):
        return
    context.report("kind of the device")
    series = decision.kind_series
    series.update({(arm, workload): list(decision.series[arm, workload]) for workload in workloads})
    while len(series[arm, workloads[0]]) < context.rules.least_pairs:
        if not has_time_for(context, (arm,), workloads, decision.seconds, deadline):
            return
        measure_round(context, series, (arm,), workloads, decision.seconds, keep=True)


def device_kind(decision: Decision, confidence: float) -> tuple[Kind, str]:
    """Return the kind of the device, measured under the first scheduler that does not idle, and that one's label."""
    arm = kind_arm(decision)
    modes = list(dict.fromkeys(workload.mode for workload in decision.workloads))
    if not arm or not modes or not any(decision.series.values()):
        return Kind("unclear", {}), ""
    series = {**decision.series, **decision.kind_series}
    return judge.classify(series, arm, modes[0], confidence), arm.label
