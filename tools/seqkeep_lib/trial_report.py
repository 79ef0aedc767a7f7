# SPDX-License-Identifier: GPL-2.0-only
"""Format the result of a trial as text, JSON and a picture."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .output import wrap
from .trial import TrialResult
from .trial_counters import Quantities
from .trial_judge import FigureResult, PhaseResult, figure_text, next_step, sentence
from .trial_schedule import Schedule

MIB = 1 << 20
TITLE_COLUMNS = 120


@dataclass(frozen=True)
class Report:
    """A result, and what it was asked for."""

    module: str
    options: dict[str, str]
    schedule: Schedule
    result: TrialResult
    kernel: str

    @property
    def options_text(self) -> str:
        return " ".join(f"{name}={value}" for name, value in self.options.items())

    @property
    def sentence(self) -> str:
        r = self.result
        if r.aborted:
            return f"{self.module} was switched off, and the trial ended, because {r.aborted}."
        assert r.profile and r.outcome
        return sentence(self.module, r.profile, r.outcome, r.acted)

    @property
    def next_step(self) -> str:
        r = self.result
        if r.aborted:
            return "Leave it off until you know why; dmesg shows the log of the kernel."
        if r.is_kept:
            words = " ".join(filter(None, ["seqkeep enable", self.module, self.options_text]))
            return f"It stays enabled until the next boot. For longer: {words}"
        assert r.outcome
        return next_step(self.module, self.options_text, r.outcome, self.schedule.seconds)


def number_text(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.3f}"


def rows_text(rows: Sequence[Sequence[str]]) -> list[str]:
    """Align columns: the first on the left, the others on the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join([row[0].ljust(widths[0]), *(word.rjust(width) for word, width in zip(row[1:], widths[1:]))]).rstrip()
        for row in rows
    ]


def figures_text(figures: Sequence[FigureResult]) -> list[str]:
    rows = [["", "off", "on", "unit", "on relative to off"]]
    for found in figures:
        if found.off is None and found.on is None:
            continue
        text = figure_text(found)[len(found.figure.words) :].strip()
        rows.append([found.figure.words, number_text(found.off), number_text(found.on), found.figure.unit, text])
    return rows_text(rows) if len(rows) > 1 else []


def means(phases: Sequence[PhaseResult], is_on: bool, of_mounts: bool) -> dict[str, Quantities]:
    """Return what each disk or NFS mount did per second with the module on or off."""
    chosen = [phase for phase in phases if phase.phase.is_on == is_on]
    seconds = sum(phase.seconds for phase in chosen) or 1.0
    found: dict[str, Quantities] = {}
    for phase in chosen:
        for name, values in (phase.mounts if of_mounts else phase.disks).items():
            row = found.setdefault(name, {})
            for key, value in values.items():
                row[key] = row.get(key, 0.0) + value / seconds
    return found


DISK_COLUMNS = (("reads", "read_bytes", "read_ms"), ("writes", "written_bytes", "write_ms"))
DISK_HEAD = ["disk", "", "reads/s", "MiB/s", "KiB", "ms", "writes/s", "MiB/s", "KiB", "ms"]
MOUNT_COLUMNS = (("read_calls", "fetched_bytes", "read_call_ms"),)
MOUNT_HEAD = ["NFS mount", "", "READs/s", "MiB/s", "KiB", "ms"]


def parts_text(phases: Sequence[PhaseResult], of_mounts: bool) -> list[str]:
    """Return a table of the disks, or of the NFS mounts, off and on."""
    sides = {"off": means(phases, False, of_mounts), "on": means(phases, True, of_mounts)}
    rows = [MOUNT_HEAD if of_mounts else DISK_HEAD]
    for name in sorted(sides["off"].keys() | sides["on"].keys()):
        for word, parts in sides.items():
            row = [name, word]
            values = parts.get(name, {})
            for count, size, time in MOUNT_COLUMNS if of_mounts else DISK_COLUMNS:
                calls = values.get(count, 0.0)
                row += [f"{calls:.1f}", f"{values.get(size, 0.0) / MIB:.2f}"]
                if calls:
                    row += [f"{values.get(size, 0.0) / calls / 1024:.1f}", f"{values.get(time, 0.0) / calls:.2f}"]
                else:
                    row += ["-", "-"]
            rows.append(row)
    return [*rows_text(rows), ""] if len(rows) > 1 else []


def as_text(report: Report) -> str:
    r = report.result
    lines: list[str] = []
    if r.outcome and r.profile:
        lines += [*figures_text(r.outcome.figures), ""]
        lines += [wrap(f"Measured by {r.profile.source}."), ""]
    for of_mounts in (False, True):
        lines += parts_text(r.phases, of_mounts)
    lines += [wrap(f"Not watched: {text}.") for text in r.blind]
    return "\n".join([*lines, wrap(report.sentence), wrap(report.next_step)])


def figure_json(found: FigureResult) -> dict[str, Any]:
    return {
        "figure": found.figure.key,
        "words": found.figure.words,
        "unit": found.figure.unit,
        "off": found.off,
        "on": found.on,
        "ratio": asdict(found.ratio) if found.ratio else None,
        "verdict": found.word,
        "judged": found.figure.is_judged,
    }


def as_json(report: Report) -> dict[str, Any]:
    r = report.result
    return {
        "version": 1,
        "module": report.module,
        "options": report.options,
        "kernel": report.kernel,
        "period_s": report.schedule.period_s,
        "settle_s": report.schedule.settle_s,
        "verdict": "aborted" if r.aborted else r.outcome.word if r.outcome else None,
        "sentence": report.sentence,
        "next": report.next_step,
        "aborted": r.aborted or None,
        "kept": r.is_kept,
        "acted": r.acted,
        "not_watched": r.blind,
        "figures": [figure_json(found) for found in r.outcome.figures] if r.outcome else [],
        "phases": [
            {
                "pair": phase.phase.pair,
                "on": phase.phase.is_on,
                "start_s": round(phase.start_s, 3),
                "seconds": round(phase.seconds, 3),
                "counted": phase.quantities,
                "disks": phase.disks,
                "mounts": phase.mounts,
            }
            for phase in r.phases
        ],
    }


def plot(path: Path, report: Report) -> None:
    """Draw the figure that decides, over time: a bar per phase, on and off."""
    from matplotlib import pyplot

    profile = report.result.profile
    if not profile:
        return
    figure = profile.figures[0]
    drawing, axis = pyplot.subplots(figsize=(9, 4), constrained_layout=True)
    for is_on, colour, hatch in ((False, "#999999", ""), (True, "#0072b2", "//")):
        phases = [phase for phase in report.result.phases if phase.phase.is_on == is_on]
        axis.bar(
            [phase.start_s for phase in phases],
            [figure.value(phase.quantities) or 0.0 for phase in phases],
            [phase.seconds for phase in phases],
            align="edge",
            color=colour,
            hatch=hatch,
            label=f"{report.module} {'on' if is_on else 'off'}",
        )
    axis.set_xlabel("seconds")
    axis.set_ylabel(figure.words if figure.unit in figure.words else f"{figure.words} ({figure.unit})")
    axis.legend(loc="center left", bbox_to_anchor=(1.02, 0.5), frameon=False)
    drawing.suptitle(textwrap.fill(report.sentence, TITLE_COLUMNS), fontsize="small")
    drawing.savefig(path)
