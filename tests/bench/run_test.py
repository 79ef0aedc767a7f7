# SPDX-License-Identifier: GPL-2.0-only
"""The table of benches in bench/run."""

import contextlib
import io
import os
import re
import unittest
from pathlib import Path

import results
import scripts

TOP = Path(__file__).resolve().parents[2]

run = scripts.load(TOP / "bench/run")


class Table(unittest.TestCase):
    def test_every_bench_has_a_format_a_program_and_a_make_target(self) -> None:
        listed = re.search(r"^BENCHES := (.*)$", (TOP / "Makefile").read_text(), re.MULTILINE)
        assert listed
        self.assertEqual(listed[1].split(), list(run.BENCHES))
        self.assertEqual(list(results.BENCHES), list(run.BENCHES))
        for name in run.BENCHES:
            self.assertTrue(os.access(TOP / "bench/guest" / name, os.X_OK), name)

    def boots(self, *words: str) -> list[tuple[object, ...]]:
        args, cases = run.parse_arguments(list(words))
        return [tuple(boot) for boot in run.BENCHES[args.bench].boots(args, args.suites[0], cases)]

    def test_boots(self) -> None:
        self.assertEqual(
            self.boots("nfsd", "trixie", "--seconds", "2", "--", "random-4K-1"),
            [
                ("trixie ext4, rotational", (3, 2, "ext4", 1, -1, "random-4K-1"), ()),
                ("trixie xfs, rotational", (3, 2, "xfs", 1, -1, "random-4K-1"), ()),
            ],
        )
        self.assertEqual(self.boots("ctxra", "trixie"), [("trixie", (5,), ("--memory", "3G"))])
        name, words = "trixie, 5000 us, 9 MB/s", (3, 5000, 9)
        found = self.boots("raid5", "--cost-us", "5000", "--mbps", "9", "trixie")
        self.assertEqual(found, [(name, words, ("--memory", "3G"))])
        # Only the arm auto needs our packages.
        for arm, options in (("128", ("--plain",)), ("auto", ())):
            found = self.boots("nfsra", "--rsize", "32", "--arm", arm, "trixie")
            self.assertEqual(found, [("trixie rsize 32K file 64M", (3, 64, arm, 32), options)])

    def test_wrong_arguments(self) -> None:
        for words in ([], ["iostune"], ["iostune", "--fs", "xfs", "trixie"], ["none", "trixie"]):
            with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()):
                run.parse_arguments(words)


if __name__ == "__main__":
    unittest.main()
