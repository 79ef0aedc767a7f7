# SPDX-License-Identifier: GPL-2.0-only
"""Advice that needs no measurement: settings of a disk that make writes slow, which iostune does not measure."""

from __future__ import annotations

from pathlib import Path

from .target import read_file

PARITY = ("raid4", "raid5", "raid6")
WBT = "queue/wbt_lat_usec"


def whole_disk(path: Path) -> Path:
    found = path.resolve()
    return found.parent if (found / "partition").exists() else found


def parity_arrays_above(disk: Path) -> list[Path]:
    """Return the md arrays of level 4, 5 or 6 that a disk, or a partition of it, is a member of."""
    holders = [*disk.glob("holders/*"), *disk.glob("*/holders/*")]
    found = {holder.resolve() for holder in holders if read_file(holder / "md/level") in PARITY}
    return sorted(found)


def throttled_members(disk: Path) -> list[str]:
    """Return advice about members of arrays with parity whose writes the block layer throttles.

    md's writes to its members are synchronous and not idle, which blk-wbt takes for write-back. It lets one of them at
    a time through while the member is read and is slower than wbt_lat_usec: 2 ms for a disk that is not rotational.
    Every write of an array with parity waits for such writes and reads.
    """
    if read_file(disk / "md/level") in PARITY:
        members = [(whole_disk(slave), disk) for slave in disk.glob("slaves/*")]
    else:
        members = [(disk, array) for array in parity_arrays_above(disk)[:1]]
    said = []
    for member, array in sorted(set(members)):
        value = read_file(member / WBT)
        if value.isdigit() and int(value) > 0:
            said.append(
                f"{member.name} is a member of {array.name}, an array with parity, and the kernel throttles md's "
                f"writes to it while it is read and takes longer than wbt_lat_usec, {value} us. iostune does not "
                f"measure writes. If writes to the array are slow, try: echo 0 > /sys/block/{member.name}/{WBT}"
            )
    return said
