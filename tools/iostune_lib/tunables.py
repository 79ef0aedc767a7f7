# SPDX-License-Identifier: GPL-2.0-only
"""The tunables of a disk: list, read and write them.

They are set in the order given here, because the kernel changes some with others: a new scheduler has its own
nr_requests, iosched/ and wbt_lat_usec; a new nr_requests changes async_depth; since 6.10, a new max_sectors_kb may
raise read_ahead_kb.
"""

from __future__ import annotations

import errno
import re
import time
from pathlib import Path

from .errors import IostuneError
from .target import is_mapped, is_multipath, is_zoned, read_file

SCHEDULER = "queue/scheduler"
NR_REQUESTS = "queue/nr_requests"
MAX_SECTORS = "queue/max_sectors_kb"
READAHEAD = "queue/read_ahead_kb"
SLICE_IDLE = "queue/iosched/slice_idle"
LOW_LATENCY = "queue/iosched/low_latency"
# The same tunable in another unit.
SLICE_IDLE_US = "queue/iosched/slice_idle_us"
STRIPE_CACHE = "md/stripe_cache_size"
GROUP_THREADS = "md/group_thread_cnt"

BEFORE_IOSCHED = (SCHEDULER, NR_REQUESTS, "queue/async_depth")
AFTER_IOSCHED = (MAX_SECTORS, READAHEAD, "queue/wbt_lat_usec", STRIPE_CACHE, GROUP_THREADS)
# A change of the scheduler resets these.
SCHEDULER_TUNABLES = (NR_REQUESTS, "queue/async_depth", "queue/wbt_lat_usec")
KNOWN_SCHEDULERS = ("none", "mq-deadline", "bfq", "kyber")
# BLKDEV_MIN_RQ: queue_requests_store() raises smaller numbers to it. For slow USB disks the kernel itself chooses less.
MIN_REQUESTS = 4
# Since 6.16 setting the scheduler or nr_requests fails with EBUSY while another disk of the host is added or removed.
BUSY_S = 5.0
BUSY_STEP_S = 0.1


def belongs_to_scheduler(name: str) -> bool:
    return name in SCHEDULER_TUNABLES or name.startswith("queue/iosched/")


def changes_with(name: str, changed: str) -> bool:
    """Return whether the kernel may change a tunable when another one is set."""
    return (
        (changed == SCHEDULER and belongs_to_scheduler(name))
        or (changed == NR_REQUESTS and name.endswith("/async_depth"))
        or (changed == MAX_SECTORS and name == READAHEAD)
        or {name, changed} == {SLICE_IDLE, SLICE_IDLE_US}
    )


class Tunables:
    """The tunables of one disk."""

    def __init__(self, disk: Path) -> None:
        self.disk = disk

    def get(self, name: str) -> str | None:
        """Return the value of a tunable; None if the tunable does not exist or has no value now."""
        try:
            text = (self.disk / name).read_text().strip()
        except (OSError, UnicodeDecodeError):
            return None
        if name == SCHEDULER:
            chosen = re.search(r"\[([^]]+)\]", text)
            return chosen[1] if chosen else text or None
        return text

    def put(self, name: str, value: str) -> None:
        """Write a tunable; the kernel may change others with it. OSError: the kernel refuses the value."""
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
        """Return the tunables that can be read and written now, in the order of setting."""
        tuning = sorted(f"queue/iosched/{path.name}" for path in self.disk.glob("queue/iosched/*"))
        found = [*BEFORE_IOSCHED, *tuning, *AFTER_IOSCHED]
        return [name for name in found if self.is_writable(name) and self.can_restore(name)]

    def is_writable(self, name: str) -> bool:
        try:
            return bool((self.disk / name).stat().st_mode & 0o200)
        except OSError:
            return False

    def can_restore(self, name: str) -> bool:
        """Return whether a tunable has a value that the kernel would accept again."""
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
        """Return whether md writes the members' superblocks when a tunable is set.

        Before md resizes its stripe cache, it marks the array as active in its superblocks, and soon after as clean.
        """
        return name == STRIPE_CACHE and read_file(self.disk / "md/array_state") != "readonly"

    def reason_unsafe(self, name: str) -> str:
        """Return why setting a tunable may do more than make reads faster or slower; "" if it may not."""
        if name == SCHEDULER and is_zoned(self.disk):
            return (
                "the disk is zoned, and before Linux 6.10 only mq-deadline keeps the order of the writes to a zone: "
                "with another scheduler they fail"
            )
        if name == MAX_SECTORS and is_multipath(self.disk):
            # blk_insert_cloned_request() fails a request above the path's max_sectors_kb with BLK_STS_IOERR, and then
            # dm-multipath fails the path.
            return (
                "a multipath device passes on whole requests, and one that is larger than a path's limit would fail "
                "that path"
            )
        if name == MAX_SECTORS and is_mapped(self.disk):
            return "the limits of a device of device mapper follow from its targets, and each new table sets them again"
        if self.writes_superblocks(name):
            return (
                "md would write its superblocks. iostune tries it if the array is read-only (mdadm --readonly), but it "
                "hardly matters for reads"
            )
        return ""

    def limit_kb(self) -> int | None:
        """Return the largest possible max_sectors_kb."""
        return self.number("queue/max_hw_sectors_kb")


def check_writable(tunables: Tunables) -> None:
    """Fail now, and not after the first minute, if tunables cannot be written."""
    for name in tunables.names():
        value = tunables.get(name)
        if name == READAHEAD and value is not None:
            try:
                tunables.put(name, value)
            except OSError as error:
                raise IostuneError(
                    f"cannot set {tunables.disk / name} ({error.strerror}): run iostune as root"
                ) from None
