# SPDX-License-Identifier: GPL-2.0-only
"""Decide which settings to try, and how many measurements fit into the time. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from . import tunables as t
from .measurement import Arm, Workload

# bfq's default: how long it idles for a reader's next request, ms.
SLICE_IDLE_MS = "8"


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
    """Return the workloads for the comparison of two arms: the fewest and the most readers."""
    counts = sorted({workload.readers for workload in workloads})
    return all_workloads(list(dict.fromkeys(workload.mode for workload in workloads)), first_and_last(counts))


def planned_runs(arms: int, workloads: Sequence[Workload], rules: Rules) -> int:
    first = arms * len(workloads) * (rules.warm_up + rules.survey_rounds)
    if arms == 1:
        return first
    return first + 2 * len(compared_workloads(workloads)) * (rules.warm_up + rules.least_pairs)
