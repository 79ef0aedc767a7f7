# SPDX-License-Identifier: GPL-2.0-only
"""Where readers read: areas apart from each other, and other places each time."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1 << 20
# What a reader needs at least to be measured at all.
SMALLEST_AREA = 4 * MIB
GOLDEN = (5**0.5 - 1) / 2


@dataclass(frozen=True)
class Area:
    """Bytes of a device."""

    offset: int
    length: int


def place_areas(size: int, readers: int, rounds: int, arm: int, arms: int, wanted: int) -> list[Area]:
    """An area for each reader: of its part of the device, as much as wanted or as there is.

    rounds: how many rounds were before. Each starts elsewhere, so that no cache of the device's own has what is read,
    spread evenly over the device. In a round the arms lie side by side: their tracks are equally fast.
    """
    part = size // readers // MIB * MIB
    length = min(max(wanted, SMALLEST_AREA), part) // MIB * MIB
    if length < SMALLEST_AREA:
        raise ValueError(f"{size} bytes are too few for {readers} readers")
    # On a small device arms cannot all be side by side: they share, from the end backwards.
    side_by_side = min(arms, part // length)
    free = part - side_by_side * length
    start = int(free * ((rounds * GOLDEN) % 1)) // MIB * MIB
    start += arm % side_by_side * length
    return [Area(reader * part + start, length) for reader in range(readers)]
