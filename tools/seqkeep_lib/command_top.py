# SPDX-License-Identifier: GPL-2.0-only
"""Show the rates of disks, modules and files, each interval. Files and modules are shown to root only."""

from __future__ import annotations

import argparse
import json
import sys
import time

from .arguments import parse_count, parse_duration
from .host import Host
from .output import accept_any_character
from .top import as_text, rates, read_moment

CLEAR = "\033[H\033[2J"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("interval", nargs="?", type=parse_duration, default=2.0, help="as 2 or 1m (default: 2 s)")
    parser.add_argument("count", nargs="?", type=parse_count, help="how many intervals (default: until interrupted)")
    parser.add_argument("--json", action="store_true", help="one JSON object per line")


def run(args: argparse.Namespace) -> int:
    host = Host(args.root)
    accept_any_character()
    old = read_moment(host)
    clear = CLEAR if sys.stdout.isatty() and not args.json else ""
    done = 0
    while args.count is None or done < args.count:
        time.sleep(args.interval)
        new = read_moment(host)
        shown = rates(host, old, new)
        shown["time"] = round(time.time(), 3)
        if args.json:
            # It ends, unlike others, when its reader does: it would run for ever.
            print(json.dumps(shown), flush=True)
        else:
            head = f"{time.strftime('%H:%M:%S')}  {shown['seconds']:.1f} s"
            print(f"{clear}{head}\n{as_text(shown)}\n", flush=True)
        old = new
        done += 1
    return 0
