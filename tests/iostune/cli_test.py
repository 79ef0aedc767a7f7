# SPDX-License-Identifier: GPL-2.0-only
"""--apply sets what is recommended if the answer is yes, and nothing on any other."""

import argparse
import contextlib
import io
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from iostune_lib import cli
from iostune_lib import tunables as t
from iostune_lib.judge import Kind
from iostune_lib.report import Result
from iostune_lib.target import Target
from iostune_lib.trouble import Trouble

WANTED = {t.SCHEDULER: "bfq", t.READAHEAD: "512"}


def result(settings: dict[str, str]) -> Result:
    return Result({}, [], [], 1.0, [], Kind("flat", {}), "none", settings, dict.fromkeys(settings, "now"))


class Applied(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.disk = Path(folder.name)
        (self.disk / "queue").mkdir()
        self.reset()
        self.target = Target(Path("/dev/sda"), False, 1 << 30, "8:0", self.disk, self.disk)

    def reset(self) -> None:
        for name in (*WANTED, t.NR_REQUESTS):
            (self.disk / name).write_text("now")

    def apply(self, answer: str, settings: dict[str, str], yes: bool = False) -> str:
        said = io.StringIO()
        with mock.patch("sys.stdin", io.StringIO(answer)), contextlib.redirect_stderr(said):
            cli.apply(argparse.Namespace(yes=yes), self.target, result(settings))
        return said.getvalue()

    def found(self) -> dict[str, str]:
        return {name: (self.disk / name).read_text() for name in (*WANTED, t.NR_REQUESTS)}

    def test_yes(self) -> None:
        for answer in ("y\n", "Yes\n", " y "):
            self.reset()
            said = self.apply(answer, WANTED)
            self.assertIn("[y/N]", said)
            self.assertIn("set: queue/scheduler = bfq, queue/read_ahead_kb = 512", said)
            self.assertEqual(self.found(), {**WANTED, t.NR_REQUESTS: "now"})

    def test_anything_else(self) -> None:
        for answer in ("", "\n", "n\n", "no\n", "yy\n", "1\n"):
            said = self.apply(answer, WANTED)
            self.assertIn("nothing was changed", said)
            self.assertEqual(set(self.found().values()), {"now"}, answer)

    def test_not_asked(self) -> None:
        self.assertNotIn("[y/N]", self.apply("n\n", WANTED, yes=True))
        self.assertEqual(self.found(), {**WANTED, t.NR_REQUESTS: "now"})

    def test_nothing_recommended(self) -> None:
        self.assertEqual(self.apply("y\n", {}), "")
        self.assertEqual(set(self.found().values()), {"now"})

    def test_the_kernel_refuses(self) -> None:
        with self.assertRaisesRegex(Trouble, "gone cannot be set to 1"):
            self.apply("y\n", {"gone/gone": "1"})


if __name__ == "__main__":
    unittest.main()
