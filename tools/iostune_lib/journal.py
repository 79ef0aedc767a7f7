# SPDX-License-Identifier: GPL-2.0-only
"""Tunables are changed only here, and put back by whoever comes last: this run, or the next after one that was killed.

The journal is written and synced before the first change and before each one after it. Its first line has the disk and
every tunable as it was; each further line has one step, what is about to be set ("set") and what was found afterwards
("got"), for the kernel may round a value, or change another one. So at any moment it is known which values are ours.
A tunable that has another value than the one we left was set by somebody else: it stays as it is.
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
RETRY_HINT = "iostune --restore tries again; or set it by hand, and iostune --restore then finds nothing to do"


def acquire_lock(directory: Path) -> int:
    """Hold off a second iostune, for as long as the process lives. Two at once would measure each other."""
    directory.mkdir(parents=True, exist_ok=True, mode=0o755)
    file = os.open(directory / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(file)
        raise IostuneError("another iostune is running: two at once would measure each other") from None
    return file


class Journal:
    """The changes to one disk, from open() to restore()."""

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
                # Nobody could read what came after half a line.
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(self.file)
        except OSError as error:
            raise IostuneError(f"{self.path} cannot be written: {error.strerror}") from None

    def put(self, name: str, value: str) -> None:
        """Set one tunable. OSError: the kernel refuses; nothing has changed then."""
        self.write({"set": name, "value": value})
        self.check_unchanged()
        try:
            self.tunables.put(name, value)
        finally:
            # Known first: if it cannot be written, it is ours all the same, and to be put back.
            self.last_seen = self.tunables.snapshot()
            self.write({"got": self.last_seen})

    def check_unchanged(self) -> None:
        """Others' changes end the run, up to the moment of ours: what was measured is no longer what is there."""
        changed = differences(self.last_seen, self.tunables.snapshot())
        if changed:
            raise IostuneError(
                f"changed by somebody else while measuring: {', '.join(changed)}; they stay so, start again"
            )

    def restore(self) -> list[str]:
        """Put everything back, and say what was not. Afterwards there is no journal, unless the kernel refused."""
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
    """Bring back the original state, but for what others set; a line for each tunable that stays, and that is refused.

    ours: the state as we last saw it. pending: what was announced after that, so that it and what comes with it may
    have values that we gave and never saw; empty if there is nothing.
    """
    now = tunables.snapshot()
    is_foreign = SCHEDULER in now and now[SCHEDULER] not in (original.get(SCHEDULER), ours.get(SCHEDULER))
    is_foreign = is_foreign and pending != SCHEDULER
    goal: dict[str, str] = {}
    stays: list[str] = []
    refused: list[str] = []
    for name, value in original.items():
        if is_foreign and belongs_to_scheduler(name):
            # They are its own, and belong to whoever chose it.
            continue
        is_ours = now.get(name) in (value, ours.get(name)) or name == pending or changes_with(name, pending)
        # With another scheduler the original's own tunables are not there; they come back with it.
        goal[name] = value if is_ours or name not in now else now[name]
        if goal[name] != value:
            stays.append(f"{name} stays at {now[name]}, which somebody else set meanwhile (it was {value})")
    for name, value in goal.items():
        if tunables.get(name) == value:
            continue
        try:
            tunables.put(name, value)
        except OSError as error:
            refused.append(f"{name} cannot be put back to {value}: {error.strerror}")
            continue
        # A kernel that rounds what it once had itself rounds it again: no use in another attempt.
        found = tunables.get(name)
        if found != value:
            stays.append(f"{name} is {found} now: the kernel made that of {value}, which it was")
    return stays, refused


def recover(directory: Path) -> list[str]:
    """Put back what a run that was killed, or could not, has left. The lock is held, so that nobody else does.

    IostuneError: the kernel refuses. The journal is kept.
    """
    path = directory / "journal"
    if not path.exists():
        return []
    records = []
    for line in path.read_text().splitlines():
        try:
            records.append(json.loads(line))
        except ValueError:
            # The last line, half written: its change was not made.
            break
    said: list[str] = []
    if records:
        said = recover_records(records)
    path.unlink()
    return said


def recover_records(records: list[dict[str, Any]]) -> list[str]:
    header, steps = records[0], records[1:]
    disk = Path(header["disk"]["disk"])
    same = {key: value for key, value in header["disk"].items() if key != "disk"}
    if any(read_file(disk / key) != value for key, value in same.items()):
        return [f"{disk.name}: that disk is gone, so there is nothing to put back"]
    known, pending = header["original"], ""
    for step in steps:
        known, pending = (step["got"], "") if "got" in step else (known, step["set"])
    stays, refused = restore_tunables(Tunables(disk), header["original"], known, pending)
    if refused:
        raise IostuneError("; ".join(f"{disk.name}: {text}" for text in [*stays, *refused]) + f"; {RETRY_HINT}")
    return [f"{disk.name}: put back what an iostune before had left"] + [f"{disk.name}: {text}" for text in stays]
