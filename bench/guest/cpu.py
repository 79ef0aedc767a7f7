# SPDX-License-Identifier: GPL-2.0-only
"""What the machine's CPU has worked, for the cases "cost-": they have one CPU, and their costs are compared.

In the virtual machines of the benches an instruction takes a nanosecond, and one CPU runs at a time: with two, the
time in which both have work would count twice. With one, a millisecond is a million instructions, whatever the host
does and however long the disk takes, for waiting is not counted.
"""

import os
import pathlib
import time


def set_cpus(case: str) -> bool:
    """Have one CPU for a case that is about costs, else two; tells which."""
    is_cost = case.startswith("cost-")
    second = pathlib.Path("/sys/devices/system/cpu/cpu1/online")
    if second.read_text().strip() == str(int(is_cost)):
        second.write_text(str(int(not is_cost)))
    return is_cost


def busy_us() -> float:
    """CPU time since the start; all but idle time, which the kernel does not sample but measure."""
    words = pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()
    idle = (int(words[4]) + int(words[5])) / os.sysconf("SC_CLK_TCK")
    return (time.clock_gettime(time.CLOCK_MONOTONIC) * os.sysconf("SC_NPROCESSORS_ONLN") - idle) * 1e6
