# SPDX-License-Identifier: GPL-2.0-only
"""Both packages have each unit and rule, and each unit that the tools start."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2]
SYSTEM = ROOT / "tools/system"


class Units(unittest.TestCase):
    def test_both_packages_have_all(self) -> None:
        deb = "".join((ROOT / "packaging/debian" / name).read_text() for name in ("seqkeep-tools.install", "rules"))
        rpm = (ROOT / "packaging/rpm/seqkeep.spec").read_text()
        for kind in ("service", "timer", "rules"):
            for path in SYSTEM.glob(f"*.{kind}"):
                self.assertIn(f"tools/system/{path.name}", deb)
                self.assertTrue(path.name in rpm or f"tools/system/*.{kind}" in rpm, path.name)

    def test_what_the_tools_start_is_there(self) -> None:
        text = "".join(path.read_text() for path in (ROOT / "tools/seqkeep_lib").glob("*.py"))
        started = set(re.findall(r"seqkeep-[a-z-]+@?(?=[^a-z@\n]*\.service)", text))
        self.assertTrue(started)
        for name in started:
            self.assertTrue((SYSTEM / f"{name}.service").exists(), name)


if __name__ == "__main__":
    unittest.main()
