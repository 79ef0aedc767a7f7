# SPDX-License-Identifier: GPL-2.0-only
import unittest

import counters

HEADER = """/* C(OLD, "old") */
#define X_COUNTERS(C) \\
	C(HELD, "held") C(LEFT_OFF, "left_off") \\
	C(FULL, "full")
"""
PAGE = '.TP\n.B held\nstripes.\n.TP\n.BR full ", " left_off\nthe rest, but not\n.B other\nones.\n'


class Counters(unittest.TestCase):
    def check(self, header: str, page: str, *expected: str) -> None:
        self.assertEqual(list(expected), list(counters.troubles(header, page)))

    def test_right(self) -> None:
        self.check(HEADER, PAGE)

    def test_no_list(self) -> None:
        self.check("enum x_counter { X_HELD };\n", PAGE, 'lists no counter as C(NAME, "name")')

    def test_another_string(self) -> None:
        self.check('C(HOLD, "held")', PAGE, 'HOLD is "held", not its name in lower case')

    def test_no_entry(self) -> None:
        self.check('C(OTHER, "other")', PAGE, "other has no entry in the man page")

    def test_a_series_has_one_entry(self) -> None:
        header = 'C(BELOW_1_MS, "below_1_ms") C(BELOW_2_MS, "below_2_ms")'
        self.check(header, '.TP\n.BR below_1_ms " to " above_2_s\n')
        self.check(header, PAGE, *(f"below_{n}_ms has no entry in the man page" for n in (1, 2)))

    def test_entries_that_nothing_counts(self) -> None:
        page = f".SH COUNTERS\n{PAGE}.TP\n.B left_missed\nThe rest.\n.SH NOTES\n.TP\n.B other_thing\nis none.\n"
        self.assertEqual(list(counters.stale(HEADER, page, 'seq_puts(file, "left_missed 0");')), [])
        self.assertEqual(list(counters.stale(HEADER, page, 'seq_puts(file, "0 left_missed");')), [])
        self.assertEqual(len(list(counters.stale(HEADER, page, 'left_missed = strlen("")'))), 1)
        self.assertEqual(len(list(counters.stale(HEADER, page, ""))), 1)


if __name__ == "__main__":
    unittest.main()
