# SPDX-License-Identifier: GPL-2.0-only
"""Load, unload and set modules. The only file, with own_files.py, that changes the machine."""

from __future__ import annotations

import contextlib
import fcntl
import functools
import os
import re
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from .checks_kernel import TRIAL, reason_not_built
from .errors import BusyError, SeqkeepError, UsageError
from .host import Host
from .modules import MODULES, Module, State, find_module, module_file, read_states, version_key

LOCK = "/run/seqkeep.lock"
# How long a user waits for a command that udev has started, or somebody else.
WAIT_S, WAIT_STEP_S = 5.0, 0.1
# What modprobe.d(5) can hold without quotes.
VALUE = re.compile(r"[!$-&*-\[\]-~]{0,1000}", re.ASCII)
PLAIN = re.compile(r"0|[1-9]\d*", re.ASCII)
BOOLEAN = re.compile(r"[yYnNtTfF]|[oO][nN]|[oO][fF]{1,2}")


def open_lock(host: Host) -> int:
    """Open the file of the lock."""
    path = host.path(LOCK)
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    # Earlier versions let everybody read it, and who can open a file can lock it.
    os.fchmod(lock, 0o600)
    return lock


@contextlib.contextmanager
def exclusive(host: Host, wait_s: float = 0.0) -> Iterator[None]:
    """Keep other commands that change something out. BusyError: one is at it, and has not ended in that time."""
    try:
        lock = open_lock(host)
    except OSError as error:
        raise SeqkeepError(f"cannot lock {LOCK}: {error.strerror}: run seqkeep as root") from error
    try:
        give_up = time.monotonic() + wait_s
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError as error:
                # A trial holds the lock for minutes.
                if time.monotonic() >= give_up or path_exists(host, TRIAL):
                    raise BusyError(
                        f"another seqkeep is changing something (it holds {LOCK}): try again later"
                    ) from error
            time.sleep(WAIT_STEP_S)
        if path_exists(host, TRIAL):
            raise BusyError("a killed seqkeep try has left a module changed: seqkeep try --restore")
        yield
    finally:
        os.close(lock)


def path_exists(host: Host, name: str) -> bool:
    return os.path.lexists(host.path(name))


def module_named(name: str) -> Module:
    module = find_module(name)
    if module is None:
        raise UsageError(f"there is no module {name}: {', '.join(each.name for each in MODULES)}")
    return module


def parameter_file(module: Module, name: str) -> str:
    return f"/sys/module/{module.directory}/parameters/{name}"


def state_of(host: Host, module: Module) -> State:
    return next(state for state in read_states(host) if state.module is module)


def check_available(host: Host, state: State) -> None:
    """Fail unless the module is loaded or can be."""
    name = state.module.name
    if state.loaded or state.file:
        return
    if state.installed:
        why, remedy = reason_not_built(host, state)
        raise SeqkeepError(f"{name} is not built for kernel {host.release}{why}: {remedy}")
    raise SeqkeepError(f"{name} is not installed: install the package {name}-dkms")


def for_later_boot(host: Host, state: State) -> tuple[State, list[str]]:
    """Return a module with its file for another kernel if the running one has none, and what to say of that.

    In a chroot an installer's kernel runs, or that of another system, and after an upgrade the old one.
    """
    if state.loaded or state.file:
        return state, []
    for release in sorted(host.names("/lib/modules"), key=version_key, reverse=True):
        file = module_file(host, state.module, release)
        if file:
            note = f"{state.module.name} is built for kernel {release}, but not for {host.release}, which is running."
            return replace(state, file=file), [note]
    return state, []


def described_options(host: Host, state: State) -> dict[str, str]:
    """Return what the file of a module says of its parameters, by their names."""
    return described_in(host, state.file) if state.file else {}


