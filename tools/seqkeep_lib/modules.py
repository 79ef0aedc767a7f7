# SPDX-License-Identifier: GPL-2.0-only
"""The modules of seqkeep, and what each is doing now."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .host import Host

DEBUGFS = "/sys/kernel/debug"


@dataclass(frozen=True)
class Hook:
    """A kernel function that a module hooks."""

    function: str
    # The module that it is in, "" for the kernel itself.
    where: str = ""
    # It takes the function's place, which only one can do at a time: a livepatch cannot have it too.
    exclusive: bool = False
    # Kernels without it are served, too.
    optional: bool = False


@dataclass(frozen=True)
class Module:
    """A module, as the packages name it."""

    name: str
    # What it counts, below debugfs.
    counters: str
    hooks: tuple[Hook, ...]

    @property
    def directory(self) -> str:
        """Its directory in /sys/module."""
        return self.name.replace("-", "_")


# The hooks that a module must have, or takes when there; those of options that are off are left out.
# tests/tools/seqkeep_test.py holds this against the tables in the modules.
MODULES = (
    Module("ctxra", "ctxra/stats", (Hook("page_cache_sync_ra"), Hook("page_cache_async_ra"))),
    Module("ra-trace", "readahead/stats_raw", (Hook("page_cache_sync_ra"), Hook("page_cache_async_ra"))),
    Module(
        "raid5-deadline",
        "raid5_deadline/stats",
        (Hook("do_release_stripe", "raid456", exclusive=True), Hook("raid5_free", "raid456", exclusive=True)),
    ),
    Module(
        "nfsd-dio",
        "nfsd_dio/stats",
        (Hook("vfs_iter_write", exclusive=True), Hook("vfs_iocb_iter_write", exclusive=True)),
    ),
    Module("nfs-ra", "nfs_ra/stats", (Hook("super_setup_bdi_name"), Hook("read_ahead_kb_store", optional=True))),
)


@dataclass
class State:
    """What a module is doing now."""

    module: Module
    # Its source is installed for DKMS: the version; "" if it is not.
    installed: str = ""
    # Its file for the running kernel, "" if there is none.
    file: str = ""
    loaded: bool = False
    enabled: bool = False
    version: str = ""
    parameters: dict[str, str] = field(default_factory=dict)
    # None: debugfs does not show them, or not to this user.
    counters: dict[str, int] | None = None
    # The functions hooked; None: the kernel does not tell, or not to this user.
    hooked: list[str] | None = None
    # All functions that anybody has hooked, as in hooked_functions().
    all_hooked: dict[str, str] | None = None


def parse_counters(text: str) -> dict[str, int]:
    """A line "name value" for each counter. Of ra-trace's table of patterns, the last row, which is the sum."""
    counters: dict[str, int] = {}
    columns: list[str] = []
    for line in text.splitlines():
        words = line.split()
        if words[:1] == ["pattern"]:
            columns = words[1:]
        elif words[:1] == ["all"] and columns:
            counters.update({c: int(w) for c, w in zip(columns, words[1:]) if w.isdigit()})
            columns = []
        elif len(words) == 2 and words[1].lstrip("-").isdigit() and not columns:
            counters[words[0]] = int(words[1])
    return counters


def hooked_functions(host: Host) -> dict[str, str] | None:
    """What ftrace and kprobes have hooked: the function, and ftrace's line of it. None: not to be seen."""
    lines: dict[str, str] = {}
    seen = False
    for file in ("/sys/kernel/tracing/enabled_functions", f"{DEBUGFS}/tracing/enabled_functions"):
        text = host.text(file)
        if text is not None:
            seen = True
            for line in text.splitlines():
                lines.setdefault(line.split()[0] if line.split() else "", line)
            break
    # Where kprobes do not go through ftrace: "ADDRESS  r  function+0x0  [FLAGS]".
    for line in (host.text(f"{DEBUGFS}/kprobes/list") or "").splitlines():
        words = line.split()
        if len(words) > 2:
            lines.setdefault(words[2].split("+")[0], line)
    return lines if seen else None


def module_file(host: Host, module: Module, release: str) -> str:
    """A module's file for a kernel: where DKMS puts it on Debian, and on Fedora and its kin."""
    for place in ("updates", "extra", "weak-updates"):
        for name in {module.name, module.directory}:
            for found in host.find(f"/lib/modules/{release}/{place}", f"{name}.ko*"):
                return found
    return ""


def installed_version(host: Host, module: Module) -> str:
    """The version of a module's source that is there for DKMS; the last, if there are several."""
    prefix = f"{module.name}-"
    versions = [name[len(prefix) :] for name in host.names("/usr/src") if name.startswith(prefix)]
    versions = [version for version in versions if host.exists(f"/usr/src/{prefix}{version}/dkms.conf")]
    return max(versions, key=version_key, default="")


def version_key(version: str) -> tuple[list[int], str]:
    """What sorts 0.9.0 before 0.10.0."""
    return [int(number) for number in re.findall(r"\d+", version)], version


def read_state(host: Host, module: Module, hooked: dict[str, str] | None) -> State:
    """All that can be seen of a module."""
    file = module_file(host, module, host.release)
    state = State(module, installed_version(host, module), file, all_hooked=hooked)
    directory = f"/sys/module/{module.directory}"
    # A module's own directory has its state; that of what is built into the kernel has none.
    state.loaded = host.exists(f"{directory}/initstate")
    if not state.loaded:
        return state
    state.version = host.text(f"{directory}/version") or ""
    for name in host.names(f"{directory}/parameters"):
        state.parameters[name] = host.text(f"{directory}/parameters/{name}") or ""
    state.enabled = state.parameters.get("enable") == "Y"
    text = host.text(f"{DEBUGFS}/{module.counters}")
    state.counters = None if text is None else parse_counters(text)
    if hooked is not None:
        state.hooked = [hook.function for hook in module.hooks if state.enabled and hook.function in hooked]
    return state


def read_states(host: Host) -> list[State]:
    hooked = hooked_functions(host)
    return [read_state(host, module, hooked) for module in MODULES]
