# SPDX-License-Identifier: GPL-2.0-only
"""Show what is wrong and the remedy. The exit status is 1 if a module cannot work."""

from __future__ import annotations

import argparse

from . import doctor
from .host import Host
from .output import show


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="as JSON")


def run(args: argparse.Namespace) -> int:
    findings = doctor.run_checks(Host(args.root))
    show(doctor.as_json(findings) if args.json else doctor.as_text(findings))
    return 1 if doctor.has_problem(findings) else 0
