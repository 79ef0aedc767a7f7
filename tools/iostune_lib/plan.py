# SPDX-License-Identifier: GPL-2.0-only
"""What to try, and how much of it the time allows. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from . import tunables as t
from .measurement import Arm, Workload

# bfq waits so long, in ms, for a reader's next request, if nobody changed it.
SLICE_IDLE_MS = "8"


@dataclass(frozen=True)
class Rules:
    """How thorough a run is."""

    confidence: float
    # Rounds at the beginning of a look or a comparison that are thrown away.
    warm_up: int
    # Rounds of the first look at all arms.
    survey_rounds: int
    # Rounds of the comparison of two: at least so many, so that the confidence can be reached; at most.
    least_pairs: int
    most_pairs: int
    shortest_s: float
    longest_s: float


FULL = Rules(confidence=0.998, warm_up=1, survey_rounds=3, least_pairs=10, most_pairs=16, shortest_s=0.3, longest_s=3.0)
QUICK = Rules(confidence=0.95, warm_up=0, survey_rounds=2, least_pairs=6, most_pairs=8, shortest_s=0.15, longest_s=0.5)


@dataclass(frozen=True)
class Stage:
    """One tunable: what could be chosen, and where that is compared."""

    name: str
    tunable: str
    arms: tuple[Arm, ...]  # the first is what is in force
    workloads: tuple[Workload, ...]
    weight: float
    # Values from which the arms are made when the stage begins: what is in force then, earlier stages decide.
    values: tuple[int, ...] = ()


def reader_counts(most: int) -> list[int]:
    """1, 2, 4 and so on, and the last."""
    counts = [1]
    while counts[-1] * 2 < most:
        counts.append(counts[-1] * 2)
    return [*counts, most] if most > 1 else counts


def bfq_settings(slice_idle: str) -> tuple[tuple[str, str], ...]:
    """As it is for streams. With low_latency it favours whoever has just begun to read, all of a measurement long, and
    waits for nobody then."""
    return ((t.SCHEDULER, "bfq"), (t.LOW_LATENCY, "0"), (t.SLICE_IDLE, slice_idle))


def scheduler_label(values: Mapping[str, str]) -> str:
    """The scheduler in force, by the names that the arms have."""
    label = values[t.SCHEDULER]
    if values.get(t.LOW_LATENCY, "0") != "0":
        label += " low_latency=1"
    if values.get(t.SLICE_IDLE, SLICE_IDLE_MS) != SLICE_IDLE_MS:
        label += f" slice_idle={values[t.SLICE_IDLE]}"
    return label


def scheduler_arms(values: Mapping[str, str]) -> tuple[Arm, ...]:
    """The one in force, given its tunables, and all that kernels have besides, bfq in two ways."""
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
    """The same with ever fewer workloads, for when time is short: the ends of the reader counts, then one mode."""
    counts = sorted({workload.readers for workload in workloads})
    modes = list(dict.fromkeys(workload.mode for workload in workloads))
    return [
        tuple(workloads),
        all_workloads(modes, first_and_last(counts)),
        all_workloads(modes[-1:], first_and_last(counts)),
    ]


def fit_time(
    stage: Stage, rules: Rules, seconds: float, overhead_s: float
) -> tuple[tuple[Workload, ...], int, float] | None:
    """Fit a stage into some seconds: return its workloads, the number of runs with the comparison, and a run's length.

    Return None if the time is too short even for the fewest workloads.
    """
    for workloads in reduced_workloads(stage.workloads):
        runs = planned_runs(len(stage.arms), workloads, rules)
        each = seconds / runs - overhead_s
        if each >= rules.shortest_s:
            return workloads, runs, min(each, rules.longest_s)
    return None


def compared_workloads(workloads: Sequence[Workload]) -> tuple[Workload, ...]:
    """Where two arms are compared: one reader and the most of them."""
    counts = sorted({workload.readers for workload in workloads})
    return all_workloads(list(dict.fromkeys(workload.mode for workload in workloads)), first_and_last(counts))


def planned_runs(arms: int, workloads: Sequence[Workload], rules: Rules) -> int:
    first = arms * len(workloads) * (rules.warm_up + rules.survey_rounds)
    if arms == 1:
        return first
    return first + 2 * len(compared_workloads(workloads)) * (rules.warm_up + rules.least_pairs)
