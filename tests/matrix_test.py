# SPDX-License-Identifier: GPL-2.0-only
"""Does tests/matrix read every verdict on a kernel that packaging/test/009-every-kernel prints?"""

import re
import unittest
from pathlib import Path

import scripts

TOP = Path(__file__).resolve().parents[1]

matrix = scripts.load(TOP / "tests/matrix")


class Builds(unittest.TestCase):
    def test_every_line_of_the_test(self) -> None:
        printed = re.findall(r'echo "\$kver: ([^"]+)"', (TOP / "packaging/test/009-every-kernel").read_text())
        self.assertGreater(len(printed), 3)
        for text in printed:
            verdict = text.replace("$module", "nfs-ra")
            found = matrix.build_verdicts(f"make: x.c: warning\n6.1.0-47-amd64: {verdict}\n")
            self.assertEqual(found, {"6.1.0-47-amd64": verdict})

    def test_a_bad_kernel_stands_out(self) -> None:
        output = "6.1.0-47-amd64: ctxra does not build\n6.1.0-47-rt-amd64: built\n6.1.0-50-amd64: built\n"
        self.assertEqual(
            matrix.kernels_text(matrix.build_verdicts(output)),
            "**6.1.0-47 (amd64): ctxra does not build**, 6.1.0-47 (rt-amd64), 6.1.0-50 (amd64)",
        )


if __name__ == "__main__":
    unittest.main()
