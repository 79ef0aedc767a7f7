# SPDX-License-Identifier: GPL-2.0-only
"""Measure a disk with parallel sequential readers, and recommend a scheduler and tunables.

iostune only reads the disk. It restores every tunable that it tries; --apply sets the recommended values.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import sys
from functools import partial
from pathlib import Path

from seqkeep_lib.output import reason_not_writable, show, show_error, why_no_plot
from seqkeep_lib.signals import StoppedBySignal, StopSignals
from seqkeep_lib.version import version
from seqkeep_lib.watchdog import Watchdog, log

from . import diff, journal, plot, report, target, tuned, udev, verdict_text
from .errors import IostuneError
from .journal import DIRECTORY
from .report import Result
from .session import Request, Session
from .target import Target
from .tunables import Tunables

FULL_S, QUICK_S = 540, 50
MAX_READERS = 64
KMSG = Path("/dev/kmsg")
# Eleven days.
MAX_S = 1000000


def parse_readers(text: str) -> int:
    value = int(text) if re.fullmatch(r"\d{1,9}", text, re.ASCII) else 0
    if not 1 <= value <= MAX_READERS:
        raise argparse.ArgumentTypeError(f"{text} is not from 1 to {MAX_READERS}")
    return value


def parse_seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    # Written so that it rejects nan, too.
    if not 1 <= value <= MAX_S:
        raise argparse.ArgumentTypeError(f"{text} is not a number of seconds from 1 to {MAX_S}")
    return value


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="iostune", description=__doc__)
    parser.add_argument("-V", "--version", action="version", version=f"iostune {version()}")
    parser.add_argument(
        "device",
        nargs="?",
        metavar="DEVICE",
        help="a block device, or a file on one; without it, list the disks",
    )
    parser.add_argument(
        "--max-readers", type=parse_readers, default=8, metavar="N", help="readers at once (default: 8)"
    )
    parser.add_argument("--quick", action="store_true", help="under a minute: schedulers and readahead only")
    parser.add_argument(
        "--time", type=parse_seconds, metavar="S", help=f"seconds at most ({FULL_S}; with --quick {QUICK_S})"
    )
    parser.add_argument("--json", action="store_true", help="the result as JSON")
    parser.add_argument("-v", "--verbose", action="store_true", help="the throughput of each reader in the tables")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw throughput over readers (needs matplotlib)")
    parser.add_argument("--emit-udev", type=Path, metavar="FILE", help="write a udev rule for this disk")
    parser.add_argument("--emit-tuned", type=Path, metavar="FILE", help="write a profile for tuned, a tuned.conf")
    parser.add_argument("--apply", action="store_true", help="set the recommended values, after asking")
    parser.add_argument("--yes", action="store_true", help="with --apply: do not ask")
    parser.add_argument(
        "--restore", action="store_true", help="only restore the tunables that a killed iostune had set"
    )
    parser.add_argument(
        "--diff", nargs=2, type=Path, metavar=("A.json", "B.json"), help="only compare two results of --json"
    )
    return parser


def parse_arguments() -> argparse.Namespace:
    parser = make_parser()
    args = parser.parse_args()
    if args.device is not None and (args.restore or args.diff):
        parser.error(f"--{'restore' if args.restore else 'diff'} takes no DEVICE")
    if args.restore and args.diff:
        parser.error("--restore and --diff are two commands")
    wants_device = args.quick or args.time or args.plot or args.emit_udev or args.emit_tuned or args.apply
    if args.device is None and not (args.restore or args.diff) and wants_device:
        parser.error("no DEVICE given: iostune without arguments lists the disks")
    if args.yes and not args.apply:
        parser.error("--yes needs --apply")
    if args.apply and not args.yes and not sys.stdin.isatty():
        parser.error("--apply asks before it sets anything, but standard input is no terminal: add --yes")
    return args


def show_message(text: str) -> None:
    show_error(f"iostune: {text}")


def check_outputs(args: argparse.Namespace, rule: str) -> None:
    """Fail before the measurement if an output file could not be written after it."""
    why = why_no_plot(args.plot) if args.plot else ""
    if why:
        raise IostuneError(f"--plot: {why}")
    if args.emit_udev:
        why = reason_not_creatable(args.emit_udev) or reason_not_creatable(rollback_path(args.emit_udev))
        if why:
            raise IostuneError(f"--emit-udev: {why}")
        if not rule:
            raise IostuneError("--emit-udev: the disk has no serial number, WWN or UUID for a rule to match")
    if args.emit_tuned:
        why = reason_not_creatable(args.emit_tuned)
        if why:
            raise IostuneError(f"--emit-tuned: {why}")


def reason_not_creatable(path: Path) -> str:
    """Return why a rule cannot be created at a path; "" if it can.

    An existing file is never overwritten, because it may be the only copy of the original values.
    """
    why = reason_not_writable(path)
    if not why and os.path.lexists(path):
        return f"{path} exists already: move it away, or name another file"
    return why


def rule_match(found: Target) -> str:
    """Return the udev key that matches this disk only; "" if there is no disk or no such key."""
    return udev.disk_match(target.udev_properties(found), target.identity(found)) if found.disk else ""


def rollback_path(path: Path) -> Path:
    """Return the path of the rule with the previous values, beside that of the new rule."""
    return path.with_name(path.name + ".rollback")


def create_file(path: Path, text: str) -> None:
    # "x", because the file may have been created during the measurement. The text contains the path, which may be any
    # bytes.
    with path.open("x", errors="surrogateescape") as file:
        file.write(text)


def emit_udev(path: Path, found: Target, rule: str, result: Result) -> None:
    if not result.settings:
        show_message(f"no change is recommended: {path} is not written")
        return
    back = rollback_path(path)
    reasons = [verdict_text.decision_text(d) for d in result.decisions if d.verdict.is_change]
    after = [
        f"To undo: mv {back} {path}, udevadm control --reload, udevadm trigger --sysname-match={found.name};",
        "then remove the file, because after the next boot it has no effect.",
    ]
    known = {name: value for name, value in result.former.items() if value != "not there"}
    create_file(path, udev.rules_text(found.name, rule, result.settings, reasons + after))
    create_file(back, udev.rules_text(found.name, rule, known, ["The values before the rule beside this one."]))
    show_message(f"written: {path}, and {back} to undo it")
    first = udev.needed_rules_file(rule)
    if path.name < first:
        show_message(f"{path.name} must sort after {first}, which sets what the rule matches: 65-iostune.rules does")

    profile = tuned.overwriting_profile()
    if profile:
        show_message(f"tuned applies its profile {profile} later, which sets disks too: use --emit-tuned instead")


def emit_tuned(path: Path, found: Target, result: Result) -> None:
    if not result.settings or not found.disk:
        show_message(f"no change is recommended: {path} is not written")
        return
    reasons = [verdict_text.decision_text(d) for d in result.decisions if d.verdict.is_change]
    after = [f"To apply: tuned-adm profile {path.parent.name}; to undo: tuned-adm profile with the one before."]
    text = tuned.profile_text(found.name, target.udev_properties(found), result.settings, reasons + after)
    create_file(path, text)
    show_message(f"written: {path}")
    if path.name != "tuned.conf":
        show_message("tuned reads /etc/tuned/NAME/tuned.conf, or /etc/tuned/profiles/NAME/tuned.conf")


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
            raise IostuneError(f"cannot set {name} to {value}: {error.strerror}{before}") from None
        done.append(f"{name} = {value}")
    show_message("set: " + ", ".join(done))


def tune(args: argparse.Namespace, stop: StopSignals) -> None:
    if os.geteuid() != 0:
        raise IostuneError("cannot set tunables: run iostune as root")
    # The process holds the lock until it ends.
    lock = journal.acquire_lock(DIRECTORY)
    said = journal.recover(DIRECTORY)
    for text in said:
        show_message(text)
    if args.restore:
        if not said:
            show_message("nothing to restore")
        return
    found = target.find_target(args.device)
    rule = rule_match(found) if args.emit_udev else ""
    check_outputs(args, rule)
    request = Request(args.max_readers, args.time or (QUICK_S if args.quick else FULL_S), args.quick)
    session = Session(found, request, stop, DIRECTORY)
    watchdog = Watchdog(
        partial(os.close, lock),
        partial(journal.recover_killed, DIRECTORY),
        lambda text: log(KMSG, f"iostune: {text}"),
    )
    watchdog.start()
    try:
        result = session.run()
    finally:
        # If a tunable could not be restored, the journal stays for the next run, which tells the user.
        watchdog.stop()
    # Every tunable is restored, so signals may end the process again. check() raises for one that came meanwhile.
    stop.unregister()
    stop.check()
    show(json.dumps(report.as_json(result), indent=1) if args.json else report.text(result, args.verbose))
    if args.emit_udev:
        emit_udev(args.emit_udev, found, rule, result)
    if args.emit_tuned:
        emit_tuned(args.emit_tuned, found, result)
    if args.apply:
        apply(args, found, result)
    # Last, because matplotlib may fail in ways of its own.
    if args.plot:
        plot.plot(args.plot, result)


def main() -> int:
    args = parse_arguments()
    try:
        if args.diff:
            show(diff.text(args.diff))
            return 0
    except IostuneError as error:
        show_message(str(error))
        return 1
    if args.device is None and not args.restore:
        show("\n".join(diff.table(target.list_disks())))
        return 0
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
        # Standard error, on which apply() asks, is closed: no message is possible.
        return 1
    except OSError as error:
        show_message(f"{error.filename}: {error.strerror}" if error.filename else str(error))
        return 1
    return 0
