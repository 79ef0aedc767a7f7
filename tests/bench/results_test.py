# SPDX-License-Identifier: GPL-2.0-only
"""Ratios, verdicts and incomplete files.

json/nfs-ra.json is of a run; the others are invented, in the format that the benches write.
"""

import json
import math
import shutil
import tempfile
import unittest
from pathlib import Path

import results
from results import Case, Judged, Ratio, Spread, Verdict

JSON = Path(__file__).resolve().with_name("json")


def runs(*values: float) -> Spread:
    return Spread(sorted(values)[len(values) // 2], min(values), max(values), values)


class Ratios(unittest.TestCase):
    def test_round_by_round(self) -> None:
        """A round that was fast for both arms does not change the ratio."""
        self.assertEqual(results.ratio(runs(10, 20, 40), runs(5, 10, 20)), Ratio(2, 2, 2))

    def test_extremes_if_runs_are_unknown(self) -> None:
        self.assertEqual(results.ratio(Spread(20, 10, 40), Spread(10, 5, 20)), Ratio(2, 0.5, 8))

    def test_extremes_if_a_run_is_missing(self) -> None:
        self.assertEqual(results.ratio(runs(10, 20, 40), Spread(10, 5, 20, (5, 10))), Ratio(2, 0.5, 8))

    def test_zero(self) -> None:
        self.assertEqual(results.ratio(runs(0), runs(0)).median, 1)
        self.assertEqual(results.ratio(runs(0), runs(8)).median, 0)
        self.assertEqual(results.ratio(runs(8), runs(0)).median, math.inf)


class Verdicts(unittest.TestCase):
    def check(self, found: Ratio, more: Verdict, less: Verdict) -> None:
        """Assert the verdicts on a ratio if more is better, and if less is."""
        self.assertEqual(results.verdict(found, True, 3), more)
        self.assertEqual(results.verdict(found, False, 3), less)

    def test_apart(self) -> None:
        self.check(Ratio(1.5, 1.1, 1.8), Verdict.BETTER, Verdict.WORSE)
        self.check(Ratio(0.5, 0.1, 0.9), Verdict.WORSE, Verdict.BETTER)

    def test_one_round_that_was_no_better(self) -> None:
        self.check(Ratio(3, 1, 5), Verdict.NO_BETTER, Verdict.NO_BETTER)
        self.check(Ratio(0.5, 0.1, 1.2), Verdict.NO_BETTER, Verdict.NO_BETTER)

    def test_the_same(self) -> None:
        self.check(Ratio(1, 1, 1), Verdict.NO_BETTER, Verdict.NO_BETTER)

    def test_a_small_gain_does_not_count_and_a_small_loss_does(self) -> None:
        self.check(Ratio(1.009, 1.008, 1.01), Verdict.NO_BETTER, Verdict.WORSE)
        self.check(Ratio(0.999, 0.998, 0.9995), Verdict.WORSE, Verdict.NO_BETTER)

    def test_a_ratio_of_zero(self) -> None:
        self.check(Ratio(0, 0, 0), Verdict.WORSE, Verdict.BETTER)
        self.check(Ratio(math.inf, math.inf, math.inf), Verdict.BETTER, Verdict.WORSE)

    def test_one_run_is_not_judged(self) -> None:
        self.assertEqual(results.verdict(Ratio(9, 9, 9), True, 1), Verdict.ONE_RUN)
        self.assertEqual(results.verdict(Ratio(9, 9, 9), True, 0), Verdict.ONE_RUN)


class Judging(unittest.TestCase):
    def judge(self, suite: str, name: str) -> dict[str, Judged]:
        found = [case for case in results.load(JSON).cases if (case.suite, case.name) == (suite, name)]
        self.assertEqual(len(found), 1)
        return {judged.figure.key: judged for judged in results.judge(found[0])}

    def test_against_the_best_control(self) -> None:
        found = self.judge("trixie", "seq-256K-16")
        self.assertEqual((found["mb_s"].best, found["mb_s"].verdict), ("stock-cache-8192", Verdict.WORSE))
        self.assertEqual((found["pre_read"].best, found["pre_read"].verdict), ("stock-cache-8192", Verdict.BETTER))

    def test_listed(self) -> None:
        """A rate is listed unless it is better, a cost if it is worse."""
        listed = {key: judged.listed for key, judged in self.judge("bookworm", "free-4").items()}
        self.assertEqual(listed, {"mb_s": False, "ios": False, "sectors": False})
        listed = {key: judged.listed for key, judged in self.judge("bookworm", "in-order-128K").items()}
        self.assertEqual(listed, {"mb_s": True, "ios": True, "sectors": False})

    def test_good_enough_is_not_listed(self) -> None:
        """nfs-ra's goal is 0.95 of the best."""
        for rate, is_listed in ((95, False), (94, True), (101, False)):
            arms = {"128": {"mb_s": runs(50, 50)}, "8192": {"mb_s": runs(100, 100)}, "auto": {"mb_s": runs(rate, rate)}}
            case = Case("nfsra", "trixie", "6.12", "", "rsize 32K", 2, arms)
            self.assertEqual([judged.listed for judged in results.judge(case)], [is_listed])

    def test_a_much_larger_cost_is_listed_even_if_its_runs_differ(self) -> None:
        for cost, is_listed in ((1.06, True), (1.04, False)):
            arms = {
                arm: {"mb_s": results.Spread(1, 1, 1, (1, 1, 1)), "ios": results.Spread(ios[1], ios[0], ios[2], ios)}
                for arm, ios in {"stock": (0.5, 1, 2), "ctxra": (0.4, cost, 3)}.items()
            }
            case = results.Case("ctxra", "trixie", "6.12", "", "case", 3, arms)
            found = {judged.figure.key: judged for judged in results.judge(case)}
            self.assertIs(found["ios"].verdict, results.Verdict.NO_BETTER)
            self.assertEqual(found["ios"].listed, is_listed)

    def test_one_run_is_listed(self) -> None:
        listed = {key: judged.listed for key, judged in self.judge("trixie", "free-4").items()}
        self.assertEqual(listed, {"mb_s": True, "ios": False, "sectors": False})

    def test_a_missing_figure_is_not_judged(self) -> None:
        self.assertEqual(list(self.judge("trixie", "xfs-copy")), ["mb_s"])

    def test_without_stock_nothing_is_judged(self) -> None:
        """A control alone may be the worst possible setting."""
        arms = {"stock-cache-8192": {"mb_s": runs(1, 1)}, "auto": {"mb_s": runs(2, 2)}}
        case = Case("raid5", "trixie", "6.12", "", "seq", 2, arms)
        self.assertEqual(list(results.judge(case)), [])


class Files(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.folder = Path(directory.name)

    def copy(self, name: str) -> Path:
        return Path(shutil.copy(JSON / name, self.folder))

    def test_a_run(self) -> None:
        self.copy("nfs-ra.json")
        found = results.load(self.folder)
        self.assertEqual(found.errors, [])
        self.assertEqual([case.name for case in found.cases], ["rsize 512K, 0+0 ms", "rsize 512K, 10+10 ms"])
        case = found.cases[0]
        self.assertEqual((case.suite, case.setting, case.rounds), ("trixie", "64M file", 3))
        self.assertTrue(case.kernel.startswith("6.12."))
        self.assertLessEqual(case.arms["128"]["mb_s"].low, case.arms["128"]["mb_s"].median)

    def test_the_name_of_four_times_rsize(self) -> None:
        arms = {"128": {}, "2048": {"mb_s": {"median": 2, "min": 1, "max": 3}}}
        entry = {"kernel": "6.12", "rounds": 3, "results": {"512": {"0+0": arms}}}
        [case] = results.nfsra_cases("trixie rsize 512K file 64M", entry)
        self.assertEqual(case.arms["4x"], case.arms["2048"])

    def test_a_truncated_file(self) -> None:
        """It is left out with a message; the others are read."""
        path = self.copy("ctxra.json")
        path.write_text(path.read_text()[:700])
        self.copy("nfs-ra.json")
        found = results.load(self.folder)
        self.assertEqual({case.bench for case in found.cases}, {"nfsra"})
        self.assertEqual(len(found.errors), 1)
        self.assertTrue(found.errors[0].startswith("ctxra.json: incomplete"))

    def test_an_interrupted_run(self) -> None:
        """It has the cases, arms and figures that it reached, and no others."""
        path = self.copy("nfs-ra.json")
        entries = json.loads(path.read_text())
        [entry] = entries.values()
        del entry["results"]["512"]["10+10"]
        del entry["results"]["512"]["0+0"]["auto"]
        del entry["results"]["512"]["0+0"]["4x"]["mb_s"]["max"]
        entries["bookworm rsize 32K file 64M"] = {"kernel": "6.1", "rounds": 3}
        path.write_text(json.dumps(entries))
        found = results.load(self.folder)
        self.assertEqual(found.errors, [])
        [case] = found.cases
        self.assertNotIn("auto", case.arms)
        self.assertNotIn("mb_s", case.arms["4x"])
        self.assertIn("tree_mb_s", case.arms["4x"])
        self.assertNotIn("mb_s", {judged.figure.key for judged in results.judge(case)})

    def test_an_incomplete_entry(self) -> None:
        path = self.copy("ctxra.json")
        path.write_text(json.dumps(json.loads(path.read_text()) | {"trixie": {"results": [{"rounds": 1}]}}))
        found = results.load(self.folder)
        self.assertEqual({case.suite for case in found.cases}, {"bookworm"})
        self.assertEqual(len(found.errors), 1)

    def test_adding(self) -> None:
        path = self.folder / "new" / "raid5-deadline.json"
        for case, command in (("one", "first"), ("two", "second"), ("one", "first")):
            results.add(path, {"trixie": {"kernel": "6.12", "results": {case: command}, "commands": [command]}})
        entry = results.read_file(path)["trixie"]
        self.assertEqual(entry["results"], {"one": "first", "two": "second"})
        self.assertEqual(entry["commands"], ["first", "second"])

    def test_adding_a_case_with_fewer_arms(self) -> None:
        figure = {"median": 1, "min": 1, "max": 1}
        path = self.folder / "nfs-ra.json"

        def add(*arms: str, figures: tuple[str, ...] = ("mb_s",)) -> results.Json:
            found = {arm: dict.fromkeys(figures, figure) for arm in arms}
            results.add(path, {"trixie rsize 512K": {"kernel": "6.12", "results": {"512": {"20": found}}}})
            arms_kept: results.Json = results.read_file(path)["trixie rsize 512K"]["results"]["512"]["20"]
            return arms_kept

        self.assertEqual(set(add("128", "8192", "auto", figures=("mb_s", "cpu_ms"))), {"128", "8192", "auto"})
        self.assertEqual(set(add("128", "auto")), {"128", "8192", "auto"})
        # A case that lacks only a figure is replaced.
        self.assertEqual(add("128", "8192", "auto", "4x")["128"], {"mb_s": figure})

    def test_adding_figures_of_another_kernel(self) -> None:
        """They replace the old figures, as those with other settings do."""
        path = self.folder / "raid5-deadline.json"
        results.add(path, {"trixie": {"kernel": "6.12.1", "results": {"one": 1}, "commands": ["first"]}})
        results.add(path, {"trixie": {"kernel": "6.12.2", "results": {"two": 2}, "commands": ["second"]}})
        entry = results.read_file(path)["trixie"]
        self.assertEqual(entry, {"kernel": "6.12.2", "results": {"two": 2}, "commands": ["second"]})

    def test_adding_to_a_list(self) -> None:
        path = self.folder / "ctxra.json"
        for name, rounds in (("one", 1), ("two", 1), ("one", 5)):
            results.add(path, {"trixie": {"kernel": "6.12", "results": [{"case": {"name": name}, "rounds": rounds}]}})
        found = [(result["case"]["name"], result["rounds"]) for result in results.read_file(path)["trixie"]["results"]]
        self.assertEqual(found, [("one", 5), ("two", 1)])

    def test_adding_to_an_incomplete_file(self) -> None:
        path = self.folder / "ctxra.json"
        path.write_text('{"trixie": {')
        results.add(path, {"bookworm": {"results": []}})
        self.assertEqual(list(results.read_file(path)), ["bookworm"])
        self.assertEqual((self.folder / "ctxra.broken").read_text(), '{"trixie": {')


if __name__ == "__main__":
    unittest.main()
