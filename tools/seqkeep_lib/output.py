# SPDX-License-Identifier: GPL-2.0-only
"""Write the output of the commands: handle closed pipes and full disks, and check the names of output files early."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import secrets
import signal
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn, TextIO


def width() -> int | None:
    """Return the width of the terminal that standard output is; None if it is none."""
    try:
        columns = os.get_terminal_size(sys.stdout.fileno()).columns if sys.stdout.isatty() else 0
    except (AttributeError, OSError, ValueError):
        return None
    return columns or None


def wrap(text: str, indent: str = "") -> str:
    """Break a sentence into lines as wide as the terminal; leave it alone for a file or a pipe."""
    columns = width()
    if not columns:
        return text
    return textwrap.fill(text, max(columns - 1, 20), subsequent_indent=indent, break_long_words=False)


def accept_any_character() -> None:
    """Print what the locale cannot encode, as a path may contain, as backslashes and numbers."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def show(text: str) -> None:
    """Print a text. A closed pipe is no error: the command goes on without output."""
    accept_any_character()
    try:
        print(text, flush=True)
    except BrokenPipeError:
        redirect_to_null(sys.stdout)


def is_coloured() -> bool:
    """Return whether colours are wanted: on a terminal that has them, unless NO_COLOR (no-color.org) is set."""
    is_terminal = sys.stdout is not None and sys.stdout.isatty()
    return is_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM", "dumb") != "dumb"


def show_error(text: str, end: str = "\n") -> None:
    """Print a message on standard error. The command goes on if that is closed, as it is when a terminal hangs up."""
    if sys.stderr is None:
        # print() would take standard output instead.
        return
    try:
        print(text, end=end, file=sys.stderr, flush=True)
    except OSError:
        redirect_to_null(sys.stderr)


def run(name: str, main: Callable[[], int]) -> NoReturn:
    """Run main() as a command and exit with its status; an interrupt or a failed write is one line, not a traceback."""
    if sys.stdout is None:
        # Started with standard output closed: whatever it prints is lost.
        show_error(f"{name}: standard output: {os.strerror(errno.EBADF)}")
        sys.exit(1)
    try:
        try:
            status = main()
        finally:
            flush_stdout()
    except KeyboardInterrupt:
        status = 128 + signal.SIGINT
    except BrokenPipeError:
        # The reader has closed the pipe.
        status = 0
    except OSError as error:
        show_error(f"{name}: {error.filename or 'standard output'}: {error.strerror}")
        redirect_to_null(sys.stdout)
        status = 1
    sys.exit(status)


def flush_stdout() -> None:
    """Flush standard output, which argparse writes too: run() cannot catch the error if Python flushes at its exit."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        redirect_to_null(sys.stdout)


def redirect_to_null(stream: TextIO) -> None:
    """Discard what is still in the buffer of a stream whose reader has closed it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def write_atomically(path: Path, text: str) -> None:
    """Write a file, so that each reader sees the old one or the new one."""
    # Not for readers of *.prom. By chance, and never a link, because others may own the directory.
    new = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666)
        with os.fdopen(handle, "w", errors="backslashreplace") as file:
            file.write(text)
        new.replace(path)
    except BaseException as error:
        # A full disk, or Ctrl-C.
        with contextlib.suppress(OSError):
            new.unlink()
        if isinstance(error, OSError):
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise


def reason_not_writable(path: Path) -> str:
    """Return why a file cannot be written; "" if it probably can. Creates nothing."""
    if not path.parent.is_dir():
        return f"there is no directory {path.parent}"
    if path.is_dir():
        return f"{path} is a directory"
    if path.exists() and not path.is_file():
        return f"{path} is not a regular file, and would be replaced by one"
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        return f"cannot write {path}"
    return ""


def why_no_plot(path: Path) -> str:
    """Return why a plot cannot be drawn, so that the command fails before an hour of measuring; "" if it can."""
    try:
        import matplotlib
        from matplotlib.backend_bases import FigureCanvasBase
    except ImportError:
        return "it needs matplotlib: apt install python3-matplotlib (or dnf)"
    matplotlib.use("Agg")
    ending = path.suffix[1:].lower()
    # matplotlib writes a PNG if the name has no ending.
    if ending and ending not in FigureCanvasBase.get_supported_filetypes():
        return f"matplotlib cannot draw the format of {path.name}: try .png or .svg"
    return reason_not_writable(path)
