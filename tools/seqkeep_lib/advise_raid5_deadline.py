# SPDX-License-Identifier: GPL-2.0-only
"""Whether raid5-deadline would help: an md array with parity is written to in order, and reads its members for that."""

from __future__ import annotations

from collections.abc import Iterator

from .advice import HELPS, HELPS_NOT, UNCERTAIN, Advice, Reason, Remedy
from .arrays import Array
from .machine import Machine, trial
from .throttle import throttled_members

# The stripe cache that docs/raid5-deadline.md found to be most of the gain.
GOOD_STRIPES = 8192
# MiB written; less says nothing about a load.
LEAST_MB = 64
# Sectors read from the members for each sector written to the array: from the first on a gain is likely.
PREREADS, NO_PREREADS = 0.10, 0.02
# Writes to the array are smaller on average if they are random.
RANDOM_KB = 16
# Of the module's own counters: a stripe that is held and not filled only waited.
FEWEST_HELD, GOOD_FILL = 1000, 0.5


def advise(machine: Machine) -> Advice:
    return Advice("raid5-deadline", list(reasons(machine)), trial(machine, "raid5-deadline"))


def reasons(machine: Machine) -> Iterator[Reason]:
    parity = [array for array in machine.arrays if array.has_parity or (array.dm and not array.level)]
    others = [array for array in machine.arrays if array not in parity]
    if others:
        names = ", ".join(f"{array.name} ({array.level or 'inactive'})" for array in others)
        yield Reason(HELPS_NOT, f"Arrays without parity: {names}.")
    for array in parity:
        yield array_reason(machine, array)
    yield from own_reasons(machine)
    if not machine.arrays:
        yield Reason(HELPS_NOT, "There is no RAID 4, 5 or 6 of md or LVM. What a RAID controller does cannot be seen.")


def own_reasons(machine: Machine) -> Iterator[Reason]:
    """Judge by what the module itself counts of all arrays, if it is enabled or observes."""
    counters = machine.sample.counters.get("raid5-deadline", {})
    if machine.is_enabled("raid5-deadline"):
        held, filled, what = counters.get("held", 0), counters.get("filled", 0), "held"
    elif machine.is_observing("raid5-deadline"):
        held, filled, what = counters.get("would_hold", 0), counters.get("would_fill", 0), "would have held"
    else:
        return
    if held < FEWEST_HELD:
        yield Reason(UNCERTAIN, f"The module {what} {held} stripes {machine.over()}, too few to tell.")
    else:
        verdict = HELPS if filled / held >= GOOD_FILL else HELPS_NOT
        yield Reason(verdict, f"The module {what} {held} stripes {machine.over()}; {filled / held:.0%} were filled.")


def described(array: Array) -> str:
    text = f"{array.name}: {array.level or 'a RAID of LVM'}, {array.disks} members"
    if array.chunk_kb:
        text += f", {array.chunk_kb} KiB chunks"
    if array.stripes is not None:
        text += f", a stripe cache of {array.stripes} ({array.cache_mb(array.stripes)} MiB)"
    return text + "."


def remedies(machine: Machine, array: Array) -> tuple[Remedy, ...]:
    found = []
    if array.stripes is not None and array.stripes < GOOD_STRIPES and array.has_parity:
        takes = f"takes {array.cache_mb(GOOD_STRIPES)} MiB; most of the gain"
        if array.dm:
            found.append(Remedy(f"dmsetup table {array.name}", f"raise stripe_cache to {GOOD_STRIPES} there: {takes}"))
        else:
            found.append(Remedy(f"echo {GOOD_STRIPES} > /sys/block/{array.name}/md/stripe_cache_size", takes))
    for member in throttled_members(machine.host, array, machine.sample.disks):
        why = f"its writes are throttled while reads take more than {member.limit}"
        found.append(Remedy(f"echo 0 > /sys/block/{member.disk}/queue/wbt_lat_usec", why))
    return tuple(found)


def array_reason(machine: Machine, array: Array) -> Reason:
    seen = " ".join([described(array), *(f"Its {what}." for what in array.misaligned)])
    first = remedies(machine, array)
    if array.dm:
        return Reason(HELPS_NOT, f"{seen} The module does nothing for arrays of LVM (dm-raid).", first)
    if array.degraded:
        return Reason(HELPS_NOT, f"{seen} It is degraded: the module does nothing until it is rebuilt.", first)
    if array.log:
        return Reason(HELPS_NOT, f"{seen} It has {array.log}: the module does nothing for it.", first)
    io = machine.disk(array.name)
    written = io.get("write_sectors", 0)
    if written / 2048 < LEAST_MB:
        why = (
            f"Only {written / 2048:.0f} MiB were written to it {machine.over()}: run this with --watch 60s under load."
        )
        return Reason(UNCERTAIN, f"{seen} {why}", first)
    size = written / 2 / io["writes"] if io.get("writes") else 0
    # Reads of the array itself go to the members, too.
    read = sum(machine.disk(name).get("read_sectors", 0) for name in {member.name for member in array.members})
    extra = max(read - io.get("read_sectors", 0), 0) / written
    seen += (
        f" {machine.over().capitalize()} {written / 2048:.0f} MiB were written to it, {size:.0f} KiB at a time;"
        f" for each sector {extra:.2f} were read from the members."
    )
    if extra < NO_PREREADS:
        return Reason(HELPS_NOT, f"{seen} So its stripes are full.", first)
    if extra >= PREREADS and size >= RANDOM_KB:
        return Reason(HELPS, f"{seen} Stripes are written in part, and writes are large enough to fill them.", first)
    if size < RANDOM_KB:
        return Reason(HELPS_NOT, f"{seen} Such small writes are random, most likely: they fill no stripe.", first)
    return Reason(UNCERTAIN, f"{seen} That is little.", first)
