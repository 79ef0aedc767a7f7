# SPDX-License-Identifier: GPL-2.0-only
"""Verdicts on known figures, among them those of the document of 2010."""

import unittest
from collections.abc import Sequence

from iostune_lib import judge
from iostune_lib.judge import Evidence
from iostune_lib.measurement import Arm, Sample, Series, Workload
from seqkeep_lib.stats import Ratio

NONE, OTHER = Arm("none", ()), Arm("bfq", ())
# MB/s of 1, 2, 4 and 8 readers with a scheduler that does not idle, and with one that does.
SATA = ((63.3, 18.7, 21.6, 29.6), (63.2, 54.8, 50.3, 42.9))
ARRAY = ((62.5, 86.5, 98.7, 112.5), (56.9, 34.8, 38.8, 44.4))
SSD = ((243.0, 231.0, 270.6, 262.9), (244.0, 228.0, 260.6, 266.0))
COUNTS = (1, 2, 4, 8)
WORKLOADS = [Workload("direct", count) for count in COUNTS]


def series(curves: tuple[Sequence[float], Sequence[float]], rounds: int) -> Series:
    """Return so many rounds of both arms, with 2 % of pseudo-noise."""
    found: Series = {}
    for arm, totals in zip((NONE, OTHER), curves):  # noqa: B905
        for workload, total in zip(WORKLOADS, totals):  # noqa: B905
            wobble = [1 + 0.02 * ((number * 7 + workload.readers) % 3 - 1) for number in range(rounds)]
            found[arm, workload] = [Sample((total * w / workload.readers,) * workload.readers, 5.0) for w in wobble]
    return found


def ratio(low: float, high: float, confidence: float = 0.992, pairs: int = 8) -> Ratio:
    return Ratio((low * high) ** 0.5, low, high, confidence, pairs)


SAME = ratio(0.99, 1.01)


def evidence(
    total: Ratio,
    single: Ratio = SAME,
    several: Ratio = SAME,
    slowest: Ratio = SAME,
    waits: Ratio = SAME,
    wait_ms: float = 10.0,
) -> Evidence:
    return Evidence(total, single, several, slowest, waits, wait_ms)


class Kinds(unittest.TestCase):
    def test_devices_of_2010(self) -> None:
        for curves, kind in ((SATA, "seek-bound"), (ARRAY, "parallel"), (SSD, "flat")):
            for rounds, expected in ((2, "unclear"), (3, "unclear"), (7, "unclear"), (8, kind), (12, kind)):
                # Fewer pairs cannot reach the confidence, whatever they show.
                self.assertEqual(judge.classify(series(curves, rounds), NONE, "direct", 0.99).name, expected)

    def test_wide_intervals_are_unclear(self) -> None:
        self.assertEqual(judge.kind_of_ratios([ratio(0.2, 6.0)], 0.99), "unclear")
        self.assertEqual(judge.kind_of_ratios([], 0.99), "unclear")
        # As seen on a loop device whose machine had other work; it was not parallel.
        self.assertEqual(judge.kind_of_ratios([ratio(1.64, 9.75)], 0.99), "unclear")
        self.assertEqual(judge.kind_of_ratios([ratio(1.64, 3.25)], 0.99), "parallel")
        self.assertEqual(judge.kind_of_ratios([ratio(0.1, 0.5)], 0.99), "unclear")

    def test_schedulers_for_the_devices_of_2010(self) -> None:
        for curves, why in ((SATA, "gain"), (ARRAY, "loss"), (SSD, "no gain")):
            found = judge.gather_evidence(series(curves, 8), OTHER, NONE, WORKLOADS, 0.99)
            self.assertEqual(judge.judge_evidence(found, 0.99).why, why)
        # If the array has the scheduler that idles, the other one is recommended.
        found = judge.gather_evidence(series((ARRAY[1], ARRAY[0]), 8), OTHER, NONE, WORKLOADS, 0.99)
        self.assertTrue(judge.judge_evidence(found, 0.99).is_change)


