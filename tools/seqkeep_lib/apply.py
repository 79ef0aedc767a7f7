# SPDX-License-Identifier: GPL-2.0-only
"""Apply /etc/seqkeep.conf to the devices that are there."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import ExitStack

from .boot import read_boot
from .device_conf import ATTRIBUTES, CTXRA, CTXRA_KB, NAMES, Settings, present
from .errors import SeqkeepError
from .host import Host
from .modules import State
from .switch import keep_parameter, module_named, set_parameter, state_of, switch_module, write_attribute

CTXRA_MODULE = module_named("ctxra")


def apply(
    host: Host, settings: Settings, only: str = "", names: Collection[str] = NAMES
) -> tuple[list[str], dict[str, str]]:
    """Apply the settings, or those of some names, to all disks, or to one.

    Return what could not be set and why, and for each disk what cannot be set yet.
    """
    failed: list[str] = []
    pending: dict[str, str] = {}
    for disk, name, values in present(host, settings):
        for setting, value in values.items() if only in ("", disk) else ():
            if setting not in ATTRIBUTES or setting not in names:
                continue
            file = f"/sys/block/{disk}/{ATTRIBUTES[setting][0]}"
            if not host.exists(file):
                missing = f"{name}: there is no {file}"
                if setting == "stripe_deadline":
                    pending[disk] = missing
                else:
                    failed.append(missing)
            elif host.text(file) != value:
                try:
                    write_attribute(host, file, value, f"{name} refuses {setting}={value}")
                except SeqkeepError as error:
                    failed.append(str(error))
    try:
        if {CTXRA, CTXRA_KB} & set(names):
            apply_ctxra(host, settings)
    except SeqkeepError as error:
        failed.append(str(error))
    return failed, pending


def keep_ctxra(host: Host, undo: ExitStack) -> None:
    """Let undo put back what apply_ctxra() changes."""
    for name in ("devices", "max_kb"):
        keep_parameter(host, CTXRA_MODULE, name, undo)
    state = state_of(host, CTXRA_MODULE)
    if state.loaded:
        # The last is undone first: so ctxra is off when an empty list, which means all disks, is put back.
        undo.callback(switch_module, host, CTXRA_MODULE, state.enabled)


def keep_attribute(host: Host, file: str, undo: ExitStack) -> None:
    """Let undo put back a file of /sys."""
    old = host.text(file)
    if old is not None:
        undo.callback(restore_attribute, host, file, old)


def restore_attribute(host: Host, file: str, old: str) -> None:
    if host.text(file) != old:
        write_attribute(host, file, old, f"{file} refuses {old}")


def ctxra_lists(host: Host, settings: Settings) -> tuple[list[str], list[str]]:
    """Return the items of ctxra's parameters devices and max_kb for the disks that are there."""
    devices, sizes = [], []
    for disk, _, values in present(host, settings):
        if CTXRA in values:
            devices.append(disk)
        if CTXRA_KB in values:
            sizes.append(f"{disk}={values[CTXRA_KB]}")
    return sorted(set(devices)), sorted(set(sizes))


def plain_sizes(state: State) -> list[str]:
    """Return the window of all other disks that ctxra has now, from a file of somebody else; none if it is 0."""
    items = state.parameters.get("max_kb", "").split(",")
    return [item for item in items if item not in ("", "0") and "=" not in item]


def apply_ctxra(host: Host, settings: Settings) -> list[str]:
    """Set ctxra's lists, which take only devices that are there; and enable it if it waited for the first.

    Return the devices that it has been told; none if it keeps the list that it had.
    """
    if not any(values.keys() & {CTXRA, CTXRA_KB} for values in settings.values()):
        return []
    state = state_of(host, CTXRA_MODULE)
    if not state.loaded:
        return []
    boot = read_boot(host, CTXRA_MODULE)
    devices, sizes = ctxra_lists(host, settings)
    if sizes:
        # The numbers of disks count in this list, too, so write it even if it is the same.
        plain = [boot.options["max_kb"]] if boot and "max_kb" in boot.options else plain_sizes(state)
        set_parameter(host, CTXRA_MODULE, "max_kb", ",".join(plain + sizes))
    if devices:
        # An empty list would mean all. Write it even if the names are the same: ctxra keeps the numbers of disks, and
        # one that appears again may have another.
        set_parameter(host, CTXRA_MODULE, "devices", ",".join(devices))
        if boot and boot.waits and not state.enabled:
            set_parameter(host, CTXRA_MODULE, "enable", "1")
    return devices
