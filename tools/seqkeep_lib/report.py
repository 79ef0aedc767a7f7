# SPDX-License-Identifier: GPL-2.0-only
"""What a report of a bug needs, section by section."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass

from . import command_advise, doctor, status
from .advice import as_json as advice_as_json
from .host import Host
from .machine import see
from .modules import MODULES, read_states
from .redact import Redactor, known_names
from .sample import read_sample
from .version import version

# Lines of a log: the last ones say why.
LOG_LINES = 60
QUEUE = (
    "rotational",
    "scheduler",
    "read_ahead_kb",
    "max_sectors_kb",
    "nr_requests",
    "wbt_lat_usec",
    "write_cache",
    "zoned",
)


@dataclass(frozen=True)
class Section:
    title: str
    text: str


def machine_section(host: Host) -> str:
    release = dict(line.split("=", 1) for line in (host.text("/etc/os-release") or "").splitlines() if "=" in line)
    memory = re.search(r"MemTotal:\s*(.*)", host.text("/proc/meminfo") or "")
    tainted = host.text("/proc/sys/kernel/tainted")
    return "\n".join(
        (
            f"seqkeep {version()}",
            f"kernel {host.release}, {os.uname().machine if host.is_real else ''}, tainted {tainted}",
            f"{release.get('ID', '').strip(chr(34))} {release.get('VERSION_ID', '').strip(chr(34))}",
            f"{os.cpu_count()} CPUs, memory {memory[1] if memory else 'unknown'}",
            f"lockdown {host.text('/sys/kernel/security/lockdown')}",
        )
    )


def log_section(host: Host) -> str:
    names = "|".join([*(module.directory for module in MODULES), "seqkeep"])
    log = host.command("dmesg") or ""
    found = [line for line in log.splitlines() if re.search(rf"\b({names})\b|WARNING:|BUG:|Call Trace|Oops", line)]
    return "\n".join(found[-LOG_LINES:]) or ("no line of our modules" if log else "cannot be read: run seqkeep as root")


def build_section(host: Host) -> str:
    lines = (host.command("dkms", "status") or "dkms is not installed, or not for this user").splitlines()
    for state in read_states(host):
        if state.installed and not state.file:
            file = f"/var/lib/dkms/{state.module.name}/{state.installed}/build/make.log"
            log = host.text(file)
            if log is not None:
                lines += [f"--- {file}", *log.splitlines()[-LOG_LINES:]]
    return "\n".join(lines)


def disk_section(host: Host) -> str:
    lines = []
    for disk in host.names("/sys/block"):
        if re.match(r"(ram|zram|loop|sr)\d", disk) and not host.number(f"/sys/block/{disk}/size"):
            continue
        values = {name: host.text(f"/sys/block/{disk}/queue/{name}") for name in QUEUE}
        shown = " ".join(f"{name}={value}" for name, value in values.items() if value is not None)
        sectors = host.number(f"/sys/block/{disk}/size") or 0
        lines.append(
            f"{disk} {sectors // 2048} MiB {shown} on {','.join(host.names(f'/sys/block/{disk}/slaves')) or '-'}"
        )
    return "\n".join(lines)


def file_section(host: Host) -> str:
    lines = []
    for directory, pattern in (("/etc/modprobe.d", "seqkeep-|MODULE"), ("/etc/modules-load.d", "seqkeep-")):
        names = "|".join(module.name for module in MODULES)
        for name in host.names(directory):
            if re.match(pattern.replace("MODULE", names), name):
                text = host.text(f"{directory}/{name}") or ""
                lines.append(f"--- {directory}/{name}")
                lines += [line for line in text.splitlines() if line and not line.lstrip().startswith("#")]
    conf = host.text("/etc/seqkeep.conf")
    lines.append("--- /etc/seqkeep.conf")
    # A comment may have any name.
    bare = [line.split("#")[0].rstrip() for line in (conf or "is not there").splitlines()]
    lines += [line for line in bare if line]
    return "\n".join(lines)


def sections(host: Host) -> Iterator[Section]:
    """Yield everything, with names and addresses replaced."""
    redactor = Redactor(known_names(host))
    states = read_states(host)
    machine = see(host, read_sample(host), None)
    advices = command_advise.advise(machine)
    for title, text in (
        ("machine", machine_section(host)),
        ("seqkeep status --json", status.as_json(states)),
        ("seqkeep doctor -v", doctor.as_text(doctor.examine(host), verbose=True)),
        ("seqkeep advise --json", advice_as_json(advices, [], machine.over(), None)),
        ("kernel log, lines of our modules and of errors", log_section(host)),
        ("dkms status, and logs of failed builds", build_section(host)),
        ("disks", disk_section(host)),
        ("configuration", file_section(host)),
    ):
        yield Section(title, redactor.redact(text))


def as_text(parts: list[Section]) -> str:
    return "\n".join(f"== {part.title}\n{part.text}\n" for part in parts)
