# SPDX-License-Identifier: GPL-2.0-only
"""
What a module is at boot: a file in /etc/modules-load.d that loads it, and one in /etc/modprobe.d with its options.

The second is written last and removed first, because only it has enable=1: a module whose files are half written is
loaded and off.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .host import Host
from .modules import Module
from .own_files import read_own, remove_own, write_own

# ctxra: enable it once a device of /etc/seqkeep.conf is there, because its parameter devices refuses others.
WAITS = "# Enabled as soon as a device of /etc/seqkeep.conf is there.\n"


# Where systemd and modprobe read, the first first, and what the kernel takes for 1.
PLACES = ("/etc", "/run", "/usr/local/lib", "/usr/lib", "/lib")
ENABLES = re.compile(r"enable(=([yYtT1]\S*|[oO][nN]\S*))?")


@dataclass
class Boot:
    """How a module starts."""

    enable: bool = False
    observe: bool = False
    options: dict[str, str] = field(default_factory=dict)
    waits: bool = False


def load_file(module: Module) -> str:
    return f"/etc/modules-load.d/seqkeep-{module.name}.conf"


def options_file(module: Module) -> str:
    # After MODULE.conf of the package, whose options it overrides.
    return f"/etc/modprobe.d/seqkeep-{module.name}.conf"


def read_boot(host: Host, module: Module) -> Boot | None:
    """Return what seqkeep wrote for a module; None if it is not loaded at boot by seqkeep."""
    text = read_own(host, options_file(module))
    if text is None or read_own(host, load_file(module)) is None:
        return None
    boot = Boot(waits=WAITS in text)
    for line in text.splitlines():
        words = line.split()
        if words[:2] == ["options", module.name]:
            boot.options.update((name, value) for name, _, value in (word.partition("=") for word in words[2:]))
    boot.enable = boot.options.pop("enable", "0") == "1"
    boot.observe = boot.options.pop("observe", "0") == "1"
    return boot


def write_boot(host: Host, module: Module, boot: Boot) -> None:
    words = [f"enable={int(boot.enable and not boot.waits)}"]
    if boot.observe:
        words.append("observe=1")
    words += [f"{name}={value}" for name, value in boot.options.items()]
    text = f"options {module.name} {' '.join(words)}\n" + (WAITS if boot.waits else "")
    # Both must be ours before one changes.
    read_own(host, options_file(module))
    write_own(host, load_file(module), f"{module.name}\n")
    write_own(host, options_file(module), text)


def remove_boot(host: Host, module: Module) -> bool:
    """Remove both files. Return whether there was one."""
    found = [read_own(host, file) is not None for file in (options_file(module), load_file(module))]
    remove_own(host, options_file(module))
    remove_own(host, load_file(module))
    return any(found)


def restore_boot(host: Host, module: Module, boot: Boot | None) -> None:
    """Write what read_boot() returned, or remove the files if it returned None."""
    if boot:
        write_boot(host, module, boot)
    else:
        remove_boot(host, module)


def other_boot_files(host: Host, module: Module) -> list[str]:
    """Return the files of others that load a module at boot or enable it then."""
    found = []
    files: dict[str, str] = {}
    for kind in ("modules-load.d", "modprobe.d"):
        for place in PLACES:
            for name in host.names(f"{place}/{kind}"):
                if name.endswith(".conf"):
                    # The first of several files of one name counts.
                    files.setdefault(f"{kind}/{name}", f"{place}/{kind}/{name}")
    for file in ("/etc/modules", *files.values()):
        if file in (load_file(module), options_file(module)):
            continue
        for line in (host.text(file) or "").splitlines():
            words = line.replace("-", "_").split()
            loads = "modprobe.d" not in file and words[:1] == [module.directory]
            if loads or (words[:2] == ["options", module.directory] and any(map(ENABLES.fullmatch, words[2:]))):
                found.append(file)
                break
    return found
