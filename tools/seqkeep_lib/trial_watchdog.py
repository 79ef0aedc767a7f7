# SPDX-License-Identifier: GPL-2.0-only
"""A process that restores the module if the trial dies: it waits for the lock that the trial holds while it lives."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal

from .errors import SeqkeepError
from .host import Host
from .trial_switch import Lock, recover

PR_SET_NAME = 15
# Other than the trial's, so that killall seqkeep leaves it alone.
NAME = b"skp-watchdog"
UNKILLABLE = "-1000"
SYSTEMD = "/run/systemd/system"
UNIT = "seqkeep-try-restore.service"


def start_unit(host: Host) -> None:
    """Let systemd wait, too: for the case that the trial and its watchdog are killed, as with their control group."""
    if host.is_real and host.exists(SYSTEMD):
        host.command("systemctl", "start", "--no-block", UNIT)


class Watchdog:
    """The child, from start() to stop()."""

    def __init__(self, host: Host, lock: Lock) -> None:
        self.host = host
        self.lock = lock
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
        # A session of its own: Ctrl-C and a terminal that hangs up are for the trial, which then restores the module.
        os.setsid()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGTSTP):
            signal.signal(number, signal.SIG_IGN)
        libc.prctl(PR_SET_NAME, NAME, 0, 0, 0)
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(null, stream)
        with contextlib.suppress(OSError):
            self.host.path("/proc/self/oom_score_adj").write_text(UNKILLABLE)
        self.lock.release()
        own = Lock(self.host)
        own.acquire(wait=True)
        try:
            said = recover(self.host, own)
        except SeqkeepError as error:
            said = [str(error)]
        for text in said:
            self.log(text)

    def log(self, text: str) -> None:
        """Write to the kernel's log, because nobody reads the standard error of a killed command."""
        with contextlib.suppress(OSError), self.host.path("/dev/kmsg").open("a") as log:
            log.write(f"<5>seqkeep: {text}\n")

    def is_alive(self) -> bool:
        return os.waitpid(self.pid, os.WNOHANG) == (0, 0)

    def stop(self) -> None:
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(self.pid, 0)
            self.pid = 0
