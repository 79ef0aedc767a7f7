# SPDX-License-Identifier: GPL-2.0-only
"""Set options of a module, or settings of a device, now and for later boots. Without a setting, show what is kept."""

from __future__ import annotations

import argparse
import contextlib
from dataclasses import replace

from .apply import CTXRA_MODULE, apply, ctxra_lists, keep_attribute, keep_ctxra
from .arguments import parse_assignments
from .boot import options_file, read_boot, restore_boot, write_boot
from .command_apply import apply_later
from .device_conf import (  # fmt: skip
    ATTRIBUTES,
    CTXRA,
    CTXRA_KB,
    FILE,
    NAMES,
    Settings,
    check_has,
    check_setting,
    disk_named,
    find_disk,
    read_settings,
    read_text,
    restore_settings,
    stable_name,
    write_settings,
)
from .effect import boot_notes, later_notes
from .errors import SeqkeepError, UsageError
from .host import Host
from .modules import MODULES, Module, find_module
from .output import show
from .signals import Undo, raised_signals
from .switch import (  # fmt: skip
    WAIT_S,
    check_available,
    check_options,
    exclusive,
    for_later_boot,
    initramfs_note,
    set_parameters,
    state_of,
    unchecked_note,
    unchecked_options,
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "target",
        nargs="?",
        metavar="MODULE|DEVICE",
        help="a module of seqkeep, or a disk: sda, /dev/md/data; without it, show all that is kept",
    )
    parser.add_argument(
        "settings",
        nargs="*",
        default=[],
        metavar="NAME=VALUE",
        help=f"options of the module, or of the device: {', '.join(NAMES)}; without a value: no longer kept",
    )


def with_own_sizes(host: Host, module: Module, options: dict[str, str]) -> dict[str, str]:
    """Return the options with the disks that have a window of their own, which a plain max_kb of ctxra would remove."""
    sizes = ctxra_lists(host, read_settings(host))[1] if module.name == "ctxra" else []
    if sizes and "max_kb" in options:
        return {**options, "max_kb": ",".join(filter(None, [options["max_kb"], *sizes]))}
    return options


def set_module(host: Host, module: Module, options: dict[str, str]) -> list[str]:
    state, notes = for_later_boot(host, state_of(host, module))
    check_available(host, state)
    check_options(host, state, options, is_told=state.loaded)
    if module.name == "ctxra" and ("devices" in options or "=" in options.get("max_kb", "")):
        # An empty list, too: it would mean all disks, whatever the file of devices has.
        raise UsageError(
            "devices of ctxra are set one by one: seqkeep set DEVICE ctxra=yes ctxra_max_kb=KIB; all of them:"
            " seqkeep enable ctxra devices="
        )
    boot = read_boot(host, module)
    if not state.loaded and not boot:
        raise SeqkeepError(f"{module.name} is neither loaded nor enabled at boot: seqkeep enable {module.name}")
    with Undo() as undo:
        if state.loaded:
            set_parameters(host, module, with_own_sizes(host, module, options), undo)
        if boot:
            undo.callback(restore_boot, host, module, boot)
            kept = {name: value for name, value in {**boot.options, **options}.items() if value}
            write_boot(host, module, replace(boot, options=kept))
        undo.pop_all()
    until = "set now, until it is unloaded"
    if boot:
        until = f"{'set now, and at each boot' if state.loaded else 'from the next boot on'}, by {options_file(module)}"
    names = " ".join(f"{name}={value}" for name, value in options.items() if value)
    lines = [f"{module.name}: {names}, {until}."] if names else []
    dropped = [name for name, value in options.items() if not value]
    if dropped:
        now = "; a number stays as it is until it is unloaded, a list is empty now" if state.loaded else ""
        lines.append(f"{module.name}: {', '.join(dropped)} no longer kept{now}.")
    lines += later_notes(state, options)
    if not state.loaded:
        lines += [*unchecked_note(unchecked_options(host, state, options)), *notes]
    lines += [*boot_notes(state, options), *initramfs_note(host)] if boot else []
    if not boot and names:
        lines.append(f"To keep it: seqkeep enable {module.name} {names}")
    return lines


def check_other_names(host: Host, kept: Settings, device: str, disk: str | None, settings: dict[str, str]) -> None:
    """Fail if the disk has one of the settings by another name, because both would be applied."""
    for section, values in kept.items():
        # What this name has, too, can be taken out: otherwise neither could be.
        both = [name for name in settings if name in values and (settings[name] or name not in kept.get(device, {}))]
        if disk and both and section != device and disk_named(host, section) == disk:
            name = both[0]
            raise UsageError(
                f"{section} is the same disk, and {FILE} has its {name}={values[name]}: seqkeep set {section} {name}="
                f"{settings[name]}"
            )


def keep_device(host: Host, disk: str | None, settings: dict[str, str], undo: contextlib.ExitStack) -> None:
    """Let undo put back what set_device() changes, because a signal may come before it is done."""
    undo.callback(restore_settings, host, read_text(host))
    for name in settings.keys() & ATTRIBUTES.keys() if disk else ():
        keep_attribute(host, f"/sys/block/{disk}/{ATTRIBUTES[name][0]}", undo)
    if settings.keys() & {CTXRA, CTXRA_KB}:
        keep_ctxra(host, undo)