@functools.cache
def described_in(host: Host, file: str) -> dict[str, str]:
    said = host.command("modinfo", "-F", "parm", str(host.path(file)))
    pairs = (line.partition(":") for line in (said or "").splitlines())
    return {name: text for name, colon, text in pairs if colon}


def known_options(host: Host, state: State) -> list[str]:
    """Return the names of a module's parameters; none if nothing tells them."""
    return sorted(state.parameters if state.loaded else described_options(host, state))


def as_number(text: str) -> int | None:
    """Return a number as the kernel reads it: octal if it begins with 0, hexadecimal with 0x. None: it is none."""
    found = re.fullmatch(r"\+?(?:(0[xX][\da-fA-F]+)|(0[0-7]*)|([1-9]\d*))", text, re.ASCII)
    if not found:
        return None
    return int(found[1], 16) if found[1] else int(found[2], 8) if found[2] else int(found[3])


def reason_refused(value: str, description: str) -> str | None:
    """Return why a module will refuse a value, by the range that it declares; "": it will not; None: unknown."""
    found = re.search(r"[:,] (\d+)(?:\.\.| or (?=1\b))(\d+)(, or auto)?", description)
    if not found or ("list" in description and re.search("[=,]", value)):
        return None
    low, high, word = int(found[1]), int(found[2]), found[3] or ""
    number = as_number(value)
    if number is None and (BOOLEAN.fullmatch(value) if high == 1 else re.fullmatch(r"\d+", value, re.ASCII)):
        # Some modules take it.
        return None
    if number is not None and low <= number <= high:
        # Not every module takes a number in another base, or with a sign.
        return "" if PLAIN.fullmatch(value) else None
    if word and value == "auto":
        return ""
    return f"the value is not from {low} to {high}{word}"


def without_empty_numbers(host: Host, state: State, options: dict[str, str]) -> dict[str, str]:
    """Return the options but for numbers without a value, which a module refuses. A list without one is empty."""
    described = described_options(host, state)
    return {
        name: value for name, value in options.items() if value or reason_refused("0", described.get(name, "")) is None
    }


def unchecked_options(host: Host, state: State, options: dict[str, str]) -> list[str]:
    """Return the options whose values nobody has checked while the module is not told them."""
    described = described_options(host, state)
    return [name for name, value in options.items() if value and reason_refused(value, described.get(name, "")) is None]


def unchecked_note(names: list[str]) -> list[str]:
    verb = "was" if len(names) == 1 else "were"
    return [f"{', '.join(names)} {verb} not checked: the module does that when it is loaded."] if names else []


def check_options(host: Host, state: State, options: dict[str, str], is_told: bool = True) -> None:
    """Fail if an option does not exist, or a file cannot hold its value.

    is_told: the module gets the value now, and checks it. Otherwise fail if it is out of the range that the module
    declares: it would not be loaded at boot.
    """
    name, known = state.module.name, known_options(host, state)
    described = {} if is_told else described_options(host, state)
    for option, value in options.items():
        if option == "enable":
            raise UsageError("the option enable is set by seqkeep enable and seqkeep disable")
        if known and option not in known:
            others = ", ".join(each for each in known if each != "enable") or "none"
            raise UsageError(f"{name} has no option {option}; it has: {others}")
        if not VALUE.fullmatch(value):
            raise UsageError(
                f"{option}: the value may not have blanks, quotes, brackets, #, \\ or control characters: {value!a}"
            )
        why = reason_refused(value, described.get(option, "")) if value else ""
        if why:
            raise UsageError(f"{option}={value}: {why}")


def initramfs_note(host: Host) -> list[str]:
    """Say what else has the files of a boot."""
    if not host.exists("/usr/bin/dracut"):
        return []
    return ["The initramfs may have a copy of the files for the boot, as they were: dracut -f makes it anew."]


