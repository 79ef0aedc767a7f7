# SPDX-License-Identifier: GPL-2.0-only
"""What the kernel has counted so far, and the difference of two moments."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field

from .host import Host, unescape
from .modules import DEBUGFS, MODULES, parse_counters

# Operations of NFS by their place in /proc/net/rpc/nfsd: version 3, and 4.
OPERATIONS_3 = {"reads": (6,), "writes": (7,)}
# READ and READ_PLUS, which some clients send instead.
OPERATIONS_4 = {"reads": (25, 68), "writes": (38,)}
PATTERNS = f"{DEBUGFS}/readahead/stats_by_dev"
Numbers = dict[str, int]


@dataclass
class Sample:
    """Counts by the name of what is counted; empty where there is nothing, or where this user cannot see it."""

    clock: float = 0.0
    # By disk or partition: reads, read_sectors, read_ms, writes, write_sectors, write_ms.
    disks: dict[str, Numbers] = field(default_factory=dict)
    # nfsd: read_bytes, write_bytes, reads, writes.
    server: Numbers = field(default_factory=dict)
    # By mount point: reads, read_bytes, read_rtt_ms, small, small_rtt_ms (operations without data).
    mounts: dict[str, Numbers] = field(default_factory=dict)
    # By device number: PATTERN.COLUMN of ra-trace.
    patterns: dict[str, Numbers] = field(default_factory=dict)
    # By module: its counters.
    counters: dict[str, Numbers] = field(default_factory=dict)


DISK_COLUMNS = {"reads": 3, "read_sectors": 5, "read_ms": 6, "writes": 7, "write_sectors": 9, "write_ms": 10}
# Operations whose requests and replies are small, so that their round trip is the network's and a cached answer's.
SMALL_OPERATIONS = ("GETATTR", "ACCESS", "LOOKUP", "SEQUENCE", "RENEW")


def read_disks(host: Host) -> dict[str, Numbers]:
    found = {}
    for line in (host.text("/proc/diskstats") or "").splitlines():
        words = line.split()
        if len(words) > 13 and all(word.isdigit() for word in words[3:]):
            found[words[2]] = {name: int(words[at]) for name, at in DISK_COLUMNS.items()}
    return found


def read_server(host: Host) -> Numbers:
    lines = {
        line.split()[0]: line.split()[1:]
        for line in (host.text("/proc/net/rpc/nfsd") or "").splitlines()
        if line.split()
    }
    numbers = {name: [int(word) for word in words if word.isdigit()] for name, words in lines.items()}
    transferred = numbers.get("io", [])
    if len(transferred) < 2:
        return {}
    # The first number of proc3 and proc4ops is how many follow.
    three, four = numbers.get("proc3", [])[1:], numbers.get("proc4ops", [])[1:]
    found = {"read_bytes": transferred[0], "write_bytes": transferred[1]}
    for name in ("reads", "writes"):
        counts = ((three, OPERATIONS_3[name]), (four, OPERATIONS_4[name]))
        found[name] = sum(ops[at] for ops, places in counts for at in places if at < len(ops))
    return found


def read_mounts(host: Host) -> dict[str, Numbers]:
    found: dict[str, Numbers] = {}
    now: Numbers = {}
    for line in (host.text("/proc/self/mountstats") or "").split("\n"):
        device = re.match(r"device [^ ]+ mounted on ([^ ]+) with fstype (\S+)", line)
        if device:
            now = {}
            if device[2] in ("nfs", "nfs4"):
                found[unescape(device[1])] = now
            continue
        operation = re.match(r"\s+(\w+): ((?:\d+ ?){8,})$", line)
        if not operation:
            continue
        count, _, _, _, received, _, rtt = (int(word) for word in operation[2].split()[:7])
        if operation[1] in ("READ", "READ_PLUS"):
            for name, value in (("reads", count), ("read_bytes", received), ("read_rtt_ms", rtt)):
                now[name] = now.get(name, 0) + value
        elif operation[1] in SMALL_OPERATIONS:
            now["small"] = now.get("small", 0) + count
            now["small_rtt_ms"] = now.get("small_rtt_ms", 0) + rtt
    return found


def read_patterns(host: Host) -> dict[str, Numbers]:
    if not host.exists("/sys/module/ra_trace/initstate"):
        return {}
    found: dict[str, Numbers] = {}
    row: Numbers = {}
    columns: list[str] = []
    for line in (host.text(PATTERNS) or "").splitlines():
        words = line.split()
        if words[:1] == ["dev"] and len(words) > 1:
            row = found.setdefault(words[1], {})
        elif words[:1] == ["pattern"]:
            columns = words[1:]
        elif words and not line.startswith("#"):
            row.update({f"{words[0]}.{c}": int(w) for c, w in zip(columns, words[1:]) if w.isdigit()})
    return found


def read_sample(host: Host) -> Sample:
    counters = {}
    for module in MODULES:
        text = host.text(f"{DEBUGFS}/{module.counters}") if host.exists(f"/sys/module/{module.directory}") else None
        counters[module.name] = parse_counters(text or "")
    return Sample(
        time.monotonic(), read_disks(host), read_server(host), read_mounts(host), read_patterns(host), counters
    )


def subtract(new: Numbers, old: Numbers) -> Numbers:
    """Subtract old counts. If one fell, they were reset, or the thing is another one of that name."""
    if any(new.get(name, 0) < value for name, value in old.items()):
        return new
    return {name: value - old.get(name, 0) for name, value in new.items()}


def difference(new: Sample, old: Sample) -> Sample:
    def each(of_new: dict[str, Numbers], of_old: dict[str, Numbers]) -> dict[str, Numbers]:
        return {name: subtract(numbers, of_old.get(name, {})) for name, numbers in of_new.items()}

    return Sample(
        new.clock - old.clock,
        each(new.disks, old.disks),
        subtract(new.server, old.server),
        each(new.mounts, old.mounts),
        each(new.patterns, old.patterns),
        each(new.counters, old.counters),
    )
