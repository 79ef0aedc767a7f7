# SPDX-License-Identifier: GPL-2.0-only
"""Decisions on simulated disks."""

import random
import re
import unittest
from dataclasses import replace

from iostune.simulated import OVERHEAD_S, Disk
from iostune_lib import judge, plan, stages, verdict_text
from iostune_lib import tunables as t
from iostune_lib.judge import Verdict
from iostune_lib.measurement import Arm, Workload
from iostune_lib.plan import FULL, QUICK, Rules, Stage
from iostune_lib.stages import Decision
from seqkeep_lib.stats import Ratio

COUNTS = plan.reader_counts(8)
FLAT = dict.fromkeys(COUNTS, 250.0)
SEEKS = {1: 63.0, 2: 19.0, 4: 22.0, 8: 30.0}
STAYS = {1: 63.0, 2: 55.0, 4: 50.0, 8: 43.0}
PARALLEL = {1: 62.0, 2: 86.0, 4: 99.0, 8: 112.0}
WAITS = {1: 57.0, 2: 35.0, 4: 39.0, 8: 44.0}


def scheduler_stage(current: str = "none") -> Stage:
    workloads = plan.all_workloads(("direct", "buffered"), COUNTS)
    return Stage(
        "scheduler",
        t.SCHEDULER,
        plan.scheduler_arms({t.SCHEDULER: current}),
        workloads,
        8,
        has_kind=True,
    )


def value_stage() -> Stage:
    arms = plan.value_arms(t.READAHEAD, "128", (128, 512, 2048, 8192))
    return Stage("read_ahead_kb", t.READAHEAD, arms, plan.all_workloads(("buffered",), [1, 8]), 2)


def run(disk: Disk, *wanted: Stage, rules: Rules = FULL, seconds: float = 540.0) -> list[Decision]:
    return stages.run_all(disk.context(rules), wanted, seconds)


class KnownTruth(unittest.TestCase):
    def test_spindle(self) -> None:
        disk = Disk({"*": SEEKS, "bfq": STAYS})
        (decision,) = run(disk, scheduler_stage())
        self.assertEqual(stages.device_kind(decision, 0.99)[0].name, "seek-bound")
        self.assertTrue(decision.verdict.is_change)
        self.assertEqual([arm.label for arm in disk.accepted], ["bfq"])

    def test_array(self) -> None:
        disk = Disk({"*": PARALLEL, "bfq": WAITS})
        (decision,) = run(disk, scheduler_stage("bfq"))
        self.assertEqual(stages.device_kind(decision, 0.99)[0].name, "parallel")
        self.assertTrue(decision.verdict.is_change)
        self.assertNotEqual(disk.accepted[0].label, "bfq")
        (decision,) = run(Disk({"*": PARALLEL, "bfq": WAITS}), scheduler_stage("none"))
        self.assertFalse(decision.verdict.is_change)

    def test_ssd(self) -> None:
        disk = Disk({"*": FLAT})
        (decision,) = run(disk, scheduler_stage())
        self.assertEqual(stages.device_kind(decision, 0.99)[0].name, "flat")
        self.assertFalse(decision.verdict.is_change)

    def test_quick_agrees(self) -> None:
        for curves, change in (({"*": SEEKS, "bfq": STAYS}, True), ({"*": FLAT}, False)):
            (decision,) = run(Disk(curves), scheduler_stage(), rules=QUICK, seconds=120)
            self.assertEqual(decision.verdict.is_change, change)