def last_log_line(host: Host, module: Module) -> str:
    """Return the last line that a module wrote to the kernel log."""
    lines = [line for line in (host.command("dmesg") or "").splitlines() if f"{module.directory}: " in line]
    # The kernel's own line after it says less.
    lines = [line for line in lines if "invalid for parameter" not in line]
    return re.sub(r"^\[[^]]*\] *", "", lines[-1]) if lines else ""


def run_modprobe(host: Host, module: Module, *words: str, pass_fds: Sequence[int] = ()) -> None:
    program = "modprobe" if host.is_real else str(host.path("/usr/bin/modprobe"))
    environment = {**os.environ, "PATH": f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"}
    try:
        done = subprocess.run(
            [program, *words],
            capture_output=True,
            text=True,
            # It repeats lines of modprobe.d, which may have any bytes.
            errors="replace",
            check=False,
            env=environment,
            pass_fds=pass_fds,
        )
    except OSError as error:
        raise SeqkeepError(f"cannot run modprobe: {error.strerror}: install kmod") from error
    if done.returncode:
        log = last_log_line(host, module)
        why = "; ".join([*done.stderr.strip().splitlines()[-1:], *([f"the log says: {log}"] if log else [])])
        raise SeqkeepError(f"cannot run modprobe {' '.join(words)}: {why or f'status {done.returncode}'}")


def load(host: Host, module: Module, options: dict[str, str], pass_fds: Sequence[int] = ()) -> None:
    """Load a module, off, whatever files in modprobe.d say: the last value of an option counts."""
    words = [f"{name}={value}" for name, value in options.items()]
    run_modprobe(host, module, module.name, *words, "enable=0", pass_fds=pass_fds)


def unload(host: Host, module: Module, pass_fds: Sequence[int] = ()) -> None:
    run_modprobe(host, module, "-r", module.name, pass_fds=pass_fds)


def unload_if_loaded(host: Host, module: Module) -> None:
    if path_exists(host, f"/sys/module/{module.directory}"):
        unload(host, module)


def set_parameter(host: Host, module: Module, name: str, value: str) -> None:
    file = parameter_file(module, name)
    write_attribute(host, file, value, f"{module.name} refuses {name}={value}", module)


def switch_module(host: Host, module: Module, on: bool) -> None:
    """Switch a module on or off, unless it is so already."""
    if state_of(host, module).enabled != on:
        set_parameter(host, module, "enable", str(int(on)))


def write_attribute(host: Host, file: str, value: str, refused: str, module: Module | None = None) -> None:
    """Write a file of /sys, which exists already."""
    try:
        handle = os.open(host.path(file), os.O_WRONLY | os.O_TRUNC)
        try:
            os.write(handle, f"{value}\n".encode())
        finally:
            os.close(handle)
    except PermissionError as error:
        raise SeqkeepError(f"cannot write {file}: {error.strerror}: run seqkeep as root") from error
    except OSError as error:
        log = last_log_line(host, module) if module else ""
        raise SeqkeepError(f"{refused}: {error.strerror}" + (f"; the log says: {log}" if log else "")) from error


def set_parameters(host: Host, module: Module, options: dict[str, str], undo: contextlib.ExitStack) -> None:
    """Set parameters of a loaded module; undo puts the old values back."""
    for name, value in options.items():
        keep_parameter(host, module, name, undo)
        try:
            set_parameter(host, module, name, value)
        except SeqkeepError:
            # Without a value an option is no longer kept. A list can be empty now, too; a number stays as it is.
            if value:
                raise


def keep_parameter(host: Host, module: Module, name: str, undo: contextlib.ExitStack) -> None:
    """Let undo put a parameter back. Call it before the write, because a signal may come right after that."""
    old = host.text(parameter_file(module, name))
    if old is not None:
        undo.callback(restore_parameter, host, module, name, old)


def restore_parameter(host: Host, module: Module, name: str, old: str) -> None:
    # Not if it is the same: a list may name a device that has gone, and would be refused.
    if host.text(parameter_file(module, name)) != old:
        set_parameter(host, module, name, old)
