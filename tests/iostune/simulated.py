# SPDX-License-Identifier: GPL-2.0-only
"""Simulated disks, with a clock that advances by the time of each measurement."""

import random

from iostune_lib.measurement import Arm, Sample, Workload
from iostune_lib.plan import Rules
from iostune_lib.stages import StageContext

OVERHEAD_S = 0.5


class Disk:
    """Speeds by scheduler and number of readers, in MB/s; noise as the spread of a lognormal distribution."""

    def __init__(self, curves: dict[str, dict[int, float]], noise: float = 0.02, seed: int = 1) -> None:
        self.curves = curves
        self.noise = noise
        self.seed = seed
        self.source = random.Random(seed)
        self.now = 0.0
        self.runs: list[tuple[str, Workload, int, int]] = []
        self.accepted: list[Arm] = []

    def speed(self, arm: Arm, workload: Workload) -> float:
        return self.curves.get(arm.label, self.curves["*"])[workload.readers]

    def measure(self, arm: Arm, workload: Workload, rounds: int, place: int, places: int, seconds: float) -> Sample:
        self.now += seconds + OVERHEAD_S
        self.runs.append((arm.label, workload, rounds, place))
        each = self.speed(arm, workload) / workload.readers * 1e6
        return Sample(
            tuple(each * self.source.lognormvariate(0, self.noise) for _ in range(workload.readers)),
            5.0 * self.source.lognormvariate(0, self.noise),
        )

    def try_arm(self, arm: Arm) -> str:
        return "Invalid argument" if arm.label == "kyber" else ""

    def context(self, rules: Rules) -> StageContext:
        return StageContext(
            self.measure,
            lambda stage: stage,
            self.try_arm,
            self.accepted.append,
            lambda: self.now,
            OVERHEAD_S,
            rules,
            lambda text: None,
        )
