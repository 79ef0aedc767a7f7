# SPDX-License-Identifier: GPL-2.0-only
"""
Whether the block layer throttles the writes to a disk because its reads take long (blk-wbt, wbt_lat_usec).

As soon as all reads of a short while take longer than wbt_lat_usec, it lets fewer and fewer writes of these kinds
through, in the end one at a time: buffered ones, thus a WRITE that an NFS client waits for, and all those of RAID 4, 5
and 6 to its members. docs/nfsd-dio.md and docs/upstream/raid456-wbt.md have figures. The doctor, advise and iostune
all ask here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .arrays import Array
from .host import Host
from .sample import Numbers

# The kernel's wbt_lat_usec for a disk that rotates, which only a loaded one exceeds. Otherwise it is 2000.
ROTATIONAL_USEC = 75000
# Fewer reads say nothing about a disk.
FEWEST_READS = 100


@dataclass(frozen=True)
class Throttled:
    """A disk whose writes are throttled while its reads take longer than the limit."""

    disk: str
    limit_usec: int
    # How long a read takes on average, which is more than the limit; None: there were too few reads to tell.
    read_ms: float | None

    @property
    def limit(self) -> str:
        """Return the limit and the figure seen, for a sentence about what reads take longer than."""
        seen = f" (on average {self.read_ms:.1f} ms)" if self.read_ms is not None else ""
        return f"{self.limit_usec / 1000:g} ms{seen}"


def throttling(host: Host, disk: str, io: Numbers) -> Throttled | None:
    """Return how the writes to a disk are throttled, by the counts of its reads; None: they are not.

    Where too few reads were counted, those of a disk that does not rotate may be.
    """
    # None: the kernel was built without it, or bfq has turned it off.
    limit = host.number(f"/sys/block/{disk}/queue/wbt_lat_usec") or 0
    if limit <= 0:
        return None
    reads = io.get("reads", 0)
    if reads < FEWEST_READS:
        return Throttled(disk, limit, None) if limit < ROTATIONAL_USEC else None
    takes = io["read_ms"] / reads
    return Throttled(disk, limit, takes) if takes * 1000 > limit else None


def throttled(host: Host, disks: Iterable[str], counts: dict[str, Numbers]) -> list[Throttled]:
    """Return those of some disks whose writes are throttled."""
    found = (throttling(host, disk, counts.get(disk, {})) for disk in sorted(set(disks)))
    return [each for each in found if each]


def throttled_members(host: Host, array: Array, counts: dict[str, Numbers]) -> list[Throttled]:
    """Return the disks of an array's members whose writes are throttled. Only RAID 4, 5 and 6 write so."""
    if not array.has_parity:
        return []
    return throttled(host, (member.disk for member in array.members), counts)
