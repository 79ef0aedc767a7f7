# SPDX-License-Identifier: GPL-2.0-only
"""Record signals that ask a command to stop, and check for them between measurements.

A handler that raised an exception could interrupt the restoring of settings.
"""

from __future__ import annotations

import contextlib
import signal
import subprocess
from collections.abc import Iterator
from types import FrameType
from typing import Any

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class StoppedBySignal(Exception):
    """A signal asked the command to stop."""

    def __init__(self, number: int) -> None:
        super().__init__(f"stopped by signal {number}")
        self.number = number


def handled_signals() -> list[signal.Signals]:
    """Return the signals to handle: all but a SIGHUP that was ignored from the start, as by nohup.

    Shells make background commands ignore SIGINT too, but a SIGINT sent to the command is meant for it.
    """
    return [number for number in SIGNALS if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN]


@contextlib.contextmanager
def raised_signals() -> Iterator[None]:
    """Let the first signal raise StoppedBySignal, so that what was done is undone, and later ones not disturb that."""
    old = {number: signal.getsignal(number) for number in handled_signals()}

    def stop(number: int, frame: FrameType | None) -> None:
        for each in old:
            signal.signal(each, signal.SIG_IGN)
        raise StoppedBySignal(number)

    try:
        for number in old:
            signal.signal(number, stop)
        yield
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)


class Undo(contextlib.ExitStack):
    """Callbacks that put back what was begun. A signal waits until they are done."""

    def __exit__(self, *raised: Any) -> bool:
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        try:
            return bool(super().__exit__(*raised))
        finally:
            # A signal that has come meanwhile is raised here.
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


class StopSignals:
    """The signal that was received, and the child that it kills."""

    def __init__(self) -> None:
        self.number = 0
        self.child: subprocess.Popen[str] | None = None

    def register(self) -> None:
        for number in handled_signals():
            signal.signal(number, self.record)

    def unregister(self) -> None:
        for number in handled_signals():
            signal.signal(number, signal.SIG_DFL)

    def record(self, number: int, frame: FrameType | None) -> None:
        self.number = number
        if self.child:
            self.child.kill()

    def check(self) -> None:
        if self.number:
            raise StoppedBySignal(self.number)
