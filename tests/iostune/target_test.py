# SPDX-License-Identifier: GPL-2.0-only
"""The target of a measurement, and its users."""

import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from iostune_lib import target
from iostune_lib.errors import IostuneError
from iostune_lib.target import Target


class Users(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.disk = self.root / "sda"
        self.disk.mkdir()
        (self.disk / "dev").write_text("8:0\n")
        self.target = Target(Path("/dev/sda"), False, 1 << 30, "8:0", self.disk, self.disk)

    def users(self, mountinfo: bytes) -> list[str]:
        mounts = self.root / "mountinfo"
        mounts.write_bytes(mountinfo)
        with (
            mock.patch.object(target, "MOUNTS", mounts),
            mock.patch.object(target, "SWAPS", self.root / "none"),
            mock.patch.object(target, "BTRFS", self.root / "btrfs"),
        ):
            return target.users(self.target)

    def test_a_mount(self) -> None:
        found = self.users(b"30 1 8:0 / /mnt/a\\040b rw - ext4 /dev/sda rw\n31 1 8:16 / /mnt/c rw - ext4 /dev/sdb rw\n")
        self.assertEqual(found, ["sda is mounted on /mnt/a b"])

    def test_btrfs(self) -> None:
        (self.root / "btrfs/features").mkdir(parents=True)
        for uuid, name, number in (("1234-5", "sda", "8:0"), ("1234-5", "sdb", "8:16"), ("6789-0", "sdc", "8:32")):
            (self.root / name).mkdir(exist_ok=True)
            (self.root / name / "dev").write_text(f"{number}\n")
            (self.root / "btrfs" / uuid / "devices").mkdir(parents=True, exist_ok=True)
            (self.root / "btrfs" / uuid / "devices" / name).symlink_to(self.root / name)
        found = self.users(b"30 1 0:45 / /srv rw - btrfs /dev/sdb rw\n")
        self.assertEqual(found, ["sda is part of the mounted btrfs 1234-5"])

    def test_a_mount_point_may_be_any_bytes(self) -> None:
        odd = (
            "30 1 8:16 / /mnt/a\u2028b\x0cc rw - ext4 /dev/sdb rw\n".encode()
            + b"31 1 8:16 / /mnt/\xff rw - ext4 x rw\n"
        )
        self.assertEqual(self.users(odd + b"32 1 8:0 / /srv rw - ext4 /dev/sda rw\n"), ["sda is mounted on /srv"])
        self.assertEqual(self.users(b"30 1 8:0 / /mnt/\xff rw - ext4 x rw\n"), ["sda is mounted on /mnt/\ufffd"])


class Identity(unittest.TestCase):
    def test_a_disk_may_grow(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            disk = Path(folder)
            found = Target(Path("/dev/dm-0"), False, 1 << 30, "253:0", disk, disk)
            (disk / "size").write_text("2048\n")
            (disk / "dm").mkdir()
            (disk / "dm/uuid").write_text("LVM-abc\n")
            known = {"disk": folder, "dm/uuid": "LVM-abc"}
            # Kernels before 5.15 have no diskseq.
            self.assertEqual(target.identity(found), {**known, "size": "2048"})
            (disk / "diskseq").write_text("7\n")
            self.assertEqual(target.identity(found), {**known, "diskseq": "7"})


class Found(unittest.TestCase):
    def test_nothing_to_read(self) -> None:
        with tempfile.NamedTemporaryFile() as file, self.assertRaisesRegex(IostuneError, "has nothing to read"):
            target.find_target(file.name)

    def test_a_relative_path(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "file").write_text("text")
            before = Path.cwd()
            self.addCleanup(os.chdir, before)
            os.chdir(folder)
            self.assertEqual(target.find_target("file").path, Path(folder) / "file")
            # Before the folder is removed.
            os.chdir(before)


if __name__ == "__main__":
    unittest.main()
