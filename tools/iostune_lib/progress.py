# SPDX-License-Identifier: GPL-2.0-only
"""Show progress on standard error: one line that is overwritten on a terminal, else a line every EVERY_S."""

from __future__ import annotations

import sys
import time

from seqkeep_lib.output import show_error

EVERY_S = 30.0


class Progress:
    def __init__(self, deadline: float) -> None:
        self.deadline = deadline
        self.is_terminal = sys.stderr.isatty()
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
        left = max(0, round(self.deadline - now))
        line = f"iostune: {text}, at most {left // 60} min {left % 60:02d} s left"
        if self.is_terminal:
            show_error(f"\r{line[:119]:<119}", end="")
        else:
            show_error(line)

    def end(self) -> None:
        if self.is_terminal:
            show_error(f"\r{'':<119}\r", end="")
