# SPDX-License-Identifier: GPL-2.0-only
"""What `seqkeep advise` says of a module on this machine."""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field

HELPS = "would help"
HELPS_NOT = "would not help"
UNCERTAIN = "cannot tell"


@dataclass(frozen=True)
class Remedy:
    """A command for a shell, and what it does."""

    command: str
    why: str


@dataclass(frozen=True)
class Reason:
    """What was seen of one disk, mount or array, and what follows for the module."""

    verdict: str
    # Sentences with the figures.
    why: str
    # What to do about it without the module.
    first: tuple[Remedy, ...] = ()


@dataclass
class Advice:
    module: str
    reasons: list[Reason] = field(default_factory=list)
    # How to find out or to try, if it helps or is uncertain.
    then: list[Remedy] = field(default_factory=list)

    @property
    def verdict(self) -> str:
        """The module helps if it does so anywhere."""
        verdicts = {reason.verdict for reason in self.reasons}
        return next((verdict for verdict in (HELPS, UNCERTAIN, HELPS_NOT) if verdict in verdicts), UNCERTAIN)


def width() -> int:
    """Return the columns to fill: those of the terminal; 100 into a file or a pipe."""
    return shutil.get_terminal_size((100, 24)).columns if sys.stdout and sys.stdout.isatty() else 100


def wrapped(text: str, indent: str) -> str:
    # A line that is pasted is never broken.
    return textwrap.fill(
        text, max(width(), 40), initial_indent=indent, subsequent_indent=indent, break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip


def remedy_lines(remedies: Iterable[Remedy]) -> list[str]:
    return [f"        {remedy.command}{f'  # {remedy.why}' if remedy.why else ''}" for remedy in remedies]


def unique(reasons: list[Reason]) -> list[Remedy]:
    return list(dict.fromkeys(remedy for reason in reasons for remedy in reason.first))


def as_text(advices: list[Advice], unseen: list[str], over: str) -> str:
    lines = [f"Figures are {over}."]
    for advice in advices:
        lines.append(f"{advice.module}: {advice.verdict}")
        lines += [
            wrapped(reason.why if reason.verdict == advice.verdict else f"{reason.why} ({reason.verdict})", "    ")
            for reason in advice.reasons
        ]
        first = unique(advice.reasons)
        if first:
            lines += ["    Without a module, first:", *remedy_lines(first)]
        if advice.then and advice.verdict != HELPS_NOT:
            lines += ["    Then:" if first else "    Next:", *remedy_lines(advice.then)]
    lines += [wrapped(f"Not seen: {what}", "") for what in unseen]
    return "\n".join(lines)


def as_json(advices: list[Advice], unseen: list[str], over: str, seconds: float | None) -> str:
    shown = {
        "over": over,
        "seconds": seconds,
        "modules": {
            advice.module: {
                "verdict": advice.verdict,
                "reasons": [
                    {"verdict": reason.verdict, "why": reason.why, "first": [asdict(r) for r in reason.first]}
                    for reason in advice.reasons
                ],
                "then": [asdict(remedy) for remedy in advice.then] if advice.verdict != HELPS_NOT else [],
            }
            for advice in advices
        },
        "not_seen": unseen,
    }
    return json.dumps(shown, indent=2)
