# SPDX-License-Identifier: GPL-2.0-only
"""The modules of seqkeep, and the state of each on this machine."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .host import Host

DEBUGFS = "/sys/kernel/debug"


@dataclass(frozen=True)
class Hook:
    """A kernel function that a module hooks."""

    function: str
    # The module that defines it, "" for the kernel itself.
    where: str = ""
    # The hook redirects the function. Only one redirection or livepatch of a function is possible.
    exclusive: bool = False
    # The module also works on kernels without this function.
    optional: bool = False


@dataclass(frozen=True)
class Module:
    """A module by the name of its package."""

    name: str
    # The file with its counters, below debugfs.
    counters: str
    hooks: tuple[Hook, ...]

    @property
    def directory(self) -> str:
        """Its directory in /sys/module."""
        return self.name.replace("-", "_")


# The hooks that a module needs, or uses if the kernel has the function; without those of options that are off.
# tests/tools/seqkeep_test.py compares this with the tables in the modules.
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
    Module(
        "nfs-ra",
        "nfs_ra/stats",
        (
            Hook("super_setup_bdi_name"),
            Hook("vfs_get_tree"),
            Hook("page_cache_async_ra"),
            Hook("read_ahead_kb_store", optional=True),
        ),
    ),
)


@dataclass
class State:
    """The state of a module."""

    module: Module
    # The version of its source that is installed for DKMS; "" if none is.
    installed: str = ""
    # Its file for the running kernel, "" if there is none.
    file: str = ""
    loaded: bool = False
    enabled: bool = False
    # It is not enabled, and counts what it would do.
    observing: bool = False
    version: str = ""
    parameters: dict[str, str] = field(default_factory=dict)
    # None: this user cannot read them.
    counters: dict[str, int] | None = None
    # Of ra-trace: its columns by pattern, without those that are not known.
    patterns: dict[str, dict[str, int]] = field(default_factory=dict)
    # The functions that it has hooked; None: this user cannot read them.
    hooked: list[str] | None = None
    # All hooked functions of the kernel, as from hooked_functions().
    all_hooked: dict[str, str] | None = None


def parse_counters(text: str) -> dict[str, int]:
    """Parse lines "name value". Of ra-trace's table of patterns, return the last row, which is the sum."""
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


def parse_patterns(text: str) -> dict[str, dict[str, int]]:
    """Parse ra-trace's table of patterns, without the last row, which is the sum."""
    patterns: dict[str, dict[str, int]] = {}
    columns: list[str] = []
    for line in text.splitlines():
        words = line.split()
        if words[:1] == ["pattern"]:
            columns = words[1:]
        elif words[:1] == ["all"]:
            break
        elif words and columns:
            patterns[words[0]] = {c: int(w) for c, w in zip(columns, words[1:]) if w.isdigit()}
    return patterns


def hooked_functions(host: Host) -> dict[str, str] | None:
    """Return the functions that ftrace and kprobes hook, with their lines. None: this user cannot read them."""
    lines: dict[str, str] = {}
    seen = False
    for file in ("/sys/kernel/tracing/enabled_functions", f"{DEBUGFS}/tracing/enabled_functions"):
        text = host.text(file)
        if text is not None:
            seen = True
            for line in text.splitlines():
                lines.setdefault(line.split()[0] if line.split() else "", line)
            break
    # Kprobes that do not use ftrace: "ADDRESS  r  function+0x0  [FLAGS]".
    for line in (host.text(f"{DEBUGFS}/kprobes/list") or "").splitlines():
        words = line.split()
        if len(words) > 2:
            lines.setdefault(words[2].split("+")[0], line)
    return lines if seen else None


def module_file(host: Host, module: Module, release: str) -> str:
    """Return a module's file for a kernel: updates is DKMS's folder on Debian, the others on Fedora and RHEL."""
    for place in ("updates", "extra", "weak-updates"):
        for name in {module.name, module.directory}:
            for found in host.find(f"/lib/modules/{release}/{place}", f"{name}.ko*"):
                return found
    return ""


def installed_version(host: Host, module: Module) -> str:
    """Return the newest version of a module's source that is installed for DKMS; "" if there is none."""
    prefix = f"{module.name}-"
    versions = [name[len(prefix) :] for name in host.names("/usr/src") if name.startswith(prefix)]
    versions = [version for version in versions if host.exists(f"/usr/src/{prefix}{version}/dkms.conf")]
    return max(versions, key=version_key, default="")


def version_key(version: str) -> tuple[list[int], str]:
    """Return a sort key that puts 0.9.0 before 0.10.0."""
    return [int(number) for number in re.findall(r"\d+", version)], version


def read_state(host: Host, module: Module, hooked: dict[str, str] | None) -> State:
    """Read the state of a module; hooked is the result of hooked_functions()."""
    file = module_file(host, module, host.release)
    state = State(module, installed_version(host, module), file, all_hooked=hooked)
    directory = f"/sys/module/{module.directory}"
    # Built-in modules have a directory too, but without initstate.
    state.loaded = host.exists(f"{directory}/initstate")
    if not state.loaded:
        return state
    state.version = host.text(f"{directory}/version") or ""
    for name in host.names(f"{directory}/parameters"):
        state.parameters[name] = host.text(f"{directory}/parameters/{name}") or ""
    state.enabled = state.parameters.get("enable") in ("Y", "1")
    state.observing = not state.enabled and state.parameters.get("observe") in ("Y", "1")
    text = host.text(f"{DEBUGFS}/{module.counters}")
    state.counters = None if text is None else parse_counters(text)
    state.patterns = parse_patterns(text or "")
    if hooked is not None:
        state.hooked = [hook.function for hook in module.hooks if state.enabled and hook.function in hooked]
    return state


def read_states(host: Host) -> list[State]:
    hooked = hooked_functions(host)
    return [read_state(host, module, hooked) for module in MODULES]


def find_module(name: str) -> Module | None:
    """Return the module of a name, which may have _ instead of -; None if there is none."""
    return next((module for module in MODULES if name in (module.name, module.directory)), None)


def enabled_module(states: list[State], name: str) -> State | None:
    return next((state for state in states if state.module.name == name and state.enabled), None)
