# SPDX-License-Identifier: GPL-2.0-only
"""Traces of a block device: which reads, writes, discards and flushes reached it, and when. No names, no data.

A trace is a log of fio's, version 3, gzipped: "TIME-us disk ACTION OFFSET LENGTH" a line. fio replays it.
"""

import gzip
import os
import re
import stat
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

TRACING = Path("/sys/kernel/tracing")
INSTANCE = TRACING / "instances/gauntlet-disk"
BUFFER_KB = 16384
SECTOR = 512
HEAD = ["fio version 3 iolog", "0 disk add", "0 disk open"]
# "fio-123 [000] ..... 12.345678: block_bio_queue: 9,0 FWFS 2048 + 8 [fio]"
LINE = re.compile(r"\s(\d+)\.(\d{6}): block_bio_queue: \d+,\d+ (F?)([RWD]E?)(F?)\w* (\d+) \+ (\d+) \[")
ACTIONS = {"R": "read", "W": "write", "D": "trim", "DE": "trim"}
COLUMNS = ("time", "disk", "action", "offset", "length")
# fio has as much memory as DEPTH of the largest requests need, so larger ones are split.
LARGEST = 512 << 10
# fio begins each request at its time only if those before it need not have ended.
DEPTH = 512


class BadTrace(Exception):
    """A trace that does not suit the device, or a device that lacks what was written."""


def actions(lines: Iterable[str]) -> Iterator[str]:
    """Turn lines of the kernel's trace into lines of the log. A flush, and FUA, is a sync."""
    begin_us = last_us = -1
    for line in lines:
        if not (found := LINE.search(line)):
            continue
        now_us = int(found[1]) * 1000000 + int(found[2])
        begin_us = now_us if begin_us < 0 else begin_us
        last_us = max(last_us, now_us - begin_us)
        if found[3]:
            yield f"{last_us} disk sync 0 0"
        begin, end = int(found[6]) * SECTOR, (int(found[6]) + int(found[7])) * SECTOR
        for at in range(begin, end, LARGEST):
            yield f"{last_us} disk {ACTIONS[found[4]]} {at} {min(LARGEST, end - at)}"
        if found[5]:
            yield f"{last_us} disk sync 0 0"


def check_device(device: Path) -> None:
    """Fail unless it is a whole disk: the kernel names no partition in its events."""
    status = device.stat()
    if not stat.S_ISBLK(status.st_mode):
        raise BadTrace(f"{device} is no block device")
    number = f"{os.major(status.st_rdev)}:{os.minor(status.st_rdev)}"
    if Path(f"/sys/dev/block/{number}/partition").exists():
        raise BadTrace(f"{device} is a partition: name its disk")


def record(device: Path, command: Sequence[str], seconds: float) -> tuple[list[str], int, int]:
    """Return the lines of the log, the number of events that were lost, and the command's status."""
    check_device(device)
    number = device.stat().st_rdev
    event = INSTANCE / "events/block/block_bio_queue"
    if INSTANCE.exists():
        # Of a recorder that was killed.
        INSTANCE.rmdir()
    INSTANCE.mkdir()
    try:
        (INSTANCE / "buffer_size_kb").write_text(str(BUFFER_KB))
        (event / "filter").write_text(f"dev == {os.major(number) << 20 | os.minor(number)}")
        (event / "enable").write_text("1")
        if command:
            status = subprocess.run(command, check=False).returncode
        else:
            status = 0
            time.sleep(seconds)
        (event / "enable").write_text("0")
        with (INSTANCE / "trace").open(errors="replace") as text:
            found = list(actions(text))
        per_cpu = (INSTANCE / "per_cpu").glob("cpu*/stats")
        lost = sum(int(m[1]) for file in per_cpu for m in re.finditer(r"overrun: (\d+)", file.read_text()))
    finally:
        INSTANCE.rmdir()
    return found, lost, status


def write(path: Path, found: Sequence[str]) -> None:
    last = found[-1].split()[0] if found else "0"
    text = "".join(f"{line}\n" for line in (*HEAD, *found, f"{last} disk close"))
    # Without the time of day and the file's name.
    path.write_bytes(gzip.compress(text.encode(), mtime=0))


def load(path: Path) -> str:
    with gzip.open(path, "rt") as file:
        return file.read()


def requests(text: str, action: str = "") -> Iterator[tuple[int, int]]:
    """The offset and the length of each request, of all or of one action."""
    for row in map(str.split, text.splitlines()):
        if len(row) == len(COLUMNS) and action in ("", row[2]):
            yield int(row[3]), int(row[4])


def replay(path: Path, device: Path, byte: int, more: Sequence[str]) -> int:
    """Replay by fio, each request at its time, and return fio's status. Overwrites the device, for check()."""
    text = load(path)
    # Fails if the device is mounted, or part of another.
    descriptor = os.open(device, os.O_RDONLY | os.O_EXCL)
    size = os.lseek(descriptor, 0, os.SEEK_END)
    os.close(descriptor)
    end = max((offset + length for offset, length in requests(text)), default=0)
    if end > size:
        raise BadTrace(f"{path} needs a device of {end} bytes, and {device} has {size}")
    with tempfile.NamedTemporaryFile("w", suffix=".log") as log:
        log.write(text)
        log.flush()
        command = ["fio", "--name=replay", f"--read_iolog={log.name}", f"--replay_redirect={device}", "--direct=1"]
        command += [
            "--ioengine=libaio",
            f"--iodepth={DEPTH}",
            "--verify=pattern",
            "--do_verify=0",
            "--verify_state_save=0",
        ]
        # Each request is full of its own offset, and of the byte.
        command += [f"--verify_pattern=%o0x{bytes([byte] * 8).hex()}", *more]
        return subprocess.run(command, check=False).returncode


def check(path: Path, device: Path, byte: int) -> int:
    """Return how many sectors hold what the replay wrote there last. Raises BadTrace if any does not."""
    text = load(path)
    wanted: dict[int, set[int]] = {}
    discarded = {at for offset, length in requests(text, "trim") for at in range(offset, offset + length, SECTOR)}
    for offset, length in requests(text, "write"):
        for at in range(offset, offset + length, SECTOR):
            wanted.setdefault(at, set()).add(offset)
    with device.open("rb") as file:
        for at in sorted(wanted.keys() - discarded):
            file.seek(at)
            found = file.read(SECTOR)
            # Of two requests that overlap, either may have been the last.
            if not any(
                found == (start.to_bytes(8, "little") + bytes([byte] * 8)) * (SECTOR // 16) for start in wanted[at]
            ):
                raise BadTrace(f"{device}: the sector at {at} has {found[:16]!r}")
    return len(wanted.keys() - discarded)
