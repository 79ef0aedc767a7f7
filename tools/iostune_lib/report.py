# SPDX-License-Identifier: GPL-2.0-only
"""Format the result as text and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Any

from seqkeep_lib.output import wrap
from seqkeep_lib.stats import Ratio

from . import verdict_text
from .judge import Kind
from .measurement import Arm, Sample
from .stages import Decision

MB = 1e6
INDENT = "    "


@dataclass(frozen=True)
class Result:
    """The result of a run."""

    device: dict[str, Any]
    warnings: list[str]
    protection: list[str]
    seconds: float
    decisions: list[Decision]
    kind: Kind
    kind_label: str
    # The tunables to set, and the present values of these and of those that the kernel changes with them.
    settings: dict[str, str]
    former: dict[str, str]
    advice: list[str] = field(default_factory=list)

    @property
    def changed_with_it(self) -> dict[str, str]:
        """Return the present values of the tunables that change without being set: a new scheduler has its own."""
        return {name: value for name, value in self.former.items() if name not in self.settings}


def row(samples: Sequence[Sample]) -> dict[str, Any]:
    """Return medians over the rounds; shares are ranked in each round, the fastest reader first."""
    totals = [sample.total / MB for sample in samples]
    ranked = [sorted(sample.shares, reverse=True) for sample in samples]
    return {
        "total_mb_s": median(totals),
        "range_mb_s": [min(totals), max(totals)],
        "shares_mb_s": [median(shares) / MB for shares in zip(*ranked)],
        "wait_ms": median(sample.wait_ms for sample in samples),
        "rounds": len(samples),
    }


def tables(decision: Decision) -> list[tuple[Arm, str, list[tuple[int, dict[str, Any]]]]]:
    """Return the tables by arm and mode, with a row per number of readers."""
    found: dict[tuple[Arm, str], list[tuple[int, dict[str, Any]]]] = {}
    for (arm, workload), samples in decision.series.items():
        if samples:
            found.setdefault((arm, workload.mode), []).append((workload.readers, row(samples)))
    return [(arm, mode, rows) for (arm, mode), rows in found.items()]


def shares_text(shares: Sequence[float], is_verbose: bool) -> str:
    if is_verbose or len(shares) < 3:
        return " ".join(f"{share:.1f}" for share in shares)
    return f"{shares[-1]:.1f}..{shares[0]:.1f}"


def table_text(decision: Decision, is_verbose: bool = False) -> str:
    lines = []
    for arm, mode, rows in tables(decision):
        name = arm.label if decision.stage.name == "scheduler" else f"{decision.stage.name} {arm.label}"
        lines += [
            "",
            f"{name}, {mode}",
            f"{'readers':>7} {'MB/s':>9} {'lowest':>9} {'highest':>9} {'wait ms':>8}  each, MB/s",
        ]
        for readers, r in rows:
            low, high = r["range_mb_s"]
            shares = shares_text(r["shares_mb_s"], is_verbose)
            lines.append(
                f"{readers:>7} {r['total_mb_s']:>9.1f} {low:>9.1f} {high:>9.1f} {r['wait_ms']:>8.1f}  {shares}"
            )
    return "\n".join(lines)


def text(result: Result, is_verbose: bool = False) -> str:
    lines = [wrap(f"{result.device['path']}: {result.device['description']}")]
    lines += [table_text(d, is_verbose) for d in result.decisions if any(d.series.values())]
    lines += ["", wrap(f"The device is {verdict_text.kind_text(result.kind, result.kind_label)}"), ""]
    for d in result.decisions:
        lines += [wrap(f"{d.stage.name}: {label} skipped: {why}", INDENT) for label, why in d.skipped.items()]
        lines.append(wrap(verdict_text.decision_text(d), INDENT))
    lines += ["", "Recommended:" if result.settings else "Recommended: no change."]
    lines += [f"    {name} = {value}    (now {result.former[name]})" for name, value in result.settings.items()]
    if result.changed_with_it:
        lines.append("The kernel changes with it:")
        lines += [f"    {name}    (now {value})" for name, value in result.changed_with_it.items()]
    lines += [wrap(said, INDENT) for said in result.advice]
    return "\n".join(lines)


def ratio_json(r: Ratio | None) -> dict[str, Any] | None:
    return asdict(r) if r else None


def decision_json(d: Decision) -> dict[str, Any]:
    found = d.verdict.evidence
    return {
        "tunable": d.stage.tunable,
        "current": d.current.label,
        "candidate": d.candidate.label if d.candidate else None,
        "verdict": "change" if d.verdict.is_change else "no change",
        "why": d.verdict.why,
        "words": verdict_text.decision_text(d),
        "throughput": ratio_json(found.total) if found else None,
        "single": ratio_json(found.single) if found else None,
        "several": ratio_json(found.several) if found else None,
        "slowest": ratio_json(found.slowest) if found else None,
        "waits": ratio_json(found.waits) if found else None,
        "skipped": d.skipped,
        "tables": [
            {"arm": arm.label, "mode": mode, "readers": readers, **r}
            for arm, mode, rows in tables(d)
            for readers, r in rows
        ],
    }


def as_json(result: Result) -> dict[str, Any]:
    return {
        "version": 1,
        "device": result.device,
        "warnings": result.warnings,
        "protection": result.protection,
        "seconds": round(result.seconds, 1),
        "kind": {
            "name": result.kind.name,
            "scheduler": result.kind_label,
            "ratios": {str(readers): ratio_json(r) for readers, r in result.kind.ratios.items()},
            "words": verdict_text.kind_text(result.kind, result.kind_label),
        },
        "decisions": [decision_json(d) for d in result.decisions],
        "recommendation": {name: {"value": v, "now": result.former[name]} for name, v in result.settings.items()},
        "changed_with_it": result.changed_with_it,
        "advice": result.advice,
    }
