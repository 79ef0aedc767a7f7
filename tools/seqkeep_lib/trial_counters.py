# SPDX-License-Identifier: GPL-2.0-only
"""Read what the kernel counts of disks, the NFS server, its clients, iSCSI targets and the CPUs, and subtract."""

from __future__ import annotations

import re
from collections.abc import Collection

from .host import Host
from .modules import parse_counters

# Names of quantities, and their sums: bytes, ms, seconds, numbers.
Quantities = dict[str, float]

SECTOR = 512
# USER_HZ, the same on every architecture that seqkeep is built for.
TICKS_PER_S = 100
# Other disks lie below these, or memory.
NOT_DISKS = re.compile(r"(loop|ram|zram|sr|fd)\d")
LIO = "/sys/kernel/config/target/core"
MEMORY_PRESSURE = "/proc/pressure/memory"


def disk_quantities(words: list[str]) -> Quantities:
    """Return the quantities in the fields of a line of diskstats, after the name."""
    values = [int(word) for word in words if word.isdigit()]
    # Kernels before 5.5 have no flushes; an unknown number is 0.
    values += [0] * (17 - len(values))
    return {
        "reads": values[0],
        "read_bytes": values[2] * SECTOR,
        "read_ms": values[3],
        "writes": values[4],
        "written_bytes": values[6] * SECTOR,
        "write_ms": values[7],
        "flushes": values[15],
        "flush_ms": values[16],
    }


def read_disks(host: Host) -> dict[str, Quantities]:
    """Return the quantities of each whole disk."""
    names = set(host.names("/sys/block"))
    lines = [line.split() for line in (host.text("/proc/diskstats") or "").splitlines()]
    return {words[2]: disk_quantities(words[3:]) for words in lines if len(words) > 13 and words[2] in names}


def bottom_disks(host: Host) -> set[str]:
    """Return the disks that lie on no other: what is read from these is read once."""
    return {
        name
        for name in host.names("/sys/block")
        if not NOT_DISKS.match(name) and not host.names(f"/sys/block/{name}/slaves")
    }


def parity_arrays(host: Host) -> set[str]:
    """Return the md arrays of levels 4, 5 and 6."""
    return {
        name
        for name in host.names("/sys/block")
        if (host.text(f"/sys/block/{name}/md/level") or "") in ("raid4", "raid5", "raid6")
    }


def members(host: Host, disks: Collection[str]) -> set[str]:
    """Return the disks right below some disks; of partitions, the whole disk."""
    found = set()
    for disk in disks:
        for name in host.names(f"/sys/block/{disk}/slaves"):
            parent = host.path(f"/sys/block/{disk}/slaves/{name}").resolve().parent.name
            is_partition = host.exists(f"/sys/block/{disk}/slaves/{name}/partition")
            found.add(parent if is_partition else name)
    return found


def total(parts: dict[str, Quantities], names: Collection[str], prefix: str) -> Quantities:
    """Return the sums over some disks or mounts, with a prefix before each quantity's name."""
    found: Quantities = {}
    for name in names:
        for key, value in parts.get(name, {}).items():
            found[prefix + key] = found.get(prefix + key, 0.0) + value
    return found


def server_quantities(host: Host) -> Quantities:
    """Return the bytes that the NFS server and the iSCSI targets have read for clients and written for them."""
    found = {"served_bytes": 0.0, "client_bytes": 0.0}
    for line in (host.text("/proc/net/rpc/nfsd") or "").splitlines():
        words = line.split()
        if words[:1] == ["io"] and len(words) > 2 and words[1].isdigit() and words[2].isdigit():
            found["served_bytes"] += int(words[1])
            found["client_bytes"] += int(words[2])
    for group in host.names(LIO):
        for store in host.names(f"{LIO}/{group}"):
            place = f"{LIO}/{group}/{store}/statistics/scsi_lu"
            found["served_bytes"] += (host.number(f"{place}/read_mbytes") or 0) << 20
            found["client_bytes"] += (host.number(f"{place}/write_mbytes") or 0) << 20
    return found


def read_mounts(host: Host) -> dict[str, Quantities]:
    """Return the quantities of each NFS mount: bytes for programs and from the server, and times of its calls.

    Mounts of one export have the same name, and share most counts: the last one counts.
    """
    found: dict[str, Quantities] = {}
    mount: Quantities = {}
    for line in (host.text("/proc/self/mountstats") or "").split("\n"):
        words = line.split()
        if words[:1] == ["device"] and len(words) > 1:
            mount = {}
            if " with fstype nfs" in line:
                # Its name may have what Python takes for a blank.
                found[line.split(" ")[1]] = mount
        elif words[:1] == ["bytes:"] and len(words) > 6:
            mount["program_bytes"] = number(words[1]) + number(words[3])
            mount["fetched_bytes"] = number(words[5])
        elif words[:1] in (["READ:"], ["COMMIT:"]) and len(words) > 8:
            call = words[0][:-1].lower()
            mount[f"{call}_calls"] = number(words[1])
            mount[f"{call}_call_ms"] = number(words[8])
    return found


def number(word: str) -> float:
    return float(word) if word.isdigit() else 0.0


def cpu_seconds(host: Host) -> float:
    """Return how long the CPUs have worked: not idle, not waiting for I/O, not stolen by the hypervisor."""
    for line in (host.text("/proc/stat") or "").splitlines():
        words = line.split()
        if words[:1] == ["cpu"] and len(words) > 7:
            user, nice, system, _, _, irq, softirq = map(int, words[1:8])
            return (user + nice + system + irq + softirq) / TICKS_PER_S
    return 0.0


def stalled_seconds(host: Host) -> float | None:
    """Return how long at least one task has waited for memory; None if the kernel does not say."""
    text = host.text(MEMORY_PRESSURE) or ""
    match = re.search(r"^some .*total=(\d+)", text, re.MULTILINE)
    return int(match[1]) / 1e6 if match else None


def module_counters(host: Host, file: str) -> dict[str, int]:
    """Return the counters of a module, by the name of its file; none if they cannot be read."""
    return parse_counters(host.text(f"/sys/kernel/debug/{file}") or "")


def difference(after: Quantities, before: Quantities) -> Quantities:
    """Return what was counted between; a disk or mount that has gone, and with it its counts, counts as nothing."""
    return {name: max(0.0, value - before.get(name, 0.0)) for name, value in after.items()}
