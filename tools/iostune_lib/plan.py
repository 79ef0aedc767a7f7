# SPDX-License-Identifier: GPL-2.0-only
"""Decide which settings to try, and how many measurements fit into the time. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from . import tunables as t
from .measurement import Arm, Workload

# bfq's default: how long it idles for a reader's next request, ms.
SLICE_IDLE_MS = "8"
# With much time there are more rounds than the rules say, up to so many times as many.
MOST_TIMES = 8.0


@dataclass(frozen=True)
class Rules:
    """How thorough a run is."""

    confidence: float
    # Rounds at the beginning of a survey or a comparison that are not counted.
    warm_up: int
    # Rounds of the survey of all arms.
    survey_rounds: int
    # Rounds of the comparison of two arms: the least that can reach the confidence, and the most.
    least_pairs: int
    most_pairs: int
    shortest_s: float
    longest_s: float


FULL = Rules(confidence=0.998, warm_up=1, survey_rounds=3, least_pairs=10, most_pairs=16, shortest_s=0.3, longest_s=3.0)
QUICK = Rules(confidence=0.95, warm_up=0, survey_rounds=2, least_pairs=6, most_pairs=8, shortest_s=0.15, longest_s=0.5)


@dataclass(frozen=True)
class Stage:
    """One tunable: the values to choose from, and the workloads under which they are compared."""

    name: str
    tunable: str
    arms: tuple[Arm, ...]  # the first is the present setting
    workloads: tuple[Workload, ...]
    weight: float
    # The values to try. The arms are made from them when the stage begins, since earlier stages may change the present
    # setting.
    values: tuple[int, ...] = ()
    # The kind of the device comes of this stage.
    has_kind: bool = False


@dataclass(frozen=True)
class Fit:
    """What of a stage fits into its time."""

    arms: tuple[Arm, ...]
    workloads: tuple[Workload, ...]
    seconds: float
    # With more rounds if there is time.
    rules: Rules


def reader_counts(most: int) -> list[int]:
    """Return the powers of 2 below most, and most."""
    counts = [1]
    while counts[-1] * 2 < most:
        counts.append(counts[-1] * 2)
    return [*counts, most] if most > 1 else counts


def bfq_settings(slice_idle: str) -> tuple[tuple[str, str], ...]:
    """Return bfq's settings for long streams.

    With low_latency bfq favours a reader that has just begun, which is any reader of a short measurement, and does not
    idle for any of them.
    """
    return ((t.SCHEDULER, "bfq"), (t.LOW_LATENCY, "0"), (t.SLICE_IDLE, slice_idle))


def scheduler_label(values: Mapping[str, str]) -> str:
    """Return the label of the present scheduler, in the form of the arms' labels."""
    label = values[t.SCHEDULER]
    if values.get(t.LOW_LATENCY, "0") != "0":
        label += " low_latency=1"
    if values.get(t.SLICE_IDLE, SLICE_IDLE_MS) != SLICE_IDLE_MS:
        label += f" slice_idle={values[t.SLICE_IDLE]}"
    return label


def scheduler_arms(values: Mapping[str, str]) -> tuple[Arm, ...]:
    """Return the present scheduler, given its tunables, and all others that kernels have, bfq with two settings."""
    simple = [Arm(name, ((t.SCHEDULER, name),)) for name in t.KNOWN_SCHEDULERS if name != "bfq"]
    waiting = [Arm("bfq", bfq_settings(SLICE_IDLE_MS)), Arm("bfq slice_idle=0", bfq_settings("0"))]
    in_force = Arm(scheduler_label(values), ())
    return (in_force, *(arm for arm in [*simple[:2], *waiting, *simple[2:]] if arm.label != in_force.label))


def value_arms(tunable: str, current: str, values: Sequence[int]) -> tuple[Arm, ...]:
    others = (str(value) for value in values)
    return (Arm(current, ()), *(Arm(value, ((tunable, value),)) for value in others if value != current))


def all_workloads(modes: Sequence[str], counts: Sequence[int]) -> tuple[Workload, ...]:
    return tuple(Workload(mode, count) for mode in modes for count in counts)


def first_and_last(counts: Sequence[int]) -> list[int]:
    return sorted({counts[0], counts[-1]})


def reduced_workloads(workloads: Sequence[Workload]) -> list[tuple[Workload, ...]]:
    """Return ever fewer workloads, for short times: all, the first and last reader counts, then of one mode."""
    counts = sorted({workload.readers for workload in workloads})
    modes = list(dict.fromkeys(workload.mode for workload in workloads))
    return [
        tuple(workloads),
        all_workloads(modes, first_and_last(counts)),
        all_workloads(modes[-1:], first_and_last(counts)),
    ]


