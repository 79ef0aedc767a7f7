# SPDX-License-Identifier: GPL-2.0-only
"""Format the states of the modules as text, JSON or Prometheus's text format."""

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
    """Format one line per module; below a loaded one its parameters, hooks and the counters that are not 0."""
    lines = []
    for state in states:
        lines.append(f"{state.module.name:<16}{state_name(state):<16}{state.version or state.installed}".rstrip())
        if not state.loaded:
            continue
        options = (f"{name}={value}" for name, value in state.parameters.items() if name != "enable")
        lines.append("    " + " ".join(options) if state.parameters.keys() - {"enable"} else "    no parameters")
        if state.hooked is None:
            lines.append("    hooks: unknown")
        elif state.hooked:
            lines.append("    hooks: " + ", ".join(state.hooked))
        if state.counters is None:
            lines.append("    counters: unknown")
        else:
            lines += [f"    {name:<28}{value:>16}" for name, value in state.counters.items() if value]
    return "\n".join(lines)


def as_json(states: list[State]) -> str:
    """Format an object per module; null means unknown."""
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
    """Format for Prometheus, without the modules that are not installed."""
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
        # Untyped, because a write to the file sets counters to 0, and some are gauges.
        ("seqkeep_counter", "A counter of the module, as in its manual page.", counted),
    ):
        if samples:
            kind = "untyped" if name == "seqkeep_counter" else "gauge"
            lines += [f"# HELP {name} {text}", f"# TYPE {name} {kind}", *samples]
    return "\n".join(lines)
