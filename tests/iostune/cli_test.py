# SPDX-License-Identifier: GPL-2.0-only
"""The options of iostune; --apply sets the recommended values on "yes", and nothing on any other answer."""

import argparse
import contextlib
import io
import os
import signal
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

from iostune_lib import cli
from iostune_lib import tunables as t
from iostune_lib.errors import IostuneError
from iostune_lib.judge import Kind
from iostune_lib.report import Result
from iostune_lib.target import Target
from seqkeep_lib.signals import SIGNALS, StopSignals

# The function itself, because tests replace it in cli.
cli_rule_match = cli.rule_match
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
        why = "cannot set gone/gone to 1: No such file or directory"
        for settings, said in (
            ({}, why),
            (WANTED, f"{why}; set before that: queue/scheduler = bfq, queue/read_ahead_kb = 512"),
        ):
            with self.assertRaises(IostuneError) as raised:
                self.apply("y\n", {**settings, "gone/gone": "1"})
            self.assertEqual(str(raised.exception), said)


class Emitted(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "65-iostune.rules"
        self.back = Path(folder.name) / "65-iostune.rules.rollback"

    def emit(self, rule: str, name: str = "65-iostune.rules") -> str:
        disk = Path("/sys/block/sda")
        found = Target(Path("/dev/sda"), False, 1 << 30, "8:0", disk, disk)
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            cli.emit_udev(self.path.with_name(name), found, rule, result(WANTED))
        return said.getvalue()

    def test_a_rule_and_its_rollback(self) -> None:
        self.emit('ENV{ID_SERIAL}=="x"')
        self.assertIn('ENV{ID_SERIAL}=="x", ATTR{queue/scheduler}="bfq"', self.path.read_text())
        self.assertIn('ENV{ID_SERIAL}=="x", ATTR{queue/scheduler}="now"', self.back.read_text())

    def test_a_name_that_udev_reads_too_early(self) -> None:
        for rule, name, warned in (
            ('ENV{ID_SERIAL}=="x"', "61-iostune.rules", False),
            ('ENV{ID_SERIAL}=="x"', "50-iostune.rules", True),
            ('ENV{MD_UUID}=="x"', "60-z.rules", True),
            ('ENV{MD_UUID}=="x"', "65-iostune.rules", False),
            ('ATTR{wwid}=="x"', "10-iostune.rules", False),
        ):
            self.assertEqual("must sort after 6" in self.emit(rule, name), warned, (rule, name))

    def test_a_name_that_is_no_utf_8(self) -> None:
        name = os.fsdecode(b"65-\xff.rules")
        self.emit('ENV{ID_SERIAL}=="x"', name)
        self.assertIn(b"/65-\xff.rules, udevadm", self.path.with_name(name).read_bytes())

    def test_a_file_created_during_the_measurement_is_not_overwritten(self) -> None:
        for path in (self.path, self.back):
            self.path.unlink(missing_ok=True)
            path.write_text("old")
            with self.assertRaises(FileExistsError):
                self.emit('ENV{ID_SERIAL}=="x"')
            self.assertEqual(path.read_text(), "old")


class Main(unittest.TestCase):
    """main() with a fake measurement."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.target = Target(Path("/dev/sda"), False, 1 << 30, "8:0", self.root, self.root)
        self.session = mock.Mock()
        self.session.return_value.run.return_value = result(WANTED)
        replaced: dict[str, Any] = {
            "target.find_target": lambda word: self.target,
            "rule_match": lambda found: 'ENV{ID_SERIAL}=="x"',
            "journal.acquire_lock": mock.Mock(),
            "journal.recover": lambda directory: [],
            "Watchdog": mock.Mock(),
            "os.geteuid": lambda: 0,
            "report.text": lambda found, is_verbose: "the report",
            "Session": self.session,
            "StopSignals": mock.Mock(),
            "emit_udev": mock.Mock(),
            "apply": mock.Mock(),
        }
        for name, replacement in replaced.items():
            patch = mock.patch(f"iostune_lib.cli.{name}", replacement)
            patch.start()
            self.addCleanup(patch.stop)

    def main(self, *words: str) -> tuple[int, str]:
        said = io.StringIO()
        with mock.patch("sys.argv", ["iostune", *words, "/dev/sda"]), contextlib.redirect_stderr(said):
            return cli.main(), said.getvalue()

    def test_unwritable_outputs_fail_before_the_measurement(self) -> None:
        (self.root / "dir.rules.rollback").mkdir()
        (self.root / "old.rules").write_text("old")
        (self.root / "former.rules.rollback").write_text("former")
        (self.root / "link.rules").symlink_to("nothing")
        for words, why in (
            (("--emit-udev", f"{self.root}/none/a.rules"), "there is no directory"),
            (("--emit-udev", f"{self.root}"), "is a directory"),
            (("--emit-udev", f"{self.root}/dir.rules"), "dir.rules.rollback is a directory"),
            (("--emit-udev", f"{self.root}/old.rules"), "old.rules exists already: move it away"),
            (("--emit-udev", f"{self.root}/former.rules"), "former.rules.rollback exists already"),
            (("--emit-udev", f"{self.root}/link.rules"), "link.rules exists already"),
        ):
            status, said = self.main(*words)
            self.assertEqual(status, 1)
            self.assertIn(why, said)
        with mock.patch("iostune_lib.cli.why_no_plot", return_value="no"):
            self.assertEqual(self.main("--plot", "a.txt"), (1, "iostune: --plot: no\n"))
        self.session.assert_not_called()

    def test_a_disk_that_no_rule_can_match(self) -> None:
        for matched in (mock.Mock(return_value=""), cli_rule_match):
            with mock.patch("iostune_lib.cli.rule_match", matched):
                self.target = Target(Path("/srv/file"), True, 1 << 30, "0:45", None, None)
                status, said = self.main("--emit-udev", f"{self.root}/a.rules")
                self.assertEqual(status, 1)
                self.assertIn("no serial number", said)

    def test_errors_of_the_system_are_one_line(self) -> None:
        self.session.side_effect = OSError(123, "No medium found", "/dev/sr0")
        self.assertEqual(self.main(), (1, "iostune: /dev/sr0: No medium found\n"))

    def test_a_signal_while_tunables_are_restored(self) -> None:
        def run() -> Result:
            signal.raise_signal(signal.SIGINT)
            return result(WANTED)

        for number in SIGNALS:
            self.addCleanup(signal.signal, number, signal.getsignal(number))
        self.session.return_value.run.side_effect = run
        shown = io.StringIO()
        with mock.patch("iostune_lib.cli.StopSignals", StopSignals), contextlib.redirect_stdout(shown):
            status, said = self.main("--emit-udev", f"{self.root}/a.rules", "--apply", "--yes")
        self.assertEqual((status, said, shown.getvalue()), (128 + signal.SIGINT, "iostune: stopped\n", ""))
        cli.emit_udev.assert_not_called()  # type: ignore[attr-defined]
        cli.apply.assert_not_called()  # type: ignore[attr-defined]

    def test_seconds(self) -> None:
        self.assertEqual(cli.parse_seconds("50"), 50)
        for text in ("0", "nan", "inf", "-inf", "1e7"):
            with self.assertRaises(argparse.ArgumentTypeError, msg=text):
                cli.parse_seconds(text)

    def test_a_closed_pipe(self) -> None:
        reader, writer = os.pipe()
        os.close(reader)
        with os.fdopen(writer, "w") as out, mock.patch.object(sys, "stdout", out):
            status, said = self.main("--emit-udev", f"{self.root}/a.rules", "--apply", "--yes")
        self.assertEqual((status, said), (0, ""))
        # The rule matches by the properties that udev had before the measurement.
        known = ('ENV{ID_SERIAL}=="x"', self.session.return_value.run.return_value)
        cli.emit_udev.assert_called_once_with(self.root / "a.rules", self.target, *known)  # type: ignore[attr-defined]
        cli.apply.assert_called_once()  # type: ignore[attr-defined]


if __name__ == "__main__":
    unittest.main()
