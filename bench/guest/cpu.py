# SPDX-License-Identifier: GPL-2.0-only
"""What the machine's CPU has worked, for the cases "cost-": they have one CPU, and their costs are compared.

In the virtual machines of the benches an instruction takes a nanosecond, and one CPU runs at a time: with two, the
time in which both have work would count twice. With one, a millisecond is a million instructions, whatever the host
does and however long the disk takes, for waiting is not counted.
"""

import os
import pathlib
import time
from typing import NamedTuple

# Idle time is measured, but what a CPU works is sampled, mostly a little short: together they were 0.97 to 1.00 of the
# clock on 6.12. On 7.3 they are up to 1.08 while a disk is waited for: there idle time is not what it should be.
MOST_ACCOUNTED = 1.01


class Times(NamedTuple):
    """Since the start, in seconds."""

    clock: float
    idle: float
    accounted: float


def set_cpus(case: str) -> None:
    """Have one CPU for a case that is about costs, else two."""
    is_cost = case.startswith("cost-")
    second = pathlib.Path("/sys/devices/system/cpu/cpu1/online")
    if second.read_text().strip() == str(int(is_cost)):
        second.write_text(str(int(not is_cost)))


def times() -> Times:
    words = pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()
    # user nice system idle iowait irq softirq steal; what comes after them is part of user and nice.
    ticks = [int(word) for word in words[1:9]]
    hz = os.sysconf("SC_CLK_TCK")
    return Times(time.clock_gettime(time.CLOCK_MONOTONIC), (ticks[3] + ticks[4]) / hz, sum(ticks) / hz)


def busy_us(before: Times) -> float | None:
    """CPU time since then, all but idle time. None with two CPUs; and, said in a line, if idle time cannot be right."""
    if os.sysconf("SC_NPROCESSORS_ONLN") > 1:
        return None
    clock, idle, accounted = (now - then for now, then in zip(times(), before, strict=True))
    if accounted > clock * MOST_ACCOUNTED:
        print(f"    no CPU time: /proc/stat has {accounted:.2f} s in {clock:.2f} s", flush=True)
        return None
    return (clock - idle) * 1e6
