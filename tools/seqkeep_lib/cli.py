# SPDX-License-Identifier: GPL-2.0-only
"""
The subcommands of seqkeep, and its parser.

A subcommand is a module with a docstring, which is its help, add_arguments(parser) and run(args), which returns the
exit status. COMMANDS below lists all of them; the parser, the help and the completion of shells follow from it.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Protocol

from . import (
    command_advise,
    command_apply,
    command_disable,
    command_doctor,
    command_enable,
    command_raid,
    command_report,
    command_set,
    command_status,
    command_top,
    command_try,
)
from .errors import SeqkeepError
from .output import show_error
from .signals import StoppedBySignal
from .version import version


class Command(Protocol):
    """What a module of a subcommand has."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None: ...

    def run(self, args: argparse.Namespace) -> int: ...


# By the name that the user types, in the order of the help.
COMMANDS: dict[str, Command] = {
    "advise": command_advise,
    "status": command_status,
    "doctor": command_doctor,
    "try": command_try,
    "top": command_top,
    "raid": command_raid,
    "enable": command_enable,
    "disable": command_disable,
    "set": command_set,
    "apply": command_apply,
    "report": command_report,
}
DESCRIPTION = "See whether the modules of seqkeep are for this machine, switch them, and see what they do."


def description_of(command: Command) -> str:
    return " ".join((command.__doc__ or "").split())


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="seqkeep", description=DESCRIPTION, epilog="Without a COMMAND, seqkeep shows the status. See seqkeep(8)."
    )
    parser.add_argument("-V", "--version", action="version", version=f"seqkeep {version()}")
    # Tests use it: a folder that stands for the machine.
    parser.add_argument("--root", type=Path, default=Path("/"), help=argparse.SUPPRESS)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name, command in COMMANDS.items():
        text = description_of(command)
        summary = text[0].lower() + text[1:].split(". ")[0].rstrip(".")
        command_parser = commands.add_parser(name, help=summary, description=text)
        command.add_arguments(command_parser)
        command_parser.set_defaults(run=command.run)
    helper = commands.add_parser("help", help="show the help of a command", description="Show the help of a command.")
    helper.add_argument("topic", nargs="?", choices=list(COMMANDS), metavar="COMMAND", help="a command of seqkeep")
    return parser


def parse_arguments(words: list[str]) -> argparse.Namespace:
    parser = make_parser()
    # Python takes all operands at the first one, so that those after an option are left over.
    args, rest = parser.parse_known_args(words)
    if rest and hasattr(args, "options") and not any(word.startswith("-") or "=" not in word for word in rest):
        args.options += rest
    elif rest:
        args = parser.parse_args(words)
    if args.command == "help":
        parser.parse_args([*([args.topic] if args.topic else []), "--help"])
    if args.command is None:
        args = parser.parse_args([*words, "status"])
    return args


def main() -> int:
    args = parse_arguments(sys.argv[1:])
    try:
        status: int = args.run(args)
    except SeqkeepError as error:
        show_error(f"seqkeep: {error}")
        return error.status
    except StoppedBySignal as stopped:
        show_error("seqkeep: stopped")
        return 128 + stopped.number
    return status
