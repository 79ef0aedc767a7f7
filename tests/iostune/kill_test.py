# SPDX-License-Identifier: GPL-2.0-only
"""SIGKILL at random moments of iostune leaves every tunable as it was."""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

TOP = Path(__file__).parents[2]
# A run of the unit tests has few; KILLS=200 for more.
KILLS = int(os.environ.get("KILLS", "10"))
RESTORED_S = 30.0
# iostune on a disk that is a folder, with readers that only wait.
PROGRAM = """
import os, sys, time
from pathlib import Path
from unittest import mock
from iostune_lib import cli, target
from iostune_lib.measurement import Sample
root = Path(sys.argv.pop(1))
found = target.Target(root / "disk", False, 1 << 40, "8:0", root / "disk", root / "disk")

class Fio:
    protection = []
    def __init__(self, path, stop):
        self.stop = stop
    def run(self, mode, areas, seconds):
        self.stop.check()
        time.sleep(0.002)
        return Sample((1e8 / len(areas),) * len(areas), 5.0)

with (
    mock.patch("iostune_lib.cli.DIRECTORY", root / "run"),
    mock.patch("iostune_lib.cli.KMSG", root / "kmsg"),
    mock.patch("iostune_lib.cli.target.find_target", lambda word: found),
    mock.patch("iostune_lib.session.Fio", Fio),
    mock.patch("iostune_lib.session.BUSY_CHECK_S", 0),
    mock.patch("os.geteuid", lambda: 0),
):
    sys.exit(cli.main())
"""
TUNABLES = {
    "queue/read_ahead_kb": "100",
    "queue/nr_requests": "77",
    "queue/max_sectors_kb": "333",
    "queue/scheduler": "mq-deadline",
}


class Killed(unittest.TestCase):
    def test_at_random_moments(self) -> None:
        source = random.Random(5)
        changed = 0
        for number in range(KILLS):
            with tempfile.TemporaryDirectory() as folder:
                root = Path(folder)
                for name, value in {**TUNABLES, "queue/max_hw_sectors_kb": "1024", "size": "8", "dev": "8:0"}.items():
                    path = root / "disk" / name
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(value)
                run = subprocess.Popen(
                    [sys.executable, "-c", PROGRAM, folder, "--time", "20", "disk"],
                    env={**os.environ, "PYTHONPATH": str(TOP / "tools")},
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                )
                while run.poll() is None and not (root / "run/journal").exists():
                    time.sleep(0.001)
                time.sleep(source.random() * source.choice((0.01, 0.3, 1.5)))
                # Every second time at a moment at which something is changed.
                while number % 2 and run.poll() is None:
                    run.send_signal(signal.SIGSTOP)
                    if self.values(root) != TUNABLES:
                        changed += 1
                        break
                    run.send_signal(signal.SIGCONT)
                    time.sleep(0.005)
                run.send_signal(signal.SIGKILL)
                _, said = run.communicate()
                give_up = time.monotonic() + RESTORED_S
                while (root / "run/journal").exists() or self.values(root) != TUNABLES:
                    self.assertLess(time.monotonic(), give_up, (self.values(root), said))
                    time.sleep(0.01)
                # The watchdog still writes its message, in this folder.
                time.sleep(0.1)
        self.assertGreater(changed, 0)

    def values(self, root: Path) -> dict[str, str]:
        return {name: (root / "disk" / name).read_text() for name in TUNABLES}


if __name__ == "__main__":
    unittest.main()
