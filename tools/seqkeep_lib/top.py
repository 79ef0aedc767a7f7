# SPDX-License-Identifier: GPL-2.0-only
"""What `seqkeep top` shows of an interval: rates by device, by module and by file."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from .host import Host
from .modules import DEBUGFS
from .sample import Numbers, Sample, difference, read_sample, subtract

FILES = f"{DEBUGFS}/readahead/top"
NFSD_DEVICES = f"{DEBUGFS}/nfsd_dio/devices"
PAGE_KIB = os.sysconf("SC_PAGE_SIZE") / 1024
MOST_FILES = 10
# Levels, whose difference is no rate.
LEVELS = ("calls_running", "pages_unread")
# Columns of ra-trace's table, which the table of devices shows.
COLUMNS = ("count", "sync_count", "eof_count", "size", "async_size", "actual", "used", "unused", "unknown")


@dataclass
class Moment:
    sample: Sample
    # Of ra-trace: pages read ahead, by device and inode.
    files: dict[tuple[str, int], int] = field(default_factory=dict)
    # Of nfsd-dio: direct writes, by device.
    direct: dict[str, Numbers] = field(default_factory=dict)


def read_files(host: Host) -> dict[tuple[str, int], int]:
    found = {}
    for line in (host.text(FILES) or "").splitlines() if host.exists("/sys/module/ra_trace/initstate") else ():
        words = line.split()
        if len(words) > 3 and ":" in words[0] and words[1].isdecimal() and words[-1].isdecimal():
            found[words[0], int(words[1])] = int(words[-1])
    return found


def read_direct(host: Host) -> dict[str, Numbers]:
    found = {}
    for line in (host.text(NFSD_DEVICES) or "").splitlines() if host.exists("/sys/module/nfsd_dio/initstate") else ():
        words = line.split()
        if len(words) == 5 and all(word.isdecimal() for word in words[1:]):
            found[words[0]] = dict(zip(("direct", "bytes", "left", "fallback"), map(int, words[1:])))
    return found


def read_moment(host: Host) -> Moment:
    return Moment(read_sample(host), read_files(host), read_direct(host))


def device_name(host: Host, number: str) -> str:
    link = host.path(f"/sys/dev/block/{number}")
    return link.resolve().name if link.exists() else number


def mount_devices(host: Host, process: str) -> dict[str, str]:
    """Return the device of each mount that a process sees, by the mount's number."""
    lines = [line.split(" ", 3) for line in (host.text(f"/proc/{process}/mountinfo") or "").split("\n")]
    return {words[0]: words[2] for words in lines if len(words) > 3}


def file_names(host: Host, wanted: set[tuple[str, int]]) -> dict[tuple[str, int], str]:
    """Return the paths of files that a process has open. Others' processes show theirs to root only.

    stat() would wait for a server of NFS that does not answer. fdinfo says what the kernel knows itself.
    """
    names: dict[tuple[str, int], str] = {}
    inodes = {inode for _, inode in wanted}
    own = mount_devices(host, "self") if wanted else {}
    for process in host.names("/proc") if wanted else ():
        if not process.isdecimal():
            continue
        devices: dict[str, str] | None = None
        for handle in host.names(f"/proc/{process}/fdinfo"):
            info = host.text(f"/proc/{process}/fdinfo/{handle}") or ""
            inode, mount = first_field(info, "ino"), first_field(info, "mnt_id")
            if int(inode) not in inodes:
                continue
            # A process may have a file of a mount that it no longer sees itself.
            devices = {**own, **mount_devices(host, process)} if devices is None else devices
            key = (devices.get(mount, ""), int(inode))
            if key in wanted:
                with contextlib.suppress(OSError):
                    names[key] = str(host.path(f"/proc/{process}/fd/{handle}").readlink())
    return names


def first_field(text: str, name: str) -> str:
    """Return a number of a file of fdinfo, whose later lines may be of a program's making; 0: it has none."""
    found = re.search(rf"^{name}:\t(\d+)$", text, re.ASCII | re.MULTILINE)
    return found[1] if found else "0"


