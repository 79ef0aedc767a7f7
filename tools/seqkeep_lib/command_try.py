# SPDX-License-Identifier: GPL-2.0-only
"""Measure whether a module helps the load that this machine has now.

It is switched off and on in turn, and is left as it was.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import signal
import time
from pathlib import Path

from . import trial_report
from .arguments import parse_assignments, parse_duration
from .checks_kernel import TRIAL
from .errors import SeqkeepError, UsageError
from .host import Host
from .output import reason_not_writable, show, show_error, why_no_plot
from .progress import Progress
from .signals import StoppedBySignal, StopSignals
from .switch import WAIT_S, check_available, check_options, module_named, state_of
from .trial import Trial
from .trial_figures import DEFAULT_OPTIONS
from .trial_guard import DEFAULT_LIMIT, LEAST_LIMIT, MOST_LIMIT
from .trial_report import Report
from .trial_schedule import (
    LEAST_PERIOD_S,
    MOST_PERIOD_S,
    MOST_S,
    make_schedule,
    reason_too_short,
)
from .trial_switch import Lock, Switch, recover

FOR_S, PERIOD_S = 600.0, 30.0
WAIT_STEP_S = 0.2
# The exit status when the guard has ended the trial.
GUARDED = 3


def parse_period(text: str) -> float:
    value = parse_duration(text)
    if not LEAST_PERIOD_S <= value <= MOST_PERIOD_S:
        raise argparse.ArgumentTypeError(f"{text} is not from {LEAST_PERIOD_S:g}s to {MOST_PERIOD_S / 3600:g}h")
    return value


def parse_total(text: str) -> float:
    value = parse_duration(text)
    if value > MOST_S:
        raise argparse.ArgumentTypeError(f"{text} is more than {MOST_S / 3600:g}h")
    return value


def parse_limit(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    # Written so that it rejects nan, too.
    if not LEAST_LIMIT <= value <= MOST_LIMIT:
        raise argparse.ArgumentTypeError(f"{text} is not from {LEAST_LIMIT:g} to {MOST_LIMIT:g}")
    return value


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("module", nargs="?", metavar="MODULE", help="the module to try")
    parser.add_argument(
        "options", nargs="*", default=[], metavar="OPTION=VALUE", help="its parameters during the trial"
    )
    parser.add_argument(
        "--for", dest="seconds", type=parse_total, default=FOR_S, metavar="TIME", help="how long (default: 10m)"
    )
    parser.add_argument(
        "--period", type=parse_period, default=PERIOD_S, metavar="TIME", help="each time off or on (default: 30s)"
    )
    parser.add_argument(
        "--guard",
        type=parse_limit,
        default=DEFAULT_LIMIT,
        metavar="N",
        help=f"end if waits are N times as long as without the module (default: {DEFAULT_LIMIT:g})",
    )
    parser.add_argument("--keep", action="store_true", help="leave the module enabled if it helps")
    parser.add_argument("--json", action="store_true", help="the result as JSON")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the phases (needs matplotlib)")
    parser.add_argument(
        "--restore", action="store_true", help="only restore the module that a killed seqkeep try has left changed"
    )
    parser.add_argument("--wait", action="store_true", help="with --restore: wait until a running trial has ended")


def check_arguments(args: argparse.Namespace) -> None:
    """Fail if the arguments do not go together."""
    if args.restore:
        if args.module:
            raise UsageError("--restore takes no MODULE")
        return
    if args.wait:
        raise UsageError("--wait needs --restore")
    if not args.module:
        raise UsageError("no MODULE given: seqkeep advise says which of them may help here")
    args.options = parse_assignments(args.options)
    args.module = module_named(args.module)
    if args.module.name == "ra-trace":
        raise UsageError("ra-trace only counts: there is nothing to try")
    too_short = reason_too_short(args.seconds, args.period)
    if too_short:
        raise UsageError(too_short)


def check_plot(path: Path | None) -> None:
    """Fail before the trial if its picture could not be written after it."""
    why = (why_no_plot(path) or reason_not_writable(path)) if path else ""
    if why:
        raise SeqkeepError(f"--plot: {why}")


def show_message(text: str) -> None:
    show_error(f"seqkeep: {text}")


def try_module(args: argparse.Namespace, host: Host, lock: Lock, stop: StopSignals) -> int:
    check_plot(args.plot)
    state = state_of(host, args.module)
    check_available(host, state)
    check_options(host, state, args.options)
    options = {**DEFAULT_OPTIONS.get(args.module.name, {}), **args.options}
    schedule = make_schedule(args.seconds, args.period, random.Random())
    trial = Trial(host, Switch(host, args.module, lock), options, schedule, args.guard, stop)
    try:
        result = trial.run(Progress("seqkeep", time.monotonic() + schedule.seconds), args.keep)
    finally:
        # Also if a signal ends the trial.
        for text in trial.switch.notes:
            show_message(text)
    # Everything is restored, so signals may end the process again. check() raises for one that came meanwhile. But of a
    # module that is kept, the report must say so.
    if not result.is_kept:
        stop.unregister()
        stop.check()
    # With those that it was tried with by default: without them it would not do what was measured.
    report = Report(args.module.name, options, schedule, result, host.release)
    show(json.dumps(trial_report.as_json(report), indent=1) if args.json else trial_report.as_text(report))
    stop.unregister()
    if args.plot:
        trial_report.plot(args.plot, report)
    return GUARDED if result.aborted else 0


def start(args: argparse.Namespace, host: Host, stop: StopSignals) -> int:
    if host.root == Path("/") and os.geteuid() != 0:
        raise SeqkeepError("cannot switch modules: run seqkeep try as root")
    lock = Lock(host)
    # Not by a lock that waits, because a signal would not end that.
    give_up = time.monotonic() + WAIT_S
    while not lock.acquire(wait=False):
        # A trial takes minutes, other commands a second.
        if not args.wait and (host.exists(TRIAL) or time.monotonic() > give_up):
            raise SeqkeepError("another seqkeep is trying or changing something: two at once would measure each other")
        stop.check()
        time.sleep(WAIT_STEP_S)
    try:
        said = recover(host, lock)
        for text in said:
            show_message(text)
        if not args.restore:
            return try_module(args, host, lock, stop)
        if not said:
            show_message("nothing to restore")
        return 0
    finally:
        lock.release()


def run(args: argparse.Namespace) -> int:
    check_arguments(args)
    stop = StopSignals()
    stop.register()
    # A stopped trial would leave the module on.
    signal.signal(signal.SIGTSTP, signal.SIG_IGN)
    # A parent that ignores the ends of its children passes that on, and waitpid() would fail.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        return start(args, Host(args.root), stop)
    except StoppedBySignal as stopped:
        show_message("stopped" if args.restore else "stopped; the module is as it was")
        return 128 + stopped.number
    except OSError as error:
        show_message(f"{error.filename}: {error.strerror}" if error.filename else str(error))
        return 1
