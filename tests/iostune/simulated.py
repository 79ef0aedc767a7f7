# SPDX-License-Identifier: GPL-2.0-only
"""Disks that only exist in figures, and a clock that runs as they are measured."""

import random

from iostune_lib.plan import Rules
from iostune_lib.stages import Bench
from iostune_lib.trial import Arm, Cell, Sample

OVERHEAD_S = 0.5


class Disk:
    """Speeds by scheduler and number of readers, in MB/s; noise as the spread of a lognormal distribution."""

    def __init__(self, curves: dict[str, dict[int, float]], noise: float = 0.02, seed: int = 1) -> None:
        self.curves = curves
        self.noise = noise
        self.source = random.Random(seed)
        self.now = 0.0
        self.runs: list[tuple[str, Cell, int, int]] = []
        self.accepted: list[Arm] = []

    def speed(self, arm: Arm, cell: Cell) -> float:
        return self.curves.get(arm.label, self.curves["*"])[cell.readers]

    def measure(self, arm: Arm, cell: Cell, rounds: int, place: int, places: int, seconds: float) -> Sample:
        self.now += seconds + OVERHEAD_S
        self.runs.append((arm.label, cell, rounds, place))
        each = self.speed(arm, cell) / cell.readers * 1e6
        return Sample(
            tuple(each * self.source.lognormvariate(0, self.noise) for _ in range(cell.readers)),
            5.0 * self.source.lognormvariate(0, self.noise),
        )

    def try_arm(self, arm: Arm) -> str:
        return "Invalid argument" if arm.label == "kyber" else ""

    def bench(self, rules: Rules) -> Bench:
        return Bench(
            self.measure,
            lambda stage: stage,
            self.try_arm,
            self.accepted.append,
            lambda: self.now,
            OVERHEAD_S,
            rules,
            lambda text: None,
        )
