# SPDX-License-Identifier: GPL-2.0-only
"""How sure a difference is: intervals from ranks, which ask nothing of how the noise is distributed.

What is compared was measured in pairs, side by side in time and place, so that what changes slowly (other load,
outer and inner tracks) falls on both. If there were no difference, either of a pair would be as likely to be the
larger by as much: that is all that Wilcoxon's signed ranks need.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True)
class Ratio:
    """How many times as much, with the interval it lies in at that confidence, from so many pairs."""

    estimate: float
    low: float
    high: float
    confidence: float
    pairs: int


def tail_counts(n: int) -> list[int]:
    """Of the 2**n ways to sign the ranks 1..n, how many have a sum of positive ranks of at most 0, 1, 2 ..."""
    ways = [1] + [0] * (n * (n + 1) // 2)
    for rank in range(1, n + 1):
        for total in range(len(ways) - 1, rank - 1, -1):
            ways[total] += ways[total - rank]
    for total in range(1, len(ways)):
        ways[total] += ways[total - 1]
    return ways


def rank_cut(n: int, confidence: float) -> tuple[int, float]:
    """How many Walsh averages to leave out at each end, and the confidence that this gives.

    With few pairs even the widest interval is not as sure as was asked for: then that one, with what it is.
    """
    ways = tail_counts(n)
    best = 0
    for k, count in enumerate(ways):
        if 1 - 2 * count / 2**n < confidence:
            break
        best = k
    return best, max(0.0, 1 - 2 * ways[best] / 2**n)


def ratio(numerators: Sequence[float], denominators: Sequence[float], confidence: float) -> Ratio:
    """The ratio of pairs: the Hodges-Lehmann estimate, and its interval at that confidence or the best there is."""
    n = len(numerators)
    if n == 0 or n != len(denominators):
        raise ValueError(f"{n} and {len(denominators)} are not pairs")
    logs = [math.log(a / b) for a, b in zip(numerators, denominators)]
    averages = sorted((logs[i] + logs[j]) / 2 for i in range(n) for j in range(i, n))
    k, sure = rank_cut(n, confidence)
    return Ratio(math.exp(median(averages)), math.exp(averages[k]), math.exp(averages[-1 - k]), sure, n)


def geometric_mean(values: Sequence[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))