class Agreement(unittest.TestCase):
    """20 runs on each model disk say the same."""

    DISKS = (
        ("seek-bound", {"*": SEEKS, "bfq": STAYS}),
        ("flat", {"*": FLAT}),
        ("parallel", {"*": PARALLEL, "bfq": WAITS}),
    )

    def outcomes(self, curves: dict[str, dict[int, float]], noise: float, rules: Rules, seconds: float) -> list[str]:
        found = []
        for seed in range(20):
            disk = Disk(curves, noise, seed)
            (decision,) = run(disk, scheduler_stage(), rules=rules, seconds=seconds)
            kind, _ = stages.device_kind(decision, rules.confidence)
            # Not the candidate: two schedulers that do not idle are equal.
            found.append(f"{kind.name}, {decision.verdict.is_change}")
        return found

    def test_model_disks(self) -> None:
        for name, curves in self.DISKS:
            for rules, seconds in ((FULL, 540.0), (QUICK, 90.0)):
                for noise in (0.02, 0.05):
                    expected = f"{name}, {name == 'seek-bound'}"
                    self.assertEqual(self.outcomes(curves, noise, rules, seconds), [expected] * 20, (name, noise))

    def test_a_noisy_disk_is_unclear_and_never_of_another_kind(self) -> None:
        for name, curves in self.DISKS:
            for rules, seconds in ((FULL, 540.0), (QUICK, 90.0)):
                kinds = {outcome.split(",")[0] for outcome in self.outcomes(curves, 0.5, rules, seconds)}
                self.assertLessEqual(kinds, {"unclear", name})

    def test_a_disk_whose_host_has_other_work(self) -> None:
        """A loop device on a cloud's disk: for seconds at a time, whatever is measured gets a quarter."""

        class Shared(Disk):
            def speed(self, arm: Arm, workload: Workload) -> float:
                is_slow = random.Random(int(self.now / 3) + 1000 * self.seed).random() < 0.5
                return super().speed(arm, workload) * (0.25 if is_slow else 1.0)

        kinds: list[str] = []
        changes = 0
        for seed in range(20):
            disk = Shared({"*": FLAT}, 0.1, seed)
            (decision,) = run(disk, scheduler_stage(), rules=QUICK, seconds=50.0)
            kinds.append(stages.device_kind(decision, QUICK.confidence)[0].name)
            changes += decision.verdict.is_change
        self.assertLessEqual(set(kinds), {"unclear", "flat"}, kinds)
        self.assertEqual(changes, 0)

    def test_little_time_is_unclear(self) -> None:
        for seconds in (5.0, 10.0, 20.0, 30.0):
            kinds = {outcome.split(",")[0] for outcome in self.outcomes({"*": FLAT}, 0.3, QUICK, seconds)}
            self.assertLessEqual(kinds, {"unclear", "flat"})


class Noise(unittest.TestCase):
    def test_20_runs_on_a_noisy_disk_recommend_no_change(self) -> None:
        for noise in (0.05, 0.2, 0.5):
            for seed in range(20):
                disk = Disk({"*": FLAT}, noise, seed)
                decisions = run(disk, scheduler_stage(), value_stage(), value_stage(), value_stage())
                self.assertEqual([d.verdict.is_change for d in decisions], [False] * 4, f"noise {noise}, seed {seed}")

    def test_20_runs_find_a_large_gain_despite_noise(self) -> None:
        for seed in range(20):
            disk = Disk({"*": SEEKS, "bfq": STAYS}, 0.1, seed)
            run(disk, scheduler_stage())
            self.assertEqual([arm.label for arm in disk.accepted], ["bfq"], f"seed {seed}")


