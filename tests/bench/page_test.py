# SPDX-License-Identifier: GPL-2.0-only
"""The contents and the order of the page of results."""

import importlib.machinery
import importlib.util
import re
import sys
import unittest
from pathlib import Path
from types import ModuleType

import page
import results
import seeds
from results import Case, Results, Spread

TOP = Path(__file__).resolve().parents[2]
JSON = Path(__file__).resolve().with_name("json")


def rows(text: str, first: str) -> list[list[str]]:
    """Return the cells of the table rows with this first cell."""
    lines = [line for line in text.splitlines() if line.startswith(f"| {first} |")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


class Page(unittest.TestCase):
    def setUp(self) -> None:
        self.text = page.page(results.load(JSON), seeds.load())
        self.first = self.text.partition("## Seed 1")[0]

    def test_the_first_section_is_where_seqkeep_is_no_better(self) -> None:
        headings = re.findall("^## (.*)", self.text, re.MULTILINE)
        self.assertEqual(headings[0], "Where seqkeep is no better, or worse")
        self.assertEqual([heading[:6] for heading in headings[1:]], [f"Seed {number}" for number in range(1, 6)])

    def test_no_better(self) -> None:
        """A cell has all listed figures of a case on a kernel, in bold if worse."""
        [found] = rows(self.first, "in-order-128K")
        lines = ["MB/s: 1.00 [0.990..1.010] of stock", "**disk reads: 1.002 [1.002..1.002] of stock**"]
        self.assertEqual(found[1:], ["<br>".join(lines), "not measured", "not measured"])

    def test_worse_than_a_control(self) -> None:
        [found] = rows(self.first, "seq-256K-16")
        self.assertIn("**MB/s: 0.76 [0.75..0.76] of stock-cache-8192**", found[2])

    def test_the_name_of_our_arm(self) -> None:
        arms = {"stock": {"iops": Spread(2, 2, 2)}, "uncached": {"iops": Spread(1, 1, 1)}}
        text = page.page(Results([Case("nfsd", "trixie", "6.12", "xfs", "random", 2, arms)]), [])
        self.assertEqual(rows(text, "random")[0][2], "**uncached, I/O/s: 0.50 [0.50..0.50] of stock**")

    def test_better_is_not_listed(self) -> None:
        """Its cell is empty, if another kernel has something to list."""
        slow, fast = ({"ctxra": {"mb_s": Spread(n, n, n)}, "stock": {"mb_s": Spread(2, 2, 2)}} for n in (1, 3))
        cases = [Case("ctxra", suite, "6", "", "x", 2, arms) for suite, arms in (("bookworm", slow), ("trixie", fast))]
        [found] = rows(page.page(Results(cases), []), "x")
        self.assertEqual(found[2:], ["", "not measured"])

    def test_counts(self) -> None:
        self.assertEqual(rows(self.first, "ctxra"), [["ctxra", "3", "1", "1", "0", "1"]])
        self.assertEqual(rows(self.first, "nfsd-dio")[0][2:], ["not measured"] * 4)

    def test_one_run_has_no_range(self) -> None:
        [found] = rows(self.first, "free-4")
        self.assertEqual(found[2], "MB/s: 3.00 of stock, one run")

    def test_seed_beside_today(self) -> None:
        [found] = [row for row in rows(self.text, "one stream, deadline, default readahead") if row[1] == "MB/s"]
        self.assertEqual(found[2:4], ["stock 51.8 -> patched 71.3: 1.38", "free-4, MB/s"])
        self.assertEqual(found[4:], ["105 -> 160: 1.52 [1.45..1.62]", "100 -> 300: 3.00", "not measured"])

    def test_a_seeds_case_without_one_of_ours(self) -> None:
        """It is in the table of all that the seed reported, and not in that beside today's."""
        [found] = rows(self.text, "one stream, CFQ, readahead 512K")
        self.assertEqual(found[1:4], ["seed, MB/s", "59.7", "63.5"])

    def test_every_arm(self) -> None:
        """The controls are between stock and ours."""
        header = ["case", "figure", "stock", "stock-cache-8192", "auto", "auto relative to stock"]
        text = page.arms_page(results.BENCHES["raid5"], results.load(JSON))
        self.assertIn(header, rows(text, "case"))
        [speed, pre_read] = rows(text, "xfs-copy")
        self.assertEqual(speed[2:], ["105", "not measured", "155", "1.48 [1.45..1.50]"])
        self.assertEqual(pre_read[2:], ["110", "0", "not measured", "not measured"])

    def test_the_same_arms_as_the_seed(self) -> None:
        table = self.text[self.text.index("## Seed 3") : self.text.index("## Seed 4")]
        lines = [line for line in table.splitlines() if "| 6.12." in line and "64M file" in line]
        self.assertEqual(len(lines), 2)

    def test_a_kernel_that_is_missing(self) -> None:
        self.assertIn("| bookworm<br>6.1.0-1 | trixie<br>6.12.1 | trixie-backports |", self.text)
        text = page.arms_page(results.BENCHES["ctxra"], results.load(JSON))
        self.assertIn("\n## trixie-backports\n\nNot measured.\n", text)
        self.assertIn("\nnot measured: in-order-128K.\n", text)
        self.assertNotIn("figures/results-ctxra-trixie-backports.png", text)
        self.assertIn("](../figures/results-ctxra-trixie.png)", text)

    def test_one_figure_for_each_seed(self) -> None:
        """The figure is that of the kernel with the most cases."""
        section = self.text[self.text.index("## Seed 1") : self.text.index("## Seed 2")]
        self.assertEqual(re.findall(r"\]\((figures/.*?)\)", section), ["figures/results-ctxra-bookworm.png"])
        self.assertIn("(results/ctxra.md)", section)

    def test_no_figure_without_stock(self) -> None:
        """bench/report draws no figure if stock was not measured."""
        arms = {"stock-cache-8192": {"mb_s": Spread(1, 1, 1)}, "auto": {"mb_s": Spread(2, 2, 2)}}
        found = Results([Case("raid5", "trixie", "6.12", "", "seq", 2, arms)])
        text = page.arms_page(results.BENCHES["raid5"], found)
        self.assertNotIn("![", page.page(found, seeds.load()) + text)
        self.assertIn(["seq", "MB/s", "not measured", "1.00", "2.00", "not measured"], rows(text, "seq"))

    def test_commands(self) -> None:
        self.assertIn("```\nbench/run ctxra --rounds 1 trixie\n```", self.text)
        self.assertIn("```\nmake bench BENCH=nfsd\n```", self.text)

    def test_left_out_files_are_named(self) -> None:
        self.assertIn("**Left out**: x.json: incomplete.", page.page(Results(errors=["x.json: incomplete"]), []))

    def test_nothing_measured(self) -> None:
        text = page.page(Results(), seeds.load())
        self.assertNotIn("![", text)
        self.assertIn("not measured", text)


class Numbers(unittest.TestCase):
    def test_digits(self) -> None:
        given = (0, 0.0041, 0.5, 1, 9.994, 12.34, 1234.5, float("inf"))
        self.assertEqual([page.number(x) for x in given], ["0", "0.0041", "0.50", "1.00", "9.99", "12.3", "1234", "∞"])

    def test_a_ratio_near_one(self) -> None:
        self.assertEqual([page.times(x) for x in (1, 1.0004, 0.95, 1.5)], ["1.00", "1.000", "0.950", "1.50"])


def program(name: str) -> ModuleType:
    """Import a program of bench/guest without running it."""
    path = str(TOP / "bench/guest" / name)
    loader = importlib.machinery.SourceFileLoader(f"guest_{name}", path)
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec
    module = importlib.util.module_from_spec(spec)
    # dataclass looks up the module there.
    sys.modules[loader.name] = module
    loader.exec_module(module)
    return module


class Seeds(unittest.TestCase):
    def test_each_nearest_case_is_one_of_the_bench(self) -> None:
        delays, sizes = ("0+0", "1+1", "5+5", "10+10"), (32, 512, 1024)
        cases = {
            "ctxra": {case.name for case in program("ctxra-measure").CASES},
            "raid5": set(program("raid5").CASES),
            "nfsd": set(program("nfsd").CASES),
            "iostune": set(program("iostune").CASES),
            "nfsra": {f"rsize {size}K, {delay} ms" for size in sizes for delay in delays},
        }
        for seed in seeds.load():
            for reported in seed.figures:
                if reported.like:
                    self.assertIn(reported.like, cases[seed.bench])
                if reported.figure:
                    self.assertIn(reported.figure, {figure.key for figure in results.BENCHES[seed.bench].figures})

    def test_compared_arms_were_reported(self) -> None:
        for seed in seeds.load():
            for reported in seed.figures:
                known = {reported.before, reported.after} <= reported.by_arm.keys()
                self.assertNotEqual(known, bool(reported.said), reported.case)


if __name__ == "__main__":
    unittest.main()
