# SPDX-License-Identifier: GPL-2.0-only
"""A machine in a folder: a module that can be loaded, a disk, an NFS server, and a load that the module changes."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from seqkeep_lib.host import Host

MIB = 1 << 20
# A modprobe that loads and unloads the modules of the folder in which it is.
MODPROBE = """#!/bin/sh
root=${0%/usr/bin/modprobe}
case $1 in
-r)
    name=$(echo "$2" | tr - _)
    [ ! -e "$root/busy" ] || { echo "modprobe: FATAL: Module $name is in use." >&2; exit 1; }
    rm -rf "$root/sys/module/$name" ;;
*)
    name=$(echo "$1" | tr - _)
    mkdir -p "$root/sys/module/$name/parameters"
    cd "$root/sys/module/$name/parameters" || exit 1
    echo 0 > max_kb; echo > devices; echo N > enable.new; mv enable.new enable; echo live > ../initstate ;;
esac
"""


@dataclass
class Second:
    """What a load does in one second."""

    served: float
    reads: float
    read_bytes: float
    read_ms: float


# A load: what it does in a second, by time, and with the module or without.
Load = Callable[[float, bool, random.Random], Second]


class Machine:
    """A folder with the files that a trial reads, and a clock that sleep() advances."""

    def __init__(self, root: Path, load: Load, seed: int = 1) -> None:
        self.root = root
        self.load = load
        self.source = random.Random(seed)
        self.now = 0.0
        self.sums = Second(0.0, 0.0, 0.0, 0.0)
        # Called after each sleep: (machine).
        self.events: list[Callable[[Machine], None]] = []
        self.stalled_us = 0.0
        self.write("/dev/kmsg", "")
        self.write("/sys/block/sda/dev", "8:0\n")
        self.write("/usr/bin/modprobe", MODPROBE)
        (root / "usr/bin/modprobe").chmod(0o755)
        self.write("/lib/modules/6.12.0/updates/ctxra.ko", "")
        self.write(f"/lib/modules/{os.uname().release}/updates/ctxra.ko", "")
        self.show()

    def host(self) -> Host:
        return Host(self.root, "6.12.0")

    def write(self, name: str, text: str) -> None:
        path = self.root / name.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def load_module(self, enable: str = "N", max_kb: str = "0") -> None:
        for name, value in (("enable", enable), ("max_kb", max_kb), ("devices", "")):
            self.write(f"/sys/module/ctxra/parameters/{name}", f"{value}\n")
        self.write("/sys/module/ctxra/initstate", "live\n")

    def parameter(self, name: str) -> str | None:
        path = self.root / f"sys/module/ctxra/parameters/{name}"
        return path.read_text().strip() if path.exists() else None

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        done = self.load(self.now, self.parameter("enable") == "Y", self.source)
        self.now += seconds
        for name in ("served", "reads", "read_bytes", "read_ms"):
            setattr(self.sums, name, getattr(self.sums, name) + getattr(done, name) * seconds)
        self.show()
        for event in self.events:
            event(self)

    def show(self) -> None:
        s = self.sums
        counts = [int(s.reads), 0, int(s.read_bytes / 512), int(s.read_ms), *[0] * 13]
        self.write("/proc/diskstats", f"   8       0 sda {' '.join(map(str, counts))}\n")
        self.write("/proc/net/rpc/nfsd", f"rc 0 0 0\nio {int(s.served)} 0\n")
        self.write("/proc/stat", f"cpu  {int(self.now * 50)} 0 0 0 0 0 0 0 0 0\n")
        stalled = int(self.stalled_us)
        self.write("/proc/pressure/memory", f"some avg10=0.00 avg60=0.00 avg300=0.00 total={stalled}\n")


def serve(mib_per_s: float, kib_off: float, kib_on: float, noise: float = 0.05, ms: float = 2.0) -> Load:
    """Return a load of clients that read so much, in disk reads of a size that the module changes."""

    def load(now: float, is_on: bool, source: random.Random) -> Second:
        served = mib_per_s * MIB * source.lognormvariate(0, noise)
        reads = served / 1024 / (kib_on if is_on else kib_off) * source.lognormvariate(0, noise)
        return Second(served, reads, served, reads * ms)

    return load


def changing(mib_per_s: float, change_s: float, seed: int) -> Load:
    """Return a load that is now sequential and now random, by itself, and in both cases as without the module."""
    sizes = random.Random(seed)
    kinds = [sizes.choice((8.0, 128.0)) for _ in range(1000)]

    def load(now: float, is_on: bool, source: random.Random) -> Second:
        kib = kinds[int(now / change_s) % len(kinds)]
        return serve(mib_per_s, kib, kib)(now, is_on, source)

    return load