class Order(unittest.TestCase):
    def test_the_order_of_arms_is_reversed_every_second_round(self) -> None:
        disk = Disk({"*": FLAT})
        run(disk, value_stage())
        rounds: dict[int, list[str]] = {}
        for label, workload, number, _ in disk.runs:
            if workload.readers == 1:
                rounds.setdefault(number, []).append(label)
        self.assertEqual(rounds[0], ["128", "512", "2048", "8192"])
        self.assertEqual(rounds[1], rounds[0][::-1])

    def test_the_comparison_uses_new_measurements(self) -> None:
        disk = Disk({"*": SEEKS, "bfq": STAYS})
        (decision,) = run(disk, scheduler_stage())
        assert decision.verdict.evidence
        surveyed = len(decision.series[decision.current, decision.workloads[0]])
        self.assertEqual(surveyed, FULL.survey_rounds)
        self.assertEqual(decision.verdict.evidence.total.pairs, FULL.least_pairs)
        # The kind of the device takes some more rounds of none.
        rounds = FULL.warm_up + FULL.survey_rounds + plan.kind_rounds(FULL)
        compared = [run for run in disk.runs if run[2] >= rounds]
        self.assertEqual({label for label, *_ in compared}, {"none", "bfq"})
        # The first round does not count.
        self.assertEqual(len({number for *_, number, _ in compared}), FULL.least_pairs + 1)

    def test_an_unsupported_scheduler_is_skipped_and_reported(self) -> None:
        disk = Disk({"*": FLAT})
        (decision,) = run(disk, scheduler_stage())
        self.assertEqual(decision.skipped, {"kyber": "Invalid argument"})
        self.assertNotIn("kyber", {label for label, *_ in disk.runs})


class Time(unittest.TestCase):
    def test_no_run_exceeds_its_time_limit(self) -> None:
        for rules, limits in ((FULL, (10, 60, 200, 540)), (QUICK, (5, 20, 50))):
            for seconds in limits:
                for curves in ({"*": FLAT}, {"*": SEEKS, "bfq": STAYS}):
                    disk = Disk(curves, 0.2)
                    run(disk, scheduler_stage(), value_stage(), value_stage(), rules=rules, seconds=seconds)
                    self.assertLessEqual(disk.now, seconds)

    def test_too_short_a_time_recommends_no_change_and_says_why(self) -> None:
        disk = Disk({"*": SEEKS, "bfq": STAYS})
        (decision,) = run(disk, scheduler_stage(), seconds=15)
        self.assertFalse(decision.verdict.is_change)
        self.assertIn("not enough time", verdict_text.decision_text(decision))
        # The present setting is still measured.
        self.assertEqual({label for label, *_ in disk.runs}, {"none"})

    def test_time_that_is_there_is_used(self) -> None:
        """Too little for five schedulers is enough for two, and the text says how much all take."""
        disk = Disk({"*": SEEKS, "bfq": STAYS})
        (decision,) = run(disk, scheduler_stage(), rules=QUICK, seconds=28)
        self.assertTrue(decision.verdict.is_change)
        self.assertEqual({label for label, *_ in disk.runs}, {"none", "bfq"})
        self.assertRegex(decision.skipped["mq-deadline"], r"^no time: --time \d+ would do$")
        self.assertGreater(disk.now, 20)

    def test_the_time_that_is_said_suffices(self) -> None:
        """For all stages, whatever their weights: a quick run gives nearly all its time to the scheduler."""
        for rules, weight in ((FULL, 8.0), (QUICK, 99.0)):
            wanted = (replace(scheduler_stage(), weight=weight), value_stage(), value_stage())
            said = run(Disk({"*": FLAT}), *wanted, rules=rules, seconds=5)
            needed = {re.search(r"--time (\d+)", verdict_text.decision_text(decision)) for decision in said}
            seconds = {int(found[1]) for found in needed if found}
            self.assertEqual(len(seconds), 1)
            self.assertLess(max(seconds), 600 if rules == FULL else 200)
            decisions = run(Disk({"*": FLAT}), *wanted, rules=rules, seconds=max(seconds))
            for decision in decisions:
                self.assertNotIn(decision.verdict.why, ("time", "only one"))
                self.assertTrue(decision.series)
            self.assertEqual(list(decisions[0].skipped), ["kyber"])

    def test_a_stage_starves_only_if_there_is_too_little_for_all(self) -> None:
        wanted = [replace(scheduler_stage(), weight=99), value_stage(), value_stage()]
        for needs, left, seconds in (
            ([10, 5, 5], 50, 40),  # The others get what they need.
            ([10, 5, 5], 25, 24),  # Too little for twice the need of the first.
            ([10, 5, 5], 12, 11),
        ):
            self.assertEqual(int(plan.stage_seconds(wanted, needs, left)), seconds)
        # More than the share.
        self.assertEqual(plan.stage_seconds([replace(wanted[1], weight=1), wanted[0]], [30, 5], 50), 30)

    def test_more_time_gives_more_rounds(self) -> None:
        disk = Disk({"*": FLAT}, 0.5)
        (decision,) = run(disk, scheduler_stage(), seconds=5400)
        self.assertGreater(len(decision.series[decision.current, decision.workloads[0]]), 2 * FULL.survey_rounds)

    def test_a_default_run_measures_all_workloads(self) -> None:
        fitting = plan.fit_time(scheduler_stage(), FULL, 540 * 8 / 13, OVERHEAD_S)
        assert fitting
        self.assertEqual(fitting.workloads, scheduler_stage().workloads)
        self.assertEqual(fitting.arms, scheduler_stage().arms)
        self.assertGreater(fitting.seconds, FULL.shortest_s)


