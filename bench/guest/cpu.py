# SPDX-License-Identifier: GPL-2.0-only
"""What the machine's CPU has worked, for the cases "cost-": they have one CPU, and their costs are compared.

In the virtual machines of the benches an instruction takes a nanosecond, and one CPU runs at a time: with two, the
time in which both have work would count twice. With one, a millisecond is a million instructions, whatever the host
does and however long the disk takes, for waiting is not counted.
"""

import os
import pathlib
import re
import time
from typing import NamedTuple

# All that /proc/stat accounts for is to fit the clock, to so much of it and so many seconds: it is in ticks, and what a
# CPU works is sampled. On 6.12 it was 0.97 to 1.00 of the clock; where more is missing, the clock has jumped.
MOST_MISFIT = 0.02
MOST_MISFIT_S = 0.05


class Times(NamedTuple):
    """Since the start, in seconds."""

    clock: float
    # None: the kernel does not tell.
    idle: float | None
    accounted: float


def set_cpus(case: str) -> None:
    """Have one CPU for a case that is about costs, else two."""
    is_cost = case.startswith("cost-")
    second = pathlib.Path("/sys/devices/system/cpu/cpu1/online")
    if second.read_text().strip() == str(int(is_cost)):
        second.write_text(str(int(not is_cost)))


def idle_s() -> float | None:
    """Idle time of the CPUs that are online, in nanoseconds where /proc/stat has ticks. Since 7.x nothing has it."""
    text = pathlib.Path("/proc/timer_list").read_text()
    found = [int(number) for number in re.findall(r"\.(?:idle|iowait)_sleeptime\s*: (\d+) nsecs", text)]
    return sum(found) / 1e9 if found else None


def times() -> Times:
    words = pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()
    # user nice system idle iowait irq softirq steal; what comes after them is part of user and nice.
    ticks = sum(int(word) for word in words[1:9])
    return Times(time.clock_gettime(time.CLOCK_MONOTONIC), idle_s(), ticks / os.sysconf("SC_CLK_TCK"))


def busy_us(before: Times) -> float | None:
    """CPU time since then: the clock less idle time. None with two CPUs; and, said in a line, if it cannot be right."""
    if os.sysconf("SC_NPROCESSORS_ONLN") > 1:
        return None
    now = times()
    if now.idle is None or before.idle is None:
        print("    no CPU time: this kernel does not tell idle time", flush=True)
        return None
    clock, accounted = now.clock - before.clock, now.accounted - before.accounted
    if abs(accounted - clock) > clock * MOST_MISFIT + MOST_MISFIT_S:
        print(f"    no CPU time: /proc/stat has {accounted:.2f} s in {clock:.2f} s", flush=True)
        return None
    return (clock - now.idle + before.idle) * 1e6
