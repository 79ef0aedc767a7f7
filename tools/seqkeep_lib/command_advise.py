# SPDX-License-Identifier: GPL-2.0-only
"""Say for each module whether it would help on this machine, and what helps without it. Changes nothing."""

from __future__ import annotations

import argparse
import os
import sys
import time

from . import advise_ctxra, advise_nfs_ra, advise_nfsd_dio, advise_ra_trace, advise_raid5_deadline
from .advice import Advice, as_json, as_text
from .arguments import parse_duration
from .host import Host
from .machine import Machine, see
from .output import show, show_error
from .sample import difference, read_sample


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--watch",
        type=parse_duration,
        metavar="TIME",
        help="judge by what happens in this time, as 60s or 10m (default: by what happened since boot)",
    )
    parser.add_argument("--json", action="store_true", help="as JSON")


def advise(machine: Machine) -> list[Advice]:
    advices = [
        module.advise(machine) for module in (advise_ctxra, advise_nfsd_dio, advise_raid5_deadline, advise_nfs_ra)
    ]
    return [*advices, advise_ra_trace.advise(machine, advices)]


def unseen(machine: Machine, is_root: bool) -> list[str]:
    """Return what could not be seen, a sentence each."""
    found = [f"{name}: {why}" for name, why in sorted(machine.host.unread.items())]
    if machine.threads and not machine.exports:
        found.append("the exports of nfsd: /var/lib/nfs/etab lists none")
    found += [
        f"the level of {array.name}: dmsetup needs root" for array in machine.arrays if array.dm and not array.level
    ]
    if not is_root:
        found.append("what only root may read, as ra-trace's patterns and the counters of modules: run it as root")
    return found


def watch(host: Host, seconds: float) -> tuple[Machine, float]:
    old = read_sample(host)
    if sys.stderr and sys.stderr.isatty():
        show_error(f"seqkeep: watching for {seconds:g} s")
    time.sleep(seconds)
    return see(host, difference(read_sample(host), old), seconds), seconds


def run(args: argparse.Namespace) -> int:
    host = Host(args.root)
    machine = watch(host, args.watch)[0] if args.watch else see(host, read_sample(host), None)
    advices = advise(machine)
    missing = unseen(machine, os.geteuid() == 0)
    if args.json:
        show(as_json(advices, missing, machine.over(), machine.seconds))
    else:
        show(as_text(advices, missing, machine.over()))
    return 0
