# SPDX-License-Identifier: GPL-2.0-only
"""The disk's tunables: which there are, reading and writing one.

Their order here is the order they are set in, because of what the kernel does besides: a new scheduler brings its own
nr_requests, its own iosched/ and another wbt_lat_usec; a new nr_requests another async_depth; from 6.10, a new
max_sectors_kb may raise read_ahead_kb.
"""

from __future__ import annotations

import errno
import re
import time
from pathlib import Path

from .errors import IostuneError
from .target import is_multipath, read_file

SCHEDULER = "queue/scheduler"
NR_REQUESTS = "queue/nr_requests"
MAX_SECTORS = "queue/max_sectors_kb"
READAHEAD = "queue/read_ahead_kb"
SLICE_IDLE = "queue/iosched/slice_idle"
LOW_LATENCY = "queue/iosched/low_latency"
# The same in another unit.
SLICE_IDLE_US = "queue/iosched/slice_idle_us"
STRIPE_CACHE = "md/stripe_cache_size"
GROUP_THREADS = "md/group_thread_cnt"

BEFORE_IOSCHED = (SCHEDULER, NR_REQUESTS, "queue/async_depth")
AFTER_IOSCHED = (MAX_SECTORS, READAHEAD, "queue/wbt_lat_usec", STRIPE_CACHE, GROUP_THREADS)
# What a change of the scheduler resets.
SCHEDULER_TUNABLES = (NR_REQUESTS, "queue/async_depth", "queue/wbt_lat_usec")
KNOWN_SCHEDULERS = ("none", "mq-deadline", "bfq", "kyber")
# BLKDEV_MIN_RQ: queue_requests_store() makes as much of less, which the kernel itself chooses for slow USB disks.
MIN_REQUESTS = 4
# From 6.16 the scheduler and nr_requests are refused (EBUSY) while another disk of the same host comes or goes.
BUSY_S = 5.0
BUSY_STEP_S = 0.1


def belongs_to_scheduler(name: str) -> bool:
    return name in SCHEDULER_TUNABLES or name.startswith("queue/iosched/")


def changes_with(name: str, changed: str) -> bool:
    """Whether the kernel may change a tunable when another one is set."""
    return (
        (changed == SCHEDULER and belongs_to_scheduler(name))
        or (changed == NR_REQUESTS and name.endswith("/async_depth"))
        or (changed == MAX_SECTORS and name == READAHEAD)
        or {name, changed} == {SLICE_IDLE, SLICE_IDLE_US}
    )


class Tunables:
    """Those of one disk."""

    def __init__(self, disk: Path) -> None:
        self.disk = disk

    def get(self, name: str) -> str | None:
        """Its value; None: it is not there, or has none now."""
        try:
            text = (self.disk / name).read_text().strip()
        except (OSError, UnicodeDecodeError):
            return None
        if name == SCHEDULER:
            chosen = re.search(r"\[([^]]+)\]", text)
            return chosen[1] if chosen else text or None
        return text

    def put(self, name: str, value: str) -> None:
        """Write it, whatever happens to others by that. OSError: the kernel does not take it."""
        give_up = time.monotonic() + BUSY_S
        while True:
            try:
                with (self.disk / name).open("w") as file:
                    file.write(value)
                return
            except OSError as error:
                if error.errno != errno.EBUSY or time.monotonic() > give_up:
                    raise
                time.sleep(BUSY_STEP_S)

    def names(self) -> list[str]:
        """Those that can be read and written now, in the order of setting."""
        tuning = sorted(f"queue/iosched/{path.name}" for path in self.disk.glob("queue/iosched/*"))
        found = [*BEFORE_IOSCHED, *tuning, *AFTER_IOSCHED]
        return [name for name in found if self.is_writable(name) and self.can_restore(name)]

    def is_writable(self, name: str) -> bool:
        try:
            return bool((self.disk / name).stat().st_mode & 0o200)
        except OSError:
            return False

    def can_restore(self, name: str) -> bool:
        """Whether it has a value, which the kernel would take."""
        if name == NR_REQUESTS:
            return (self.number(name) or 0) >= MIN_REQUESTS
        return self.get(name) is not None

    def snapshot(self) -> dict[str, str]:
        values = ((name, self.get(name)) for name in self.names())
        return {name: value for name, value in values if value is not None}

    def number(self, name: str) -> int | None:
        text = self.get(name)
        return int(text) if text is not None and re.fullmatch(r"-?\d+", text) else None

    def writes_superblocks(self, name: str) -> bool:
        """Whether the device's members are written when it is set: before it makes its stripe cache larger or smaller,
        md notes in its superblocks that the array may be written to, and after a moment that it was not."""
        return name == STRIPE_CACHE and read_file(self.disk / "md/array_state") != "readonly"

    def is_unsafe(self, name: str) -> bool:
        """Whether trying values of it does more than make reads faster or slower."""
        # From a multipath device requests go down as they are, and blk_insert_cloned_request() refuses one above the
        # path's max_sectors_kb with BLK_STS_IOERR, for which dm-multipath fails the path.
        return self.writes_superblocks(name) or (name == MAX_SECTORS and is_multipath(self.disk))

    def limit_kb(self) -> int | None:
        """The largest max_sectors_kb there can be."""
        return self.number("queue/max_hw_sectors_kb")


def check_writable(tunables: Tunables) -> None:
    """Say it now, and not after the first minute."""
    for name in tunables.names():
        value = tunables.get(name)
        if name == READAHEAD and value is not None:
            try:
                tunables.put(name, value)
            except OSError as error:
                raise IostuneError(f"{tunables.disk / name} cannot be set ({error.strerror}): run it as root") from None
