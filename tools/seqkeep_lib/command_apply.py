# SPDX-License-Identifier: GPL-2.0-only
"""Apply /etc/seqkeep.conf to the devices that are there. udev runs it when a device appears."""

from __future__ import annotations

import argparse
import math
import re
import time
from collections.abc import Collection, Iterable

from .apply import apply
from .checks_kernel import TRIAL
from .device_conf import NAMES, deadline_file, disk_named, present, read_settings
from .errors import BusyError, SeqkeepError
from .host import Host
from .output import show_error
from .switch import exclusive, path_exists

# stripe_deadline appears with the first write to an array, and no event tells of it.
POLL_S = 10
PENDING = ("stripe_deadline",)
RAID5 = "/sys/module/raid5_deadline/initstate"
# udev runs several at once, for different disks, and a command that changes something takes a second or two. A trial
# takes minutes, for which an event of udev must not wait: udevadm settle would, and so would mdadm, LVM and others.
BRIEF_S, BRIEF_STEP_S = 20.0, 0.1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("device", nargs="?", metavar="DEVICE", help="this one only (default: all that are there)")
    parser.add_argument(
        "--wait", action="store_true", help="wait until what cannot be set yet, as stripe_deadline, can be"
    )


def unit_of(disk: str) -> str:
    """Return the unit that applies the settings of a disk, whose name is escaped as systemd.unit(5) says."""
    escaped = re.sub(r"[^\w.]", lambda other: f"\\x{ord(other[0]):02x}", disk, flags=re.ASCII)
    return f"seqkeep-apply@{escaped}.service"


def apply_later(host: Host, disks: Iterable[str]) -> bool:
    """Let systemd set later what cannot be set yet. Return whether it runs."""
    if not host.is_real or not host.exists("/run/systemd/system"):
        return False
    for disk in sorted(set(disks)):
        host.command("systemctl", "start", "--no-block", unit_of(disk))
    return True


def apply_when_free(
    host: Host, disk: str, seconds: float, step: float, settings: Collection[str] = NAMES
) -> tuple[list[str], dict[str, str]]:
    """Apply the settings as soon as no other command changes something.

    BusyError: not within these seconds, unless they are infinite, or a trial is running.
    """
    give_up = time.monotonic() + seconds
    while True:
        try:
            with exclusive(host):
                return apply(host, read_settings(host), disk, settings)
        except BusyError:
            # The lock is a trial's, or a killed trial has left its state.
            if time.monotonic() > give_up or (seconds < math.inf and path_exists(host, TRIAL)):
                raise
        time.sleep(step)


def wait_and_apply(host: Host, disk: str) -> list[str]:
    """Apply the settings, and what cannot be set yet as soon as it can be. Return what could not be set.

    Only that is set later: somebody may have changed the rest meanwhile. Without raid5-deadline nothing will come; udev
    runs this again when it is loaded.
    """
    failed, pending = apply_when_free(host, disk, math.inf, POLL_S)
    while pending and host.exists(RAID5):
        time.sleep(POLL_S)
        pending = {each: what for each, what in pending.items() if host.exists(f"/sys/block/{each}")}
        for each in [each for each in pending if host.exists(deadline_file(each))]:
            more, still = apply_when_free(host, each, math.inf, POLL_S, PENDING)
            failed += more
            # A trial that ended meanwhile may have taken the file away again.
            if each not in still:
                del pending[each]
    return failed


def run(args: argparse.Namespace) -> int:
    host = Host(args.root)
    disk = disk_named(host, args.device) if args.device else ""
    if disk is None:
        raise SeqkeepError(f"{args.device} is no disk that is there")
    if disk and not any(each == disk for each, _, _ in present(host, read_settings(host))):
        # udev runs this for each disk that appears, and most have no settings: do not wait for other commands.
        return 0
    if args.wait:
        failed = wait_and_apply(host, disk)
    else:
        try:
            failed, pending = apply_when_free(host, disk, BRIEF_S, BRIEF_STEP_S)
        except BusyError:
            if not apply_later(host, [disk] if disk else [name for name, _, _ in present(host, read_settings(host))]):
                raise
            return 0
        apply_later(host, pending)
    for what in failed:
        show_error(f"seqkeep: {what}")
    return 1 if failed else 0
