# SPDX-License-Identifier: GPL-2.0-only
"""Do totals survive being written and read?"""

import tempfile
import unittest
from pathlib import Path

from junit import Case, Totals, count, read_totals, read_troubles, write

CASES = (
    Case("one", "good", "passed", seconds=1.25),
    Case("one", "bad <&>", "failed", 'reason "quoted" \x1b[31m', "line\n\x00\ufffe"),
    Case("two", "odd", "skipped", "no such device"),
    Case("two", "lucky", "passed", "first try: 9, at most 8"),
)


class Files(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.path = Path(directory.name) / "new" / "stage.xml"

    def test_round_trip(self) -> None:
        write(self.path, "stage", CASES)
        self.assertEqual(read_totals(self.path), Totals(2, 1, 1))

    def test_troubles(self) -> None:
        write(self.path, "stage", CASES)
        self.assertEqual(
            read_troubles(self.path),
            [
                'failed: stage.one bad <&>: reason "quoted" ?[31m',
                "second try: stage.two lucky: first try: 9, at most 8",
            ],
        )

    def test_no_file_is_a_trouble(self) -> None:
        self.assertEqual(len(read_troubles(self.path)), 1)

    def test_no_cases(self) -> None:
        write(self.path, "stage", [])
        self.assertEqual(read_totals(self.path), Totals())

    def test_missing_file_is_a_failure(self) -> None:
        self.assertEqual(read_totals(self.path), Totals(failed=1))

    def test_broken_file_is_a_failure(self) -> None:
        self.path.parent.mkdir()
        self.path.write_text("<testsuite><testcase/>")
        self.assertEqual(read_totals(self.path), Totals(failed=1))


class Sums(unittest.TestCase):
    def test_count(self) -> None:
        self.assertEqual(count(CASES), Totals(2, 1, 1))

    def test_text(self) -> None:
        total = Totals(1, 2, 3) + Totals(10, 20, 30)
        self.assertEqual(str(total), "11 passed, 22 failed, 33 skipped")

    def test_good(self) -> None:
        self.assertTrue(Totals(passed=1, skipped=5).good)
        self.assertFalse(Totals(passed=9, failed=1).good)
        self.assertFalse(Totals(skipped=3).good)
        self.assertFalse(Totals().good)


if __name__ == "__main__":
    unittest.main()
