# SPDX-License-Identifier: GPL-2.0-only
"""A booted machine is kept once per hardware and boot of the host, and QEMU's refusal is an error."""

import json
import os
import socket
import sys
import tempfile
import threading
import unittest
from collections.abc import Sequence
from pathlib import Path
from unittest import mock

from . import booted
from .progress import Trouble, stop

Answers = Sequence[dict[str, object]]


class Folder(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)


class Kept(Folder):
    def setUp(self) -> None:
        super().setUp()
        self.boots = 0

    def keep(self, *same: str) -> Path:
        def boot(_command: Sequence[str], state: Path, _log: Path) -> None:
            self.boots += 1
            state.touch()

        with mock.patch.object(booted, "boot_and_keep", boot), mock.patch.object(booted, "qemu_version", lambda _: "8"):
            return booted.kept_state([], same, self.folder / "booted", self.folder / "log")

    def test_once_per_hardware(self) -> None:
        first = self.keep("-m", "2G")
        self.assertEqual((self.keep("-m", "2G"), self.boots), (first, 1))
        self.assertNotEqual(self.keep("-m", "4G"), first)
        self.assertEqual(self.boots, 2)

    def test_the_last_used_stay(self) -> None:
        first = self.keep("0")
        for number in range(1, booted.KEPT):
            self.keep(str(number))
        os.utime(self.keep("1"), (1, 1))
        self.assertEqual(self.keep("0"), first)
        self.keep("another")
        self.assertEqual(self.boots, booted.KEPT + 1)
        self.assertEqual(len(list(first.parent.iterdir())), booted.KEPT)
        self.assertTrue(first.exists())

    def test_those_of_another_boot_of_the_host_go(self) -> None:
        old = self.folder / "booted/00000000-0123456789ab"
        old.parent.mkdir()
        old.touch()
        kept = self.keep()
        self.assertEqual(list(old.parent.iterdir()), [kept])

    def test_two_images_of_a_kernel_share_a_machine(self) -> None:
        def same(run: str, image: str) -> list[str]:
            top = "/src"
            command = [
                "-drive",
                f"file={top}/build/{image}",
                "-kernel",
                f"{top}/build/vmlinuz",
                f"{top}/build/run/{run}",
            ]
            return booted.without((f"{top}/build/run/{run}", f"{top}/build/{image}", top), command)

        self.assertEqual(same("a", "x/root.img"), same("b", "y/root.img"))
        self.assertEqual(same("a", "x/root.img"), ["-drive", "file=", "-kernel", "/build/vmlinuz", ""])

    def test_none_is_booted_once_the_user_has_stopped_the_run(self) -> None:
        stop.set()
        self.addCleanup(stop.clear)
        with self.assertRaisesRegex(Trouble, "stopped"):
            booted.boot_and_keep(["-append", ""], self.folder / "state", self.folder / "log")


# A machine that says what it is told to, and writes its state as QEMU does.
MACHINE = """
import json, pathlib, socket, subprocess, sys
log, text, *_ = sys.argv[1:]
pathlib.Path(log).write_text(text)
if "waiting" not in text:
    sys.exit("no kernel")
with socket.socket(socket.AF_UNIX) as server:
    server.bind(sys.argv[-1].removeprefix("unix:").partition(",")[0])
    pathlib.Path(log).write_text(text + "\\n")
    server.listen()
    stream = server.accept()[0].makefile("rw")
    print("{}", file=stream, flush=True)
    asked = ""
    while character := stream.read(1):
        asked += character
        try:
            request = json.loads(asked)
        except json.JSONDecodeError:
            continue
        asked = ""
        if request["execute"] == "migrate":
            subprocess.run(request["arguments"]["uri"].removeprefix("exec:"), shell=True, input=b"state")
        print(json.dumps({"return": {"status": "completed"}}), file=stream, flush=True)
"""


class Making(Folder):
    def make(self, text: str, state: Path) -> None:
        log = self.folder / "console.log"
        booted.boot_and_keep([sys.executable, "-c", MACHINE, str(log), text, "-append", ""], state, log)

    def test_the_state_is_kept(self) -> None:
        state = self.folder / "state"
        # The socket is there before the initrd waits.
        with mock.patch.object(booted, "WAITING", "waiting\n"):
            self.make("initrd: waiting", state)
        self.assertEqual(state.read_bytes(), b"state")
        self.assertEqual({path.name for path in self.folder.iterdir()}, {"state", "console.log"})

    def test_nothing_is_kept_otherwise(self) -> None:
        for text, said in (
            ("no initrd", "ended before its initrd was up: no kernel"),
            ("BUG: x\ninitrd: waiting", "the console of a machine that boots has: BUG: x"),
        ):
            with (
                self.subTest(said),
                mock.patch.object(booted, "WAITING", "waiting\n"),
                self.assertRaisesRegex(Trouble, said),
            ):
                self.make(text, self.folder / "state")
            self.assertEqual([path.name for path in self.folder.iterdir()], ["console.log"])


class Migration(Folder):
    def migrate(self, answers: Answers) -> list[str]:
        """What QEMU is asked when it greets and then gives these answers."""
        control, asked = self.folder / "qmp", []
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(control))
            server.listen()

            def serve() -> None:
                connection, _ = server.accept()
                with connection, connection.makefile("w") as stream:
                    print(json.dumps({"QMP": {}}), file=stream, flush=True)
                    for answer in answers:
                        if "event" not in answer:
                            asked.append(json.loads(connection.recv(4096))["execute"])
                        print(json.dumps(answer), file=stream, flush=True)

            thread = threading.Thread(target=serve)
            thread.start()
            try:
                booted.migrate(control, "exec:cat > state")
            finally:
                thread.join()
        return asked

    def test_until_it_is_complete(self) -> None:
        done: Answers = [{"return": {}}, {"event": "STOP"}, {"return": {}}]
        states: Answers = [{"return": {"status": status}} for status in ("active", "completed")]
        asked = self.migrate([*done, *states])
        self.assertEqual(asked, ["qmp_capabilities", "migrate", "query-migrate", "query-migrate"])

    def test_failures(self) -> None:
        cases: Sequence[tuple[Answers, str]] = (
            ([{"return": {}}, {"error": {"desc": "no such folder"}}], "refuses migrate: no such folder"),
            ([{"return": {}}, {"return": {}}, {"return": {"status": "failed"}}], "is the disk full"),
            ([{"return": {}}], "ended before it had kept"),
        )
        for answers, said in cases:
            with self.subTest(said), self.assertRaisesRegex(Trouble, said):
                self.migrate(answers)
            (self.folder / "qmp").unlink()


if __name__ == "__main__":
    unittest.main()
