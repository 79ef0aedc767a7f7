# SPDX-License-Identifier: GPL-2.0-only
"""One measurement: fio's command, its run, what its JSON says."""

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

from .errors import IostuneError, NothingReadError
from .landlock import Landlock
from .layout import Area
from .measurement import Sample
from .signals import StopSignals

BLOCK = 128 << 10
# A run in which nothing was read is done again, in so many times the time, so often.
RETRY_FACTOR, RETRIES = 4, 3
# How much longer than it was told fio may take before it counts as hanging.
HANG_TIMEOUT_S = 120
# How long it may take to die: in an uninterruptible sleep it does not.
KILL_TIMEOUT_S = 5


def command(path: Path, mode: str, areas: Sequence[Area], seconds: float) -> list[str]:
    """Sequential readers, one for each area, until the time is over or, buffered, the area."""
    common = [
        "fio",
        "--readonly",
        "--output-format=json",
        "--eta=never",
        # Threads end with the process, and need no memory that is shared by name.
        "--thread",
        "--ioengine=psync",
        "--rw=read",
        f"--bs={BLOCK}",
        f"--direct={int(mode == 'direct')}",
        # The cache is ours to drop (see Fio.drop): for a whole device fio would flush and drop all of it.
        "--invalidate=0",
        # It would double the readahead; few programs ask for that.
        "--fadvise_hint=0",
        f"--runtime={max(1, round(seconds * 1000))}ms",
        f"--filename={str(path).replace(':', chr(92) + ':')}",
    ]
    if mode == "direct":
        # Goes on from the start of an area that was too small. Buffered, that would be in the cache.
        common.append("--time_based")
    for number, area in enumerate(areas):
        common += [f"--name=reader{number}", f"--offset={area.offset}", f"--size={area.length}"]
    return common


def parse(text: str, readers: int) -> Sample:
    """The sample in fio's output: warnings may come before the JSON."""
    start = text.find("{")
    try:
        jobs: list[dict[str, Any]] = json.loads(text[start:])["jobs"]
    except (ValueError, KeyError):
        raise IostuneError(f"fio's output is not what was expected: {text.strip()[:200] or 'empty'}") from None
    if len(jobs) != readers or any(job.get("error") for job in jobs):
        raise IostuneError(f"fio read with errors: {[job.get('error') for job in jobs]}; look at the kernel's log")
    reads = [job["read"] for job in jobs]
    if not any(read["io_bytes"] for read in reads):
        raise NothingReadError("nothing was read: look at the kernel's log")
    # All together, by the clock of the one that took longest; and of that, what each got by its own. The two differ
    # where some had read all of their area before the others. No zeros, as ratios are taken.
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
    """Runs fio on one target."""

    def __init__(self, path: Path, stop: StopSignals) -> None:
        if not shutil.which("fio"):
            raise IostuneError("fio does the reading and is not installed: apt install fio (or dnf install fio)")
        self.path = path
        self.stop = stop
        self.landlock = Landlock()
        # Held open: with its last user a device loses all of its cache.
        self.fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)

    @property
    def protection(self) -> list[str]:
        return ["O_RDONLY", "fio --readonly"] + (["landlock"] if self.landlock.is_enforced else [])

    def drop_cache(self, areas: Sequence[Area]) -> None:
        """Have these bytes, and no others, leave the page cache."""
        for area in areas:
            os.posix_fadvise(self.fd, area.offset, area.length, os.POSIX_FADV_DONTNEED)

    def run(self, mode: str, areas: Sequence[Area], seconds: float) -> Sample:
        """One measurement. A disk that has to spin up first gets the time for it."""
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
            # It repeats the file's name, which may be any bytes.
            errors="replace",
            cwd="/",
            # Ctrl-C is for us to handle.
            start_new_session=True,
            preexec_fn=self.landlock.enter_child,
        )
        self.stop.child = child
        try:
            out, err = child.communicate(timeout=seconds + HANG_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            # Said now: what is put back next may wait for the same disk.
            show_error(f"iostune: fio has hung for {HANG_TIMEOUT_S} s: it is killed, and the settings are put back")
            kill_child(child)
            raise IostuneError(f"fio has hung for {HANG_TIMEOUT_S} s: look at the kernel's log") from None
        finally:
            self.stop.child = None
        self.stop.check()
        if child.returncode:
            said = (err or out).strip().splitlines()
            raise IostuneError(f"fio: {said[0] if said else f'status {child.returncode}'}")
        if mode == "buffered":
            self.drop_cache(areas)
        return parse(out, len(areas))
