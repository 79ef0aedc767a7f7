# SPDX-License-Identifier: GPL-2.0-only
"""Random arguments and damaged files: no traceback, and only the exit statuses that seqkeep(8) lists."""

from __future__ import annotations

import contextlib
import io
import os
import random
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from seqkeep_lib import cli, output
from seqkeep_lib.cli import COMMANDS

from tools import machines

# How many argument lists; a longer run says FUZZ=10000.
RUNS = int(os.environ.get("FUZZ", "1000"))
SEED = int(os.environ.get("SEED", "1"))
WORDS = [
    *COMMANDS,
    *("help", "ctxra", "nfs-ra", "nfs_ra", "raid5-deadline", "none", "sdb", "/dev/sdb", "/dev/none", "", "-", "--"),
    *(
        "=",
        "\0",
        "--now",
        "--observe",
        "--json",
        "-v",
        "--prometheus",
        "--help",
        "-V",
        "--version",
        "--watch",
        "--wait",
    ),
    *("--output", "0.001", "1e-3", "-1", "nan", "10m", "\u0663", "9" * 20, "/nonexistent/x", "/dev/full", "."),
    *("enable=1", "max_kb=1", "max_kb=sdb=1", "devices=", "devices=sdb", "devices=,,", "x=y", "=x", "x=", "a=\nb"),
    *("max_kb=" + "9" * 5000, "read_ahead_kb=1", "read_ahead_kb=-1", "read_ahead_kb=x", "stripe_deadline=auto"),
    *("ctxra=yes", "ctxra=", "\udcff=1", "\u00e4", "/dev/" + "x" * 5000),
]
STATUSES = {0, 1, 2, 130}
FILES = (
    "etc/seqkeep.conf",
    "etc/modules-load.d/seqkeep-ctxra.conf",
    "etc/modprobe.d/seqkeep-ctxra.conf",
    "proc/diskstats",
    "proc/self/mountinfo",
    "proc/self/mountstats",
    "proc/net/rpc/nfsd",
    "proc/fs/nfsd/threads",
    "var/lib/nfs/etab",
    "sys/block/sdb/queue/read_ahead_kb",
    "sys/kernel/debug/ctxra/stats",
    "sys/kernel/debug/readahead/stats_raw",
    "sys/kernel/debug/readahead/stats_by_dev",
    "sys/kernel/tracing/enabled_functions",
    "sys/module/ctxra/parameters/max_kb",
    "sys/module/ctxra/parameters/devices",
    "sys/block/md0/md/level",
    "sys/block/md0/md/chunk_size",
    "etc/nfs.conf",
    "boot/config-6.12.1-test",
    "usr/src/ctxra-1.0/dkms.conf",
)
GOOD = (
    *("[sda]\nread_ahead_kb = 1\n", "1\n", "a 1\nb 2\n", "dev 8:16 x\n", "raid5\n", "sda=1,2\n"),
    "pattern count used\nrandom 1 n/a\nall 1 n/a\n",
)


class Fuzz(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.fixture = machines.nfs_server(self.root)
        self.fixture.load("ctxra", "trail_windows 1\n", enable="Y", max_kb="0", devices="")
        self.fixture.load("ra-trace", "", enable="Y")
        self.dice = random.Random(SEED)
        # Arguments of --output are names of files.
        (self.root / "here").mkdir()
        self.addCleanup(os.chdir, Path.cwd())
        os.chdir(self.root / "here")

    def run_command(self, words: list[str]) -> None:
        """Run a command in this process, as the script does."""
        said = io.StringIO()
        with (
            mock.patch("sys.argv", ["seqkeep", "--root", str(self.root), *words]),
            # What runs until it is interrupted is interrupted.
            mock.patch("time.sleep", side_effect=[None, None, KeyboardInterrupt]),
            # tests/tools/trial_fuzz_test.py is for this one, which would take ten minutes.
            mock.patch("seqkeep_lib.command_try.try_module", lambda *rest: 0),
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.redirect_stderr(said),
            self.assertRaises(SystemExit) as ended,
        ):
            output.run("seqkeep", cli.main)
        self.assertIn(ended.exception.code, STATUSES, words)
        if ended.exception.code == 2:
            self.assertTrue(said.getvalue(), words)

    def words(self) -> list[str]:
        first = [self.dice.choice(list(COMMANDS))] if self.dice.random() < 0.9 else []
        return first + [self.dice.choice(WORDS) for _ in range(self.dice.randrange(6))]

    def garbage(self) -> bytes:
        kind = self.dice.randrange(5)
        if kind == 0:
            return self.dice.randbytes(self.dice.randrange(200))
        text = "".join(self.dice.choice(GOOD) for _ in range(self.dice.randrange(4))).encode()
        if kind == 1:
            return text
        if kind == 2 and text:
            return text[: self.dice.randrange(len(text))]
        return b" ".join(self.dice.choice((b"1", b"-", b"=", b"[", b"]", b"\n", b"nfs4", b"/")) for _ in range(40))

    def test_arguments(self) -> None:
        for _ in range(RUNS):
            words = self.words()
            with self.subTest(seed=SEED, words=words):
                self.run_command(words)

    def test_damaged_files(self) -> None:
        for _ in range(RUNS // 10):
            damage = {name: self.garbage() for name in self.dice.sample(FILES, 3)}
            for name, data in damage.items():
                path = self.root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
            for words in (["status"], ["status", "-v"], ["status", "--prometheus"], ["doctor"], ["advise"], ["apply"]):
                with self.subTest(seed=SEED, words=words, damage=damage):
                    self.run_command(words)

    def test_directories_and_links_instead_of_files(self) -> None:
        for name in FILES:
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            for make in (
                path.mkdir,
                lambda path=path: path.symlink_to("none"),
                lambda path=path: path.symlink_to(path),
            ):
                if path.is_symlink() or path.is_file():
                    path.unlink()
                elif path.exists():
                    path.rmdir()
                make()
                for words in (
                    ["status", "--json"],
                    ["doctor"],
                    ["advise"],
                    ["apply"],
                    ["set", "sdb", "read_ahead_kb=1"],
                ):
                    with self.subTest(name=name, words=words):
                        self.run_command(words)


if __name__ == "__main__":
    unittest.main()