class Text(unittest.TestCase):
    def test_a_change_has_its_interval_and_reason(self) -> None:
        (decision,) = run(Disk({"*": SEEKS, "bfq": STAYS}), scheduler_stage())
        text = verdict_text.decision_text(decision)
        expected = r"^scheduler: bfq instead of none: throughput \+\d+ % \(\+\d+ % to \+\d+ %, 99.8 % confidence"
        self.assertRegex(text, expected)

    def test_no_word_that_the_figures_do_not_support(self) -> None:
        """A survey's interval does not say that a gain is small."""
        (decision,) = run(Disk({"*": FLAT}, 0.3), value_stage(), rules=QUICK)
        evidence = decision.verdict.evidence
        assert evidence
        text = verdict_text.decision_text(decision)
        if evidence.total.confidence < QUICK.confidence or evidence.total.high > judge.GAIN:
            self.assertNotIn("less than", text)
        unsure = judge.Evidence(Ratio(1.02, 0.77, 1.36, 0.5, 2), None, None, None, None, 0.0)
        decision.verdict = Verdict(False, "unpromising", unsure)
        self.assertIn("did not look better", verdict_text.decision_text(decision))
        self.assertIn("(-23 % to +36 %, 50.0 % confidence, 2 pairs)", verdict_text.decision_text(decision))

    def test_every_reason_has_a_text(self) -> None:
        (decision,) = run(Disk({"*": SEEKS, "bfq": STAYS}), scheduler_stage())
        reasons = ("gain", "fairness", "noise", "no gain", "unpromising", "loss", "time", "only one")
        for why in (*reasons, *judge.LOSSES):
            decision.verdict = Verdict(False, why, decision.verdict.evidence)
            self.assertIn("none", verdict_text.decision_text(decision))


class Arms(unittest.TestCase):
    def test_the_present_scheduler_is_first_and_not_repeated(self) -> None:
        tuned = {t.SCHEDULER: "bfq", t.LOW_LATENCY: "0", t.SLICE_IDLE: "8"}
        for values, label, count in (
            ({t.SCHEDULER: "none"}, "none", 5),
            (tuned, "bfq", 5),
            ({**tuned, t.SLICE_IDLE: "0"}, "bfq slice_idle=0", 5),
            # With the kernel's default low_latency=1 it is an arm of its own.
            ({**tuned, t.LOW_LATENCY: "1"}, "bfq low_latency=1", 6),
        ):
            arms = plan.scheduler_arms(values)
            self.assertEqual(arms[0], Arm(label, ()))
            self.assertEqual(sorted(arm.label for arm in arms), sorted({arm.label for arm in arms}))
            self.assertEqual(len(arms), count)

    def test_readers(self) -> None:
        self.assertEqual(plan.reader_counts(8), [1, 2, 4, 8])
        self.assertEqual(plan.reader_counts(6), [1, 2, 4, 6])
        self.assertEqual(plan.reader_counts(1), [1])


if __name__ == "__main__":
    unittest.main()
