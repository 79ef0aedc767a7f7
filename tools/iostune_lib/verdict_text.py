# SPDX-License-Identifier: GPL-2.0-only
"""Verdicts in words. Pure."""

from __future__ import annotations

from .judge import FAIR_GAIN, GAIN, SLOWEST_LOSS, THROUGHPUT_LOSS, WAIT_TIMES, Kind
from .plan import compared_workloads
from .stages import Decision
from .stats import Ratio

KINDS = {
    "seek-bound": (
        "seek-bound: several readers together get less than one alone, as on a single spindle. What helps is a "
        "scheduler that stays with a reader for a while: bfq, with its slice_idle."
    ),
    "parallel": (
        "parallel: several readers together get more than one alone, as on an array. A scheduler should not keep it "
        "waiting for one of them: none, mq-deadline, or bfq with slice_idle=0."
    ),
    "flat": (
        "flat: several readers together get about what one alone gets, as on an SSD that one reader can fill, or "
        "behind a link. Idling gains nothing there."
    ),
    "unclear": "unclear: the figures do not tell whether several readers get more or less than one.",
}


def percent(value: float) -> str:
    return f"{round((value - 1) * 100):+d} %"


def interval_text(r: Ratio) -> str:
    """An estimate is never shown without its interval."""
    sure = f"{r.confidence * 100:.1f} % sure, {r.pairs} pairs"
    return f"{percent(r.estimate)} ({percent(r.low)} to {percent(r.high)}, {sure})"


def kind_text(found: Kind, label: str) -> str:
    text = KINDS[found.name]
    if found.ratios:
        figures = "; ".join(
            f"{readers} readers {r.estimate:.2f} times ({r.low:.2f} to {r.high:.2f})"
            for readers, r in sorted(found.ratios.items())
        )
        text += f" Under {label}: {figures}."
    return text


def reason_text(decision: Decision) -> str:
    """Why a verdict is what it is."""
    verdict, found = decision.verdict, decision.verdict.evidence
    label = decision.candidate.label if decision.candidate else ""
    if verdict.why == "only one":
        return "there is nothing to choose from"
    if not found:
        return "there was not enough time to compare: give more by --time"
    gain = f"{interval_text(found.total)} for {comparison_text(decision)}"
    single, several, slowest = (interval_text(r) if r else "" for r in (found.single, found.several, found.slowest))
    but = f"{label} has a throughput of {gain}, but"
    texts = {
        "gain": f"throughput {gain}" + (f"; the slowest of several readers {slowest}" if slowest else ""),
        "fairness": f"the slowest of several readers gets {slowest}; throughput {gain}",
        "noise": f"{label} might be better, but that is within the noise: {gain}",
        "no gain": f"the best other, {label}, brings less than the {percent(GAIN)} it takes: {gain}",
        "loss": f"the best other, {label}, is worse: {gain}",
        "time": f"{label} might be better, but there was not enough time to be sure: {gain}",
        "single": f"{but} one reader alone gets {single}; {percent(THROUGHPUT_LOSS)} is allowed",
        "several": f"{but} several together get {several}; {percent(THROUGHPUT_LOSS)} is allowed",
        "slowest": f"{but} the slowest of several readers gets {slowest}; {percent(SLOWEST_LOSS)} is allowed",
    }
    if verdict.why == "waits" and found.waits:
        times = f"{found.waits.estimate:.1f} times as long ({found.waits.low:.1f} to {found.waits.high:.1f}"
        return (
            f"{but} the slowest reader waits {found.wait_ms:.0f} ms for one read in "
            f"a hundred, {times}, {found.waits.confidence * 100:.1f} % sure); {WAIT_TIMES:g} times is allowed"
        )
    if verdict.why == "gain" and found.slowest and found.slowest.low > FAIR_GAIN:
        return texts["gain"] + ", so none pays for it"
    return texts[verdict.why]


def comparison_text(d: Decision) -> str:
    """What percentages of a decision are of."""
    workloads = compared_workloads(d.workloads)
    modes = " and ".join(dict.fromkeys(workload.mode for workload in workloads))
    counts = " and ".join(str(count) for count in sorted({workload.readers for workload in workloads}))
    return f"{modes} reads, {counts} reader{'' if counts == '1' else 's'}"


def decision_text(d: Decision) -> str:
    if d.verdict.is_change and d.candidate:
        return f"{d.stage.name}: {d.candidate.label} instead of {d.current.label}: {reason_text(d)}"
    return f"{d.stage.name}: no change from {d.current.label}: {reason_text(d)}"
