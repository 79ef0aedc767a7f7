# SPDX-License-Identifier: GPL-2.0-only
"""Does tests/kernels claim of a kernel no more than docs/matrix.md and docs/kernels.tsv say?"""

import unittest
from pathlib import Path

import scripts

TOP = Path(__file__).resolve().parents[1]
PAGE = """
`make matrix` writes this table; last on 2026-11-23, or on the day that a row has.

| kernel | release | ctxra | doctor |
|---|---|---|---|
| 6.1.0-56-amd64 | bookworm | passed | passed |
| 6.12.117+deb13-amd64 | trixie | passed | **failed** |
| 6.14.2-amd64 | of a test | passed | not run |
| 6.15.2-amd64 | of a test | skipped | passed |
| none: its root was not made | sid | not tried | not tried |
| 7.2.3+deb13-arm64 | trixie-backports, arm64 | passed | passed |
| 7.3-amd64 (2026-11-27) | experimental | passed | passed |

## Kernels that seqkeep was built for

Every module was built for the kernels below, whose headers Debian's archive had
on 2026-11-24.

| built in | kernels |
|---|---|
| bookworm | 6.1.0-47 (amd64), **6.12.95+deb12 (amd64): ctxra does not build**, 6.13.2+deb12 (amd64) |

## Kernels of other distributions

| 6.18.1 | of a table that no command writes | passed | passed |
"""


kernels = scripts.load(TOP / "tests/kernels")


class Matrix(unittest.TestCase):
    def test_rows_in_which_all_passed_each_with_its_date(self) -> None:
        found = [(trial.series, trial.verdict, trial.date) for trial in kernels.matrix_trials(PAGE)]
        booted = [("6.1", "booted", "2026-11-23"), ("7.3", "booted", "2026-11-27")]
        built = [("6.1", "built", "2026-11-24"), ("6.13", "built", "2026-11-24")]
        self.assertEqual(found, booted + built)

    def test_the_page_of_now(self) -> None:
        self.assertTrue(kernels.matrix_trials(kernels.MATRIX.read_text()))


class ByHand(unittest.TestCase):
    def test_a_date_unless_not_tried(self) -> None:
        lines = "# a comment\n6.2\tbuilt\t2026-11-27\tby hand\nRHEL 9.7\tnot tried\t\tby its name\n"
        found = [(trial.series, trial.verdict, trial.date) for trial in kernels.hand_trials(lines)]
        self.assertEqual(found, [("6.2", "built", "2026-11-27"), ("RHEL 9.7", "not tried", "")])
        for line in (
            "6.2\tbuilt\t\tx",
            "6.2\tnot tried\t2026-11-27\tx",
            "6.2\tlinked\t2026-11-27\tx",
            "6.2\tnot tried",
        ):
            with self.subTest(line), self.assertRaisesRegex(SystemExit, "kernels.tsv:1: want SERIES"):
                kernels.hand_trials(line)


class Best(unittest.TestCase):
    def test_what_says_most_then_the_newest(self) -> None:
        trials = [
            kernels.Trial("6.8", "booted", "2026-11-20", "first"),
            kernels.Trial("6.8", "booted", "2026-11-21", "second"),
            kernels.Trial("6.8", "booted", "2026-11-21", "third"),
            kernels.Trial("6.8", "built", "2026-11-28", "fourth"),
        ]
        self.assertEqual([trial.how for trial in kernels.best(trials)], ["third"])


if __name__ == "__main__":
    unittest.main()
