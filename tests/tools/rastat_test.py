# SPDX-License-Identifier: GPL-2.0-only
"""Check what rastat computes from the module's tables."""

import argparse
import contextlib
import io
import itertools
import json
import os
import random
import stat
import tempfile
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

import scripts

# How many lists of arguments, and damaged tables; FUZZ=10000 for more.
FUZZ = int(os.environ.get("FUZZ", "150"))
SOURCE = Path(__file__).parents[2] / "tools/rastat"


rastat = scripts.load(SOURCE)

COLUMNS = "pattern count sync_count eof_count size async_size actual used unused unknown"
TEXT = f"""# check: ok
dev 8:1 entered 40 block 40
{COLUMNS}
initial0 1 1 0 8 4 8 8 0 0
random 4 4 0 4 0 4 n/a n/a n/a
all 5 5 0 12 4 12 8 0 0
dev 0:52 entered 40 block n/a
{COLUMNS}
initial0 3 3 0 24 12 24 6 2 0
random 0 0 0 0 0 0 n/a n/a n/a
all 3 3 0 24 12 24 6 2 0
"""


class Parse(unittest.TestCase):
    def test_devices_and_rows(self) -> None:
        sample = rastat.parse(TEXT, 0.0)
        self.assertEqual(list(sample.devices), ["8:1", "0:52"])
        self.assertEqual(sample.devices["8:1"]["initial0"]["actual"], 8)
        self.assertIsNone(sample.devices["8:1"]["random"]["used"])
        self.assertEqual(sample.warnings, [])

    def test_a_mismatch_is_passed_on(self) -> None:
        sample = rastat.parse(TEXT.replace("# check: ok", "# MISMATCH: patterns sum to 1, all is 2"), 0.0)
        self.assertEqual(sample.warnings, ["MISMATCH: patterns sum to 1, all is 2"])


class Sums(unittest.TestCase):
    def test_all_devices(self) -> None:
        total = rastat.total_of(rastat.parse(TEXT, 0.0), None)
        self.assertEqual(total["initial0"]["count"], 4)
        self.assertIsNone(total["random"]["used"])

    def test_one_device(self) -> None:
        self.assertEqual(rastat.total_of(rastat.parse(TEXT, 0.0), "0:52")["all"]["actual"], 24)
        self.assertEqual(rastat.total_of(rastat.parse(TEXT, 0.0), "9:9"), {})

    def test_difference(self) -> None:
        old = rastat.total_of(rastat.parse(TEXT, 0.0), "8:1")
        new = rastat.total_of(rastat.parse(TEXT, 0.0), None)
        self.assertEqual(rastat.difference(new, old)["initial0"]["actual"], 24)
        self.assertIsNone(rastat.difference(new, old)["random"]["used"])

    def test_a_reset_in_between_gives_no_negative_numbers(self) -> None:
        old = rastat.total_of(rastat.parse(TEXT, 0.0), None)
        new = rastat.total_of(rastat.parse(TEXT, 0.0), "8:1")
        self.assertEqual(rastat.difference(new, old)["initial0"]["actual"], 8)

    def test_a_reset_shows_in_any_column(self) -> None:
        """A fall in one column of one row means that all rows were reset, even if other columns rose."""
        old = {"random": {"count": 10, "actual": 100000}, "trail": {"count": 1, "actual": 8}}
        new = {"random": {"count": 12, "actual": 1200}, "trail": {"count": 1, "actual": 8}}
        self.assertEqual(rastat.difference(new, old), new)


