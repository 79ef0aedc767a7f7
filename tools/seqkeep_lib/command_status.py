# SPDX-License-Identifier: GPL-2.0-only
"""Show the modules, their parameters and what they do."""

from __future__ import annotations

import argparse
from pathlib import Path

from . import doctor, metrics, status
from .errors import SeqkeepError, UsageError
from .host import Host
from .modules import MODULES, read_states
from .output import reason_not_writable, show, write_atomically


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(format="text")
    # Without choices, because argparse checks an empty list against them.
    names = ", ".join(module.name for module in MODULES)
    parser.add_argument("modules", nargs="*", metavar="MODULE", help=f"these modules only: {names}")
    formats = parser.add_mutually_exclusive_group()
    formats.add_argument("-v", "--verbose", action="store_true", help="show hooks and counters, too")
    formats.add_argument("--json", dest="format", action="store_const", const="json", help="as JSON")
    formats.add_argument(
        "--prometheus",
        dest="format",
        action="store_const",
        const="prometheus",
        help="for node_exporter's textfile collector, with the doctor's findings",
    )
    parser.add_argument(
        "--output", type=Path, metavar="FILE", help="write a file, which is never seen half written; -: standard output"
    )


def run(args: argparse.Namespace) -> int:
    host = Host(args.root)
    to_file = args.output and str(args.output) != "-"
    why = reason_not_writable(args.output) if to_file else ""
    if why:
        raise SeqkeepError(why)
    unknown = set(args.modules) - {module.name for module in MODULES}
    if unknown:
        raise UsageError(f"there is no module {min(unknown)}: {', '.join(module.name for module in MODULES)}")
    states = [state for state in read_states(host) if not args.modules or state.module.name in args.modules]
    if args.format == "json":
        text = status.as_json(states)
    elif args.format == "prometheus":
        text = metrics.as_prometheus(host, states, doctor.run_checks(host))
    else:
        text = status.as_text(states, args.verbose)
    if to_file:
        write_atomically(args.output, text + "\n")
    else:
        show(text)
    return 0
