# SPDX-License-Identifier: GPL-2.0-only
"""Test tools/seqkeep_lib/checks_nfs_link.py on made-up machines."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

from seqkeep_lib.checks_nfs_link import check_nfs_windows, enough_kb
from seqkeep_lib.host import Host
from seqkeep_lib.modules import State, find_module

STATS = """\
device /dev/sda1 mounted on / with fstype ext4
device server:/srv mounted on /mnt/a with fstype nfs4 statvers=1.1
\tper-op statistics
\t        READ: 5000 5000 0 100 100 90000 90000 90000 0
\t     GETATTR: {ops} {ops} 0 100 100 0 {rtt} {rtt} 0
"""


class NfsWindows(unittest.TestCase):
    def setUp(self) -> None:
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.root = Path(made.name)
        (self.root / "proc/self").mkdir(parents=True)
        mountinfo = "36 1 0:52 / /mnt/a rw - nfs4 server:/srv rw,vers=4.2,rsize=1048576\n"
        (self.root / "proc/self/mountinfo").write_text(mountinfo)
        self.stats(1000, 200)
        self.adapter("eth0", "1000")
        # A bridge shows the speed of its ports again.
        self.adapter("br0", "1000", device=False)

    def stats(self, ops: int, rtt: int) -> None:
        (self.root / "proc/self/mountstats").write_text(STATS.format(ops=ops, rtt=rtt))

    def adapter(self, name: str, speed: str, state: str = "up", device: bool = True) -> None:
        folder = self.root / "sys/class/net" / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "speed").write_text(f"{speed}\n")
        (folder / "operstate").write_text(f"{state}\n")
        if device:
            (folder / "device").mkdir(exist_ok=True)

    def found(self, multiple: str = "auto", limit: str = "0", enabled: bool = True) -> str:
        module = find_module("nfs-ra")
        assert module
        parameters = {"multiple": multiple, "auto_max_kb": limit}
        state = State(module, loaded=True, enabled=enabled, parameters=parameters)
        return "".join(f"{found.what}: {found.remedy}" for found in check_nfs_windows(Host(self.root), [state]))

    def test_gigabit(self) -> None:
        found = self.found()
        self.assertIn("1000 Mbit/s, and a small request takes 0.2 ms", found)
        self.assertIn("wait up to 134 ms", found)
        self.assertIn("seqkeep set nfs-ra auto_max_kb=1024", found)

    def test_long_way(self) -> None:
        self.stats(1000, 20000)
        self.assertEqual(self.found(), "")
        self.stats(1000, 5000)
        self.assertIn("auto_max_kb=2048", self.found())

    def test_fast_network(self) -> None:
        self.adapter("eth1", "100000")
        self.assertEqual(self.found(), "")

    def test_what_is_not_known(self) -> None:
        self.adapter("wlan0", "-1", state="down")
        self.assertNotEqual(self.found(), "")
        self.adapter("wlan0", "-1")
        self.assertEqual(self.found(), "")

    def test_few_requests(self) -> None:
        self.stats(99, 20)
        self.assertEqual(self.found(), "")

    def test_other_settings(self) -> None:
        self.assertEqual(self.found(multiple="4"), "")
        self.assertEqual(self.found(limit="2048"), "")
        self.assertEqual(self.found(enabled=False), "")

    def test_no_mount(self) -> None:
        (self.root / "proc/self/mountinfo").write_text("")
        self.assertEqual(self.found(), "")

    def test_twice_the_product(self) -> None:
        self.assertEqual(enough_kb(1000, 0), 1024)
        # 1.25 MB are in flight on 1 Gbit/s with 10 ms.
        self.assertEqual(enough_kb(1000, 10), 4096)


if __name__ == "__main__":
    unittest.main()
