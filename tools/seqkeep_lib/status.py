# SPDX-License-Identifier: GPL-2.0-only
"""Format the states of the modules as text or JSON."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from typing import Any

from .modules import State

PAGE_KIB = os.sysconf("SC_PAGE_SIZE") / 1024


def state_name(state: State) -> str:
    if state.loaded:
        return "enabled" if state.enabled else "observes" if state.observing else "disabled"
    if state.file:
        return "not loaded"
    return "not built" if state.installed else "not installed"


def share(part: int, whole: int) -> str:
    return f"{part / whole:.0%}" if whole else "-"


def summary(state: State) -> str:
    """Say in one line what a module has done since its counters were set to 0; "" if nothing."""
    c = defaultdict(int, state.counters or {})
    if not any(c.values()):
        return "nothing counted so far" if state.counters is not None else ""
    if state.observing:
        return "would have: " + ", ".join(f"{name[6:]} {v}" for name, v in c.items() if name.startswith("would_") and v)
    name = state.module.name
    if name == "ctxra":
        windows = sum(v for n, v in c.items() if n.endswith("_windows"))
        pages = sum(v for n, v in c.items() if n.endswith("_pages"))
        asked = windows + c["left_unsure"]
        kib = pages * PAGE_KIB / windows if windows else 0
        of = f"for {share(windows, asked)} of the reads that may be streams"
        return f"{windows} windows of {kib:.0f} KiB on average, {of}"
    if name == "ra-trace":
        known = c["used"] + c["unused"]
        mib = c["actual"] * PAGE_KIB / 1024
        return f"{c['count']} readaheads of {mib:.0f} MiB, {share(c['unused'], known)} evicted unread"
    if name == "nfsd-dio":
        fallbacks = sum(v for n, v in c.items() if n.startswith("fallback_"))
        return f"{c['direct']} direct writes, {c['prefetched']} prefetched, {fallbacks} done again by nfsd"
    if name == "raid5-deadline":
        filled, expired = share(c["filled"], c["held"]), share(c["expired"], c["held"])
        return f"{c['held']} stripes held: {filled} filled, {expired} expired"
    done, grown = c["set_mount"] + c["set_apply"], c["auto_grown"] + c["auto_full"]
    kept = f"{c['left_same']} have the kernel's readahead, {c['left_by_hand']} as somebody set them"
    return f"{done} mounts set, {kept}; {grown} windows grown"


def as_text(states: list[State], verbose: bool = False) -> str:
    """Format a line or two per module; if verbose, its hooks and the counters that are not 0, too."""
    lines = []
    for state in states:
        lines.append(f"{state.module.name:<16}{state_name(state):<16}{state.version or state.installed}".rstrip())
        if not state.loaded:
            continue
        options = [f"{name}={value}" for name, value in state.parameters.items() if name not in ("enable", "observe")]
        if options:
            lines.append("    " + " ".join(options))
        if state.counters is None:
            lines.append("    counters: unknown")
        elif state.enabled or state.observing or verbose:
            lines.append(f"    {summary(state)}")
        if verbose:
            lines += details(state)
    return "\n".join(lines)


def details(state: State) -> list[str]:
    lines = []
    if state.hooked is None:
        lines.append("    hooks: unknown")
    elif state.hooked:
        lines.append("    hooks: " + ", ".join(state.hooked))
    return lines + [f"    {name:<28}{value:>16}" for name, value in (state.counters or {}).items() if value]


def as_json(states: list[State]) -> str:
    """Format an object per module; null means unknown."""
    shown: dict[str, Any] = {}
    for state in states:
        shown[state.module.name] = {
            "state": state_name(state),
            "loaded": state.loaded,
            "enabled": state.enabled,
            "observing": state.observing,
            "version": state.version or None,
            "installed": state.installed or None,
            "file": state.file or None,
            "parameters": state.parameters,
            "hooks": state.hooked,
            "counters": state.counters,
        }
    return json.dumps(shown, indent=2)
