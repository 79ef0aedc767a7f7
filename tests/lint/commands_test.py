# SPDX-License-Identifier: GPL-2.0-only
import tempfile
import unittest
from pathlib import Path

import commands

README = """# name

    # a comment
    make a     # another
    make b

A `make c` in a sentence.
"""
MANUAL = """.\\" licence
.SH EXAMPLES
.nf
    make \\-\\-all
    12 made:

    the first
.fi
    no command
"""


class Commands(unittest.TestCase):
    def found(self, text: str) -> list[str]:
        return [command for block in commands.blocks(text) for command in commands.commands(block)]

    def test_readme(self) -> None:
        self.assertEqual(self.found(README), ["make a", "make b"])

    def test_manual(self) -> None:
        self.assertEqual(self.found(MANUAL), ["make --all", "12 made:", "the first"])

    def troubles(self, *rows: str) -> list[str]:
        table = commands.read_table("# comment\n" + "".join(f"{row}\n" for row in rows))
        with tempfile.TemporaryDirectory() as top:
            Path(top, "test").write_text("make --all\n")
            return list(commands.troubles(table, {"page": MANUAL}, Path(top)))

    def test_table(self) -> None:
        sample = "12 made:\tsample\toutput"
        self.assertEqual(self.troubles("make --all\ttest\tmake --all", sample), [])
        self.assertEqual(self.troubles("make --all\t-\ta reason", sample), [])
        self.assertEqual(len(self.troubles("make --all\ttest\tmake --some", sample)), 1)
        self.assertEqual(len(self.troubles("make --all\tno-test\tmake --all", sample)), 1)
        self.assertEqual(len(self.troubles(sample)), 1)
        self.assertEqual(len(self.troubles("make --all\t-\ta reason", sample, "make c\t-\tnone")), 1)
        for row in ("make --all\ttest", "make --all\t-\t", "12 made:\tsample\tagain"):
            self.assertRaises(ValueError, self.troubles, row, sample)


if __name__ == "__main__":
    unittest.main()
