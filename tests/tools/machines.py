# SPDX-License-Identifier: GPL-2.0-only
"""Whole machines as folders, for the tests of tools that read /proc and /sys."""

from __future__ import annotations

import os
from pathlib import Path

MIB = 2048  # sectors


class Fixture:
    """A machine without anything: a container."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.stats: dict[str, str] = {}
        self.mountinfo: list[str] = []
        self.write("proc/sys/kernel/osrelease", "6.12.1-test\n")
        self.mount("0:40", "/", "overlay", "overlay", "rw")

    def write(self, name: str, text: str = "") -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def mount(self, device: str, path: str, fstype: str, source: str, options: str) -> None:
        self.mountinfo.append(f"30 1 {device} / {path} rw - {fstype} {source} {options}\n")
        self.write("proc/self/mountinfo", "".join(self.mountinfo))

    def disk(self, name: str, number: str, below: tuple[str, ...] = (), **queue: int) -> None:
        """Add a disk to /sys, with attributes of its queue."""
        directory = f"sys/devices/virtual/block/{name}"
        self.write(f"{directory}/dev", f"{number}\n")
        attributes = {"read_ahead_kb": 128, "max_sectors_kb": 1280, "rotational": 1, "wbt_lat_usec": 75000, **queue}
        for attribute, value in attributes.items():
            self.write(f"{directory}/queue/{attribute}", f"{value}\n")
        for link in (f"sys/block/{name}", f"sys/class/block/{name}", f"sys/dev/block/{number}"):
            self.link(link, directory)
        for disk in below:
            self.link(
                f"{directory}/slaves/{disk}",
                os.path.relpath((self.root / f"sys/class/block/{disk}").resolve(), self.root),
            )

    def partition(self, disk: str, name: str, number: str, start: int) -> None:
        directory = f"sys/devices/virtual/block/{disk}/{name}"
        self.write(f"{directory}/partition", "1\n")
        self.write(f"{directory}/start", f"{start}\n")
        self.write(f"{directory}/dev", f"{number}\n")
        for link in (f"sys/class/block/{name}", f"sys/dev/block/{number}"):
            self.link(link, directory)

    def link(self, name: str, to: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(os.path.relpath(self.root / to, path.parent))

    def io(
        self, disk: str, reads: int = 0, read_kib: float = 0, writes: int = 0, write_kib: float = 0, ms: float = 5
    ) -> None:
        """Set the counts of a disk in /proc/diskstats: reads and writes of so many KiB that take ms each."""
        numbers = (reads, 0, int(reads * read_kib * 2), int(reads * ms), writes, 0, int(writes * write_kib * 2))
        self.stats[disk] = f"8 0 {disk} {' '.join(map(str, numbers))} {int(writes * ms)} 0 0 0\n"
        self.write("proc/diskstats", "".join(self.stats.values()))

    def serve(self, reads: int, read_kib: float, writes: int, write_kib: float, threads: int = 16) -> None:
        """Set what nfsd did, by version 4."""
        operations = ["0"] * 72
        operations[25], operations[38] = str(reads), str(writes)
        self.write(
            "proc/net/rpc/nfsd",
            "rc 0 0 0\nfh 0 0 0 0 0\n"
            f"io {int(reads * read_kib * 1024)} {int(writes * write_kib * 1024)}\nth {threads} 0\n"
            f"proc3 22 {' '.join(['0'] * 22)}\nproc4ops 72 {' '.join(operations)}\n",
        )
        self.write("proc/fs/nfsd/threads", f"{threads}\n")

    def export(self, *paths: str) -> None:
        self.write("var/lib/nfs/etab", "".join(f"{path}\t*(rw,sync)\n" for path in paths))

    def load(self, module: str, counters: str, **parameters: str) -> None:
        directory = module.replace("-", "_")
        self.write(f"sys/module/{directory}/initstate", "live\n")
        for name, value in {"enable": "N", **parameters}.items():
            self.write(f"sys/module/{directory}/parameters/{name}", f"{value}\n")
        file = "readahead/stats_raw" if module == "ra-trace" else f"{directory}/stats"
        self.write(f"sys/kernel/debug/{file}", counters)


def nfs_server(root: Path, fstype: str = "ext4") -> Fixture:
    """Export /srv from sdb, whose reads are smaller than its readahead, to clients that ask for 256 KiB at a time."""
    fixture = Fixture(root)
    fixture.disk("sdb", "8:16")
    fixture.mount("8:16", "/srv", fstype, "/dev/sdb", "rw")
    fixture.export("/srv")
    fixture.io("sdb", reads=100000, read_kib=40)
    fixture.serve(reads=16000, read_kib=256, writes=0, write_kib=0)
    return fixture


def nfs_client(root: Path, read_ahead_kb: int = 128) -> Fixture:
    """Mount /mnt/a b over a network with a round trip of 5 ms."""
    fixture = Fixture(root)
    fixture.mount("0:52", "/mnt/a\\040b", "nfs4", "server:/", "rw,vers=4.2,rsize=1048576,wsize=1048576")
    fixture.write("sys/class/bdi/0:52/read_ahead_kb", f"{read_ahead_kb}\n")
    fixture.write("usr/libexec/nfsrahead")
    client_stats(fixture, 1000, 128)
    return fixture


def client_stats(fixture: Fixture, reads: int, kib: int, small: int = 100) -> None:
    fixture.write(
        "proc/self/mountstats",
        "device /dev/sda1 mounted on / with fstype ext4\n"
        "device server:/ mounted on /mnt/a\\040b with fstype nfs4 statvers=1.1\n"
        "\topts:\trw,vers=4.2,rsize=1048576\n\tper-op statistics\n"
        f"\t        READ: {reads} {reads} 0 {reads * 200} {reads * kib * 1024} 10 {reads * 6} {reads * 7} 0\n"
        f"\t     GETATTR: {small} {small} 0 1000 1000 1 {small * 5} {small * 6} 0\n",
    )


def iscsi_target(root: Path) -> Fixture:
    """Serve a file by fileio and a logical volume by block."""
    fixture = Fixture(root)
    fixture.disk("sdb", "8:16")
    fixture.mount("8:16", "/srv", "xfs", "/dev/sdb", "rw")
    core = "sys/kernel/config/target/core"
    fixture.write(f"{core}/fileio_0/hba_info", "HBA Index: 1\n")
    status = "Status: ACTIVATED  Max Queue Depth: 0  SectorSize: 512  HwMaxSectors: 16384\n"
    fixture.write(
        f"{core}/fileio_0/disk/info",
        f"{status}        TCM FILEIO ID: 0        File: /srv/a b.img  Size: 1048576  Mode: Buffered-WCE Async: 0\n",
    )
    fixture.write(f"{core}/iblock_1/lv/info", f"{status}        iBlock device: dm-0\n")
    fixture.write(f"{core}/iblock_1/lv/udev_path", "/dev/vg/lv\n")
    fixture.io("sdb", reads=100000, read_kib=40)
    return fixture


def md_host(root: Path, level: str = "raid5") -> Fixture:
    """Write in order to md0 of three disks, which reads its members for that."""
    fixture = Fixture(root)
    for n, letter in enumerate("abc"):
        fixture.disk(f"sd{letter}", f"8:{16 * n}", rotational=0, wbt_lat_usec=2000)
        fixture.io(f"sd{letter}", reads=3000, read_kib=64, writes=5000, write_kib=64)
    fixture.disk("md0", "9:0", below=("sda", "sdb", "sdc"))
    for name, value in {"level": level, "chunk_size": "524288", "raid_disks": "3", "stripe_cache_size": "256"}.items():
        fixture.write(f"sys/block/md0/md/{name}", f"{value}\n")
    fixture.write("sys/block/md0/md/consistency_policy", "resync\n")
    fixture.write("sys/block/md0/md/degraded", "0\n")
    fixture.io("md0", writes=2500, write_kib=256)
    return fixture


def laptop(root: Path) -> Fixture:
    fixture = Fixture(root)
    fixture.disk("nvme0n1", "259:0", rotational=0)
    fixture.partition("nvme0n1", "nvme0n1p2", "259:2", 2048)
    fixture.mount("259:2", "/home", "ext4", "/dev/nvme0n1p2", "rw")
    fixture.io("nvme0n1", reads=500000, read_kib=20, ms=0.1)
    return fixture
