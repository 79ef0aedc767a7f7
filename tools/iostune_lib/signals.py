# SPDX-License-Identifier: GPL-2.0-only
"""Signals that ask for the end. They are only noted, and looked at between measurements: no exception appears in the
middle of putting tunables back."""

from __future__ import annotations

import signal
import subprocess
from types import FrameType

from .errors import StoppedBySignal

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def handled_signals() -> list[signal.Signals]:
    """All but a hangup that was ignored from the start, as by nohup. Shells have what they run in the background ignore
    SIGINT as well, but who sends that means it."""
    return [number for number in SIGNALS if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN]


class StopSignals:
    """Whether to stop, and which child not to wait for then."""

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
