# SPDX-License-Identifier: GPL-2.0-only
"""Summarise the runs of a figure: median, minimum and maximum."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import TypedDict


class Spread(TypedDict):
    median: float
    min: float
    max: float
    # In the order of the rounds, so that arms can be compared round by round.
    runs: list[float]


def spread(values: Sequence[float]) -> Spread:
    return {"median": statistics.median(values), "min": min(values), "max": max(values), "runs": list(values)}


def summary(runs: Sequence[Mapping[str, float]]) -> dict[str, Spread]:
    """Summarise each figure that all runs have."""
    return {key: spread([run[key] for run in runs]) for key in runs[0] if all(key in run for run in runs)}
