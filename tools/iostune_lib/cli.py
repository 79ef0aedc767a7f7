# SPDX-License-Identifier: GPL-2.0-only
"""Measure a disk with parallel sequential readers, and say which scheduler and tunables suit it.

It only reads. What it tries it puts back; --apply sets what is recommended.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

from seqkeep_lib.output import reason_not_writable, show, show_error, why_no_plot
from seqkeep_lib.version import version

from . import journal, plot, report, target, udev, verdict_text
from .errors import IostuneError, StoppedBySignal
from .journal import DIRECTORY
from .report import Result
from .session import Request, Session
from .signals import StopSignals
from .target import Target
from .tunables import Tunables

FULL_S, QUICK_S = 540, 50
MOST_READERS = 64
# Eleven days.
MOST_S = 1000000


def parse_readers(text: str) -> int:
    value = int(text)
    if not 1 <= value <= MOST_READERS:
        raise argparse.ArgumentTypeError(f"{text} is not from 1 to {MOST_READERS}")
    return value


def parse_seconds(text: str) -> float:
    value = float(text)
    # This way about it holds for nan, too.
    if not 1 <= value <= MOST_S:
        raise argparse.ArgumentTypeError(f"{text} is not a number of seconds from 1 to {MOST_S}")
    return value


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="iostune", description=__doc__)
    parser.add_argument("--version", action="version", version=f"iostune {version()}")
    parser.add_argument("device", nargs="?", type=Path, metavar="DEVICE", help="a block device, or a file on one")
    parser.add_argument(
        "--max-readers", type=parse_readers, default=8, metavar="N", help="readers at once (default: 8)"
    )
    parser.add_argument("--quick", action="store_true", help="under a minute: schedulers and readahead only")
    parser.add_argument(
        "--time", type=parse_seconds, metavar="S", help=f"seconds at most ({FULL_S}; with --quick {QUICK_S})"
    )
    parser.add_argument("--json", action="store_true", help="the result as JSON")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw throughput over readers (needs matplotlib)")
    parser.add_argument("--emit-udev", type=Path, metavar="FILE", help="write a udev rule for this disk")
    parser.add_argument("--apply", action="store_true", help="set what is recommended, after asking")
    parser.add_argument("--yes", action="store_true", help="with --apply: do not ask")
    parser.add_argument("--restore", action="store_true", help="only put back what a killed iostune has left")
    args = parser.parse_args()
    if not args.restore and not args.device:
        parser.error("which device?")
    if args.yes and not args.apply:
        parser.error("--yes is for --apply")
    if args.apply and not args.yes and not sys.stdin.isatty():
        parser.error("--apply asks before it sets anything, and there is no terminal: --yes is the answer")
    return args


def show_message(text: str) -> None:
    show_error(f"iostune: {text}")


def check_outputs(args: argparse.Namespace, rule: str) -> None:
    """What could not be written in the end."""
    why = why_no_plot(args.plot) if args.plot else ""
    if why:
        raise IostuneError(f"--plot: {why}")
    if args.emit_udev:
        why = reason_not_creatable(args.emit_udev) or reason_not_creatable(rollback_path(args.emit_udev))
        if why:
            raise IostuneError(f"--emit-udev: {why}")
        if not rule:
            raise IostuneError("--emit-udev: the disk has no serial number, WWN or UUID that a rule could know it by")


def reason_not_creatable(path: Path) -> str:
    """Why a rule cannot be written there; empty if it can. One that is there may hold what was before all changes."""
    why = reason_not_writable(path)
    if not why and os.path.lexists(path):
        return f"{path} is there already: move it away, or name another file"
    return why


def rule_match(found: Target) -> str:
    """What a rule knows the disk by; empty if there is no disk, or nothing tells it from others."""
    return udev.disk_match(target.udev_properties(found), target.identity(found)) if found.disk else ""


def rollback_path(path: Path) -> Path:
    """The rule with the values that were there before, beside the one with the new ones."""
    return path.with_name(path.name + ".rollback")


def create_file(path: Path, text: str) -> None:
    # It was not there before the measurement, but may be now. The text has the path, which may be any bytes.
    with path.open("x", errors="surrogateescape") as file:
        file.write(text)


def emit_udev(path: Path, found: Target, rule: str, result: Result) -> None:
    if not result.settings:
        show_message(f"no change is recommended, so {path} is not written")
        return
    back = rollback_path(path)
    reasons = [verdict_text.decision_text(d) for d in result.decisions if d.verdict.is_change]
    after = [
        f"To go back: mv {back} {path}, udevadm control --reload, udevadm trigger --sysname-match={found.name};",
        "then remove it, as it has no more to do after the next boot.",
    ]
    known = {name: value for name, value in result.former.items() if value != "not there"}
    create_file(path, udev.rules_text(found.name, rule, result.settings, reasons + after))
    create_file(back, udev.rules_text(found.name, rule, known, ["As it was before the rule beside this one."]))
    show_message(f"written: {path}, and {back} to go back")
    first = udev.needed_rules_file(rule)
    if path.name < first:
        show_message(f"{path.name} must sort after {first}, which finds what the disk is known by: 65-iostune.rules")


def apply(args: argparse.Namespace, found: Target, result: Result) -> None:
    if not result.settings or not found.disk:
        return
    if not args.yes:
        print("Set this now, until the next boot? [y/N] ", end="", file=sys.stderr, flush=True)
        if sys.stdin.readline().strip().lower() not in ("y", "yes"):
            show_message("nothing was changed")
            return
    tunables = Tunables(found.disk)
    done: list[str] = []
    for name, value in result.settings.items():
        try:
            tunables.put(name, value)
        except OSError as error:
            before = f"; set before that: {', '.join(done)}" if done else ""
            raise IostuneError(f"{name} cannot be set to {value}: {error.strerror}{before}") from None
        done.append(f"{name} = {value}")
    show_message("set: " + ", ".join(done))


def tune(args: argparse.Namespace, stop: StopSignals) -> None:
    if os.geteuid() != 0:
        raise IostuneError("tunables are set while measuring: run it as root")
    # Held until the end of the process.
    journal.acquire_lock(DIRECTORY)
    for text in journal.recover(DIRECTORY):
        show_message(text)
    if args.restore:
        return
    found = target.find_target(args.device)
    rule = rule_match(found) if args.emit_udev else ""
    check_outputs(args, rule)
    request = Request(args.max_readers, args.time or (QUICK_S if args.quick else FULL_S), args.quick)
    result = Session(found, request, stop, DIRECTORY).run()
    # Nothing is left to put back: signals may do what they do. One that came while it was put back was only noted.
    stop.unregister()
    stop.check()
    show(json.dumps(report.as_json(result), indent=1) if args.json else report.text(result))
    if args.plot:
        plot.plot(args.plot, result)
    if args.emit_udev:
        emit_udev(args.emit_udev, found, rule, result)
    if args.apply:
        apply(args, found, result)


def main() -> int:
    args = parse_arguments()
    stop = StopSignals()
    stop.register()
    try:
        tune(args, stop)
    except IostuneError as error:
        show_message(str(error))
        return 1
    except StoppedBySignal as stopped:
        show_message("stopped")
        return 128 + stopped.number
    except BrokenPipeError:
        # Nobody reads standard error, where apply() asks: there is nobody to say it to.
        return 1
    except OSError as error:
        show_message(f"{error.filename}: {error.strerror}" if error.filename else str(error))
        return 1
    return 0
