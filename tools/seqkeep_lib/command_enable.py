# SPDX-License-Identifier: GPL-2.0-only
"""Enable a module at each boot, and with --now at once. Prints how to undo it."""

from __future__ import annotations

import argparse
import contextlib

from . import doctor
from .apply import apply, apply_ctxra, keep_ctxra
from .arguments import add_module, parse_assignments
from .boot import Boot, options_file, read_boot, restore_boot, write_boot
from .command_apply import apply_later
from .device_conf import (  # fmt: skip
    ATTRIBUTES,
    CTXRA,
    CTXRA_KB,
    FILE,
    Settings,
    check_setting,
    find_disk,
    read_settings,
    read_text,
    restore_settings,
    write_settings,
)
from .effect import boot_notes, later_notes, mount_notes
from .errors import SeqkeepError, UsageError
from .finding import PROBLEM
from .host import Host
from .modules import Module, State
from .output import show
from .signals import Undo, raised_signals
from .switch import (  # fmt: skip
    WAIT_S,
    check_available,
    check_options,
    exclusive,
    for_later_boot,
    initramfs_note,
    load,
    module_named,
    set_parameter,
    set_parameters,
    state_of,
    switch_module,
    unchecked_note,
    unchecked_options,
    unload_if_loaded,
    without_empty_numbers,
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--now", action="store_true", help="load and enable it now, too")
    parser.add_argument(
        "--observe", action="store_true", help="let it count what it would do, and do nothing (its parameter observe)"
    )
    add_module(parser)
    parser.add_argument(
        "options", nargs="*", default=[], metavar="OPTION=VALUE", help="options of the module: see its man page"
    )


def device_settings(module: Module, options: dict[str, str]) -> dict[str, dict[str, str]] | None:
    """Take those options of ctxra that name devices out of options, as settings by device.

    None: the options name no device, and the settings stay as they are.
    """
    if module.name != "ctxra" or not options.keys() & {"devices", "max_kb"}:
        return None
    found: dict[str, dict[str, str]] = {}
    for device in filter(None, options.pop("devices", "").split(",")):
        found.setdefault(device, {})[CTXRA] = "yes"
    plain: list[str] = []
    for item in options.get("max_kb", "").split(","):
        device, is_own, kib = item.rpartition("=")
        if is_own:
            check_setting(CTXRA_KB, kib)
            found.setdefault(device, {})[CTXRA_KB] = kib
        else:
            plain.append(item)
    if len(plain) > 1:
        raise UsageError("max_kb: give one window for all disks that have none of their own")
    if "max_kb" in options:
        options["max_kb"] = ",".join(plain)
        if not options["max_kb"]:
            del options["max_kb"]
    return found


def keep_devices(host: Host, wanted: dict[str, dict[str, str]], named: set[str]) -> Settings:
    """Write the devices of ctxra into the file; named: the options that were given, which replace the old ones."""
    settings = read_settings(host)
    keys = ({CTXRA} if "devices" in named else set()) | ({CTXRA_KB} if "max_kb" in named else set())
    for device in {**settings, **wanted}:
        changes = {key: wanted.get(device, {}).get(key, "") for key in keys}
        if any(changes.values()) or settings.get(device, {}).keys() & keys:
            write_settings(host, device, changes)
    return read_settings(host)


def check_with_doctor(host: Host, module: Module) -> None:
    """Fail if the doctor finds a problem with the module."""
    problems = [finding for finding in doctor.run_checks(host) if finding.level == PROBLEM]
    for finding in problems:
        if module.name in finding.what or finding.check == "tracing":
            raise SeqkeepError(f"{finding.what}: {finding.remedy}")


def start(
    host: Host, state: State, boot: Boot, settings: Settings, undo: contextlib.ExitStack
) -> tuple[str, list[str]]:
    """Enable a loaded module as its files say. Return what it is then, and which settings of disks were refused."""
    module = state.module
    devices: list[str] = []
    if module.name == "ctxra":
        keep_ctxra(host, undo)
        # Its list must not be among what apply() reports: without it ctxra would take all disks.
        devices = apply_ctxra(host, settings)
    else:
        undo.callback(switch_module, host, module, state_of(host, module).enabled)
    failed, pending = apply(host, settings, names=ATTRIBUTES)
    if boot.observe:
        return "observes", failed
    if boot.waits and not devices:
        # It may be on for other disks, which are not in its list any more.
        switch_module(host, module, False)
        return f"is loaded, and waits for a device of {FILE},", failed
    switch_module(host, module, True)
    apply_later(host, pending)
    return "is enabled", failed


def enable(host: Host, module: Module, options: dict[str, str], now: bool, observe: bool) -> list[str]:
    """Do it, or nothing. Return what to print."""
    state = state_of(host, module)
    notes: list[str] = []
    if not now:
        state, notes = for_later_boot(host, state)
    check_available(host, state)
    check_options(host, state, options, is_told=now)
    if observe:
        check_options(host, state, {"observe": "1"})
    named = set(options)
    wanted = device_settings(module, options)
    # What is left of a list.
    check_options(host, state, options, is_told=now)
    for device in wanted or {}:
        # A name that cannot become a disk would be waited for without end.
        find_disk(host, device)
    old = read_boot(host, module)
    kept = {name: value for name, value in (old.options if old else {}).items() if name not in named}
    options = without_empty_numbers(host, state, options)
    boot = Boot(enable=not observe, observe=observe, options={**kept, **options})
    if wanted is not None and "devices" in named and not any(CTXRA in each for each in wanted.values()):
        # Now as well: no device means all.
        options["devices"] = ""
    if wanted is not None and "max_kb" in named and "max_kb" not in options:
        # Only disks with a window of their own were given, so that the others have the kernel's.
        options["max_kb"] = "0"
    with Undo() as undo:
        if now:
            # With those of the file that are not given again: it may not have been set in the loaded module.
            set_up(host, state, {**kept, **options}, observe, undo)
        undo.callback(restore_settings, host, read_text(host))
        settings = read_settings(host) if wanted is None else keep_devices(host, wanted, named)
        boot.waits = module.name == "ctxra" and not observe and any(CTXRA in each for each in settings.values())
        # After this point a crash leaves the module off now, and as asked at the next boot.
        undo.callback(restore_boot, host, module, old)
        write_boot(host, module, boot)
        what, failed = start(host, state, boot, settings, undo) if now else ("", [])
        if now:
            check_with_doctor(host, module)
        undo.pop_all()
    if now:
        lines = [f"{module.name} {what} now, and at each boot by {options_file(module)}."]
        lines += [f"{why} ({FILE} keeps it)" for why in failed]
        lines += [] if observe else [*later_notes(state, options), *mount_notes(host, state)]
    else:
        lines = lines_for_boot(host, state, boot, options, notes)
    lines += boot_notes(state, options)
    lines.append(f"To undo: seqkeep disable {'--now ' if now else ''}{module.name}")
    return lines


def lines_for_boot(host: Host, state: State, boot: Boot, options: dict[str, str], notes: list[str]) -> list[str]:
    """Return what to print of a module that is enabled from the next boot on; notes: of the kernel of that boot."""
    name = state.module.name
    then = "observes" if boot.observe else "waits for a device of its list" if boot.waits else "is enabled"
    lines = [f"{name} {then} from the next boot on, by {options_file(state.module)}."]
    lines += unchecked_note(unchecked_options(host, state, options))
    return lines + (notes or [f"To {'observe' if boot.observe else 'enable it'} now: seqkeep enable --now {name}"])


def set_up(host: Host, state: State, options: dict[str, str], observe: bool, undo: contextlib.ExitStack) -> None:
    """Load a module with its options, off; or set those of a loaded one."""
    module = state.module
    wanted = {**options, **({"observe": "1"} if observe else {})}
    if not state.loaded:
        # First, because a signal may come when the kernel has the module and load() has not returned.
        undo.callback(unload_if_loaded, host, module)
        load(host, module, wanted)
        return
    if observe and state.enabled:
        undo.callback(set_parameter, host, module, "enable", "1")
        set_parameter(host, module, "enable", "0")
    if not observe and "observe" in state.parameters:
        wanted["observe"] = "0"
    set_parameters(host, module, wanted, undo)


def run(args: argparse.Namespace) -> int:
    module = module_named(args.module)
    options = parse_assignments(args.options)
    if args.observe and "observe" in options:
        raise UsageError("--observe and observe= contradict each other")
    host = Host(args.root)
    with raised_signals(), exclusive(host, WAIT_S):
        lines = enable(host, module, options, args.now, args.observe)
    show("\n".join([*lines, *initramfs_note(host)]))
    return 0
