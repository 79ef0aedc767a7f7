# SPDX-License-Identifier: GPL-2.0-only
"""What is tried, and what one measurement gives. Plain values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Arm:
    """Settings to measure under: names of tunables and their values, in the order they are set."""

    label: str
    settings: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Workload:
    """What is run under each arm."""

    mode: str  # direct or buffered
    readers: int

    def __str__(self) -> str:
        return f"{self.mode}, {self.readers} reader{'s' if self.readers > 1 else ''}"


@dataclass(frozen=True)
class Sample:
    """One measurement: bytes a second of each reader, and the 99th percentile of the slowest one's waits, in ms."""

    shares: tuple[float, ...]
    wait_ms: float

    @property
    def total(self) -> float:
        return sum(self.shares)

    @property
    def slowest(self) -> float:
        return min(self.shares)


# By arm and workload, a sample of each round: the same index is the same round.
Series = dict[tuple[Arm, Workload], list[Sample]]
