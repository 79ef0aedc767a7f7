# SPDX-License-Identifier: GPL-2.0-only
"""Show what is wrong and the remedy. The exit status is 1 if a module cannot work."""

from __future__ import annotations

import argparse

from . import doctor
from .host import Host
from .output import is_coloured, show


def add_arguments(parser: argparse.ArgumentParser) -> None:
    formats = parser.add_mutually_exclusive_group()
    formats.add_argument("-v", "--verbose", action="store_true", help="show the checks that found nothing, too")
    formats.add_argument("--json", action="store_true", help="as JSON")


def run(args: argparse.Namespace) -> int:
    results = doctor.examine(Host(args.root))
    findings = doctor.findings_of(results)
    show(doctor.as_json(findings) if args.json else doctor.as_text(results, args.verbose, is_coloured()))
    return 1 if doctor.has_problem(findings) else 0
