# SPDX-License-Identifier: GPL-2.0-only
"""Compute confidence intervals from ranks, which assume no distribution of the noise. Pure.

Values are measured in pairs, close in time and place, so that slow changes (other load, outer and inner tracks) affect
both. If there were no difference, either value of a pair would be as likely to be the larger by as much. Wilcoxon's
signed ranks need no other assumption.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True)
class Ratio:
    """A ratio with its confidence interval, from so many pairs."""

    estimate: float
    low: float
    high: float
    confidence: float
    pairs: int


def tail_counts(n: int) -> list[int]:
    """Count, of the 2**n ways to sign the ranks 1..n, those with a sum of positive ranks of at most 0, 1, 2 ..."""
    ways = [1] + [0] * (n * (n + 1) // 2)
    for rank in range(1, n + 1):
        for total in range(len(ways) - 1, rank - 1, -1):
            ways[total] += ways[total - rank]
    for total in range(1, len(ways)):
        ways[total] += ways[total - 1]
    return ways


def rank_cut(n: int, confidence: float) -> tuple[int, float]:
    """Return how many Walsh averages to leave out at each end, and the resulting confidence.

    Few pairs cannot reach a high confidence: then return 0 and the confidence of the widest interval.
    """
    ways = tail_counts(n)
    best = 0
    for k, count in enumerate(ways):
        if 1 - 2 * count / 2**n < confidence:
            break
        best = k
    return best, max(0.0, 1 - 2 * ways[best] / 2**n)


def ratio(numerators: Sequence[float], denominators: Sequence[float], confidence: float) -> Ratio:
    """Return the Hodges-Lehmann estimate of the ratio of pairs, with its interval at that confidence if possible."""
    n = len(numerators)
    if n == 0 or n != len(denominators):
        raise ValueError(f"{n} and {len(denominators)} are not pairs")
    logs = [math.log(a / b) for a, b in zip(numerators, denominators)]
    averages = sorted((logs[i] + logs[j]) / 2 for i in range(n) for j in range(i, n))
    k, sure = rank_cut(n, confidence)
    return Ratio(math.exp(median(averages)), math.exp(averages[k]), math.exp(averages[-1 - k]), sure, n)


def geometric_mean(values: Sequence[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))
