# SPDX-License-Identifier: GPL-2.0-only
"""Switch a module on and off for a trial, so that it is restored however the trial ends.

Two files do that. The trial holds the lock of switch.py as long as it lives; the kernel releases it when the process
dies. The file TRIAL has what the trial is about to change, and is there before the first change. A process that gets
the lock while that file is there knows that the trial was killed, and restores the module: the watchdog that the trial
has started, systemd's seqkeep-try-restore.service, or the next trial.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from .checks_kernel import TRIAL
from .command_apply import apply_later
from .errors import SeqkeepError
from .host import Host
from .modules import Module
from .switch import load, module_named, open_lock, parameter_file, set_parameter, unload, write_attribute
from .trial_files import FILE, RAID5, VALUE, kept_files, read_files

# How long to try again while the kernel refuses to disable or unload a module.
RETRY_S, RETRY_STEP_S = 10.0, 0.2
ENABLE, OBSERVE = "enable", "observe"
# Of nfs-ra: whether to enable it sets the mounts that exist.
APPLY = "apply"
# Of ctxra: lists that take only devices that are there.
DEVICES, SIZES = "devices", "max_kb"
ON = ("Y", "1")
RESTORE_HINT = "seqkeep try --restore tries again"


@dataclass
class SavedState:
    """A module before the trial."""

    module: str
    was_loaded: bool
    # The values of the parameters that the trial changes, enable among them; empty if the module was not loaded.
    parameters: dict[str, str] = field(default_factory=dict)
    # Files of devices that the module has set: see trial_files.py.
    files: dict[str, str] = field(default_factory=dict)


class Lock:
    """The lock of all commands that change something, held until the process ends."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.file = -1

    def acquire(self, wait: bool) -> bool:
        """Take the lock. Return False if another process has it, and wait is false."""
        file = open_lock(self.host)
        try:
            fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(file)
            return False
        self.file = file
        return True

    def release(self) -> None:
        """Close this process's copy. A forked child's copy keeps its parent's lock after the parent has died."""
        os.close(self.file)
        self.file = -1


def disk_of(file: str) -> str:
    return file.split("/")[3]


def saved_path(host: Host) -> Path:
    return host.path(TRIAL)


def write_saved(host: Host, saved: SavedState) -> None:
    path = saved_path(host)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o755)
    new = path.with_name("state.new")
    new.write_text(json.dumps({"version": 1, **asdict(saved)}))
    # rename() is atomic: no reader sees half a file.
    new.replace(path)


def parse_saved(data: bytes) -> SavedState:
    """Parse the file of a saved state. ValueError, KeyError, RecursionError, SeqkeepError: it is damaged."""
    found: Any = json.loads(data)
    if not isinstance(found, dict) or found.get("version") != 1:
        raise ValueError
    loaded, parameters = found["was_loaded"], found["parameters"]
    if not isinstance(loaded, bool) or not isinstance(parameters, dict):
        raise ValueError
    for name, value in parameters.items():
        if not re.fullmatch(r"\w+", name, re.ASCII) or not isinstance(value, str):
            raise ValueError
    files = found.get("files", {})
    if not isinstance(files, dict):
        raise ValueError
    for name, value in files.items():
        if not FILE.fullmatch(name) or not isinstance(value, str) or not VALUE.fullmatch(value):
            raise ValueError
    return SavedState(module_named(str(found["module"])).name, loaded, dict(parameters), dict(files))


def read_saved(host: Host) -> SavedState | None:
    """Return the state that a killed trial has left; None if there is none. SeqkeepError: the file is damaged."""
    path = saved_path(host)
    try:
        return parse_saved(path.read_bytes())
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, RecursionError, SeqkeepError):
        raise SeqkeepError(
            f"cannot read {path}: see by seqkeep status whether a module is enabled that should not be, "
            "disable it, and remove that file"
        ) from None


