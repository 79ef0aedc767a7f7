# SPDX-License-Identifier: GPL-2.0-only
"""The order of a trial: phases off and on, in pairs. Pure."""

from __future__ import annotations

import random
from dataclasses import dataclass

from .stats import rank_cut

# The confidence of every sentence, and the fewest pairs that reach it.
CONFIDENCE = 0.99
LEAST_PAIRS = next(n for n in range(1, 100) if rank_cut(n, CONFIDENCE)[1] >= CONFIDENCE)
LEAST_PERIOD_S, MOST_PERIOD_S, MOST_S = 2.0, 3600.0, 7 * 24 * 3600.0
# The part of a phase that does not count, and its limits: what was read ahead before the switch is still being used.
SETTLE_PART, LEAST_SETTLE_S, MOST_SETTLE_S = 1 / 6, 0.5, 30.0


@dataclass(frozen=True)
class Phase:
    """One stretch of time with the module on or off."""

    pair: int
    is_on: bool


@dataclass(frozen=True)
class Schedule:
    """All phases of a trial, each period_s long; the first settle_s of each are not measured."""

    phases: tuple[Phase, ...]
    period_s: float
    settle_s: float

    @property
    def seconds(self) -> float:
        return self.period_s * len(self.phases)


def settle_seconds(period_s: float) -> float:
    return min(max(period_s * SETTLE_PART, LEAST_SETTLE_S), MOST_SETTLE_S)


def make_schedule(seconds: float, period_s: float, source: random.Random) -> Schedule:
    """Return as many pairs as fit into some seconds.

    Four phases are off, on, on, off, or on, off, off, on: so a load that grows steadily favours neither. Chance decides
    which, so that a load with a rhythm of its own, such as a job each minute, cannot keep in step with the module. The
    first phase is off, because the guard needs to know the load without the module.
    """
    phases = []
    pairs = int(seconds / (2 * period_s) + 1e-9)
    for pair in range(0, pairs, 2):
        first_on = pair > 0 and source.random() < 0.5
        phases += [Phase(pair, first_on), Phase(pair, not first_on)]
        if pair + 1 < pairs:
            phases += [Phase(pair + 1, not first_on), Phase(pair + 1, first_on)]
    return Schedule(tuple(phases), period_s, settle_seconds(period_s))


def reason_too_short(seconds: float, period_s: float) -> str:
    """Return why no sentence could come of so much time, and the remedy; "" if one can."""
    pairs = int(seconds / (2 * period_s) + 1e-9)
    if pairs >= LEAST_PAIRS:
        return ""
    needed = 2 * LEAST_PAIRS * period_s
    shorter = int(seconds / (2 * LEAST_PAIRS))
    also = f", or --period {shorter}s" if shorter >= LEAST_PERIOD_S else ""
    return (
        f"{pairs} pairs of {period_s:g} s off and on cannot show anything with {CONFIDENCE * 100:g} % confidence, "
        f"{LEAST_PAIRS} can: use --for {needed:g}s{also}"
    )
