# SPDX-License-Identifier: GPL-2.0-only
"""Tell the user about progress, and stop with a reason."""

import contextlib
import fcntl
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

# With fewer free bytes than this, a command that failed probably failed because the disk is full.
FULL = 1 << 30


# When set, every running machine ends.
stop = threading.Event()


class Trouble(Exception):
    """An error of the harness, with the cause and the remedy for the user."""


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


@contextlib.contextmanager
def step(what: str) -> Iterator[None]:
    """Announce a step of several seconds, and print its duration at the end."""
    say(f"vm: {what} ...")
    begin = time.monotonic()
    yield
    say(f"vm: {what}: done in {time.monotonic() - begin:.0f} s")


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock, the file path, which one process at a time has."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


_held: list[int] = []


def hold(directory: Path) -> None:
    """Prevent discard(), in any process, from removing a directory while this process lives."""
    _held.append(os.open(directory, os.O_RDONLY))
    fcntl.flock(_held[-1], fcntl.LOCK_SH)


def discard(directories: Iterable[Path]) -> None:
    """Remove directories, except those that a process holds."""
    for directory in directories:
        lock = os.open(directory, os.O_RDONLY)
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(directory)
        os.close(lock)


def logged(command: Sequence[str | Path], log: Path, why: str) -> None:
    """Run a command with its output in a log, and show the log if the command fails."""
    with log.open("ab") as out:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, check=False)
    if done.returncode:
        # Remove the lines that a terminal would have overwritten.
        say(re.sub(r"[^\n]*\r", "", log.read_bytes().decode(errors="replace")))
        free = shutil.disk_usage(log.parent).free
        full = f"; the disk is full, {free >> 20} MiB are free" if free < FULL else ""
        raise Trouble(f"{why} failed with status {done.returncode}{full}; its log is above and in {log}")
