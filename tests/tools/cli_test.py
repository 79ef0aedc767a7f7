# SPDX-License-Identifier: GPL-2.0-only
"""The subcommands of seqkeep: what the user may type, and the exit status."""

import subprocess
import sys
import unittest
from pathlib import Path

from seqkeep_lib.cli import COMMANDS

SEQKEEP = Path(__file__).parents[2] / "tools/seqkeep"


def run(*words: str) -> tuple[int, str, str]:
    done = subprocess.run([sys.executable, str(SEQKEEP), *words], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


class Commands(unittest.TestCase):
    def test_help(self) -> None:
        status, shown, _ = run("help")
        self.assertEqual(status, 0)
        for name in COMMANDS:
            self.assertIn(f"\n    {name} ", shown)
            self.assertEqual(run("help", name), run(name, "--help"))
        self.assertEqual(run("help", "none")[0], 2)

    def test_version(self) -> None:
        self.assertEqual(run("-V"), run("--version"))

    def test_status_is_the_default(self) -> None:
        self.assertEqual(run("--root", "/nonexistent"), run("--root", "/nonexistent", "status"))


if __name__ == "__main__":
    unittest.main()
