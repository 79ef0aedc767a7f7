# SPDX-License-Identifier: GPL-2.0-only
"""Several runs as one figure, and how far apart they were."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence

Spread = dict[str, float]


def spread(values: Sequence[float]) -> Spread:
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def summary(runs: Sequence[Mapping[str, float]]) -> dict[str, Spread]:
    """Of each figure that the runs have."""
    return {key: spread([run[key] for run in runs]) for key in runs[0]}
