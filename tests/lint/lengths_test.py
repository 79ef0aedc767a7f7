# SPDX-License-Identifier: GPL-2.0-only
import unittest

import lengths


def function(head: str, lines: int) -> str:
    return head + "\n{\n" + "\twork();\n" * (lines - head.count("\n") - 3) + "}\n"


class Lengths(unittest.TestCase):
    def test_heads(self) -> None:
        text = (
            '#include "x.h"\n'
            + function("static int one(int a,\n\t\tint b)", 10)
            + "\nstatic const struct x table = {\n\t.f = one,\n};\n"
            + "/* Why. */\n"
            + function("__printf(1, 2)\nvoid __init\ntwo(void)", 6)
        )
        found = [(first, count) for _, first, count in lengths.functions(text)]
        self.assertEqual([(2, 10), (17, 6)], found)
        self.assertEqual("one", next(lengths.functions(text))[0])

    def test_functions_of_60_and_61_lines(self) -> None:
        self.assertEqual([], list(lengths.troubles("kunit/x.c", function("int f(void)", 60))))
        self.assertEqual(
            ["kunit/x.c:1: f() has 61 lines, over 60"],
            list(lengths.troubles("kunit/x.c", function("int f(void)", 61))),
        )

    def test_files_of_400_and_401_lines(self) -> None:
        self.assertEqual([], list(lengths.troubles("modules/x/x.c", "\n" * 400)))
        self.assertEqual(
            ["modules/x/x.c: has 401 lines, over 400"], list(lengths.troubles("modules/x/x.c", "\n" * 401))
        )
        self.assertEqual([], list(lengths.troubles("kunit/x.c", "\n" * 401)))


if __name__ == "__main__":
    unittest.main()
