# SPDX-License-Identifier: GPL-2.0-only
"""Advice that needs no measurement: settings of a disk that make writes slow, which iostune does not measure."""

from __future__ import annotations

from seqkeep_lib.arrays import arrays
from seqkeep_lib.host import Host
from seqkeep_lib.sample import read_disks
from seqkeep_lib.throttle import throttled_members


def about_throttling(host: Host, disk: str) -> list[str]:
    """Return advice about the members of an array with parity, if a disk is one of them or the array."""
    counts = read_disks(host)
    return [
        f"{found.disk} is a member of {array.name}, an array with parity: the kernel throttles the array's writes to it"
        f" while its reads take more than {found.limit}. iostune does not measure writes. If writes to the array are"
        f" slow, try: echo 0 > /sys/block/{found.disk}/queue/wbt_lat_usec"
        for array in arrays(host)
        for found in throttled_members(host, array, counts)
        if disk in (array.name, found.disk)
    ]
