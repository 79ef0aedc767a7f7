# SPDX-License-Identifier: GPL-2.0-only
"""Show the modules, their parameters, hooks and counters."""

from __future__ import annotations

import argparse

from . import status
from .host import Host
from .modules import read_states
from .output import show

FORMATS = {"text": status.as_text, "json": status.as_json, "prometheus": status.as_prometheus}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(format="text")
    formats = parser.add_mutually_exclusive_group()
    formats.add_argument("--json", dest="format", action="store_const", const="json", help="as JSON")
    formats.add_argument(
        "--prometheus",
        dest="format",
        action="store_const",
        const="prometheus",
        help="for node_exporter's textfile collector",
    )


def run(args: argparse.Namespace) -> int:
    show(FORMATS[args.format](read_states(Host(args.root))))
    return 0
