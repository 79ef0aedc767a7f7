# SPDX-License-Identifier: GPL-2.0-only
"""The errors and warnings of a run, and its end."""

import contextlib
import io
import os
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

from iostune_lib import tunables as t
from iostune_lib.errors import IostuneError
from iostune_lib.journal import Journal
from iostune_lib.plan import Stage
from iostune_lib.session import Request, Session
from iostune_lib.settings import Settings
from iostune_lib.target import Target
from iostune_lib.tunables import Tunables
from seqkeep_lib.progress import Progress
from seqkeep_lib.signals import StopSignals


class Base(unittest.TestCase):
    """Tests on a disk that is a folder."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.disk = self.root / "sda"
        self.write("dev", "8:0")
        for name, value in ((t.READAHEAD, "128"), (t.MAX_SECTORS, "512"), (t.SCHEDULER, "[none] bfq")):
            self.write(name, value)
        replaced: dict[str, Any] = {"Fio": mock.Mock(), "BUSY_CHECK_S": 0.0, "target.users": lambda found: []}
        for name, replacement in replaced.items():
            patch = mock.patch(f"iostune_lib.session.{name}", replacement)
            patch.start()
            self.addCleanup(patch.stop)

    def write(self, name: str, value: str) -> None:
        (self.disk / name).parent.mkdir(parents=True, exist_ok=True)
        (self.disk / name).write_text(value)

    def session(self) -> Session:
        found = Target(Path("/dev/sda"), False, 1 << 30, "8:0", self.disk, self.disk)
        return Session(found, Request(8, 540, False), StopSignals(), self.root)


class Multipath(Base):
    def check(self) -> list[str]:
        measured = self.session()
        with contextlib.redirect_stderr(io.StringIO()):
            measured.check()
        return measured.warnings

    def test_a_path_is_refused(self) -> None:
        (self.disk / "holders").mkdir()
        above = self.root / "dm-3"
        (above / "dm").mkdir(parents=True)
        (self.disk / "holders/dm-3").symlink_to(above)
        (above / "dm/uuid").write_text("LVM-abc\n")
        (above / "dm/name").write_text("mpatha\n")
        self.assertEqual(self.check(), [])
        (above / "dm/uuid").write_text("mpath-3600\n")
        with (
            mock.patch.object(t, "check_writable") as sets,
            self.assertRaisesRegex(IostuneError, "/dev/mapper/mpatha"),
        ):
            self.check()
        sets.assert_not_called()

    def test_a_multipath_device_has_a_warning(self) -> None:
        self.assertEqual(self.check(), [])
        self.write("dm/uuid", "mpath-3600\n")
        (warning,) = self.check()
        self.assertIn("max_sectors_kb is not tried", warning)


class Prepared(Base):
    def test_the_present_value_is_that_of_earlier_decisions(self) -> None:
        """Not the original one: another scheduler has its own nr_requests."""
        measured = self.session()
        tunables = Tunables(self.disk)
        measured.settings = Settings(tunables, Journal(self.root, tunables, {}))
        measured.settings.accept(((t.READAHEAD, "512"),))
        stage = Stage("read_ahead_kb", t.READAHEAD, (), (), 1, (128, 512))
        begun = measured.prepare_stage(stage)
        self.assertEqual([arm.label for arm in begun.arms], ["512", "128"])
        self.assertEqual(begun.arms[0].settings, ())
        self.assertEqual(tunables.get(t.READAHEAD), "512")


class Ended(Base):
    def test_tunables_are_restored_before_anything_is_printed(self) -> None:
        seen: list[str] = []

        def measure(measured: Session, *rest: object) -> None:
            assert measured.settings
            measured.settings.apply(((t.READAHEAD, "4096"),))
            raise IostuneError("enough")

        def end(progress: Progress) -> None:
            seen.append((self.disk / t.READAHEAD).read_text())
            raise OSError(5, "Input/output error")

        with (
            mock.patch.object(Session, "measure_all", measure),
            mock.patch.object(Progress, "end", end),
            self.assertRaises(OSError),
        ):
            self.session().run()
        self.assertEqual(seen, ["128"])
        self.assertFalse((self.root / "journal").exists())

    def test_a_terminal_that_hung_up(self) -> None:
        ours, theirs = os.openpty()
        with os.fdopen(theirs, "w") as terminal, mock.patch.object(sys, "stderr", terminal):
            progress = Progress("iostune", 0.0)
            os.close(ours)
            progress.stage("first run")
            progress.run("none, direct, 1 reader")
            progress.end()
            self.session().warn("busy")


if __name__ == "__main__":
    unittest.main()