def arms_by_use(arms: Sequence[Arm]) -> list[tuple[Arm, ...]]:
    """Return ever fewer arms, for short times: all, the two that differ most, the present one.

    Of schedulers these are the present one, and one that idles if that does not, or does not if that idles.
    """
    found = [tuple(arms)]
    if len(arms) > 2:
        waits = arms[0].label.startswith("bfq") and "slice_idle" not in arms[0].label
        wanted = ("none", "mq-deadline") if waits else ("bfq",)
        other = next((arm for label in wanted for arm in arms[1:] if arm.label == label), arms[-1])
        found.append((arms[0], other))
    if len(arms) > 1:
        found.append((arms[0],))
    return found


def fit_time(stage: Stage, rules: Rules, seconds: float, overhead_s: float) -> Fit | None:
    """Fit a stage into some seconds: all arms if they can be compared, or two, or the present one for the tables.

    Return None if the time is too short even for that.
    """
    for arms in arms_by_use(stage.arms):
        for workloads in reduced_workloads(stage.workloads):
            # One arm is for the tables; the kind then has to do with what is left.
            runs = planned_runs(len(arms), workloads, rules, stage.has_kind and len(arms) > 1)
            each = seconds / runs - overhead_s
            if each >= rules.shortest_s:
                return Fit(arms, workloads, min(each, rules.longest_s), more_rounds(rules, each, overhead_s))
    return None


def more_rounds(rules: Rules, each: float, overhead_s: float) -> Rules:
    """Return rules with as many more rounds as there is time, instead of longer runs than the longest."""
    times = min((each + overhead_s) / (rules.longest_s + overhead_s), MOST_TIMES)
    if times <= 1:
        return rules
    return replace(rules, survey_rounds=int(rules.survey_rounds * times), most_pairs=int(rules.most_pairs * times))


def needed_seconds(stage: Stage, rules: Rules, overhead_s: float) -> float:
    """Return how long a stage takes at least, if all its arms are to be compared."""
    arms = len(stage.arms) or len(stage.values) + 1
    runs = planned_runs(arms, reduced_workloads(stage.workloads)[-1], rules, stage.has_kind)
    return runs * (rules.shortest_s + overhead_s)


def stage_seconds(stages: Sequence[Stage], needs: Sequence[float], left: float) -> float:
    """Return the time for the first of the stages that are left: its share by weight, but no stage starves.

    It gets at least what it needs, and leaves the others what they need, if the time is enough for that. The stage that
    tells the kind of the device is to have twice what it needs before it leaves anything.
    """
    share = left * stages[0].weight / sum(stage.weight for stage in stages)
    without_others = left - sum(needs[1:])
    if share < needs[0] <= without_others:
        return needs[0]
    if share > without_others >= needs[0] * (2 if stages[0].has_kind else 1):
        return without_others
    return share


def whole_run_s(needs: Sequence[float]) -> int:
    """Return a --time with which all stages get the time that they need."""
    return math.ceil(2.2 * sum(needs)) + 5


def kind_workloads(workloads: Sequence[Workload]) -> tuple[Workload, ...]:
    """Return the workloads that tell the kind of a device: one reader and the most readers, of the first mode."""
    if not workloads:
        return ()
    counts = sorted({workload.readers for workload in workloads})
    return all_workloads([workloads[0].mode], first_and_last(counts))


def kind_rounds(rules: Rules) -> int:
    """Return the rounds beyond the survey's that the kind takes."""
    return max(0, rules.least_pairs - rules.survey_rounds)


def kind_seconds(stage: Stage, fit: Fit, overhead_s: float) -> float:
    is_counted = stage.has_kind and len(fit.arms) > 1
    runs = len(kind_workloads(fit.workloads)) * kind_rounds(fit.rules) if is_counted else 0
    return runs * (fit.seconds + overhead_s)


def compared_workloads(workloads: Sequence[Workload]) -> tuple[Workload, ...]:
    """Return the workloads for the comparison of two arms: the fewest and the most readers."""
    counts = sorted({workload.readers for workload in workloads})
    return all_workloads(list(dict.fromkeys(workload.mode for workload in workloads)), first_and_last(counts))


def planned_runs(arms: int, workloads: Sequence[Workload], rules: Rules, has_kind: bool = False) -> int:
    first = arms * len(workloads) * (rules.warm_up + rules.survey_rounds)
    if has_kind:
        first += len(kind_workloads(workloads)) * kind_rounds(rules)
    if arms == 1:
        return first
    return first + 2 * len(compared_workloads(workloads)) * (rules.warm_up + rules.least_pairs)
