# SPDX-License-Identifier: GPL-2.0-only
"""Progress fits every terminal, and leaves no line behind."""

import fcntl
import os
import struct
import sys
import termios
import time
import unittest
from unittest import mock

from seqkeep_lib.progress import Progress


def shown(columns: int, term: str = "xterm") -> str:
    """Return what a terminal of so many columns gets."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with (
        os.fdopen(theirs, "w") as terminal,
        mock.patch.object(sys, "stderr", terminal),
        mock.patch.dict(os.environ, TERM=term),
    ):
        progress = Progress("iostune", time.monotonic() + 540)
        progress.stage("scheduler")
        progress.run("bfq slice_idle=0, buffered, 8 readers, and more words than any terminal is wide " * 3)
        progress.end()
    # The kernel passes on what was written in its own time; the end is an error.
    text = b""
    try:
        while piece := os.read(ours, 65536):
            text += piece
    except OSError:
        pass
    os.close(ours)
    return text.decode()


class Terminals(unittest.TestCase):
    def test_a_line_never_reaches_the_last_column(self) -> None:
        for columns in (20, 60, 80, 120, 200):
            text = shown(columns)
            self.assertNotIn("\n", text)
            lines = text.split("\r\033[K")
            self.assertEqual((lines[0], lines[-1]), ("", ""))
            self.assertEqual(max(map(len, lines)), columns - 1)

    def test_an_unknown_width_is_80(self) -> None:
        self.assertEqual(max(map(len, shown(0).split("\r\033[K"))), 79)

    def test_a_dumb_terminal_gets_lines(self) -> None:
        text = shown(80, "dumb")
        self.assertNotIn("\033", text)
        self.assertEqual(text.count("\n"), 1)
        self.assertIn("at most 9 min 00 s left", text)


if __name__ == "__main__":
    unittest.main()
