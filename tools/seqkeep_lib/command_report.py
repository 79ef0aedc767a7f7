# SPDX-License-Identifier: GPL-2.0-only
"""Write what a report of a bug needs into a text file, without names and addresses, and list what is in it."""

from __future__ import annotations

import argparse
from pathlib import Path

from . import report
from .errors import SeqkeepError
from .host import Host
from .output import show

FILE = Path("seqkeep-report.txt")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--output", type=Path, metavar="FILE", default=FILE, help=f"a new file (default: {FILE}); - is standard output"
    )


def run(args: argparse.Namespace) -> int:
    parts = list(report.sections(Host(args.root)))
    if str(args.output) == "-":
        show(report.as_text(parts))
        return 0
    try:
        # Never over a file of the user's.
        with args.output.open("x", errors="backslashreplace") as file:
            file.write(report.as_text(parts))
    except FileExistsError as error:
        raise SeqkeepError(f"{args.output} exists already: name another file by --output") from error
    except ValueError as error:
        raise SeqkeepError(f"{str(args.output)!a}: {error}") from error
    lines = [f"{args.output} has:"]
    lines += [f"    {len(part.text.splitlines()):>5} lines: {part.title}" for part in parts]
    lines.append(
        "Names, addresses and paths of this machine are replaced, as <host-1>. Read the file before you send it."
    )
    show("\n".join(lines))
    return 0
