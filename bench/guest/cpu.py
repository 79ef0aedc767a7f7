# SPDX-License-Identifier: GPL-2.0-only
"""Measure CPU time for the cases "cost-", which run on one CPU.

In the virtual machines of the benches an instruction takes a nanosecond, and one CPU runs at a time. With two CPUs,
time in which both have work would count twice. With one, a millisecond is a million instructions, whatever the load of
the host and the speed of the disk, because idle time does not count.
"""

import os
import pathlib
import re
import time
from typing import NamedTuple

# The most by which the sum of /proc/stat may differ from the clock: so much of it, and so many seconds, because
# /proc/stat is in ticks, and the kernel samples the CPU's state. On 6.12 the sum was 0.97 to 1.00 of the clock; if it
# is less, the clock has jumped.
MAX_MISMATCH = 0.02
MAX_MISMATCH_S = 0.05


class Times(NamedTuple):
    """Times since boot, seconds."""

    clock: float
    # None: the kernel does not show it.
    idle: float | None
    accounted: float


def set_cpus(case: str) -> None:
    """Set one CPU online for a case "cost-", two for others."""
    is_cost = case.startswith("cost-")
    second = pathlib.Path("/sys/devices/system/cpu/cpu1/online")
    if second.read_text().strip() == str(int(is_cost)):
        second.write_text(str(int(not is_cost)))


def idle_s() -> float | None:
    """Return the idle time of the online CPUs, seconds.

    /proc/timer_list has nanoseconds, /proc/stat only ticks. None: since 7.x no file has nanoseconds.
    """
    text = pathlib.Path("/proc/timer_list").read_text()
    found = [int(number) for number in re.findall(r"\.(?:idle|iowait)_sleeptime\s*: (\d+) nsecs", text)]
    return sum(found) / 1e9 if found else None


def times() -> Times:
    words = pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()
    # user nice system idle iowait irq softirq steal; the columns after them are included in user and nice.
    ticks = sum(int(word) for word in words[1:9])
    return Times(time.clock_gettime(time.CLOCK_MONOTONIC), idle_s(), ticks / os.sysconf("SC_CLK_TCK"))


def busy_us(before: Times) -> float | None:
    """Return the CPU time since then, us: the clock less idle time.

    None with two CPUs; also, with a printed line, if the kernel does not show idle time or the times do not match.
    """
    if os.sysconf("SC_NPROCESSORS_ONLN") > 1:
        return None
    now = times()
    if now.idle is None or before.idle is None:
        print("    no CPU time: this kernel does not show idle time", flush=True)
        return None
    clock, accounted = now.clock - before.clock, now.accounted - before.accounted
    if abs(accounted - clock) > clock * MAX_MISMATCH + MAX_MISMATCH_S:
        print(f"    no CPU time: /proc/stat accounts for {accounted:.2f} s of {clock:.2f} s", flush=True)
        return None
    return (clock - now.idle + before.idle) * 1e6
