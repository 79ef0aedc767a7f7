# SPDX-License-Identifier: GPL-2.0-only
"""Apply /etc/seqkeep.conf to the devices that are there. udev runs it when a device appears."""

from __future__ import annotations

import argparse
import time

from .apply import apply
from .device_conf import disk_named, read_settings
from .errors import SeqkeepError
from .host import Host
from .output import show_error
from .switch import exclusive

# stripe_deadline appears with the first write to an array, and no event tells of it.
POLL_S = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("device", nargs="?", metavar="DEVICE", help="this one only (default: all that are there)")
    parser.add_argument(
        "--wait", action="store_true", help="wait until what cannot be set yet, as stripe_deadline, can be"
    )


def wait_for_pending(host: Host, disk: str, pending: list[str]) -> None:
    """Let systemd set later what cannot be set yet."""
    if pending and disk and host.is_real and host.exists("/run/systemd/system"):
        host.command("systemctl", "start", "--no-block", f"seqkeep-apply@{disk}.service")


def run(args: argparse.Namespace) -> int:
    host = Host(args.root)
    disk = disk_named(host, args.device) if args.device else ""
    if disk is None:
        raise SeqkeepError(f"{args.device} is no disk that is there")
    while True:
        # udev starts several at once, for different disks.
        with exclusive(host, wait=True):
            failed, pending = apply(host, read_settings(host), disk)
        if not (args.wait and pending) or (disk and not host.exists(f"/sys/block/{disk}")):
            break
        time.sleep(POLL_S)
    if not args.wait:
        wait_for_pending(host, disk, pending)
    for what in failed:
        show_error(f"seqkeep: {what}")
    return 1 if failed else 0
