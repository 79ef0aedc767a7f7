# SPDX-License-Identifier: GPL-2.0-only
"""Types of arguments that several commands have."""

from __future__ import annotations

import argparse
import re

from .errors import UsageError
from .modules import MODULES

# Eleven days. A much longer time would overflow the kernel's clock.
LONGEST_S = 1000000
UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}


def parse_duration(text: str) -> float:
    """Parse 30, 30s, 10m, 1.5h or 1d into seconds."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smhd]?)", text, re.ASCII)
    seconds = float(found[1]) * UNITS[found[2]] if found else 0.0
    if not 0 < seconds <= LONGEST_S:
        raise argparse.ArgumentTypeError(f"{text} is no time above 0 and up to {LONGEST_S} s, such as 60s or 10m")
    return seconds


def parse_count(text: str) -> int:
    if not re.fullmatch(r"[1-9]\d{0,8}", text, re.ASCII):
        raise argparse.ArgumentTypeError(f"count must be 1 or more, not {text}")
    return int(text)


def add_module(parser: argparse.ArgumentParser) -> None:
    names = [module.name for module in MODULES]
    parser.add_argument("module", choices=names, metavar="MODULE", help=", ".join(names))


def parse_assignments(words: list[str]) -> dict[str, str]:
    """Parse words NAME=VALUE. The value may be empty."""
    found: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not re.fullmatch(r"[a-z]\w*", name, re.ASCII):
            raise UsageError(f"{word!a} is not NAME=VALUE")
        if name in found:
            raise UsageError(f"{name} is given twice")
        found[name] = value
    return found
