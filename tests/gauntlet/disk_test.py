# SPDX-License-Identifier: GPL-2.0-only
"""Traces of block devices, of invented lines of the kernel's trace."""

import tempfile
import unittest
from pathlib import Path

from gauntlet import disk

LINES = """\
# tracer: nop
 fio (x: 1)-123     [000] .....  12.000100: block_bio_queue: 9,0 W 2048 + 8 [fio (x: 1)]
 jbd2/md0-8-99      [001] .....  12.000300: block_bio_queue: 9,0 FWFS 4096 + 16 [jbd2/md0-8]
 xfsaild-7          [001] .....  12.000299: block_bio_queue: 9,0 FWS 0 + 0 [xfsaild]
 fio-123            [000] .....  13.000100: block_bio_queue: 9,0 RA 8 + 8 [fio]
 fstrim-5           [000] .....  13.000100: block_bio_queue: 9,0 DS 1024 + 2048 [fstrim]
"""
LOG = [
    "0 disk write 1048576 4096",
    "200 disk sync 0 0",
    "200 disk write 2097152 8192",
    "200 disk sync 0 0",
    "200 disk sync 0 0",
    "1000000 disk read 4096 4096",
    "1000000 disk trim 524288 524288",
    "1000000 disk trim 1048576 524288",
]


class Disk(unittest.TestCase):
    def test_actions(self) -> None:
        self.assertEqual(list(disk.actions(LINES.splitlines())), LOG)

    def test_a_file(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "x.gz")
            disk.write(path, LOG)
            text = disk.load(path)
            self.assertEqual(text.splitlines()[3:-1], LOG)
            self.assertEqual(text.splitlines()[-1], "1000000 disk close")
            self.assertEqual(list(disk.requests(text, "write")), [(1048576, 4096), (2097152, 8192)])
            small = Path(folder, "small")
            small.write_bytes(bytes(1 << 20))
            with self.assertRaises(disk.BadTrace):
                disk.replay(path, small, 1, [])

    def test_check(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path, device = Path(folder, "x.gz"), Path(folder, "device")
            disk.write(path, ["0 disk write 512 1024", "1 disk write 1024 512", "2 disk trim 4096 512"])
            first, second = ((at.to_bytes(8, "little") + b"\x05" * 8) * 32 for at in (512, 1024))
            for good in (first * 2, first + second):
                device.write_bytes(bytes(512) + good)
                self.assertEqual(disk.check(path, device, 5), 2)
            for bad in (second + first, first + bytes(512), first):
                device.write_bytes(bytes(512) + bad)
                with self.assertRaises(disk.BadTrace):
                    disk.check(path, device, 5)


if __name__ == "__main__":
    unittest.main()
