# SPDX-License-Identifier: GPL-2.0-only
"""Show progress on standard error: one line that is overwritten on a terminal, else a line every EVERY_S."""

from __future__ import annotations

import os
import sys
import time

from .output import show_error

EVERY_S = 30.0


def duration_text(seconds: float) -> str:
    """Format so many seconds: 9 min 05 s."""
    whole = max(0, round(seconds))
    return f"{whole // 60} min {whole % 60:02d} s"


def terminal_columns() -> int:
    """Return the width of the terminal on standard error; 80 if it is not known."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except OSError:
        return 80


class Progress:
    """The progress of a command that ends at a deadline of time.monotonic()."""

    def __init__(self, command: str, deadline: float) -> None:
        self.command = command
        self.deadline = deadline
        # A dumb terminal cannot overwrite a line.
        self.is_terminal = sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self.last = 0.0
        self.what = ""

    def stage(self, what: str) -> None:
        self.what = what
        self.show(f"{self.what}", force=True)

    def run(self, doing: str) -> None:
        self.show(f"{self.what}: {doing}", force=False)

    def show(self, text: str, force: bool) -> None:
        now = time.monotonic()
        if not self.is_terminal and not force and now - self.last < EVERY_S:
            return
        self.last = now
        line = f"{self.command}: {text}, at most {duration_text(self.deadline - now)} left"
        if self.is_terminal:
            # A line as wide as the terminal would scroll it.
            show_error(f"\r\033[K{line[: terminal_columns() - 1]}", end="")
        else:
            show_error(line)

    def end(self) -> None:
        if self.is_terminal:
            show_error("\r\033[K", end="")
