# SPDX-License-Identifier: GPL-2.0-only
"""Change tunables, and restore them: at the end of the run, or in the next run if this one is killed.

A journal is written and synced before each change. Its first line has the disk and the original value of every tunable.
Each change adds two lines: "set" with the value to be set, and "got" with the values found afterwards, because the
kernel may round a value or change another tunable. So the journal always tells which values iostune has set. A tunable
with any other value was set by somebody else, and keeps it.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .errors import IostuneError
from .target import read_file
from .tunables import SCHEDULER, Tunables, belongs_to_scheduler, changes_with

DIRECTORY = Path("/run/seqkeep/iostune")
RETRY_HINT = "run iostune --restore to try again; or set it by hand, then run iostune --restore"


def acquire_lock(directory: Path, wait: bool = False) -> int:
    """Take the lock that allows one iostune at a time, until the process ends. Return its file descriptor."""
    directory.mkdir(parents=True, exist_ok=True, mode=0o755)
    file = os.open(directory / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(file)
        raise IostuneError("another iostune is running: two at once would measure each other") from None
    return file


class Journal:
    """The changes to one disk, until restore()."""

    def __init__(self, directory: Path, tunables: Tunables, identity: Mapping[str, str]) -> None:
        self.path = directory / "journal"
        self.tunables = tunables
        self.original = tunables.snapshot()
        self.last_seen = dict(self.original)
        self.file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
        self.write({"disk": dict(identity), "original": self.original})
        folder = os.open(directory, os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)

    def write(self, record: Mapping[str, Any]) -> None:
        """Append a record and sync it.

        IostuneError: it cannot be written. The run ends, because the next one could not undo what this one sets.
        """
        line = json.dumps(record).encode() + b"\n"
        try:
            if os.write(self.file, line) < len(line):
                # recover() could not read a line after half a one.
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(self.file)
        except OSError as error:
            raise IostuneError(f"cannot write {self.path}: {error.strerror}") from None

    def put(self, name: str, value: str) -> None:
        """Set one tunable. OSError: the kernel refuses the value, and nothing has changed."""
        self.write({"set": name, "value": value})
        self.check_unchanged()
        try:
            self.tunables.put(name, value)
        finally:
            # Before write(): if that fails, restore() must still know these values as ours.
            self.last_seen = self.tunables.snapshot()
            self.write({"got": self.last_seen})

    def check_unchanged(self) -> None:
        """Fail if somebody else has changed a tunable since our last change: the measurement would be of both."""
        changed = differences(self.last_seen, self.tunables.snapshot())
        if changed:
            raise IostuneError(
                f"somebody else changed tunables during the measurement: {', '.join(changed)}; they keep these values: "
                "start again"
            )

    def restore(self) -> list[str]:
        """Restore all tunables and return messages about those that were not.

        Remove the journal, unless the kernel refused a value.
        """
        stays, refused = restore_tunables(self.tunables, self.original, self.last_seen, pending="")
        os.close(self.file)
        if not refused:
            self.path.unlink()
            return stays
        return [*stays, *refused, RETRY_HINT]


def differences(old: Mapping[str, str], new: Mapping[str, str]) -> list[str]:
    return [
        f"{name} is {new.get(name, 'gone')}, was {value}" for name, value in old.items() if new.get(name, "") != value
    ] + [f"{name} is new" for name in new if name not in old]


def restore_tunables(
    tunables: Tunables, original: Mapping[str, str], ours: Mapping[str, str], pending: str
) -> tuple[list[str], list[str]]:
    """Restore the original values, except of tunables that somebody else has set.

    ours are the values that we last saw. pending is the tunable in a "set" without a "got", or "": it, and those that
    the kernel changes with it, may have values of ours that we have not seen. Return two lists of messages: about
    tunables that keep another value, and about those whose value the kernel refused.
    """
    now = tunables.snapshot()
    is_foreign = SCHEDULER in now and now[SCHEDULER] not in (original.get(SCHEDULER), ours.get(SCHEDULER))
    is_foreign = is_foreign and pending != SCHEDULER
    goal: dict[str, str] = {}
    stays: list[str] = []
    refused: list[str] = []
    for name, value in original.items():
        if is_foreign and belongs_to_scheduler(name):
            # Somebody else chose another scheduler, and this is one of its own tunables.
            continue
        is_ours = now.get(name) in (value, ours.get(name)) or name == pending or changes_with(name, pending)
        # The tunables of the original scheduler are missing now, and appear again with it.
        goal[name] = value if is_ours or name not in now else now[name]
        if goal[name] != value:
            stays.append(f"{name} keeps {now[name]}, which somebody else set meanwhile (it was {value})")
    for name, value in goal.items():
        if tunables.get(name) == value:
            continue
        try:
            tunables.put(name, value)
        except OSError as error:
            refused.append(f"cannot restore {name} to {value}: {error.strerror}")
            continue
        # A kernel that rounds the original value would do so again: do not retry.
        found = tunables.get(name)
        if found != value:
            stays.append(f"{name} is {found} now: the kernel rounds {value}, the value that it had")
    return stays, refused


def recover_killed(directory: Path) -> list[str]:
    """Wait until the iostune that holds the lock has died, and restore what it has left. Return messages."""
    acquire_lock(directory, wait=True)
    try:
        return recover(directory)
    except IostuneError as error:
        return [str(error)]


def recover(directory: Path) -> list[str]:
    """Restore the tunables that an earlier run has left changed. The caller holds the lock. Return messages.

    IostuneError: the kernel refuses a value. The journal stays.
    """
    path = directory / "journal"
    if not path.exists():
        return []
    records = []
    for line in path.read_text(errors="replace").splitlines():
        try:
            records.append(json.loads(line))
        except (ValueError, RecursionError):
            # The last line is incomplete: the run was killed before that change.
            break
    said: list[str] = []
    if records:
        if not is_sound(records):
            raise IostuneError(
                f"{path} is damaged: compare the disk's /sys/block/DISK/queue with what it should be, and remove it"
            )
        said = recover_records(records)
    path.unlink()
    return said


def is_sound(records: list[Any]) -> bool:
    """Return whether records are those that Journal writes."""

    def is_table(value: object) -> bool:
        return isinstance(value, dict) and all(isinstance(v, str) and ".." not in k for k, v in value.items())

    header, steps = records[0], records[1:]
    if not isinstance(header, dict) or not is_table(header.get("disk")) or not is_table(header.get("original")):
        return False
    if not str(header["disk"].get("disk", "")).startswith("/"):
        return False
    return all(
        isinstance(step, dict)
        and (is_table(step["got"]) if "got" in step else isinstance(step.get("set"), str) and ".." not in step["set"])
        for step in steps
    )


def recover_records(records: list[dict[str, Any]]) -> list[str]:
    header, steps = records[0], records[1:]
    disk = Path(header["disk"]["disk"])
    same = {key: value for key, value in header["disk"].items() if key != "disk"}
    if any(read_file(disk / key) != value for key, value in same.items()):
        return [f"{disk.name}: that disk is gone, so there is nothing to restore"]
    known, pending = header["original"], ""
    for step in steps:
        known, pending = (step["got"], "") if "got" in step else (known, step["set"])
    stays, refused = restore_tunables(Tunables(disk), header["original"], known, pending)
    if refused:
        raise IostuneError("; ".join(f"{disk.name}: {text}" for text in [*stays, *refused]) + f"; {RETRY_HINT}")
    return [f"{disk.name}: restored the tunables that an earlier iostune had set"] + [
        f"{disk.name}: {text}" for text in stays
    ]
