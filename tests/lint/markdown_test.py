# SPDX-License-Identifier: GPL-2.0-only
import unittest

import markdown

LONG = "word " * 20 + "x"


class Markdown(unittest.TestCase):
    def check(self, text: str, *lines: int) -> None:
        self.assertEqual(list(lines), [line for line, _ in markdown.long_lines(text)])

    def test_100_columns_are_right_and_101_are_not(self) -> None:
        self.check("x" * 100 + "\n" + "x" * 101 + "\n", 2)

    def test_paragraphs_items_and_headings(self) -> None:
        self.check(f"{LONG}\n\n- {LONG}\n  {LONG}\n\n# {LONG}\n", 1, 3, 4, 6)

    def test_tables_and_code(self) -> None:
        self.check(f"| {LONG} |\n\n    {LONG}\n\n```\n{LONG}\n```\n{LONG}\n", 8)

    def test_a_line_that_is_one_link(self) -> None:
        self.check(f"[{LONG}](x.md)\n![{LONG}](x.png)\n- [{LONG}](x.md).\nsee [{LONG}](x.md)\n", 4)


if __name__ == "__main__":
    unittest.main()