class Figures(unittest.TestCase):
    def test_rates_and_shares(self) -> None:
        row = rastat.parse(TEXT, 0.0).devices["0:52"]["initial0"]
        shown = rastat.figures(row, 2.0)
        self.assertEqual(shown["per_s"], 1.5)
        self.assertEqual(shown["kib"], 8 * rastat.PAGE_KIB)
        self.assertEqual(shown["hit"], 0.75)
        self.assertEqual(shown["waste"], 0.25)

    def test_what_is_not_known_is_not_zero(self) -> None:
        shown = rastat.figures(rastat.parse(TEXT, 0.0).devices["8:1"]["random"], 1.0)
        self.assertIsNone(shown["hit"])
        self.assertEqual(rastat.cells_of("random", shown, False, False)[5], "-")

    def test_a_terabyte_leaves_columns_apart(self) -> None:
        rows = {
            "trail": {"count": 7812500, "sync_count": 0, "actual": 2500000000000, "used": 1, "unused": 0},
            "all": {"count": 10**12, "sync_count": 10**12, "actual": 10**15, "used": 1, "unused": 0},
        }
        for is_sum in (False, True):
            cells = [rastat.cells_of(name, rastat.figures(row, 1.0), is_sum, False) for name, row in rows.items()]
            lines = rastat.lines_of(cells, is_sum, False)
            self.assertEqual([line.split() for line in lines[1:]], cells)
            self.assertEqual(len({len(line) for line in lines}), 1)
        # Counts have no fraction.
        self.assertNotIn(".", cells[0][1] + cells[0][3])

    def test_human_units(self) -> None:
        for kib, text in ((0, "0.0K"), (999, "999.0K"), (1536, "1.5M"), (10**10, "9.3T"), (None, "-")):
            self.assertEqual(rastat.human(kib), text)


class Runs(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "class/sda1").mkdir(parents=True)
        (self.root / "class/sda1/dev").write_text("8:1\n")

    def show(self, *words: str, text: str = TEXT) -> tuple[str, str]:
        (self.root / "stats_by_dev").write_text(text)
        shown, said = io.StringIO(), io.StringIO()
        with (
            mock.patch("sys.argv", ["rastat", "--directory", str(self.root), *words]),
            contextlib.redirect_stdout(shown),
            contextlib.redirect_stderr(said),
        ):
            rastat.main()
        return shown.getvalue(), said.getvalue()


class Devices(Runs):
    def test_a_name(self) -> None:
        with mock.patch.object(rastat, "CLASS", self.root / "class"):
            for name in ("sda1", "/nowhere/sda1", "8:1"):
                self.assertEqual(rastat.device_number(name), "8:1")
            with self.assertRaisesRegex(SystemExit, "sda2: neither a block device nor MAJOR:MINOR"):
                rastat.device_number("sda2")

    def test_what_a_link_leads_to(self) -> None:
        node = mock.Mock(st_mode=stat.S_IFBLK, st_rdev=os.makedev(253, 7))
        with mock.patch.object(rastat.Path, "stat", return_value=node):
            self.assertEqual(rastat.device_number("/dev/mapper/vg-root"), "253:7")

    def test_a_device_without_rows(self) -> None:
        for words in (("--dev", "259:99"), ("--dev", "259:99", "--json"), ("--dev", "259:99", "0.01", "2")):
            shown, said = self.show(*words)
            self.assertTrue(shown)
            self.assertEqual(said.count("nothing is counted for it alone so far; files are counted under the"), 1)
            self.assertNotIn("0:0", said)
        self.assertEqual(self.show("--dev", "8:1")[1], "")
        self.assertEqual(self.show()[1], "")

    def test_what_the_module_warns_of_is_said_once(self) -> None:
        missed = TEXT.replace("# check: ok", "# check: ok\n# missed: 1 of 41 calls")
        for words in ((), ("0.001", "3")):
            self.assertEqual(self.show(*words, text=missed)[1], "rastat: the module says: missed: 1 of 41 calls\n")

    def test_a_device_beyond_those_told_apart(self) -> None:
        others = TEXT.replace("dev 0:52", "dev 0:0")
        self.assertIn("are counted together: --dev 0:0", self.show("--dev", "259:99", text=others)[1])
        self.assertEqual(self.show("--dev", "0:0", text=others)[1], "")

    def test_only_what_is_plotted_is_kept(self) -> None:
        (self.root / "stats_by_dev").write_text(TEXT)
        args = argparse.Namespace(directory=self.root, interval=0.001, count=3, json=True, dev=None, plot=None)
        points: list[Any] = []
        with contextlib.redirect_stdout(io.StringIO()):
            rastat.watch(args, None, points)
            self.assertEqual(points, [])
            args.plot = self.root / "a.png"
            rastat.watch(args, None, points)
            self.assertEqual(len(points), 3)

    def test_a_plot_of_what_was_seen_before_the_module_went(self) -> None:
        with (
            mock.patch.object(rastat, "why_no_plot", return_value=""),
            mock.patch.object(rastat, "report", side_effect=lambda *rest: (self.root / "stats_by_dev").unlink()),
            mock.patch.object(rastat, "plot") as plot,
            self.assertRaisesRegex(SystemExit, "no stats_by_dev there"),
        ):
            self.show("--plot", "a.png", "0.01", "5")
        plot.assert_called_once()
        self.assertEqual(len(plot.call_args.args[1]), 1)

    def test_rates_do_not_depend_on_the_time_of_day(self) -> None:
        # The time of day jumps back and forth by an hour.
        day = itertools.cycle((7200.0, 3600.0))
        with mock.patch.object(rastat.time, "time", side_effect=lambda: next(day)):
            lines = [json.loads(line) for line in self.show("--json", "0.01", "2")[0].splitlines()]
        self.assertEqual(len(lines), 2)
        self.assertEqual({line["time"] for line in lines}, {3600.0, 7200.0})
        for line in lines:
            self.assertGreater(line["seconds"], 0)
            self.assertLess(line["seconds"], 3600)


