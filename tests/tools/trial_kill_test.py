# SPDX-License-Identifier: GPL-2.0-only
"""SIGKILL at random moments of seqkeep try leaves the module as it was."""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from tools.simulated_machine import Machine, serve

SEQKEEP = Path(__file__).parents[2] / "tools/seqkeep"
# A run of the unit tests has few, because each takes a second; KILLS=300 for more.
KILLS = int(os.environ.get("KILLS", "12"))
# How long the watchdog may take, on a machine that does other work, too.
RESTORED_S = 30.0


class Killed(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.machine = Machine(self.root, serve(100, 32, 128))

    def start(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, str(SEQKEEP), "--root", str(self.root), "try", *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def state(self) -> dict[str, str | None]:
        return {name: self.machine.parameter(name) for name in ("enable", "max_kb")}

    def has_watchdog(self) -> bool:
        return (self.root / "run/seqkeep/try/state").exists()

    def wait_restored(self, before: dict[str, str | None]) -> None:
        give_up = time.monotonic() + RESTORED_S
        while self.has_watchdog() or self.state() != before:
            self.assertLess(time.monotonic(), give_up, f"{self.state()} instead of {before}")
            time.sleep(0.01)

    def test_at_random_moments(self) -> None:
        source = random.Random(1)
        seen = set()
        for number in range(KILLS):
            # Not loaded, loaded, enabled.
            kind = ("none", "N", "Y")[number % 3]
            if kind != "none":
                self.machine.load_module(kind, "512")
            before = self.state()
            trial = self.start("ctxra", "max_kb=4096", "--for", "40s", "--period", "2s", "--guard", "1000")
            # The moments: from the first change on, of any length up to two phases.
            while trial.poll() is None and not self.has_watchdog() and source.random() > 0.02:
                time.sleep(0.001)
            time.sleep(source.random() * 0.05)
            # Some of them while the module is on.
            while number % 4 == 0 and trial.poll() is None and self.state()["enable"] != "Y":
                time.sleep(0.01)
            if number % 8 == 0:
                time.sleep(source.random() * 3)
            if number % 8:
                seen.add(self.state()["enable"])
            trial.send_signal(signal.SIGKILL)
            trial.communicate()
            self.wait_restored(before)
            subprocess.run(["rm", "-rf", str(self.root / "sys/module/ctxra")], check=True)
        self.assertIn("Y", seen)

    def test_the_trial_and_its_watchdog(self) -> None:
        """The next command restores what the dead watchdog could not."""
        self.machine.load_module("N", "512")
        trial = self.start("ctxra", "max_kb=4096", "--for", "40s", "--period", "2s", "--guard", "1000")
        while self.machine.parameter("enable") != "Y":
            time.sleep(0.01)
        children = Path(f"/proc/{trial.pid}/task/{trial.pid}/children").read_text().split()
        for pid in [*map(int, children), trial.pid]:
            os.kill(pid, signal.SIGSTOP)
        for pid in [*map(int, children), trial.pid]:
            os.kill(pid, signal.SIGKILL)
        trial.communicate()
        time.sleep(0.1)
        self.assertEqual(self.state(), {"enable": "Y", "max_kb": "4096"})
        restored = self.start("--restore")
        _, said = restored.communicate()
        self.assertEqual(restored.returncode, 0)
        self.assertIn("restored ctxra", said)
        self.assertEqual(self.state(), {"enable": "N", "max_kb": "512"})
        again = self.start("--restore")
        self.assertIn("nothing to restore", again.communicate()[1])

    def test_a_dead_watchdog_is_replaced(self) -> None:
        self.machine.load_module("N", "512")
        trial = self.start("ctxra", "--for", "40s", "--period", "2s", "--guard", "1000")
        children = Path(f"/proc/{trial.pid}/task/{trial.pid}/children")
        while not self.has_watchdog() or not children.read_text().split():
            time.sleep(0.01)
        first = children.read_text().split()
        os.kill(int(first[0]), signal.SIGKILL)
        give_up = time.monotonic() + RESTORED_S
        while children.read_text().split() in (first, []):
            self.assertLess(time.monotonic(), give_up)
            time.sleep(0.05)
        trial.send_signal(signal.SIGINT)
        self.assertIn("stopped; the module is as it was", trial.communicate()[1])
        self.assertEqual(trial.returncode, 130)
        self.assertEqual(self.state(), {"enable": "N", "max_kb": "512"})

    def test_two_at_once(self) -> None:
        trial = self.start("ctxra", "--for", "40s", "--period", "2s")
        while not self.has_watchdog():
            time.sleep(0.01)
        second = self.start("ctxra")
        self.assertIn("another seqkeep is trying", second.communicate()[1])
        self.assertEqual(second.returncode, 1)
        # What waits for the end of the trial can be stopped, and restores what the killed one has left.
        for number in (signal.SIGTERM, 0):
            waiting = self.start("--restore", "--wait")
            time.sleep(1)
            self.assertIsNone(waiting.poll())
            if number:
                waiting.send_signal(number)
            else:
                trial.kill()
                trial.communicate()
            waiting.communicate(timeout=RESTORED_S)
            self.assertEqual(waiting.returncode, 128 + number if number else 0)
        self.assertEqual(self.state()["enable"], None)

    def test_damaged_state_files(self) -> None:
        source = random.Random(2)
        path = self.root / "run/seqkeep/try/state"
        path.parent.mkdir(parents=True)
        whole = json.dumps(
            {"version": 1, "module": "ctxra", "was_loaded": True, "parameters": {"enable": "N"}}
        ).encode()
        damaged = [b"", b"{}", b"[]", b"null", b"\xff\xfe", b"[" * 5000, whole[:20], whole.replace(b"ctxra", b"../x")]
        damaged += [
            whole.replace(b'"enable"', b'"../../x"'),
            whole.replace(b'"N"', b"{}"),
            whole.replace(b"true", b"7"),
        ]
        damaged.append(bytes(source.randrange(256) for _ in range(200)))
        for data in damaged:
            path.write_bytes(data)
            found = self.start("--restore")
            _, said = found.communicate()
            self.assertEqual(found.returncode, 1, (data, said))
            self.assertNotIn("Traceback", said)
            self.assertIn("remove that file", said)


if __name__ == "__main__":
    unittest.main()
