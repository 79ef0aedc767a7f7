# SPDX-License-Identifier: GPL-2.0-only
"""Random argument lists for seqkeep try and iostune: no traceback, and an exit status that the man pages have."""

import contextlib
import io
import json
import os
import random
import sys
import tempfile
import unittest
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import iostune_lib.cli
from iostune_lib.judge import Kind
from iostune_lib.report import Result
from seqkeep_lib import cli
from seqkeep_lib.trial import TrialResult
from tools.simulated_machine import Machine, serve

# A run of the unit tests has few; FUZZ=10000 for more.
LISTS = int(os.environ.get("FUZZ", "400"))
JUNK = [
    "",
    " ",
    "-",
    "--",
    "-x",
    "--bogus",
    "=",
    "a=b",
    "a=",
    "\0",
    "\udcff",
    "ü",
    "x" * 5000,
    "../..",
    "/",
    "%s",
    "{}",
]
NUMBERS = [
    "0",
    "1",
    "-1",
    "1e9",
    "nan",
    "inf",
    "10m",
    "2s",
    "30",
    "99999999999999999999",
    "1.5",
    "٣",
    "0x10",
    "1h",
    "8m",
]
TRY = [
    "try",
    "ctxra",
    "nfsd-dio",
    "nfsd_dio",
    "nfs-ra",
    "ra-trace",
    "raid5-deadline",
    "max_kb=8",
    "enable=1",
    "devices=",
]
TRY += ["--for", "--period", "--guard", "--keep", "--json", "--plot", "--restore", "--wait", "--help", "max_kb"]
IOSTUNE = ["--quick", "--time", "--max-readers", "--json", "-v", "--plot", "--emit-udev", "--emit-tuned", "--apply"]
IOSTUNE += ["--yes", "--restore", "--diff", "--help", "-V", "/dev/null", "null", "sda", __file__]


class Fuzzed(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        here = Path.cwd()
        self.addCleanup(os.chdir, here)
        os.chdir(self.root)

    def status(self, main: Callable[[], int], words: list[str]) -> int:
        """Return the exit status of a command; an exception that it lets through fails the test."""
        said = io.StringIO()
        with (
            mock.patch.object(sys, "argv", words),
            contextlib.redirect_stderr(said),
            contextlib.redirect_stdout(said),
        ):
            try:
                return main()
            except SystemExit as ended:
                return int(ended.code or 0)
            except OSError:
                # output.run() makes a line of these.
                return 1
            except BaseException as error:
                raise AssertionError(f"{words!a}: {error!r}") from error

    def words(self, source: random.Random, known: list[str]) -> list[str]:
        pool = source.choice((known, known, JUNK + known, NUMBERS + known, JUNK + NUMBERS + known))
        return [source.choice(pool) for _ in range(source.randrange(8))]

    def test_try(self) -> None:
        machine = Machine(self.root, serve(1, 1, 1))
        result = TrialResult(aborted="of this test")
        source, seen = random.Random(1), set()
        with mock.patch("seqkeep_lib.trial.Trial.run", lambda *rest: result):
            for number in range(LISTS):
                words = ["seqkeep", "--root", str(machine.root), "try", *self.words(source, TRY)]
                if number % 4 == 0:
                    words[4:4] = ["ctxra"]
                seen.add(self.status(cli.main, words))
        self.assertLessEqual(seen, {0, 1, 2, 3})
        self.assertIn(3, seen)

    def test_damaged_state(self) -> None:
        """Of what a killed trial has left: it is restored, or the file is named."""
        machine = Machine(self.root, serve(1, 1, 1))
        state = machine.root / "run/seqkeep/try/state"
        state.parent.mkdir(parents=True)
        saved = {"version": 1, "module": "ctxra", "was_loaded": True, "parameters": {"enable": "N", "max_kb": "0"}}
        whole, source, seen = json.dumps(saved).encode(), random.Random(3), set()
        for number in range(LISTS):
            machine.load_module("Y", "512")
            data = bytearray(whole)
            if number % 3 == 0:
                data = data[: source.randrange(len(data))]
            elif number % 3 == 1:
                data[source.randrange(len(data))] = source.randrange(256)
            else:
                junk = (b"[" * 5000, b"{}", b"7", b'"/"', b"null", b"\xff")
                data = data.replace(source.choice((b"1", b"true", b'"N"', b'"0"', b'"ctxra"')), source.choice(junk))
            state.write_bytes(data)
            # A parameter with a damaged name is tried again otherwise.
            with (
                self.subTest(data=bytes(data)),
                mock.patch.multiple("seqkeep_lib.trial_switch", RETRY_S=0, RETRY_STEP_S=0),
            ):
                seen.add(self.status(cli.main, ["seqkeep", "--root", str(machine.root), "try", "--restore"]))
            state.unlink(missing_ok=True)
        self.assertEqual(seen, {0, 1})

    def test_iostune(self) -> None:
        result = Result({"path": "x", "description": "x"}, [], [], 1.0, [], Kind("flat", {}), "none", {}, {})
        source, seen = random.Random(2), set()
        with (
            mock.patch("iostune_lib.cli.Session") as session,
            mock.patch("iostune_lib.cli.DIRECTORY", self.root / "run"),
            mock.patch("iostune_lib.cli.journal.acquire_lock"),
            mock.patch("iostune_lib.cli.plot.plot"),
            mock.patch("iostune_lib.cli.Watchdog"),
            mock.patch("os.geteuid", lambda: 0),
        ):
            session.return_value.run.return_value = result
            for _ in range(LISTS):
                seen.add(self.status(iostune_lib.cli.main, ["iostune", *self.words(source, IOSTUNE)]))
        self.assertEqual(seen, {0, 1, 2})


if __name__ == "__main__":
    unittest.main()