def set_device(host: Host, device: str, settings: dict[str, str]) -> list[str]:
    for name, value in settings.items():
        if value or name not in NAMES:
            check_setting(name, value)
    disk = find_disk(host, device)
    if disk:
        check_has(host, disk, [name for name, value in settings.items() if value])
    before = read_settings(host)
    check_other_names(host, before, device, disk, settings)
    with Undo() as undo:
        keep_device(host, disk, settings, undo)
        write_settings(host, device, settings)
        notes = wait_for_devices(host, undo) if settings.get(CTXRA) else []
        # Only these: what the kernel refuses of others would fail this command.
        failed, pending = apply(host, read_settings(host), disk or "-", settings)
        # From here on the file has it, also what was refused.
        undo.pop_all()
    if failed:
        raise SeqkeepError("; ".join(failed) + f" ({FILE} keeps it)")
    lines = []
    if any(settings.values()):
        others = other_values(host, disk, settings) if disk else []
        when = "set when the device appears." if not disk else "set as below." if pending or others else "set now."
        lines += [f"{device}: kept in {FILE}, and {when}", *others]
    else:
        was = [name for name in settings if name in before.get(device, {})]
        lines.append(f"{device}: {'no longer' if was else 'was not'} kept in {FILE}.")
    lines += [f"{what}: it appears with the first write, and is set then." for what in pending.values()]
    apply_later(host, pending)
    if any(value == "" for value in settings.values()):
        lines.append("What is no longer kept stays as it is until the next boot.")
    lines += notes
    lines += no_device_left(host) if settings.get(CTXRA) == "" else []
    name = stable_name(host, device)
    if name:
        lines.append(f"{device} may be another disk after a boot; {name} is always this one.")
    return lines


def wait_for_devices(host: Host, undo: contextlib.ExitStack) -> list[str]:
    """Have ctxra, which has a list from now on, wait for a device of it at boot: without it, it would act on all."""
    boot = read_boot(host, CTXRA_MODULE)
    if not boot or not boot.enable or boot.waits:
        return []
    undo.callback(restore_boot, host, CTXRA_MODULE, boot)
    write_boot(host, CTXRA_MODULE, replace(boot, waits=True))
    return ["ctxra waits for a device of its list at boot from now on.", *initramfs_note(host)]


def other_values(host: Host, disk: str, settings: dict[str, str]) -> list[str]:
    """Say where the kernel has made another value of what it was given, and where nothing uses a setting yet."""
    lines = []
    for name, value in settings.items():
        now = host.number(f"/sys/block/{disk}/{ATTRIBUTES[name][0]}") if name in ATTRIBUTES else None
        if now is not None and value not in ("", "auto") and now != int(value):
            lines.append(f"{disk}: the kernel was given {name}={value}, and made {now} of it.")
    if any(settings.get(name) for name in (CTXRA, CTXRA_KB)) and not state_of(host, CTXRA_MODULE).loaded:
        lines.append("ctxra is not loaded, and gets the setting when it is: seqkeep enable --now ctxra")
    return lines


def no_device_left(host: Host) -> list[str]:
    """Say what becomes of ctxra, which waits for a device, without one. It must not take all for that."""
    boot = read_boot(host, CTXRA_MODULE)
    if not boot or not boot.waits or any(CTXRA in values for values in read_settings(host).values()):
        return []
    return [
        "ctxra has no device left, and stays off from the next boot on. For all devices: seqkeep enable ctxra devices=;"
        " to forget it: seqkeep disable ctxra"
    ]


def kept(host: Host, target: str) -> list[str]:
    module = find_module(target)
    if module:
        boot = read_boot(host, module)
        return [f"{name}={value}" for name, value in boot.options.items()] if boot else []
    settings, disk = read_settings(host), disk_named(host, target)
    if target not in settings and disk is None:
        raise UsageError(f"{target!a} is neither a module, nor a disk that is there, nor has it settings in {FILE}")
    sections = [name for name in settings if name == target or (disk and disk_named(host, name) == disk)]
    return [f"{name}={value}" for section in sections for name, value in settings[section].items()]


def all_kept(host: Host) -> list[str]:
    """Return all that is kept, as the command would be that keeps it."""
    targets = [*(module.name for module in MODULES), *read_settings(host)]
    return [f"{target} {' '.join(settings)}" for target in targets for settings in [kept(host, target)] if settings]


def run(args: argparse.Namespace) -> int:
    host = Host(args.root)
    if args.target is None:
        show("\n".join(all_kept(host)) or "nothing is kept")
        return 0
    settings = parse_assignments(args.settings)
    if not settings:
        show("\n".join(kept(host, args.target)) or f"nothing is kept for {args.target}")
        return 0
    module = find_module(args.target)
    if not module:
        # Before its settings, which a misspelt module has others of.
        find_disk(host, args.target)
    with raised_signals(), exclusive(host, WAIT_S):
        lines = set_module(host, module, settings) if module else set_device(host, args.target, settings)
    show("\n".join(lines))
    return 0
