# SPDX-License-Identifier: GPL-2.0-only
"""Names, lists, profiles for tuned, comparisons of results, caches, unsafe settings, damaged journals."""

import contextlib
import io
import json
import os
import random
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from iostune_lib import advice, cli, diff, target, tuned
from iostune_lib import tunables as t
from iostune_lib.errors import IostuneError
from iostune_lib.judge import Kind
from iostune_lib.measurement import Sample
from iostune_lib.report import Result
from iostune_lib.session import Request, Session
from iostune_lib.tunables import Tunables
from seqkeep_lib import output
from seqkeep_lib.host import Host
from seqkeep_lib.signals import StopSignals
from tools.machines import Fixture


class Folder(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def write(self, name: str, value: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(value)
        return path

    def replace(self, what: str, value: object) -> None:
        patch = mock.patch(what, value)
        patch.start()
        self.addCleanup(patch.stop)


class Named(Folder):
    def test_a_name_without_dev(self) -> None:
        self.replace("iostune_lib.target.DEV", self.root)
        self.write("sda", "")
        self.assertEqual(target.path_of("sda"), self.root / "sda")
        for word in ("sdb", "./sda", "/srv/sda"):
            self.assertEqual(target.path_of(word), Path(word))
        here = Path.cwd()
        self.addCleanup(os.chdir, here)
        os.chdir(self.root)
        # A file of that name is nearer.
        self.assertEqual(target.path_of("sda"), Path("sda"))

    def test_errors_keep_the_word_as_typed(self) -> None:
        for word, said in (("", "'' is no name"), ("nosuch", "nosuch: No such file"), ("a\0b", "no name of a file")):
            with self.assertRaises(IostuneError) as raised:
                target.find_target(word)
            self.assertIn(said, str(raised.exception))

    def test_a_list_without_a_name(self) -> None:
        self.replace("iostune_lib.target.BLOCK", self.root)
        self.write("sda/size", "1953125000")
        self.write("sda/queue/scheduler", "none [mq-deadline]")
        self.write("sda/queue/rotational", "1")
        self.write("sda/device/model", "ST1000")
        self.write("loop0/size", "0")
        self.replace("sys.argv", ["iostune"])
        shown = io.StringIO()
        with contextlib.redirect_stdout(shown):
            self.assertEqual(cli.main(), 0)
        lines = shown.getvalue().splitlines()
        self.assertEqual(lines[1].split(), ["sda", "1000.0", "yes", "mq-deadline", "-", "ST1000"])
        self.assertEqual(len(lines), 2)

    def test_arguments_that_do_not_go_together(self) -> None:
        for words in (
            ["--restore", "sda"],
            ["--diff", "a", "b", "sda"],
            ["--quick"],
            ["--restore", "--diff", "a", "b"],
        ):
            with (
                mock.patch.object(sys, "argv", ["iostune", *words]),
                contextlib.redirect_stderr(io.StringIO()),
                self.assertRaises(SystemExit) as ended,
            ):
                cli.main()
            self.assertEqual(ended.exception.code, 2, words)

    def test_nothing_to_restore(self) -> None:
        self.replace("iostune_lib.cli.DIRECTORY", self.root)
        self.replace("os.geteuid", lambda: 0)
        self.replace("sys.argv", ["iostune", "--restore"])
        self.replace("iostune_lib.cli.StopSignals", mock.Mock())
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            self.assertEqual(cli.main(), 0)
        self.assertEqual(said.getvalue(), "iostune: nothing to restore\n")


class Unsafe(Folder):
    def reason(self, name: str, **files: str) -> str:
        for file, value in files.items():
            self.write(file.replace("__", "/"), value)
        return Tunables(self.root).reason_unsafe(name)

    def test_zoned(self) -> None:
        self.assertEqual(self.reason(t.SCHEDULER, queue__zoned="none"), "")
        self.assertIn("zoned", self.reason(t.SCHEDULER, queue__zoned="host-managed"))
        self.assertEqual(self.reason(t.READAHEAD), "")

    def test_device_mapper(self) -> None:
        self.assertEqual(self.reason(t.MAX_SECTORS, queue__zoned="none"), "")
        self.assertIn("follow from its targets", self.reason(t.MAX_SECTORS, dm__uuid="LVM-x"))
        self.assertIn("fail that path", self.reason(t.MAX_SECTORS, dm__uuid="mpath-3600"))


class Throttled(Folder):
    def test_members_of_arrays_with_parity(self) -> None:
        fixture = Fixture(self.root)
        for n, (disk, usec) in enumerate((("sda", 2000), ("sdb", 0), ("sdc", 2000))):
            fixture.disk(disk, f"8:{16 * n}", wbt_lat_usec=usec)
        fixture.disk("md0", "9:0", below=("sda", "sdb"))
        fixture.write("sys/block/md0/md/level", "raid5\n")
        host = Host(self.root)
        for disk in ("md0", "sda"):
            (said,) = advice.about_throttling(host, disk)
            self.assertIn("sda is a member of md0", said)
            self.assertIn("echo 0 > /sys/block/sda/queue/wbt_lat_usec", said)
        for disk in ("sdb", "sdc"):
            self.assertEqual(advice.about_throttling(host, disk), [])
        fixture.write("sys/block/md0/md/level", "raid1\n")
        self.assertEqual(advice.about_throttling(host, "md0"), [])


class Cached(Folder):
    def warnings(self, size: int, second: float) -> list[str]:
        for name, value in ((t.READAHEAD, "128"), ("dev", "8:0")):
            self.write(name, value)
        found = target.Target(Path("/dev/sda"), False, size, "8:0", self.root, self.root)
        with mock.patch("iostune_lib.session.Fio", mock.Mock()):
            session = Session(found, Request(1, 540, False), StopSignals(), self.root)
        speeds = [100e6, 100e6 * second] * 3
        with (
            mock.patch.object(Session, "measure_once", lambda *rest: Sample((speeds.pop(0),), 1.0)),
            contextlib.redirect_stderr(io.StringIO()),
        ):
            session.check_cache(("direct", "buffered"))
        return session.warnings

    def test_a_small_area(self) -> None:
        self.assertIn("is little", " ".join(self.warnings(300 << 20, 1.0)))
        self.assertEqual(self.warnings(1 << 40, 1.0), [])

    def test_what_was_just_read_is_faster(self) -> None:
        (warning,) = self.warnings(1 << 40, 3.0)
        self.assertIn("3.0 to 3.0 times as fast again", warning)


class Tuned(Folder):
    def setUp(self) -> None:
        super().setUp()
        self.replace("iostune_lib.tuned.ACTIVE", self.root / "active_profile")
        self.replace("iostune_lib.tuned.PROFILES", (self.root,))

    def test_a_profile(self) -> None:
        self.write("active_profile", "throughput-performance\n")
        settings = {t.SCHEDULER: "bfq", t.SLICE_IDLE: "8", t.READAHEAD: "512"}
        text = tuned.profile_text("sda", {"ID_SERIAL": "WD+1"}, settings, ["why"])
        self.assertIn("include=throughput-performance\n", text)
        self.assertIn("devices_udev_regex=^ID_SERIAL=WD\\+1$\nelevator=bfq\nreadahead=512\n", text)
        self.assertIn("[sysfs]\n/sys/block/sda/queue/iosched/slice_idle=8\n", text)
        self.assertIn("devices=sda\n", tuned.profile_text("sda", {}, settings, []))

    def test_a_profile_that_would_overwrite_a_rule(self) -> None:
        self.assertEqual(tuned.overwriting_profile(), "")
        self.write("active_profile", "own\n")
        self.write("own/tuned.conf", "[main]\ninclude=base\n")
        self.assertEqual(tuned.overwriting_profile(), "")
        self.write("base/tuned.conf", "[main]\ninclude=own\n[disk]\nreadahead=>4096\n")
        self.assertEqual(tuned.overwriting_profile(), "own")
        self.replace("iostune_lib.target.read_file", target.read_file)
        disk = Path("/sys/block/sda")
        found = target.Target(Path("/dev/sda"), False, 1 << 30, "8:0", disk, disk)
        result = Result({}, [], [], 1.0, [], Kind("flat", {}), "none", {t.READAHEAD: "512"}, {t.READAHEAD: "128"})
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            cli.emit_udev(self.root / "65-x.rules", found, 'ENV{ID_SERIAL}=="x"', result)
            cli.emit_tuned(self.root / "tuned.conf", found, result)
        self.assertIn("profile own later", said.getvalue())
        self.assertIn("readahead=512", (self.root / "tuned.conf").read_text())


def result_json(kind: str, low: float, value: str | None) -> str:
    row = {"arm": "none", "mode": "direct", "readers": 1, "total_mb_s": low + 1, "range_mb_s": [low, low + 2]}
    return json.dumps(
        {
            "version": 1,
            "device": {"path": "/dev/sda"},
            "kind": {"name": kind},
            "decisions": [{"tunable": "queue/scheduler", "tables": [row]}],
            "recommendation": {"queue/scheduler": {"value": value, "now": "none"}} if value else {},
        }
    )


class Compared(Folder):
    def test_two_results(self) -> None:
        a = self.write("a.json", result_json("flat", 100.0, None))
        b = self.write("b.json", result_json("unclear", 200.0, "bfq"))
        text = diff.text([a, b])
        self.assertIn("kind: flat, then unclear", text)
        self.assertIn("recommended queue/scheduler: no change, then bfq", text)
        self.assertRegex(text, r"scheduler +none +direct +1 +101.0 +201.0 +1.99 +apart")
        self.assertIn("overlap", diff.text([a, a]))

    def test_files_that_are_no_results(self) -> None:
        whole = result_json("flat", 1.0, None)
        good = self.write("good.json", whole)
        source = random.Random(3)
        texts = ["", "{}", "[]", "[" * 5000, '{"version": 1, "decisions": [1]}', '{"version": 1, "decisions": []}']
        for _ in range(300):
            place = source.randrange(len(whole))
            texts.append(
                whole[:place] + source.choice(["", "null", "{", "7", '"']) + whole[place + source.randrange(9) :]
            )
        for text in texts:
            bad = self.write("bad.json", text)
            with contextlib.suppress(IostuneError):
                diff.text([good, bad])
        with self.assertRaises(IostuneError):
            diff.text([good, self.root / "none"])


class Wrapped(unittest.TestCase):
    def test_sentences_fit_the_terminal(self) -> None:
        text = "scheduler: no change from mq-deadline: " + "the best other, bfq, gains less than +5 % " * 5
        for columns in (60, 80, 120):
            with mock.patch.object(output, "width", lambda used=columns: used):
                lines = output.wrap(text, "    ").splitlines()
            self.assertLess(max(map(len, lines)), columns)
            self.assertEqual(" ".join(line.strip() for line in lines), text.strip())
        with mock.patch.object(output, "width", lambda: None):
            self.assertEqual(output.wrap(text), text)


if __name__ == "__main__":
    unittest.main()
