# SPDX-License-Identifier: GPL-2.0-only
"""Only a run that finishes, with a clean console and the golden output, may pass."""

import tempfile
import unittest
from pathlib import Path
from typing import Any

from junit import Case

from .check import Test, is_left_out, judge, merge_tries, read_test, skip_reason
from .machine import Outcome


class Verdict(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "001-example"
        self.test = Test(self.path, {})

    def verdict(self, **how: Any) -> tuple[str, str]:
        fields: dict[str, Any] = {"status": 0, "timed_out": False, "output": ""} | how
        return judge(self.test, Outcome(**fields))

    def test_clean_run_passes(self) -> None:
        self.assertEqual(self.verdict()[0], "passed")

    def test_status_fails(self) -> None:
        self.assertEqual(self.verdict(status=1, output="some\nFAILED: why\n"), ("failed", "FAILED: why"))

    def test_no_status_fails(self) -> None:
        self.assertEqual(self.verdict(status=None)[0], "failed")

    def test_timeout_fails(self) -> None:
        self.assertEqual(self.verdict(timed_out=True)[0], "failed")

    def test_splat_fails_even_status_passed_or_skipped(self) -> None:
        for status in (0, 77):
            self.assertEqual(self.verdict(status=status, faults=["BUG: unwell"])[0], "failed")

    def test_skip_has_its_reason(self) -> None:
        self.assertEqual(
            self.verdict(status=77, output="is for kernels from 7.0\n"),
            ("skipped", "is for kernels from 7.0"),
        )

    def test_output_must_be_golden(self) -> None:
        self.path.with_name("001-example.out").write_text("ten reads\n")
        self.assertEqual(self.verdict(output="ten reads\n")[0], "passed")
        verdict, reason = self.verdict(output="nine reads\n")
        self.assertEqual(verdict, "failed")
        self.assertIn("+nine reads", reason)

    def test_settings_are_read(self) -> None:
        self.path.write_text('DESCRIPTION="a \'thing\' holds"\nTIMEOUT=20 # seconds\n\ntest() {\n\tA="b"\n}\n')
        self.assertEqual(read_test(self.path).settings, {"DESCRIPTION": "a 'thing' holds", "TIMEOUT": "20"})


class LeftOut(unittest.TestCase):
    def left_out(self, long: str, suite: str, *wanted: str) -> bool:
        return is_left_out(Test(Path("ctxra/017-random-reads"), {"LONG": long} if long else {}), suite, wanted)

    def test_short_runs_everywhere(self) -> None:
        self.assertFalse(self.left_out("", "trixie"))

    def test_long_runs_if_named(self) -> None:
        self.assertTrue(self.left_out("1", "trixie"))
        self.assertTrue(self.left_out("1", "trixie", "ctxra"))
        self.assertFalse(self.left_out("1", "trixie", "ctxra/017"))
        self.assertFalse(self.left_out("1", "trixie", "ctxra/"))

    def test_long_on_some_suites(self) -> None:
        self.assertTrue(self.left_out("bookworm trixie-backports", "trixie-backports"))
        self.assertFalse(self.left_out("bookworm trixie-backports", "trixie"))
        self.assertFalse(self.left_out("bookworm trixie-backports", "bookworm", "ctxra/017"))


class NotFor(unittest.TestCase):
    def reason(self, suite: str, **settings: str) -> str:
        return skip_reason(Test(Path("common/009-enforced-signatures"), settings), suite)

    def test_runs_everywhere_by_default(self) -> None:
        self.assertEqual(self.reason("trixie"), "")
        self.assertEqual(self.reason("debug"), "")

    def test_suites(self) -> None:
        self.assertEqual(self.reason("trixie", SUITES="trixie debug"), "")
        self.assertEqual(self.reason("bookworm", SUITES="trixie debug"), "is for trixie debug")
        self.assertEqual(self.reason("own-trixie", SUITES="trixie debug"), "")

    def test_own_kernel_has_no_stock_root(self) -> None:
        self.assertEqual(self.reason("own-trixie", ROOT="plain"), "is for a stock root")
        self.assertEqual(self.reason("own-trixie", TRUSTED="1"), "is for a kernel that checks signatures")

    def test_kernels_with_sanitizers(self) -> None:
        for settings in ({"ROOT": "plain"}, {"TRUSTED": "1"}):
            self.assertEqual(self.reason("trixie", **settings), "")
            self.assertNotEqual(self.reason("debug-newest", **settings), "")

    def test_other_architecture(self) -> None:
        self.assertEqual(self.reason("trixie-arm64"), "")
        self.assertNotEqual(self.reason("trixie-arm64", TRUSTED="1"), "")


class SecondTry(unittest.TestCase):
    FIRST = Case("trixie", "ctxra/003", "failed", "9, expected at most 8", "read 9", 20.0)

    def test_second_passes(self) -> None:
        both = merge_tries(self.FIRST, Case("trixie", "ctxra/003", "passed", "", "read 7", 10.0))
        self.assertEqual((both.verdict, both.reason), ("passed", "first try: 9, expected at most 8"))
        self.assertIn("read 9", both.output)
        self.assertIn("read 7", both.output)
        self.assertEqual(both.seconds, 30.0)

    def test_second_fails(self) -> None:
        both = merge_tries(self.FIRST, Case("trixie", "ctxra/003", "failed", "the console has: BUG", "", 10.0))
        self.assertEqual(both.verdict, "failed")
        self.assertTrue(both.reason.startswith("the console has: BUG"))


if __name__ == "__main__":
    unittest.main()
