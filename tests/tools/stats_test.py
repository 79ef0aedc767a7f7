# SPDX-License-Identifier: GPL-2.0-only
"""Confidence intervals from ranks."""

import importlib.util
import math
import random
import unittest

from seqkeep_lib import stats


class Cut(unittest.TestCase):
    def test_tables(self) -> None:
        # The ways to a sum of positive ranks of 0, 1, 2, 3 for three pairs: {}, {1}, {2}, {3} and {1,2}.
        self.assertEqual(stats.tail_counts(3)[:4], [1, 2, 3, 5])
        self.assertEqual(stats.tail_counts(3)[-1], 8)

    def test_the_fewest_pairs_for_a_confidence(self) -> None:
        self.assertEqual(stats.rank_cut(8, 0.99), (0, 1 - 2 / 256))
        self.assertEqual(stats.rank_cut(6, 0.95), (0, 1 - 2 / 64))
        # Textbooks' critical value for 10 pairs at 5 % is 8.
        self.assertEqual(stats.rank_cut(10, 0.95)[0], 8)

    def test_too_few_pairs_give_a_lower_confidence(self) -> None:
        self.assertEqual(stats.rank_cut(3, 0.99), (0, 0.75))
        self.assertEqual(stats.rank_cut(1, 0.99), (0, 0.0))


class Scipy(unittest.TestCase):
    @unittest.skipUnless(importlib.util.find_spec("scipy"), "no scipy")
    def test_an_interval_leaves_out_1_where_scipy_finds_a_difference(self) -> None:
        from scipy.stats import wilcoxon

        source, found = random.Random(8), set()
        for number in range(400):
            n, shift = 8 + number % 9, source.choice((0.0, 0.2, 0.5))
            logs = [source.gauss(shift, 0.4) for _ in range(n)]
            ratio = stats.ratio([math.exp(value) for value in logs], [1.0] * n, 0.99)
            differs = wilcoxon(logs, mode="exact").pvalue <= 1 - ratio.confidence + 1e-9
            self.assertEqual(ratio.low > 1 or ratio.high < 1, differs, logs)
            found.add(differs)
        self.assertEqual(found, {True, False})


class Ratios(unittest.TestCase):
    def test_no_noise(self) -> None:
        found = stats.ratio([2.0] * 8, [1.0] * 8, 0.99)
        for value in (found.estimate, found.low, found.high):
            self.assertAlmostEqual(value, 2.0)
        self.assertEqual(found.pairs, 8)

    def test_a_common_drift_has_no_effect(self) -> None:
        drift = [1.0, 2.0, 3.0, 10.0, 7.0, 5.0, 1.5, 0.1]
        found = stats.ratio([d * 1.1 for d in drift], drift, 0.99)
        self.assertAlmostEqual(found.low, 1.1)
        self.assertAlmostEqual(found.high, 1.1)

    def test_the_interval_contains_the_true_ratio_as_often_as_its_confidence(self) -> None:
        source = random.Random(7)
        held = 0
        for _ in range(400):
            found = stats.ratio([source.lognormvariate(0, 0.3) for _ in range(10)], [1.0] * 10, 0.95)
            held += found.low <= 1 <= found.high
        self.assertGreater(held / 400, 0.92)

    def test_unpaired_values_are_rejected(self) -> None:
        with self.assertRaises(ValueError):
            stats.ratio([1.0], [1.0, 2.0], 0.99)
        with self.assertRaises(ValueError):
            stats.ratio([], [], 0.99)


if __name__ == "__main__":
    unittest.main()
