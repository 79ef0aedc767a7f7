# SPDX-License-Identifier: GPL-2.0-only
"""Test tools/seqkeep_lib/checks_throttle.py on made-up machines."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

from seqkeep_lib.checks_throttle import check_exported_disks
from seqkeep_lib.host import Host


class ExportedDisks(unittest.TestCase):
    def setUp(self) -> None:
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.root = Path(made.name)
        self.write("proc/fs/nfsd/threads", "8")
        self.write("proc/self/mountinfo", "30 1 252:0 / /srv rw - xfs /dev/dm-0 rw")
        self.write("var/lib/nfs/etab", "/srv\t*(rw,sync)")
        (self.root / "srv").mkdir()
        # A logical volume on a partition of sda.
        (self.root / "sys/dev/block").mkdir(parents=True)
        (self.root / "sys/block/dm-0/slaves").mkdir(parents=True)
        (self.root / "sys/dev/block/252:0").symlink_to(self.root / "sys/block/dm-0")
        self.write("sys/block/sda/sda1/partition", "1")
        (self.root / "sys/block/dm-0/slaves/sda1").symlink_to(self.root / "sys/block/sda/sda1")
        self.disk(wbt=2000, reads=5000, ms=25000)

    def write(self, name: str, text: str) -> None:
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{text}\n")

    def disk(self, wbt: int, reads: int, ms: int) -> None:
        self.write("sys/block/sda/queue/wbt_lat_usec", str(wbt))
        self.write("proc/diskstats", f"8 0 sda {reads} 0 0 {ms} 10 0 0 10 0 0 0")

    def found(self) -> list[str]:
        return [f"{found.what} {found.remedy}" for found in check_exported_disks(Host(self.root), [])]

    def test_slow_disk_below_a_volume(self) -> None:
        (found,) = self.found()
        self.assertIn("exports files on sda: the kernel throttles writes", found)
        self.assertIn("its reads take more than 2 ms (on average 5.0 ms)", found)
        self.assertIn("seqkeep set sda wbt_lat_usec=75000", found)

    def test_no_advice(self) -> None:
        for wbt, reads, ms in ((2000, 5000, 5000), (2000, 10, 100), (0, 5000, 25000), (75000, 5000, 500000)):
            self.disk(wbt, reads, ms)
            self.assertEqual(self.found(), [])

    def test_no_throttling_in_this_kernel(self) -> None:
        (self.root / "sys/block/sda/queue/wbt_lat_usec").unlink()
        self.assertEqual(self.found(), [])

    def test_member_of_an_array(self) -> None:
        # The check of arrays has another remedy for it.
        (self.root / "sys/block/dm-0/slaves/sda1").unlink()
        self.write("sys/block/md0/md/level", "raid5")
        self.write("sys/block/md0/md/chunk_size", "65536")
        (self.root / "sys/block/md0/slaves").mkdir()
        (self.root / "sys/block/md0/slaves/sda1").symlink_to(self.root / "sys/block/sda/sda1")
        (self.root / "sys/block/dm-0/slaves/md0").symlink_to(self.root / "sys/block/md0")
        self.assertEqual(self.found(), [])

    def test_no_server(self) -> None:
        self.write("proc/fs/nfsd/threads", "0")
        self.assertEqual(self.found(), [])


if __name__ == "__main__":
    unittest.main()
