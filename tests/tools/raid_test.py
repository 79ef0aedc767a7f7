# SPDX-License-Identifier: GPL-2.0-only
"""Tests of seqkeep raid, and of the metrics of arrays."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

from seqkeep_lib.arrays import arrays
from seqkeep_lib.host import Host
from seqkeep_lib.metrics_arrays import array_samples
from seqkeep_lib.raid_view import Moment, as_text, rates, read_moment

from tools import machines

COUNTERS = "".join(
    f"md0 {line}\n"
    for line in ("written_rmw 10", "written_rcw 20", "pre_read_sectors 400", "held 6", "filled 5", "trust_percent 90")
)


class Raid(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.fixture = machines.md_host(Path(directory.name))
        self.host = Host(Path(directory.name))

    def count(self, text: str) -> None:
        self.fixture.write("sys/module/raid5_deadline/initstate", "live\n")
        self.fixture.write("sys/kernel/debug/raid5_deadline/arrays", f"{text}md1 held 99\n")

    def test_rates_without_the_module(self) -> None:
        new = read_moment(self.host)
        new.clock = 10.0
        [row] = rates(self.host, Moment(), new)
        # 625 MiB in stripes of 8 KiB: all full, and as much parity as half of it.
        self.assertEqual((row["array"], row["write_kib"], row["stripes"], row["full"]), ("md0", 64000, 8000, 1.0))
        self.assertEqual((row["pre_read_kib"], row["written_rmw"]), (57600, None))
        self.assertRegex(as_text([row]), r"md0 +64000\.0 +8000\.0 +100\.0 +57600\.0 +-")

    def test_an_array_that_is_reshaped(self) -> None:
        """md shows the new number and, in brackets, the old one."""
        self.fixture.write("sys/block/md0/md/raid_disks", "4 (3)\n")
        self.fixture.write("sys/block/md0/md/chunk_size", "65536 (524288)\n")
        for options in ("rw", "rw,stripe=20"):
            self.fixture.mount("9:0", "/srv", "ext4", "/dev/md0", options)
        [array] = arrays(self.host)
        self.assertEqual((array.disks, array.chunk_kb, array.row_kb), (4, 64, 192))
        self.assertEqual(len(array.misaligned), 2)
        new = read_moment(self.host)
        new.clock = 10.0
        self.assertEqual([row["full"] for row in rates(self.host, Moment(), new)], [2 / 3])

    def test_an_array_of_unknown_size(self) -> None:
        self.fixture.mount("9:0", "/srv", "ext4", "/dev/md0", "rw,stripe=16")
        for number in ("", "none", "1"):
            self.fixture.write("sys/block/md0/md/raid_disks", f"{number}\n")
            [array] = arrays(self.host)
            self.assertEqual((array.row_kb, array.misaligned), (0, []))
            self.assertEqual([row["full"] for row in rates(self.host, Moment(), read_moment(self.host))], [None])

    def test_stripes_in_part(self) -> None:
        self.fixture.io("md0", writes=2500, write_kib=128)
        for disk in ("sda", "sdb", "sdc"):
            self.fixture.io(disk, writes=5000, write_kib=128 / 3)
        [row] = rates(self.host, Moment(), read_moment(self.host))
        self.assertAlmostEqual(row["full"], 0.5, 2)

    def test_a_member_on_two_disks(self) -> None:
        self.fixture.disk("sdd", "8:48")
        self.fixture.disk("dm-0", "253:0", below=("sda", "sdd"))
        self.fixture.io("dm-0", reads=3000, read_kib=64, writes=5000, write_kib=64)
        (self.fixture.root / "sys/block/md0/slaves/sda").unlink()
        self.fixture.link("sys/block/md0/slaves/dm-0", "sys/block/dm-0")
        [row] = rates(self.host, Moment(), read_moment(self.host))
        self.assertEqual(row["full"], 1.0)

    def test_a_journal(self) -> None:
        self.fixture.write("sys/block/md0/md/consistency_policy", "journal\n")
        [row] = rates(self.host, Moment(), read_moment(self.host))
        self.assertEqual((row["full"], row["stripes"]), (None, None))

    def test_an_idle_array(self) -> None:
        moment = read_moment(self.host)
        [row] = rates(self.host, moment, moment)
        self.assertEqual((row["write_kib"], row["full"]), (0, None))
        self.fixture.write("sys/block/md0/md/sync_action", "check\n")
        self.assertIn("md0: check reads", as_text(list(rates(self.host, moment, moment))))

    def test_counters_of_the_module(self) -> None:
        self.count(COUNTERS)
        old = read_moment(self.host)
        # A level that falls is no counter that was reset.
        self.count(COUNTERS.replace("held 6", "held 16").replace("90", "50"))
        new = read_moment(self.host)
        new.clock = old.clock + 2
        [row] = rates(self.host, old, new)
        self.assertEqual((row["held"], row["written_rcw"]), (5, 0))
        samples = array_samples(self.host)
        self.assertEqual(samples["written_rmw"], [({"array": "md0"}, 10.0)])
        self.assertEqual(samples["passed_full"], [])


if __name__ == "__main__":
    unittest.main()