class Fuzz(Runs):
    """Random arguments and damaged tables: no exception but an exit with a line."""

    WORDS = (
        *("--dev", "--json", "--human", "--plot", "--help", "-V", "--bogus", "--", "-", "", "=", "\udcff", "x" * 5000),
        *("0.01", "0", "1", "2", "-1", "nan", "1e9", "9" * 20, "8:1", "sda1", "259:99", "/dev/null", "a.png", "a.x"),
    )

    def ends(self, *words: str, text: str = TEXT) -> int:
        """Run rastat and return its exit status."""
        with (
            mock.patch("time.sleep", side_effect=[None, None, KeyboardInterrupt]),
            mock.patch.object(rastat, "plot"),
            mock.patch.object(rastat, "CLASS", self.root / "class"),
        ):
            try:
                self.show(*words, text=text)
            except SystemExit as ended:
                return ended.code if isinstance(ended.code, int) else int(bool(ended.code))
        return 0

    def test_arguments(self) -> None:
        dice, seen = random.Random(1), set()
        for _ in range(FUZZ):
            words = [dice.choice(self.WORDS) for _ in range(dice.randrange(6))]
            with self.subTest(words=words):
                seen.add(self.ends(*words))
        self.assertEqual(seen, {0, 1, 2})

    def test_damaged_tables(self) -> None:
        dice = random.Random(2)
        for _ in range(FUZZ):
            words = TEXT.split(" ")
            for _ in range(dice.randrange(1, 5)):
                words[dice.randrange(len(words))] = dice.choice(
                    ("", "-1", "x", "dev", "\ndev\n", "\n", "#", "n/a", "9" * 40)
                )
            text = " ".join(words)[: dice.choice((None, dice.randrange(len(TEXT))))]
            with self.subTest(text=text):
                self.assertIn(
                    self.ends(
                        *dice.choice(
                            ((), ("--json",), ("0.01", "2")),
                        ),
                        text=text,
                    ),
                    (0, 1),
                )


class Arguments(unittest.TestCase):
    def test_intervals(self) -> None:
        for text in ("0.1", "5", "1000000"):
            self.assertEqual(rastat.interval(text), float(text))
        for text in ("0", "-1", "nan", "inf", "1e7"):
            with self.assertRaises(argparse.ArgumentTypeError, msg=text):
                rastat.interval(text)

    def test_counts(self) -> None:
        self.assertEqual(rastat.count("2000000"), 2000000)
        with self.assertRaisesRegex(argparse.ArgumentTypeError, "count must be 1 or more, not 0"):
            rastat.count("0")


if __name__ == "__main__":
    unittest.main()
