# SPDX-License-Identifier: GPL-2.0-only
import unittest
from typing import ClassVar

import circles


def ways(texts: dict[str, str], symbols: dict[str, tuple[set[str], set[str]]]) -> list[list[str]]:
    by_symbols = circles.symbol_needs(symbols, circles.header_variables(texts))
    return list(circles.circles(circles.merged(by_symbols, circles.header_needs(texts))))


class Symbols(unittest.TestCase):
    def test_calls_in_both_directions_are_a_circle(self) -> None:
        symbols = {"a": ({"a_go"}, {"b_go"}), "b": ({"b_go"}, {"a_go", "printk"})}
        self.assertEqual([["a", "b", "a"]], ways({}, symbols))

    def test_a_circle_of_three_is_shown_once(self) -> None:
        symbols = {"a": ({"a_go"}, {"b_go"}), "b": ({"b_go"}, {"c_go"}), "c": ({"c_go"}, {"a_go"})}
        self.assertEqual([["a", "b", "c", "a"]], ways({}, symbols))

    def test_a_stair_is_none(self) -> None:
        symbols = {"a": ({"a_go"}, {"b_go", "c_go"}), "b": ({"b_go"}, {"c_go"}), "c": ({"c_go"}, set[str]())}
        self.assertEqual([], ways({}, symbols))

    def test_two_circles_are_both_shown(self) -> None:
        symbols = {file: ({f"{file}_go"}, {f"{other}_go"}) for file, other in ("ab", "ba", "cd", "dc")}
        self.assertEqual([["a", "b", "a"], ["c", "d", "c"]], ways({}, symbols))

    def test_only_common_module_may_call_into_a_module(self) -> None:
        symbols = {"common/module": ({"is_on"}, {"seqkeep_init"}), "x_main": ({"seqkeep_init"}, {"is_on"})}
        self.assertEqual([], ways({}, symbols))
        symbols["common/module"][1].add("x_go")
        symbols["x_main"][0].add("x_go")
        self.assertEqual([["common/module", "x_main", "common/module"]], ways({}, symbols))

    def test_variables_of_a_header_without_a_file(self) -> None:
        symbols = {"x_main": ({"x_stats"}, {"a_go"}), "a": ({"a_go"}, {"x_stats"})}
        for declaration in ("extern struct stats x_stats;\n", "extern const char *const x_stats[X_NR];\n"):
            with self.subTest(declaration):
                self.assertEqual([], ways({"counters.h": declaration}, symbols))
                self.assertEqual([["a", "x_main", "a"]], ways({"x_main.h": declaration, "x_main.c": ""}, symbols))
        self.assertEqual([["a", "x_main", "a"]], ways({"counters.h": "extern int x_stats(void);\n"}, symbols))


