# SPDX-License-Identifier: GPL-2.0-only
"""What a measurement compares, and its result. Plain values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Arm:
    """One setting to compare: names of tunables and their values, in the order of setting."""

    label: str
    settings: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Workload:
    """Readers that run under each arm."""

    mode: str  # direct or buffered
    readers: int

    def __str__(self) -> str:
        return f"{self.mode}, {self.readers} reader{'s' if self.readers > 1 else ''}"


@dataclass(frozen=True)
class Sample:
    """One measurement: the bytes/s of each reader, and the 99th percentile of a read's latency, of the slowest, ms."""

    shares: tuple[float, ...]
    wait_ms: float

    @property
    def total(self) -> float:
        return sum(self.shares)

    @property
    def slowest(self) -> float:
        return min(self.shares)


# By arm and workload, a sample per round: the same index is the same round.
Series = dict[tuple[Arm, Workload], list[Sample]]
