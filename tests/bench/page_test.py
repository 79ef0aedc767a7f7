# SPDX-License-Identifier: GPL-2.0-only
"""The contents of the pages of results."""

import re
import unittest
from pathlib import Path
from types import ModuleType

import page
import reported
import results
import scripts
import summary
from results import Case, Results, Spread

TOP = Path(__file__).resolve().parents[2]
JSON = Path(__file__).resolve().with_name("json")


def rows(text: str, first: str) -> list[list[str]]:
    """Return the cells of the table rows with this first cell."""
    lines = [line for line in text.splitlines() if line.startswith(f"| {first} |")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


class Summary(unittest.TestCase):
    def setUp(self) -> None:
        self.text = summary.page(results.load(JSON), "")

    def test_the_first_table(self) -> None:
        """It counts the rates that a module is for, and has the worst of the others."""
        [found, *_] = rows(self.text, "ctxra")
        self.assertEqual(found[1:], ["2 of 2 faster by 2 % or more", "2.26", "none", "1.00 (1 cases)"])
        self.assertEqual(rows(self.text, "nfsd-dio")[0][1], "not measured")

    def test_the_first_table_is_first(self) -> None:
        self.assertLess(self.text.index("| ctxra |"), self.text.index("## ctxra"))

    def test_the_control_of_the_worst_case(self) -> None:
        arms = {arm: {"mb_s": Spread(n, n, n, (n,) * 2)} for arm, n in (("stock", 2), ("stock-8192", 4), ("auto", 3))}
        text = summary.page(Results([Case("raid5", "trixie", "6.12.1", "5000 us", "seq", 2, arms)]), "")
        [found] = rows(text, "worst")
        self.assertEqual(found[1], "seq (5000 us), 6.12")
        self.assertEqual(found[3:], ["2.00 -> 3.00", "1.50 [1.50..1.50]", "0.75 [0.75..0.75] of stock-8192"])
        self.assertIn("Of 1 rates that it is for: 1 too few rounds; of 0 others: none (2 rounds).", text)

    def test_the_largest_cost(self) -> None:
        """Of two cases, the one whose cost grows more; a cost that shrinks is no cost."""
        cases = [
            Case(
                "ctxra",
                "trixie",
                "6.12.1",
                "",
                name,
                1,
                {
                    "stock": {"mb_s": Spread(1, 1, 1, (1,)), "ios": Spread(10, 10, 10, (10,))},
                    "ctxra": {"mb_s": Spread(1, 1, 1, (1,)), "ios": Spread(ios, ios, ios, (ios,))},
                },
            )
            for name, ios in (("swap-4", 11), ("random-4K", 15), ("reverse", 5))
        ]
        [found] = rows(summary.page(Results(cases), ""), "most cost")
        self.assertEqual((found[1], found[4]), ("random-4K, 6.12", "1.50"))

    def test_the_gauntlet(self) -> None:
        """A row per group, a column per kernel: worse, same, better and failed."""
        gauntlet = (
            "| reads | trixie, 6.12.1, 6.12.2 | 3 | 2 | 1 | 0 | 6 |\n| reads | bookworm | not measured | | | | 0 |\n"
        )
        [found] = rows(summary.page(Results([]), gauntlet), "reads")
        self.assertEqual(found[1:], ["not measured", "3 / 2 / 1 / 0", "not measured"])

    def test_the_tree_has_the_page_of_its_figures(self) -> None:
        """bench/report was run after the last change of docs/results.jsonl, and no page is over its limit."""
        found = results.read_kept(TOP / "docs/results.jsonl")
        text = summary.page(found, (TOP / "docs/gauntlet.md").read_text(encoding="utf-8"))
        self.assertEqual((TOP / "docs/RESULTS.md").read_text(encoding="utf-8"), text)
        self.assertEqual((TOP / "docs/REFERENCES.md").read_text(), page.references(found, reported.load()))
        self.assertLessEqual(len(text.splitlines()), 150)
        self.assertLessEqual((TOP / "docs/results.jsonl").stat().st_size, 300_000)
        for name in re.findall(r"\]\((figures/.*?)\)", text):
            self.assertTrue((TOP / "docs" / name).exists(), name)

    def test_left_out_files_are_named(self) -> None:
        self.assertIn("**Left out**: x.json: incomplete.", summary.page(Results(errors=["x.json: incomplete"]), ""))

    def test_nothing_measured(self) -> None:
        self.assertNotIn("![", summary.page(Results(), ""))


class References(unittest.TestCase):
    def setUp(self) -> None:
        self.text = page.references(results.load(JSON), reported.load())

    def test_beside_today(self) -> None:
        [found] = [row for row in rows(self.text, "one stream, deadline, default readahead") if row[1] == "MB/s"]
        self.assertEqual(found[2:4], ["stock 51.8 -> patched 71.3: 1.38", "free-4, MB/s"])
        self.assertEqual(found[4:], ["105 -> 160: 1.52 [1.45..1.62]", "100 -> 300: 3.00", "not measured"])

    def test_a_case_without_one_of_ours(self) -> None:
        [found] = rows(self.text, "one stream, CFQ, readahead 512K")
        self.assertEqual(found[2:4], ["stock 59.7 -> patched 63.5: 1.064", ""])

    def test_who_where_and_when(self) -> None:
        for document in reported.load():
            self.assertIn(document.source, self.text)
            self.assertRegex(document.source, r"linux-\w+.*20\d\d-\d\d-\d\d")


class EveryArm(unittest.TestCase):
    def test_every_arm(self) -> None:
        """The controls are between stock and ours."""
        header = ["case", "figure", "stock", "stock-cache-8192", "auto", "auto relative to stock"]
        text = page.arms_page(results.BENCHES["raid5"], results.load(JSON))
        self.assertIn(header, rows(text, "case"))
        [speed, pre_read] = rows(text, "xfs-copy")
        self.assertEqual(speed[2:], ["105", "not measured", "155", "1.48 [1.45..1.50]"])
        self.assertEqual(pre_read[2:], ["110", "0", "not measured", "not measured"])

    def test_a_kernel_that_is_missing(self) -> None:
        text = page.arms_page(results.BENCHES["ctxra"], results.load(JSON))
        self.assertIn("\n## trixie-backports\n\nNot measured.\n", text)
        self.assertIn("\nnot measured: in-order-128K.\n", text)
        self.assertNotIn("(ctxra-trixie-backports.svg)", text)
        self.assertIn("](ctxra-trixie.svg)", text)

    def test_no_figure_without_stock(self) -> None:
        """bench/report draws no figure if stock was not measured."""
        arms = {"stock-cache-8192": {"mb_s": Spread(1, 1, 1)}, "auto": {"mb_s": Spread(2, 2, 2)}}
        found = Results([Case("raid5", "trixie", "6.12", "", "seq", 2, arms)])
        text = page.arms_page(results.BENCHES["raid5"], found)
        self.assertNotIn("![", text)
        self.assertIn(["seq", "MB/s", "not measured", "1.00", "2.00", "not measured"], rows(text, "seq"))

    def test_commands(self) -> None:
        found = results.load(JSON)
        self.assertIn("bench/run ctxra --rounds 1 trixie\n", page.arms_page(results.BENCHES["ctxra"], found))
        self.assertIn("```\nmake bench BENCH=nfsd\n```", page.arms_page(results.BENCHES["nfsd"], found))


class Numbers(unittest.TestCase):
    def test_digits(self) -> None:
        given = (0, 0.0041, 0.5, 1, 9.994, 12.34, 1234.5, float("inf"))
        self.assertEqual([page.number(x) for x in given], ["0", "0.0041", "0.50", "1.00", "9.99", "12.3", "1234", "∞"])

    def test_a_ratio_near_one(self) -> None:
        self.assertEqual([page.times(x) for x in (1, 1.0004, 0.95, 1.5)], ["1.00", "1.000", "0.950", "1.50"])


def program(name: str) -> ModuleType:
    """A program of bench/guest."""
    return scripts.load(TOP / "bench/guest" / name)


class Documents(unittest.TestCase):
    def test_each_nearest_case_is_one_of_the_bench(self) -> None:
        delays, sizes = ("0+0", "1+1", "5+5", "10+10"), (32, 512, 1024)
        cases = {
            "ctxra": {case.name for case in program("ctxra-measure").CASES},
            "raid5": set(program("raid5").CASES),
            "nfsd": set(program("nfsd").CASES),
            "iostune": set(program("iostune").CASES),
            "nfsra": {f"rsize {size}K, {delay} ms" for size in sizes for delay in delays},
        }
        for document in reported.load():
            for row in document.figures:
                if row.like:
                    self.assertIn(row.like, cases[document.bench])
                if row.figure:
                    self.assertIn(row.figure, {figure.key for figure in results.BENCHES[document.bench].figures})

    def test_compared_arms_were_reported(self) -> None:
        for document in reported.load():
            for row in document.figures:
                known = {row.before, row.after} <= row.by_arm.keys()
                self.assertNotEqual(known, bool(row.said), row.case)


if __name__ == "__main__":
    unittest.main()
