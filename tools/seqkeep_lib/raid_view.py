# SPDX-License-Identifier: GPL-2.0-only
"""
What RAID 4, 5 and 6 read and write for each write to an array, from the kernel's own counts of disks.

What the members write beyond the array's own writes is parity, of which each stripe has a block or two: so the parity
tells how many stripes were written, and what a stripe could have taken tells how full they were. What the members read
beyond the array's own reads was read to compute parity. raid5-deadline(4) adds how the stripes were computed.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from .arrays import PARITY, Array, arrays
from .host import Host
from .modules import DEBUGFS
from .sample import Numbers, read_disks, subtract
from .top import number, table

STRIPE_SECTORS = 8
COUNTERS = f"{DEBUGFS}/raid5_deadline/arrays"
# Counters of raid5-deadline that are shown, by the heads of their columns.
SHOWN = {
    "rmw/s": "written_rmw",
    "rcw/s": "written_rcw",
    "held/s": "held",
    "filled/s": "filled",
    "expired/s": "expired",
}


# What is a counter in an array's file; the rest are levels.
COUNTED = (*SHOWN.values(), "passed_full", "pre_read_sectors")


@dataclass
class Moment:
    clock: float = 0.0
    disks: dict[str, Numbers] = field(default_factory=dict)
    # Of raid5-deadline, by array.
    counters: dict[str, Numbers] = field(default_factory=dict)


def array_counters(host: Host, name: str) -> Numbers:
    """Return what raid5-deadline has counted of an array; empty before its first write, and if only root may see it."""
    if not host.exists("/sys/module/raid5_deadline/initstate"):
        return {}
    words = [line.split() for line in (host.text(COUNTERS) or "").splitlines()]
    found = {line[1]: int(line[2]) for line in words if len(line) == 3 and line[0] == name and line[2].isdigit()}
    return {counter: found[counter] for counter in COUNTED if counter in found}


def parity_arrays(host: Host) -> list[Array]:
    return [array for array in arrays(host) if array.has_parity and not array.dm]


def read_moment(host: Host) -> Moment:
    counters = {array.name: array_counters(host, array.name) for array in parity_arrays(host)}
    return Moment(time.monotonic(), read_disks(host), counters)


def array_rates(array: Array, change: dict[str, Numbers], counters: Numbers, seconds: float) -> dict[str, float | None]:
    """Return the rates of an array, per second; None where nothing can be told."""

    def of_members(what: str) -> int:
        # A member may lie on several disks.
        return sum(change.get(name, {}).get(what, 0) for name in {member.name for member in array.members})

    own = change.get(array.name, {})
    written, read = own.get("write_sectors", 0), own.get("read_sectors", 0)
    parity = max(of_members("write_sectors") - written, 0)
    stripes = parity / STRIPE_SECTORS / PARITY[array.level]
    room = stripes * STRIPE_SECTORS * max(array.disks - PARITY[array.level], 0)
    if array.log:
        # What goes to the log looks like parity.
        room = 0
    found: dict[str, float | None] = {
        "write_kib": written / 2 / seconds,
        "stripes": None if array.log else stripes / seconds,
        # A block that is written twice while its stripe is in the cache counts twice.
        "full": min(written / room, 1.0) if room else None,
        "pre_read_kib": max(of_members("read_sectors") - read, 0) / 2 / seconds,
    }
    return found | {name: counters[name] / seconds if name in counters else None for name in SHOWN.values()}


def rates(host: Host, old: Moment, new: Moment) -> Iterator[dict[str, Any]]:
    seconds = max(new.clock - old.clock, 0.001)
    change = {name: subtract(counts, old.disks.get(name, {})) for name, counts in new.disks.items()}
    for array in parity_arrays(host):
        counters = subtract(new.counters.get(array.name, {}), old.counters.get(array.name, {}))
        action = host.text(f"/sys/block/{array.name}/md/sync_action") or "idle"
        yield {
            "array": array.name,
            "level": array.level,
            # Its reads and writes are in those of the members.
            "sync_action": action,
            "degraded": array.degraded,
            **array_rates(array, change, counters, seconds),
        }


def as_text(shown: list[dict[str, Any]]) -> str:
    heads = ["array", "write KiB/s", "stripes/s", "full%", "pre-read KiB/s", *SHOWN]
    rows = [heads]
    notes = []
    for row in shown:
        cells = [
            number(row["write_kib"]),
            number(row["stripes"]),
            number(row["full"], 100),
            number(row["pre_read_kib"]),
        ]
        rows.append([row["array"], *cells, *(number(row[name]) for name in SHOWN.values())])
        if row["sync_action"] != "idle":
            notes.append(f"{row['array']}: {row['sync_action']} reads and writes the members, too")
        if row["degraded"]:
            notes.append(f"{row['array']}: it is degraded, so that parity is not all written")
    return "\n".join([*table(rows, [8] * len(heads)), *notes])