def rates(host: Host, old: Moment, new: Moment) -> dict[str, Any]:
    """Return the rates of an interval: per second, but KiB and ms per request."""
    seconds = max(new.sample.clock - old.sample.clock, 0.001)
    change = difference(new.sample, old.sample)
    return {
        "seconds": round(seconds, 3),
        "devices": dict(device_rates(host, change, old, new, seconds)),
        "modules": {name: counter_rates(change.counters[name], seconds) for name in change.counters},
        "files": list(file_rates(host, old, new, seconds)),
    }


def device_rates(
    host: Host, change: Sample, old: Moment, new: Moment, seconds: float
) -> Iterator[tuple[str, dict[str, float | None]]]:
    patterns = {device_name(host, number): row for number, row in change.patterns.items()}
    direct = {device_name(host, n): subtract(row, old.direct.get(n, {})) for n, row in new.direct.items()}
    for name in dict.fromkeys((*change.disks, *patterns, *direct)):
        io, row, writes = change.disks.get(name, {}), patterns.get(name, {}), direct.get(name, {})
        reads, count = io.get("reads", 0), row.get("all.count", 0)
        known = row.get("all.used", 0) + row.get("all.unused", 0)
        if not (reads or io.get("writes") or count or any(writes.values())):
            continue
        yield (
            name,
            {
                "reads": reads / seconds,
                "read_kib": io["read_sectors"] / 2 / seconds if io else None,
                "read_size_kib": io["read_sectors"] / 2 / reads if reads else None,
                "read_ms": io["read_ms"] / reads if reads else None,
                "writes": io.get("writes", 0) / seconds,
                "write_kib": io["write_sectors"] / 2 / seconds if io else None,
                "readaheads": count / seconds if row else None,
                "waste": row.get("all.unused", 0) / known if known else None,
                "direct": writes["direct"] / seconds if writes else None,
            },
        )


def counter_rates(counters: Numbers, seconds: float) -> dict[str, float]:
    return {
        name: value / seconds
        for name, value in counters.items()
        if value > 0 and name not in LEVELS and name not in COLUMNS
    }


def file_rates(host: Host, old: Moment, new: Moment, seconds: float) -> Iterator[dict[str, Any]]:
    changes = {key: pages - old.files.get(key, 0) for key, pages in new.files.items()}
    # A file that was not in the old table had fewer pages than the last one there; its rate is at most this.
    most = sorted((key for key, pages in changes.items() if pages > 0), key=lambda key: -changes[key])[:MOST_FILES]
    names = file_names(host, set(most))
    for key in most:
        yield {
            "device": device_name(host, key[0]),
            "inode": key[1],
            "name": names.get(key),
            "kib": changes[key] * PAGE_KIB / seconds,
        }


DEVICE_COLUMNS = (
    ("device", "", 10),
    ("reads/s", "reads", 9),
    ("KiB/s", "read_kib", 10),
    ("KiB/read", "read_size_kib", 9),
    ("ms/read", "read_ms", 8),
    ("writes/s", "writes", 9),
    ("KiB/s", "write_kib", 10),
    ("ahead/s", "readaheads", 8),
    ("waste%", "waste", 7),
    ("direct/s", "direct", 9),
)


def number(value: float | None, scale: float = 1) -> str:
    return "-" if value is None else f"{value * scale:.1f}"


def table(rows: list[list[str]], least: list[int]) -> list[str]:
    """Align rows; a blank is between any two columns."""
    widths = [max(low, *(len(row[n]) for row in rows)) for n, low in enumerate(least)]
    return [
        " ".join([f"{row[0]:<{widths[0]}}", *(f"{text:>{width}}" for text, width in zip(row[1:], widths[1:]))])
        for row in rows
    ]


def as_text(shown: dict[str, Any]) -> str:
    rows = [[head for head, _, _ in DEVICE_COLUMNS]]
    for name, values in shown["devices"].items():
        row = [number(values[key], 100 if key == "waste" else 1) for _, key, _ in DEVICE_COLUMNS[1:]]
        rows.append([name, *row])
    lines = table(rows, [least for _, _, least in DEVICE_COLUMNS])
    for module, counters in shown["modules"].items():
        if counters:
            lines.append(f"{module}: " + ", ".join(f"{name} {value:.1f}/s" for name, value in counters.items()))
    if shown["files"]:
        lines.append("KiB/s read ahead, by file")
        for file in shown["files"]:
            lines.append(f"{file['kib']:>12.1f} {file['name'] or 'inode {inode} on {device}'.format(**file)}")
    return "\n".join(lines)
