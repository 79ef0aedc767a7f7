# SPDX-License-Identifier: GPL-2.0-only
"""Verdicts, of invented runs."""

import unittest
from typing import Any

from gauntlet import judge
from gauntlet.judge import Verdict


def entry(case: str = "reads/x", **figures: tuple[list[float], list[float]]) -> dict[str, Any]:
    return {
        "case": case,
        "stock": {key: runs[0] for key, runs in figures.items()},
        "ours": {key: runs[1] for key, runs in figures.items()},
    }


def verdict(case: str = "reads/x", **figures: tuple[list[float], list[float]]) -> Verdict:
    return judge.verdict(judge.figures(entry(case, **figures)))


class Verdicts(unittest.TestCase):
    def test_worse(self) -> None:
        self.assertEqual(verdict(ios=([1000, 1010, 1000], [1030, 1040, 1031])), Verdict.WORSE)

    def test_within_the_margin(self) -> None:
        self.assertEqual(verdict(ios=([1000, 1000, 1000], [1019, 1019, 1019])), Verdict.SAME)

    def test_a_time_of_two_pairs_needs_more(self) -> None:
        self.assertEqual(verdict(time_ms=([100, 100], [104, 104])), Verdict.SAME)
        self.assertEqual(verdict(time_ms=([100, 100], [106, 106])), Verdict.WORSE)
        self.assertEqual(verdict(time_ms=([100, 100, 100], [104, 104, 104])), Verdict.WORSE)
        self.assertEqual(verdict(ios=([1000, 1000], [1040, 1040])), Verdict.WORSE)

    def test_a_time_of_two_pairs_tends(self) -> None:
        """So that more pairs are run, after which the verdict is the same as the tendency."""
        for ours, tends in ((104, Verdict.WORSE), (96, Verdict.BETTER), (101, Verdict.SAME)):
            found = judge.figures(entry(time_ms=([100, 100], [ours, ours])))[0]
            self.assertEqual((found.verdict, found.tends), (Verdict.SAME, tends))
            self.assertEqual(verdict(time_ms=([100] * 4, [ours] * 4)), tends)

    def test_within_the_spread(self) -> None:
        """One pair disagrees."""
        self.assertEqual(verdict(time_ms=([100, 100, 100], [130, 99, 120])), Verdict.SAME)

    def test_slow_change_of_the_machine(self) -> None:
        """Pairs that agree, although the ranges of the arms overlap."""
        self.assertEqual(verdict(time_ms=([100, 200, 300], [110, 220, 330])), Verdict.WORSE)

    def test_worse_wins_over_better(self) -> None:
        self.assertEqual(verdict(ios=([1000], [1100]), time_ms=([100.0], [50.0])), Verdict.WORSE)

    def test_better(self) -> None:
        self.assertEqual(verdict(ios=([1000, 1000], [500, 510]), sectors=([9000, 9000], [9000, 9000])), Verdict.BETTER)

    def test_least_difference(self) -> None:
        self.assertEqual(verdict(ios=([3, 3], [4, 4])), Verdict.SAME)
        self.assertEqual(verdict(lookup_p99_us=([30, 30], [45, 45])), Verdict.SAME)
        self.assertEqual(verdict(lookup_p99_us=([300, 300], [450, 450])), Verdict.WORSE)

    def test_one_pair_is_never_better(self) -> None:
        self.assertEqual(verdict(p99_us=([2000], [500])), Verdict.SAME)
        self.assertEqual(verdict(p99_us=([500], [2000])), Verdict.WORSE)

    def test_seeds_without_the_outer_tenths(self) -> None:
        """Of 20 seeds two may disagree, three may not, and an outlier among 20 that are the same does not count."""
        stock = [9000.0] * 20
        self.assertEqual(verdict("random/x", sectors=(stock, [9900.0] * 18 + [8900.0] * 2)), Verdict.WORSE)
        self.assertEqual(verdict("random/x", sectors=(stock, [9900.0] * 17 + [8900.0] * 3)), Verdict.SAME)
        self.assertEqual(verdict("random/x", sectors=([9000.0] * 20, [9000.0] * 19 + [99000.0])), Verdict.SAME)

    def test_from_nothing_to_something(self) -> None:
        """Pre-reads where stock has none."""
        self.assertEqual(verdict("raid/x", sectors=([0, 0], [5000, 5000])), Verdict.WORSE)

    def test_what_judges(self) -> None:
        self.assertEqual(verdict(cpu_ms=([10.0, 10], [20.0, 20])), Verdict.SAME)
        self.assertEqual(verdict("reads/x", wsectors=([1000, 1000], [9000, 9000])), Verdict.SAME)
        self.assertEqual(verdict("raid/x", wsectors=([1000, 1000], [9000, 9000])), Verdict.WORSE)

    def test_a_case_chooses_what_judges(self) -> None:
        found = entry(ios=([1000, 1000], [2000, 2000]), time_ms=([10, 10], [10, 10])) | {"judged": "time_ms"}
        self.assertEqual(judge.verdict(judge.figures(found)), Verdict.SAME)

    def test_a_run_without_the_figure(self) -> None:
        self.assertEqual(verdict(ios=([1000, 1000], [2000])), Verdict.SAME)

    def test_missing(self) -> None:
        found = entry(ios=([1000, 1000], [2000]), cpu_ms=([10], []), load_us=([], [10]), sectors=([1], [1]))
        self.assertEqual(judge.missing(found), ["ios", "load_us"])
        self.assertEqual(judge.missing(entry(ios=([1], [1]))), [])
        self.assertEqual(judge.missing(entry(ios=([1], [1])) | {"judged": "ios mib_us"}), ["mib_us"])

    def test_a_promise(self) -> None:
        same = entry(ios=([1000, 1000], [1000, 1000]))
        self.assertEqual(judge.judge(same), Verdict.SAME)
        self.assertEqual(judge.judge(same | {"bar": "same"}), Verdict.SAME)
        self.assertEqual(judge.judge(same | {"bar": "better"}), Verdict.WORSE)
        better = entry(ios=([1000, 1000], [500, 500])) | {"bar": "better"}
        self.assertEqual(judge.judge(better), Verdict.BETTER)

    def test_worst(self) -> None:
        figures = judge.figures(entry(ios=([1000, 1000], [1500, 1500]), time_ms=([100, 100], [300, 300])))
        self.assertEqual(judge.worst(figures), 3)
        self.assertEqual(judge.worst(judge.figures(entry(ios=([1000, 1000], [500, 500])))), 0.5)


if __name__ == "__main__":
    unittest.main()