class Headers(unittest.TestCase):
    """b.c calls a.c; the circle depends on where what a.c uses is defined."""

    SYMBOLS: ClassVar = {"a": ({"a_go"}, set[str]()), "b": (set[str](), {"a_go"})}
    USES = '#include "b.h"\nint a_go(struct b *b) { return 0; }\n'
    CALLS = '#include "a.h"\n#include "b.h"\nint b_go(void) { return a_go(0); }\n'

    def circles_with(self, header: str, uses: str = USES) -> list[list[str]]:
        texts = {"a.c": uses, "a.h": "int a_go(struct b *b);\n", "b.c": self.CALLS, "b.h": header}
        return ways(texts, self.SYMBOLS)

    def test_a_type_beside_declarations(self) -> None:
        self.assertEqual([["a", "b", "a"]], self.circles_with("struct b {\n\tint n;\n};\nint b_go(void);\n"))

    def test_a_type_in_a_header_of_types(self) -> None:
        self.assertEqual([], self.circles_with("struct b {\n\tint n;\n};\n"))

    def test_a_type_that_is_only_declared(self) -> None:
        self.assertEqual([], self.circles_with("struct b;\nint b_go(void);\n"))

    def test_a_name_in_a_comment_or_a_string(self) -> None:
        uses = '#include "b.h"\n/* B_MAX */\nint a_go(void) { puts("B_MAX"); return 0; }\n'
        self.assertEqual([], self.circles_with("#define B_MAX 3\nint b_go(void);\n", uses))

    def test_macros_enumerators_inlines_and_typedefs(self) -> None:
        for defined, used in (
            ("#define B_MAX 3", "B_MAX"),
            ("enum b_kind { B_ONE, B_TWO = 2, };", "B_TWO"),
            ("static inline int b_inline(int n)\n{\n\treturn n;\n}", "b_inline"),
            ("typedef int (*b_fn)(int);", "b_fn"),
            ("typedef unsigned long b_size;", "b_size"),
        ):
            uses = f'#include "b.h"\nint a_go(void) {{ return sizeof({used}); }}\n'
            with self.subTest(used):
                self.assertEqual([["a", "b", "a"]], self.circles_with(f"{defined}\nextern int b_count;\n", uses))

    def test_what_is_not_included_is_not_needed(self) -> None:
        self.assertEqual(
            [], self.circles_with("#define B_MAX 3\nint b_go(void);\n", "int a_go(int B_MAX) { return 0; }\n")
        )

    def test_through_another_header(self) -> None:
        header = "#define B_MAX 3\nint b_go(void);\n"
        texts = {"a.c": '#include "c.h"\nint n = B_MAX;\n', "b.c": self.CALLS, "b.h": header, "c.h": '#include "b.h"\n'}
        self.assertEqual([["a", "b", "a"]], ways(texts, self.SYMBOLS))


class Folders(unittest.TestCase):
    TEXTS: ClassVar = {
        "modules/a/a.c": '#include "a.h"\n#include "common/c.h"\n',
        "modules/a/a.h": "",
        "modules/b/b.h": "",
        "modules/common/c.h": "",
        "kunit/a/a_test.c": '#include "a/a.h"\n#include "sim/disk.h"\n',
        "kunit/sim/disk.h": '#include "sim/clock.h"\n',
        "kunit/sim/clock.h": "",
        "tools/x_lib/__init__.py": "",
        "tools/x": "#!/usr/bin/env python3\nfrom x_lib import y\n",
        "bench/plain.py": "import os\nfrom x_lib import y\n",
        "tests/helper_of_tests.py": "",
    }

    def test_down_is_right(self) -> None:
        # A module's "common/c.h" is found by its staged tree, so by modules/ here.
        self.assertEqual([], list(circles.wrong_folders(self.TEXTS)))
        needed = dict(circles.folder_needs(self.TEXTS))
        self.assertEqual("modules/common/c.h", needed["modules/a/a.c"])
        self.assertEqual("tools/x_lib", needed["tools/x"])

    def test_up_is_wrong(self) -> None:
        for path, text in (
            ("modules/a/a.h", '#include "b/b.h"\n'),
            ("modules/common/c.h", '#include "a/a.h"\n'),
            ("modules/b/b.h", '#include "sim/disk.h"\n'),
            ("tools/x_lib/__init__.py", "import plain\n"),
            ("bench/plain.py", "import helper_of_tests\n"),
        ):
            with self.subTest(path):
                self.assertEqual(1, len(list(circles.wrong_folders(self.TEXTS | {path: text}))))

    def test_circles_of_kunit(self) -> None:
        self.assertEqual([], list(circles.circles(circles.kunit_needs(self.TEXTS))))
        texts = self.TEXTS | {"kunit/sim/clock.h": '#include "disk.h"\n'}
        self.assertEqual(
            [["kunit/sim/clock", "kunit/sim/disk", "kunit/sim/clock"]],
            list(circles.circles(circles.kunit_needs(texts))),
        )


if __name__ == "__main__":
    unittest.main()
