# SPDX-License-Identifier: GPL-2.0-only
"""The subcommands of seqkeep: what the user may type, and the exit status."""

import contextlib
import io
import re
import subprocess
import sys
import unittest
from pathlib import Path

from seqkeep_lib.cli import COMMANDS, make_parser, parse_arguments

TOP = Path(__file__).parents[2]
SEQKEEP = TOP / "tools/seqkeep"
SYSTEM = TOP / "tools/system"


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

    def test_an_argument_that_is_no_number(self) -> None:
        for tool, words, said in (
            ("seqkeep", ("try", "ctxra", "--guard", "abc"), "abc is not from 1.05 to 1000"),
            ("rastat", ("abc",), "abc is not a number of seconds above 0"),
            ("rastat", ("1", "abc"), "count must be 1 or more, not abc"),
            ("iostune", ("sda", "--time", "abc"), "abc is not a number of seconds from 1"),
            ("iostune", ("sda", "--max-readers", "abc"), "abc is not from 1 to "),
        ):
            done = subprocess.run(
                [sys.executable, SEQKEEP.with_name(tool), *words], capture_output=True, text=True, check=False
            )
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr)

    def test_options_of_a_module_after_others(self) -> None:
        for line, options in (
            ("enable ctxra --now max_kb=512", ["max_kb=512"]),
            ("enable ctxra a=1 --now max_kb=512 b=", ["a=1", "max_kb=512", "b="]),
            ("try ctxra --for 5m max_kb=512 --keep", ["max_kb=512"]),
            ("enable --now ctxra", []),
            ("enable --now ctxra max_kb=512", ["max_kb=512"]),
        ):
            args = parse_arguments(line.split())
            self.assertEqual((args.module, args.options), ("ctxra", options), line)
        for line in ("enable ctxra --now max_kb", "enable ctxra --now --bogus=1", "doctor a=1", "top 1 1 a=1"):
            with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()):
                parse_arguments(line.split())

    def test_version(self) -> None:
        self.assertEqual(run("-V"), run("--version"))

    def test_status_is_the_default(self) -> None:
        self.assertEqual(run("--root", "/nonexistent"), run("--root", "/nonexistent", "status"))

    def test_commands_within_sentences(self) -> None:
        """tests/lint/commands.py checks those that are set apart."""
        found = []
        for page in (TOP / "docs/man").iterdir():
            # Not the synopsis.
            text = page.read_text().partition(".SH DESCRIPTION")[2]
            said = re.findall(r'^\.BR? "?seqkeep ([a-z-][^"\n]*)"?$', text, re.MULTILINE)
            found += [(page.name, words.replace("\\-", "-")) for words in said]
        # NEWS.md tells of parts of commands.
        for page in {TOP / "README.md", *(TOP / "docs").glob("*.md")} - {TOP / "docs/NEWS.md"}:
            found += [(page.name, words) for words in re.findall(r"`seqkeep ([a-z-][^`]*)`", page.read_text())]
        for name, words in found:
            # Options in brackets, or a part of a sentence.
            if "[" in words or '"' in words:
                continue
            with self.subTest(name=name, words=words), contextlib.redirect_stderr(io.StringIO()):
                parts = words.replace("MODULE", "ctxra").split()
                if len(parts) == 1:
                    # The name of a command.
                    self.assertIn(parts[0].rstrip("*"), [*COMMANDS, "-V"])
                else:
                    self.assertTrue(parse_arguments(parts).run)
        self.assertGreater(len(found), 20)

    def test_what_udev_and_systemd_run(self) -> None:
        files = (SYSTEM / "90-seqkeep.rules", *SYSTEM.glob("*.service"))
        commands = [c for file in files for c in re.findall(r"/usr/sbin/seqkeep ([^\"\n]+)", file.read_text())]
        self.assertGreaterEqual(len(commands), 5)
        for command in commands:
            self.assertTrue(make_parser().parse_args(command.split()).run)


if __name__ == "__main__":
    unittest.main()
