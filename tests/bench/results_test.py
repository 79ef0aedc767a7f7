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
from results import Case, Ratio, Spread, Verdict

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
    def check(self, ours: tuple[float, ...], stock: tuple[float, ...], more: Verdict, less: Verdict) -> None:
        """Assert the verdicts if more is better, and if less is."""
        self.assertEqual(results.verdict(runs(*ours), runs(*stock), True), more)
        self.assertEqual(results.verdict(runs(*ours), runs(*stock), False), less)

    def test_apart_in_six_rounds(self) -> None:
        self.check((15, 16, 17, 15, 16, 17), (10,) * 6, Verdict.BETTER, Verdict.WORSE)

    def test_five_rounds_are_too_few(self) -> None:
        self.check((90,) * 5, (10,) * 5, Verdict.FEW, Verdict.FEW)

    def test_rounds_that_do_not_pair(self) -> None:
        self.check((90,) * 6, (10,) * 7, Verdict.FEW, Verdict.FEW)

    def test_one_round_that_was_no_better(self) -> None:
        self.check((9, 15, 15, 15, 15, 15), (10,) * 6, Verdict.SAME, Verdict.SAME)

    def test_less_than_the_least_effect(self) -> None:
        """A difference of 1 %, however sure, is none; both ways."""
        self.check((101,) * 6, (100,) * 6, Verdict.SAME, Verdict.SAME)
        self.check((97,) * 6, (100,) * 6, Verdict.WORSE, Verdict.BETTER)

    def test_counts_of_nothing(self) -> None:
        self.check((0,) * 6, (8,) * 6, Verdict.WORSE, Verdict.BETTER)
        self.check((8,) * 6, (0,) * 6, Verdict.BETTER, Verdict.WORSE)
        self.check((0,) * 6, (0,) * 6, Verdict.SAME, Verdict.SAME)


class Judging(unittest.TestCase):
    def case(self, suite: str, name: str) -> Case:
        [found] = [case for case in results.load(JSON).cases if (case.suite, case.name) == (suite, name)]
        return found

    def test_the_best_control(self) -> None:
        case = self.case("trixie", "seq-256K-16")
        for key in ("mb_s", "pre_read"):
            [figure] = [figure for figure in results.BENCHES["raid5"].figures if figure.key == key]
            self.assertEqual(results.best_stock_arm(case, figure), "stock-cache-8192")

    def test_gain_of_a_cost(self) -> None:
        """Half of the cost is a gain of two."""
        figure = results.Figure("ios", "disk reads")
        case = Case("ctxra", "trixie", "6.12", "", "x", 1, {"stock": {"ios": runs(8)}, "ctxra": {"ios": runs(4)}})
        found = results.judge(case, figure, "ctxra", "stock")
        self.assertEqual(found and found.gain, 2)

    def test_a_missing_figure_is_not_judged(self) -> None:
        case = self.case("trixie", "xfs-copy")
        keys = [f.key for f in results.BENCHES["raid5"].figures if results.judge(case, f, "auto", "stock")]
        self.assertEqual(keys, ["mb_s"])

    def test_without_stock_nothing_is_judged(self) -> None:
        """A control alone may be the worst possible setting."""
        arms = {"stock-cache-8192": {"mb_s": runs(1, 1)}, "auto": {"mb_s": runs(2, 2)}}
        case = Case("raid5", "trixie", "6.12", "", "seq", 2, arms)
        self.assertIsNone(results.judge(case, results.MB_S, "auto", results.best_stock_arm(case, results.MB_S)))

    def test_what_a_module_is_for(self) -> None:
        meant = {name: bench.meant for name, bench in results.BENCHES.items()}
        for bench, case, figure, is_meant in (
            ("ctxra", "swap-4", "mb_s", True),
            ("ctxra", "cost-random-4K", "mb_s", False),
            ("nfsd", "mixed-random-4K-512-64", "iops", True),
            ("nfsd", "read-random-4K-512-1", "iops", False),
            ("nfsd", "sequential-32K-64", "iops", False),
            ("nfsra", "rsize 32K, 0+0 ms", "mb_s", True),
            ("nfsra", "rsize 32K, 0+0 ms", "pieces_mb_s", False),
            ("raid5", "beside-16K-1", "other_mb_s", False),
            ("iostune", "ssd-1", "mb_s", False),
        ):
            self.assertIs(meant[bench](case, figure), is_meant, (bench, case, figure))


class Kept(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.path = Path(directory.name) / "results.jsonl"

    def case(self, kernel: str = "6.12", **arms: float) -> Case:
        return Case("raid5", "trixie", kernel, "", "seq", 1, {arm: {"mb_s": runs(x)} for arm, x in arms.items()})

    def test_written_and_read(self) -> None:
        kept = results.Results([self.case(stock=1, auto=2)], {"raid5": ["bench/run raid5"]})
        results.write_kept(self.path, kept)
        self.assertEqual(results.read_kept(self.path), kept)
        self.assertEqual(len(self.path.read_text().splitlines()), 2)

    def test_a_new_measurement_replaces_the_old(self) -> None:
        found = results.keep(
            results.Results([self.case(stock=1, auto=2)]), results.Results([self.case(stock=1, auto=3)])
        )
        self.assertEqual(found.cases, [self.case(stock=1, auto=3)])

    def test_one_with_fewer_arms_does_not(self) -> None:
        """Unless it is of another kernel."""
        old = results.Results([self.case(stock=1, control=1, auto=2)])
        self.assertEqual(results.keep(old, results.Results([self.case(stock=1, auto=3)])).cases, old.cases)
        new = self.case("6.13", stock=1, auto=3)
        self.assertEqual(results.keep(old, results.Results([new])).cases, [new])

    def test_a_damaged_line_is_named(self) -> None:
        self.path.write_text('{"bench": "raid5", "commands": []}\n{"bench":\n')
        with self.assertRaisesRegex(ValueError, "results.jsonl, line 2"):
            results.read_kept(self.path)


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
        self.assertIsNone(results.judge(case, results.MB_S, "4x", "128"))

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
