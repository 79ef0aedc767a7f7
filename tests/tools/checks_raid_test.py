# SPDX-License-Identifier: GPL-2.0-only
"""Test tools/seqkeep_lib/checks_raid.py on made-up machines."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

from seqkeep_lib.checks_raid import check_raid_members
from seqkeep_lib.host import Host


class RaidMembers(unittest.TestCase):
    def setUp(self) -> None:
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.root = Path(made.name)
        (self.root / "sys/class/block").mkdir(parents=True)
        for disk, usec in (("sda", "2000"), ("sdb", "0"), ("sdc", "75000")):
            queue = self.root / "sys/block" / disk / "queue"
            queue.mkdir(parents=True)
            (queue / "wbt_lat_usec").write_text(f"{usec}\n")
            (self.root / "sys/class/block" / disk).symlink_to(self.root / "sys/block" / disk)
        part = self.root / "sys/block/sdc/sdc1"
        part.mkdir()
        (part / "partition").write_text("1\n")
        (self.root / "sys/class/block/sdc1").symlink_to(part)

    def array(self, name: str, level: str, *members: str) -> None:
        (self.root / "sys/block" / name / "md").mkdir(parents=True)
        (self.root / "sys/block" / name / "md/level").write_text(f"{level}\n")
        for member in members:
            (self.root / "sys/block" / name / "slaves" / member).mkdir(parents=True)

    def found(self) -> list[str]:
        return [finding.what for finding in check_raid_members(Host(self.root), [])]

    def test_throttled_disks_and_partitions_are_named(self) -> None:
        self.array("md0", "raid5", "sda", "sdb", "sdc1")
        found = list(check_raid_members(Host(self.root), []))
        self.assertEqual(len(found), 1)
        self.assertIn("md0 writes to sda, sdc,", found[0].what)
        self.assertIn("echo 0 > /sys/block/sdc/queue/wbt_lat_usec", found[0].remedy)
        self.assertNotIn("sdb", found[0].remedy)

    def test_no_advice(self) -> None:
        self.array("md0", "raid1", "sda", "sdc1")
        self.array("md1", "raid6", "sdb", "gone")
        self.assertEqual(self.found(), [])

    def test_disk_without_throttling(self) -> None:
        (self.root / "sys/block/sda/queue/wbt_lat_usec").unlink()
        self.array("md0", "raid4", "sda", "sdb")
        self.assertEqual(self.found(), [])


if __name__ == "__main__":
    unittest.main()
