# SPDX-License-Identifier: GPL-2.0-only
"""A process that restores settings if the command that changes them dies: it waits for a lock that the command holds.

The kernel releases the lock when the command dies, however it dies.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
from collections.abc import Callable
from pathlib import Path

from .errors import SeqkeepError

PR_SET_NAME = 15
# Other than the command's, so that killall leaves it alone.
NAME = b"skp-watchdog"
SCORE = Path("/proc/self/oom_score_adj")
UNKILLABLE = "-1000"


class Watchdog:
    """The child, from start() to stop()."""

    def __init__(
        self, release: Callable[[], None], recover: Callable[[], list[str]], say: Callable[[str], None]
    ) -> None:
        # Close the child's copy of the lock, which would keep it after the command has died.
        self.release = release
        # Wait for the lock, and restore what the command has left. Return messages.
        self.recover = recover
        self.say = say
        self.pid = 0

    def start(self) -> None:
        # Load libc before the fork, because the child of a process that is short of memory could not.
        libc = ctypes.CDLL(None)
        self.pid = os.fork()
        if self.pid == 0:
            with contextlib.suppress(BaseException):
                self.run(libc)
            os._exit(0)

    def run(self, libc: ctypes.CDLL) -> None:
        # A session of its own: Ctrl-C and a terminal that hangs up are for the command, which then restores by itself.
        os.setsid()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGTSTP):
            signal.signal(number, signal.SIG_IGN)
        libc.prctl(PR_SET_NAME, NAME, 0, 0, 0)
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(null, stream)
        with contextlib.suppress(OSError):
            SCORE.write_text(UNKILLABLE)
        self.release()
        try:
            said = self.recover()
        except SeqkeepError as error:
            said = [str(error)]
        for text in said:
            self.say(text)

    def is_alive(self) -> bool:
        return os.waitpid(self.pid, os.WNOHANG) == (0, 0)

    def stop(self) -> None:
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(self.pid, 0)
            self.pid = 0


def log(kmsg: Path, text: str) -> None:
    """Write to the kernel's log, because nobody reads the standard error of a killed command."""
    with contextlib.suppress(OSError), kmsg.open("a") as file:
        file.write(f"<5>{text}\n")
