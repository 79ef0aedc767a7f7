# SPDX-License-Identifier: GPL-2.0-only
"""Test tools/seqkeep_lib/checks_raid.py on made-up machines."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

from seqkeep_lib import doctor
from seqkeep_lib.checks_raid import check_raid_members
from seqkeep_lib.finding import Finding
from seqkeep_lib.host import Host

from tools import machines


class RaidMembers(unittest.TestCase):
    def setUp(self) -> None:
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.fixture = machines.Fixture(Path(made.name))
        self.host = Host(self.fixture.root)
        for n, (disk, usec) in enumerate((("sda", 2000), ("sdb", 0), ("sdc", 75000))):
            self.fixture.disk(disk, f"8:{16 * n}", wbt_lat_usec=usec)
        self.fixture.partition("sdc", "sdc1", "8:33", 2048)

    def array(self, name: str, level: str, *members: str) -> None:
        self.fixture.disk(name, f"9:{name[2:]}", below=members)
        self.fixture.write(f"sys/block/{name}/md/level", f"{level}\n")

    def found(self) -> list[Finding]:
        return list(check_raid_members(self.host, []))

    def test_throttled_disks_and_partitions_are_named(self) -> None:
        self.array("md0", "raid5", "sda", "sdb", "sdc1")
        self.fixture.write("sys/block/sdc/queue/wbt_lat_usec", "4000\n")
        (found,) = self.found()
        self.assertTrue(found.what.endswith("reads take on sda more than 2 ms, sdc more than 4 ms"), found.what)
        self.assertTrue(
            found.remedy.startswith("seqkeep set sda wbt_lat_usec=0; seqkeep set sdc wbt_lat_usec=0  # "), found.remedy
        )
        self.assertIn(found, doctor.run_checks(self.host))

    def test_it_says_how_long_reads_took(self) -> None:
        self.array("md0", "raid6", "sda", "sdb", "sdc1")
        self.fixture.io("sdb", reads=1000, ms=90)
        self.assertNotIn("average", self.found()[0].what)
        self.fixture.io("sda", reads=1000, ms=5)
        self.fixture.io("sdc", reads=1000, ms=4)
        self.assertTrue(self.found()[0].what.endswith("on sda more than 2 ms (on average 5.0 ms)"))

    def test_disk_that_rotates(self) -> None:
        # Its limit is 75 ms, which reads reach on a loaded disk only.
        self.array("md0", "raid5", "sdb", "sdc1")
        self.fixture.io("sdc", reads=1000, ms=5)
        self.assertEqual(self.found(), [])
        self.fixture.io("sdc", reads=1000, ms=80)
        self.assertIn("on sdc more than 75 ms (on average 80.0 ms)", self.found()[0].what)

    def test_disk_whose_reads_are_fast(self) -> None:
        self.array("md0", "raid5", "sda", "sdb")
        self.fixture.io("sda", reads=99, ms=1)
        self.assertIn("reads take on sda more than 2 ms", self.found()[0].what)
        self.fixture.io("sda", reads=100, ms=1)
        self.assertEqual(self.found(), [])

    def test_a_name_that_stays(self) -> None:
        self.fixture.link("dev/disk/by-id/wwn-1", "dev/sda")
        self.array("md0", "raid5", "sda", "sdb")
        self.assertTrue(self.found()[0].remedy.startswith("seqkeep set /dev/disk/by-id/wwn-1 wbt"))

    def test_no_advice(self) -> None:
        self.array("md0", "raid1", "sda", "sdc1")
        self.array("md1", "raid6", "sdb")
        self.assertEqual(self.found(), [])

    def test_disk_without_throttling(self) -> None:
        (self.fixture.root / "sys/block/sda/queue/wbt_lat_usec").unlink()
        self.array("md0", "raid4", "sda", "sdb")
        self.assertEqual(self.found(), [])

    def test_disk_below_encryption(self) -> None:
        self.fixture.disk("dm-0", "253:0", below=("sdc1",))
        (self.fixture.root / "sys/block/dm-0/queue/wbt_lat_usec").unlink()
        self.array("md0", "raid5", "sdb", "dm-0")
        self.fixture.write("sys/block/sdc/queue/wbt_lat_usec", "2000\n")
        self.assertIn("reads take on sdc more than 2 ms", self.found()[0].what)


if __name__ == "__main__":
    unittest.main()
