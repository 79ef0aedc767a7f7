# SPDX-License-Identifier: GPL-2.0-only
"""Show what arrays of RAID 4, 5 and 6 read and write for each write, each interval: how full their stripes are."""

from __future__ import annotations

import argparse
import json
import time

from .arguments import parse_count, parse_duration
from .errors import SeqkeepError
from .host import Host
from .output import accept_any_character
from .raid_view import as_text, parity_arrays, rates, read_moment


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("interval", nargs="?", type=parse_duration, default=2.0, help="as 2 or 1m (default: 2 s)")
    parser.add_argument("count", nargs="?", type=parse_count, help="how many intervals (default: until interrupted)")
    parser.add_argument("--json", action="store_true", help="one JSON array per line")


def run(args: argparse.Namespace) -> int:
    host = Host(args.root)
    accept_any_character()
    if not parity_arrays(host):
        raise SeqkeepError("this machine has no md array of RAID 4, 5 or 6 that is running")
    old = read_moment(host)
    done = 0
    while args.count is None or done < args.count:
        time.sleep(args.interval)
        new = read_moment(host)
        shown = list(rates(host, old, new))
        print(json.dumps(shown) if args.json else f"{as_text(shown)}\n", flush=True)
        old = new
        done += 1
    return 0
