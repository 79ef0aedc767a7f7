# SPDX-License-Identifier: GPL-2.0-only
"""Choose the area of the device that each reader reads: apart from each other, and different in each round. Pure."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1 << 20
# A reader with less cannot be measured.
SMALLEST_AREA = 4 * MIB
GOLDEN = (5**0.5 - 1) / 2


@dataclass(frozen=True)
class Area:
    """A range of bytes of a device."""

    offset: int
    length: int


def place_areas(size: int, readers: int, rounds: int, arm: int, arms: int, wanted: int) -> list[Area]:
    """Return an area of at most `wanted` bytes for each reader, in the reader's own part of the device.

    rounds is the number of earlier rounds. Each round starts elsewhere, evenly spread over the device, so that no
    cache of the device holds the area. In one round the arms get areas side by side, because tracks close to each
    other are equally fast.
    """
    part = size // readers // MIB * MIB
    length = min(max(wanted, SMALLEST_AREA), part) // MIB * MIB
    if length < SMALLEST_AREA:
        raise ValueError(f"{size} bytes are too few for {readers} readers")
    # A small device has no room for the areas of all arms: some share an area.
    side_by_side = min(arms, part // length)
    free = part - side_by_side * length
    start = int(free * ((rounds * GOLDEN) % 1)) // MIB * MIB
    start += arm % side_by_side * length
    return [Area(reader * part + start, length) for reader in range(readers)]
