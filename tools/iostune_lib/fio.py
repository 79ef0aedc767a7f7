# SPDX-License-Identifier: GPL-2.0-only
"""Run one measurement: fio's command line, its process, and its JSON."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from seqkeep_lib.output import show_error
from seqkeep_lib.signals import StopSignals

from .errors import IostuneError, NothingReadError
from .landlock import Landlock
from .layout import Area
from .measurement import Sample

BLOCK = 128 << 10
# A run that read nothing is repeated up to RETRIES times, each RETRY_FACTOR times as long.
RETRY_FACTOR, RETRIES = 4, 3
# fio hangs if it runs so much longer than its runtime.
HANG_TIMEOUT_S = 120
# How long to wait for a killed fio. In an uninterruptible sleep it does not die.
KILL_TIMEOUT_S = 5


def command(path: Path, mode: str, areas: Sequence[Area], seconds: float) -> list[str]:
    """Return fio's command for a sequential reader per area, each until the time or, if buffered, its area ends."""
    common = [
        "fio",
        "--readonly",
        "--output-format=json",
        "--eta=never",
        # Threads end with the process, and need no named shared memory.
        "--thread",
        "--ioengine=psync",
        "--rw=read",
        f"--bs={BLOCK}",
        f"--direct={int(mode == 'direct')}",
        # Fio.drop_cache() drops the areas. fio would flush and drop the cache of the whole device.
        "--invalidate=0",
        # POSIX_FADV_SEQUENTIAL would double the readahead, and few programs use it.
        "--fadvise_hint=0",
        f"--runtime={max(1, round(seconds * 1000))}ms",
        f"--filename={str(path).replace(':', chr(92) + ':')}",
    ]
    if mode == "direct":
        # fio starts again at the beginning of an area that was too small. A buffered read would find it in the cache.
        common.append("--time_based")
    for number, area in enumerate(areas):
        common += [f"--name=reader{number}", f"--offset={area.offset}", f"--size={area.length}"]
    return common


def parse(text: str, readers: int) -> Sample:
    """Parse fio's output, in which warnings may come before the JSON."""
    start = text.find("{")
    try:
        jobs: list[dict[str, Any]] = json.loads(text[start:])["jobs"]
    except (ValueError, KeyError):
        raise IostuneError(f"cannot parse fio's output: {text.strip()[:200] or 'empty'}") from None
    if len(jobs) != readers or any(job.get("error") for job in jobs):
        raise IostuneError(f"fio failed to read, errors {[job.get('error') for job in jobs]}: see the kernel's log")
    reads = [job["read"] for job in jobs]
    if not any(read["io_bytes"] for read in reads):
        raise NothingReadError("fio read nothing: see the kernel's log")
    # The total is over the longest runtime. The shares are in proportion to the readers' own speeds, which are higher
    # for readers that finished their area early. No value is 0, because they become ratios.
    elapsed = max(1, *(read["runtime"] for read in reads)) / 1000
    total = sum(read["io_bytes"] for read in reads) / elapsed
    speeds = [max(read["io_bytes"], 1) / (max(read["runtime"], 1) / 1000) for read in reads]
    shares = tuple(total * speed / sum(speeds) for speed in speeds)
    return Sample(shares, max(wait_ms(read, elapsed) for read in reads))


def wait_ms(read: dict[str, Any], elapsed: float) -> float:
    latency = read.get("clat_ns", {})
    value = latency.get("percentile", {}).get("99.000000") or latency.get("max")
    return max(value / 1e6, 1e-3) if value else elapsed * 1000


def kill_child(child: subprocess.Popen[str]) -> None:
    child.kill()
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.communicate(timeout=KILL_TIMEOUT_S)


class Fio:
    """fio on one target."""

    def __init__(self, path: Path, stop: StopSignals) -> None:
        if not shutil.which("fio"):
            raise IostuneError("cannot find fio, which does the reading: apt install fio (or dnf install fio)")
        self.path = path
        self.stop = stop
        self.landlock = Landlock()
        # Keep the device open: the kernel drops all of its cache at the last close.
        self.fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)

    @property
    def protection(self) -> list[str]:
        return ["O_RDONLY", "fio --readonly"] + (["landlock"] if self.landlock.is_enforced else [])

    def drop_cache(self, areas: Sequence[Area]) -> None:
        """Drop these bytes, and no others, from the page cache."""
        for area in areas:
            os.posix_fadvise(self.fd, area.offset, area.length, os.POSIX_FADV_DONTNEED)

    def run(self, mode: str, areas: Sequence[Area], seconds: float) -> Sample:
        """Measure once. Retries give a disk the time to spin up."""
        for _ in range(RETRIES):
            try:
                return self.run_once(mode, areas, seconds)
            except NothingReadError:
                seconds *= RETRY_FACTOR
        return self.run_once(mode, areas, seconds)

    def run_once(self, mode: str, areas: Sequence[Area], seconds: float) -> Sample:
        if mode == "buffered":
            self.drop_cache(areas)
        self.stop.check()
        child = subprocess.Popen(
            command(self.path, mode, areas, seconds),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # fio's output has the file's name, which may be any bytes.
            errors="replace",
            cwd="/",
            # Ctrl-C goes to iostune only.
            start_new_session=True,
            preexec_fn=self.landlock.enter_child,
        )
        self.stop.child = child
        try:
            out, err = child.communicate(timeout=seconds + HANG_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            # Tell the user now, because restoring the tunables may wait for the same disk.
            show_error(f"iostune: fio has hung for {HANG_TIMEOUT_S} s: killing it, and restoring the tunables")
            kill_child(child)
            raise IostuneError(f"fio has hung for {HANG_TIMEOUT_S} s: see the kernel's log") from None
        finally:
            self.stop.child = None
        self.stop.check()
        if child.returncode:
            said = (err or out).strip().splitlines()
            raise IostuneError(f"fio: {said[0] if said else f'status {child.returncode}'}")
        if mode == "buffered":
            self.drop_cache(areas)
        return parse(out, len(areas))
