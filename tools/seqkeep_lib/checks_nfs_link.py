# SPDX-License-Identifier: GPL-2.0-only
"""
Check for windows of nfs-ra that are larger than the network needs.

What a window brings beyond the bandwidth-delay product does not come sooner. It stands in the link's queue before what
others read by the same mount: docs/nfs-ra.md, What it costs.
"""

from __future__ import annotations

from collections.abc import Iterator

from .finding import ADVICE, Finding
from .host import Host
from .modules import State, enabled_module
from .nfs import nfs_mounts
from .sample import read_mounts

NET = "/sys/class/net"
# The limit of a window with multiple=auto, where auto_max_kb is 0 and rsize is at most 1 MiB.
AUTO_KB = 8192
# With less, a reader without a delay gets noticeably less than the link carries.
LEAST_KB = 1024
# Fewer small requests since the mount say nothing.
FEWEST = 100


def link_mbit(host: Host) -> int | None:
    """Return what all network adapters that are up carry together, Mbit/s; None if that of one is not known."""
    total = 0
    for name in host.names(NET):
        # Bridges, bonds and the loopback have no device.
        if not host.exists(f"{NET}/{name}/device") or host.text(f"{NET}/{name}/operstate") != "up":
            continue
        speed = host.text(f"{NET}/{name}/speed") or ""
        if not speed.isdecimal() or not int(speed):
            return None
        total += int(speed)
    return total or None


def round_trip_ms(host: Host) -> float | None:
    """Return the longest of the NFS mounts' mean round trips of small requests; None if they made too few."""
    longest = None
    for now in read_mounts(host).values():
        if now.get("small", 0) < FEWEST:
            return None
        longest = max(longest or 0, now["small_rtt_ms"] / now["small"])
    return longest


def enough_kb(mbit: int, trip_ms: float) -> int:
    """Return a window of twice the bandwidth-delay product, rounded up to a power of two, KiB."""
    needed = 2 * mbit * 1000 / 8 * trip_ms / 1024
    return max(LEAST_KB, 1 << max(int(needed), 1).bit_length())


def check_nfs_windows(host: Host, states: list[State]) -> Iterator[Finding]:
    """Check that the windows of nfs-ra's multiple=auto are not many times what the network needs."""
    nfs_ra = enabled_module(states, "nfs-ra")
    if not nfs_ra or nfs_ra.parameters.get("multiple") != "auto" or nfs_ra.parameters.get("auto_max_kb") != "0":
        return
    mbit, trip = link_mbit(host), round_trip_ms(host)
    if not nfs_mounts(host) or mbit is None or trip is None:
        return
    wanted = enough_kb(mbit, trip)
    # The next window is on its way behind each.
    wait_ms = 2 * AUTO_KB * 1024 * 8 / (mbit * 1000)
    if 4 * wanted <= AUTO_KB:
        yield Finding(
            ADVICE,
            "nfs-ra",
            f"the network carries {mbit} Mbit/s, and a small request takes {trip:.1f} ms: while a file is read in order"
            f" by windows of {AUTO_KB} KiB, others of its mount wait up to {wait_ms:.0f} ms, and it gains nothing from"
            f" more than about {wanted} KiB",
            f"seqkeep set nfs-ra auto_max_kb={wanted}",
        )
