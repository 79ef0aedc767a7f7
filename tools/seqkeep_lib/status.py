# SPDX-License-Identifier: GPL-2.0-only
"""The modules at a glance, in three formats."""

from __future__ import annotations

import json
from typing import Any

from .modules import State


def state_name(state: State) -> str:
    if state.loaded:
        return "enabled" if state.enabled else "disabled"
    if state.file:
        return "not loaded"
    return "not built" if state.installed else "not installed"


def as_text(states: list[State]) -> str:
    """A line for each module; below those that are loaded, what they are set to, hook, and have counted."""
    lines = []
    for state in states:
        lines.append(f"{state.module.name:<16}{state_name(state):<16}{state.version or state.installed}".rstrip())
        if not state.loaded:
            continue
        options = (f"{name}={value}" for name, value in state.parameters.items() if name != "enable")
        lines.append("    " + " ".join(options) if state.parameters.keys() - {"enable"} else "    no options")
        if state.hooked is None:
            lines.append("    hooks: not to be seen")
        elif state.hooked:
            lines.append("    hooks: " + ", ".join(state.hooked))
        if state.counters is None:
            lines.append("    counters: not to be seen")
        else:
            lines += [f"    {name:<28}{value:>16}" for name, value in state.counters.items() if value]
    return "\n".join(lines)


def as_json(states: list[State]) -> str:
    """An object by module; null is what is not known."""
    shown: dict[str, Any] = {}
    for state in states:
        shown[state.module.name] = {
            "state": state_name(state),
            "loaded": state.loaded,
            "enabled": state.enabled,
            "version": state.version or None,
            "installed": state.installed or None,
            "file": state.file or None,
            "parameters": state.parameters,
            "hooks": state.hooked,
            "counters": state.counters,
        }
    return json.dumps(shown, indent=2)


def as_prometheus(states: list[State]) -> str:
    """The text format that Prometheus reads; a module that is not installed is left out."""
    loaded, enabled, counted = [], [], []
    for state in states:
        if not (state.installed or state.file or state.loaded):
            continue
        label = f'module="{state.module.name}"'
        loaded.append(f"seqkeep_module_loaded{{{label}}} {int(state.loaded)}")
        enabled.append(f"seqkeep_module_enabled{{{label}}} {int(state.enabled)}")
        for name, value in (state.counters or {}).items():
            counted.append(f'seqkeep_counter{{{label},counter="{name}"}} {value}')
    lines = []
    for name, text, samples in (
        ("seqkeep_module_loaded", "Whether the module is loaded.", loaded),
        ("seqkeep_module_enabled", "Whether the module is enabled.", enabled),
        # Most only grow; but a write to the file sets them to 0, and some are levels.
        ("seqkeep_counter", "A counter of the module, as in its manual page.", counted),
    ):
        if samples:
            kind = "untyped" if name == "seqkeep_counter" else "gauge"
            lines += [f"# HELP {name} {text}", f"# TYPE {name} {kind}", *samples]
    return "\n".join(lines)