class Switch:
    """A module's parameters, and whether it is loaded."""

    def __init__(self, host: Host, module: Module, lock: Lock) -> None:
        self.host = host
        self.module = module
        self.lock = lock
        # Files of devices that are to be set while the module is on, and have not been yet: they may not exist.
        self.pending: dict[str, str] = {}
        self.files: dict[str, str] = {}
        # What the user should know of the restored state.
        self.notes: list[str] = []

    @property
    def is_loaded(self) -> bool:
        return self.host.exists(parameter_file(self.module, ENABLE))

    @property
    def is_enabled(self) -> bool:
        return self.get(ENABLE) == "Y"

    def get(self, name: str) -> str | None:
        """Return a parameter's value; None if it does not exist."""
        return self.host.text(parameter_file(self.module, name))

    def put(self, name: str, value: str) -> None:
        """Set a parameter. SeqkeepError: the kernel refuses the value."""
        set_parameter(self.host, self.module, name, value)

    def enable(self, wanted: bool) -> None:
        self.put(ENABLE, "Y" if wanted else "N")
        self.pending = dict(self.files) if wanted else {}
        self.put_files()

    def put_files(self) -> None:
        """Set those files of devices that exist by now."""
        for file, value in list(self.pending.items()):
            now = self.host.text(file)
            if now is None:
                continue
            if now != value:
                try:
                    write_attribute(self.host, file, value, f"{file} refuses {value}")
                except SeqkeepError as error:
                    # It may have gone meanwhile, with its device.
                    if not self.host.exists(file):
                        continue
                    self.notes.append(str(error))
            del self.pending[file]

    def save(self, options: Mapping[str, str]) -> SavedState:
        """Write down the present state, before the first change."""
        names = (ENABLE, OBSERVE, *options) if self.is_loaded else ()
        before = {name: value for name in names for value in [self.get(name)] if value is not None}
        files = read_files(self.host, self.module) if self.is_enabled else {}
        if self.module.name == RAID5:
            self.files = {**kept_files(self.host, self.module), **files}
        saved = SavedState(self.module.name, self.is_loaded, before, files)
        write_saved(self.host, saved)
        return saved

    def prepare(self, options: Mapping[str, str]) -> None:
        """Load the module disabled if it is not loaded, disable it if it is, and set the options."""
        # modprobe inherits the lock, so that nobody restores the module before it has ended.
        if not self.is_loaded:
            load(self.host, self.module, {}, pass_fds=[self.lock.file])
        if self.is_enabled:
            self.enable(False)
        if self.get(OBSERVE) in ON:
            # A module that observes is not off.
            self.put(OBSERVE, "N")
        for name, value in options.items():
            self.put(name, value)

    def restore(self, saved: SavedState, stays_off: bool = False) -> list[str]:
        """Restore the module, disable it first of all, and forget the saved state. Return messages of what failed.

        stays_off: also if it was enabled before.
        """
        failed: list[str] = []
        if self.is_enabled:
            failed += self.retry(partial(self.enable, False))
        if not saved.was_loaded:
            if self.is_loaded:
                failed += self.retry(partial(unload, self.host, self.module, pass_fds=[self.lock.file]))
        else:
            failed += self.restore_parameters(saved, stays_off)
        if not failed:
            saved_path(self.host).unlink(missing_ok=True)
        return [f"{text}; {RESTORE_HINT}" for text in failed]

    def restore_parameters(self, saved: SavedState, stays_off: bool) -> list[str]:
        failed: list[str] = []
        is_on = saved.parameters.get(ENABLE) in ON and not stays_off
        if is_on and APPLY in saved.parameters:
            failed += self.retry(partial(self.put, APPLY, "1"))
        # enable takes effect with the other parameters, but for apply: with 0 the mounts would stay as they are.
        last = (ENABLE, APPLY)
        for name, value in sorted(saved.parameters.items(), key=lambda item: (item[0] in last, item[0] == APPLY)):
            wanted = "N" if name == ENABLE and stays_off else value
            if self.get(name) != wanted:
                refused = self.retry(partial(self.put, name, wanted))
                left = self.left_of(name, wanted) if refused else None
                if left == "" and name == DEVICES:
                    # An empty list would mean all.
                    self.notes.append(f"{saved.module} stays off, because no device of its list {wanted} is there")
                    is_on, stays_off = False, True
                elif left is not None:
                    self.notes.append(f"{name} was {wanted}, and is {left} now, because the other devices are gone")
                    failed += self.retry(partial(self.put, name, left))
                else:
                    failed += refused
        if is_on and not failed:
            self.restore_files(saved.files)
        return failed

    def left_of(self, name: str, value: str) -> str | None:
        """Return one of ctxra's lists without devices that are gone, which it refuses; None: none is gone."""
        items = value.split(",")
        if name == DEVICES:
            left = [item for item in items if self.is_there(item)]
        elif name == SIZES:
            left = [item for item in items if "=" not in item or self.is_there(item.rpartition("=")[0])]
        else:
            left = items
        # ctxra takes no empty list of windows.
        return None if left == items else ",".join(left) or ("0" if name == SIZES else "")

    def is_there(self, device: str) -> bool:
        return any(self.host.exists(f"/sys/{place}/{device}") for place in ("block", "dev/block", "class/bdi"))

    def restore_files(self, files: dict[str, str]) -> None:
        """Set the files of devices as they were, and what /etc/seqkeep.conf has for arrays; note what is lost."""
        self.pending = {**kept_files(self.host, self.module), **files}
        give_up = time.monotonic() + RETRY_S
        while True:
            self.put_files()
            gone = [file for file in self.pending if not self.host.exists(file.rpartition("/")[0])]
            for file in gone:
                del self.pending[file]
            if not self.pending.keys() & files.keys() or time.monotonic() > give_up:
                break
            time.sleep(RETRY_STEP_S)
        self.leave_pending()

    def leave_pending(self) -> None:
        """Let systemd set the deadlines that are kept, as soon as their files exist; note the others."""
        kept = kept_files(self.host, self.module)
        for file, value in self.pending.items():
            if kept.get(file) != value or not apply_later(self.host, [disk_of(file)]):
                self.notes.append(f"{file} is to be {value}, and is there again from the next write on: set it then")

    def retry(self, act: Callable[[], None]) -> list[str]:
        give_up = time.monotonic() + RETRY_S
        while True:
            try:
                act()
                return []
            except SeqkeepError as error:
                if not self.is_loaded:
                    # Somebody has unloaded it.
                    return []
                if time.monotonic() > give_up:
                    return [str(error)]
            time.sleep(RETRY_STEP_S)


def recover_killed(host: Host) -> list[str]:
    """Wait until the process that holds the lock has died or ended, and restore what it has left. Return messages."""
    lock = Lock(host)
    lock.acquire(wait=True)
    return recover(host, lock)


def recover(host: Host, lock: Lock) -> list[str]:
    """Restore the module of a killed trial. The caller holds the lock. Return messages; SeqkeepError: it failed."""
    saved = read_saved(host)
    if saved is None:
        return []
    switch = Switch(host, module_named(saved.module), lock)
    failed = switch.restore(saved)
    if failed:
        raise SeqkeepError("; ".join(failed))
    return [f"restored {saved.module}, which a killed seqkeep try had left changed", *switch.notes]