class Verdicts(unittest.TestCase):
    def expect(self, why: str, found: Evidence) -> None:
        verdict = judge.judge_evidence(found, 0.99)
        self.assertEqual(verdict.why, why)
        self.assertEqual(verdict.is_change, why in ("gain", "fairness"))
        # No verdict without its interval.
        self.assertIs(verdict.evidence, found)

    def test_gain(self) -> None:
        self.expect("gain", evidence(ratio(1.06, 1.5)))

    def test_within_the_noise(self) -> None:
        self.expect("noise", evidence(ratio(1.04, 1.5)))
        self.expect("noise", evidence(ratio(0.8, 1.2)))

    def test_too_small_a_gain(self) -> None:
        self.expect("no gain", evidence(ratio(1.02, 1.04)))
        self.expect("loss", evidence(ratio(0.8, 0.9)))

    def test_a_large_gain_with_too_little_confidence(self) -> None:
        self.expect("time", evidence(ratio(3.0, 4.0, confidence=0.9375)))

    def test_a_gain_is_rejected_for_each_loss(self) -> None:
        self.expect("single", evidence(ratio(1.5, 1.6), single=ratio(0.7, 0.9)))
        self.expect("several", evidence(ratio(1.5, 1.6), several=ratio(0.7, 0.9)))
        self.expect("slowest", evidence(ratio(1.5, 1.6), slowest=ratio(0.5, 0.8)))
        self.expect("waits", evidence(ratio(1.5, 1.6), waits=ratio(2.5, 9.0), wait_ms=1400.0))

    def test_waits_that_do_not_count(self) -> None:
        self.expect("gain", evidence(ratio(1.5, 1.6), waits=ratio(2.5, 9.0), wait_ms=400.0))
        # A scheduler that serves one reader for a while: the others wait, but all of them get more.
        slices = evidence(ratio(1.5, 1.6), slowest=ratio(1.8, 4.0), waits=ratio(2.5, 9.0), wait_ms=1400.0)
        self.expect("gain", slices)

    def test_a_spindle_in_a_vm(self) -> None:
        """bfq against none, 1 and 4 readers, figures of a quick run on the disk of tests/vm/iostune/spindle."""
        found = Evidence(
            ratio(1.38, 2.00, 0.96875, 6),
            ratio(0.57, 2.21, 0.96875, 6),
            None,
            ratio(0.33, 4.02, 0.96875, 6),
            ratio(2.63, 5.30, 0.96875, 6),
            409.0,
        )
        self.assertEqual(judge.judge_evidence(found, 0.95).why, "gain")

    def test_a_gain_of_one_reader_does_not_outweigh_a_loss_of_several(self) -> None:
        """8192 KiB of readahead against 1024 on 6.1, on an array that does 64 requests at once."""
        one, four = Workload("buffered", 1), Workload("buffered", 4)
        speeds = {(NONE, one): 367.0, (NONE, four): 753.0, (OTHER, one): 693.0, (OTHER, four): 542.0}
        found = judge.gather_evidence(
            {
                (arm, workload): [Sample((mb_s / workload.readers,) * workload.readers, 5.0)] * 8
                for (arm, workload), mb_s in speeds.items()
            },
            OTHER,
            NONE,
            [one, four],
            0.99,
        )
        self.assertGreater(found.total.low, 1.15)
        self.assertEqual(judge.judge_evidence(found, 0.99).why, "several")

    def test_fairness(self) -> None:
        self.expect("fairness", evidence(ratio(0.99, 1.02), slowest=ratio(1.2, 2.0)))
        self.expect("loss", evidence(ratio(0.90, 0.94), slowest=ratio(1.2, 2.0)))

    def test_a_starved_reader(self) -> None:
        workloads = [Workload("direct", 4)]
        fair, unfair = Sample((25.0,) * 4, 5.0), Sample((60.0, 60.0, 60.0, 1.0), 5.0)
        found = judge.gather_evidence(
            {(NONE, workloads[0]): [fair] * 8, (OTHER, workloads[0]): [unfair] * 8}, OTHER, NONE, workloads, 0.99
        )
        self.assertGreater(found.total.low, 1.5)
        self.assertIsNone(found.single)
        self.assertEqual(judge.judge_evidence(found, 0.99).why, "slowest")


class Stopping(unittest.TestCase):
    def test_settled_when_certain(self) -> None:
        self.assertTrue(judge.is_settled(evidence(ratio(1.3, 1.5)), 0.99))
        self.assertFalse(judge.is_settled(evidence(ratio(1.3, 1.5, confidence=0.98, pairs=7)), 0.99))

    def test_settled_when_not_promising(self) -> None:
        self.assertTrue(judge.is_settled(evidence(ratio(0.9, 1.05, confidence=0.875, pairs=4)), 0.99))
        self.assertFalse(judge.is_settled(evidence(ratio(0.9, 1.05, confidence=0.75, pairs=3)), 0.99))

    def test_not_settled_while_a_gain_is_possible(self) -> None:
        self.assertFalse(judge.is_settled(evidence(ratio(1.0, 1.5)), 0.99))


if __name__ == "__main__":
    unittest.main()
