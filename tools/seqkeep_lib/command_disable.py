# SPDX-License-Identifier: GPL-2.0-only
"""Leave a module off at each boot, and with --now switch it off at once."""

from __future__ import annotations

import argparse

from .arguments import add_module
from .boot import other_boot_files, remove_boot
from .device_conf import CTXRA, CTXRA_KB, FILE, read_settings, write_settings
from .errors import SeqkeepError
from .host import Host
from .output import show
from .switch import WAIT_S, exclusive, initramfs_note, module_named, set_parameter, state_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--now", action="store_true", help="switch it off now, too; it stays loaded")
    add_module(parser)


def run(args: argparse.Namespace) -> int:
    module = module_named(args.module)
    host = Host(args.root)
    lines = []
    with exclusive(host, WAIT_S):
        state = state_of(host, module)
        if args.now and state.loaded:
            # First: it is the most urgent.
            for name in ("enable", "observe"):
                if state.parameters.get(name, "N") not in ("N", "0"):
                    set_parameter(host, module, name, "0")
        was = remove_boot(host, module)
        left = ""
        if module.name == "ctxra":
            try:
                for device, values in read_settings(host).items():
                    if values.keys() & {CTXRA, CTXRA_KB}:
                        write_settings(host, device, {CTXRA: "", CTXRA_KB: ""})
            except SeqkeepError as error:
                # A line that somebody has written does not keep the module on.
                left = f"What {FILE} has for {module.name} stays there: {error}"
        others = other_boot_files(host, module)
    lines.append(f"{module.name} {'is no longer' if was else 'was not'} enabled at boot by seqkeep.")
    lines += [left] if left else []
    lines += [f"{file}, which seqkeep did not write, still loads or enables it at boot." for file in others]
    if state.loaded:
        how = "It is off now" if args.now else "It stays as it is now; to switch it off: seqkeep disable --now"
        lines.append(f"{how}{'' if args.now else f' {module.name}'}; to unload it: rmmod {module.directory}")
    show("\n".join([*lines, *initramfs_note(host)]))
    return 0
