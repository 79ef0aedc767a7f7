# SPDX-License-Identifier: GPL-2.0-only
"""What commands write: to a reader that may have had enough, to a full disk, to files that are named at the start."""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn, TextIO


def show(text: str) -> None:
    """Print it. A reader that has had enough is no error, and keeps nothing else from being done."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A path may have what the locale cannot show; it is no reason to show nothing.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        print(text, flush=True)
    except BrokenPipeError:
        redirect_to_null(sys.stdout)


def show_error(text: str, end: str = "\n") -> None:
    """Say it on standard error. Whoever read that may have gone, even a terminal: it keeps nothing from being done."""
    try:
        print(text, end=end, file=sys.stderr, flush=True)
    except OSError:
        redirect_to_null(sys.stderr)


def run(name: str, main: Callable[[], int]) -> NoReturn:
    """Be a command: its exit status, and a line instead of a traceback where it is interrupted or cannot write."""
    try:
        try:
            status = main()
        finally:
            flush_stdout()
    except KeyboardInterrupt:
        status = 128 + signal.SIGINT
    except BrokenPipeError:
        # The reader has had enough.
        status = 0
    except OSError as error:
        show_error(f"{name}: {error.filename or 'standard output'}: {error.strerror}")
        redirect_to_null(sys.stdout)
        status = 1
    sys.exit(status)


def flush_stdout() -> None:
    """Write out what was printed, by argparse too: when Python does so at its end, nobody can catch the error."""
    try:
        # None: there was none to begin with.
        if sys.stdout:
            sys.stdout.flush()
    except BrokenPipeError:
        redirect_to_null(sys.stdout)


def redirect_to_null(stream: TextIO) -> None:
    """Have what is still to be written to a reader that has gone lead nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def reason_not_writable(path: Path) -> str:
    """Why a file cannot be written there; "" if nothing is seen that keeps it from that. Nothing is made."""
    if not path.parent.is_dir():
        return f"there is no directory {path.parent}"
    if path.is_dir():
        return f"{path} is a directory"
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        return f"{path} cannot be written"
    return ""


def why_no_plot(path: Path) -> str:
    """Why there will be no plot: to be said now, and not after an hour of measuring."""
    try:
        import matplotlib
        from matplotlib.backend_bases import FigureCanvasBase
    except ImportError:
        return "it needs matplotlib: apt install python3-matplotlib (or dnf)"
    matplotlib.use("Agg")
    ending = path.suffix[1:].lower()
    # Without one it is a PNG.
    if ending and ending not in FigureCanvasBase.get_supported_filetypes():
        return f"{path.name} ends with none of what matplotlib can draw: try .png or .svg"
    return reason_not_writable(path)
