# SPDX-License-Identifier: GPL-2.0-only
"""The completions that packaging/completions makes of the parsers."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).parents[2]
# The interpreter for which Debian and Fedora package shtab.
PYTHON = "/usr/bin/python3"
HAS_SHTAB = subprocess.run([PYTHON, "-c", "import shtab"], capture_output=True, check=False).returncode == 0
LSBLK = "lsblk() { [ $1 = -dno ] && echo nullb0 || echo /dev/nullb0; }\n"


@unittest.skipUnless(HAS_SHTAB, "no shtab: run tests/install-deps")
class Completions(unittest.TestCase):
    folder: tempfile.TemporaryDirectory[str]

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        subprocess.run([PYTHON, SOURCE / "packaging/completions", cls.folder.name], check=True)

    def complete(self, *words: str) -> list[str]:
        """Return what bash offers for the last word."""
        script = f"""{LSBLK}. {self.folder.name}/bash/{words[0]}
COMP_WORDS=({" ".join(f"'{word}'" for word in words)}); COMP_CWORD={len(words) - 1}
_shtab_{words[0]}; printf '%s\\n' "${{COMPREPLY[@]}}\""""
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_bash(self) -> None:
        self.assertEqual(self.complete("seqkeep", "dis"), ["disable"])
        self.assertIn("--watch", self.complete("seqkeep", "advise", "--"))
        self.assertEqual(self.complete("seqkeep", "enable", "ra"), ["ra-trace", "raid5-deadline"])
        self.assertEqual(self.complete("seqkeep", "enable", "--now", "c"), ["ctxra"])
        self.assertEqual(self.complete("seqkeep", "set", "nu"), ["nullb0"])
        self.assertEqual(self.complete("rastat", "--dev", "/dev/n"), ["/dev/nullb0"])
        self.assertEqual(self.complete("iostune", "nu"), ["nullb0"])
        self.assertIn("--human", self.complete("rastat", "--h"))
        # An option that the help hides.
        self.assertEqual(self.complete("seqkeep", "--ro"), [])

    def test_fish(self) -> None:
        text = (Path(self.folder.name) / "fish/seqkeep.fish").read_text()
        self.assertIn("-a enable -d 'Enable a module at each boot, and with --now at once'", text)
        self.assertIn("'__fish_seen_subcommand_from status' -l output -r -F", text)
        self.assertNotIn("root", text)

    def test_syntax(self) -> None:
        for shell in ("bash", "zsh", "fish"):
            files = sorted((Path(self.folder.name) / shell).iterdir())
            self.assertEqual(len(files), 3)
            if shutil.which(shell):
                for file in files:
                    subprocess.run([shell, "-n", file], check=True)


if __name__ == "__main__":
    unittest.main()
