# SPDX-License-Identifier: GPL-2.0-only
"""Format verdicts as sentences. Pure."""

from __future__ import annotations

from seqkeep_lib.stats import Ratio

from .judge import FAIR_GAIN, GAIN, SLOWEST_LOSS, THROUGHPUT_LOSS, WAIT_TIMES, Kind
from .plan import compared_workloads
from .stages import Decision

KINDS = {
    "seek-bound": (
        "seek-bound: several readers together get less than one alone, as on a single spindle. A scheduler that serves "
        "one reader for a while helps: bfq, with its slice_idle."
    ),
    "parallel": (
        "parallel: several readers together get more than one alone, as on an array. A scheduler should not idle for "
        "one of them: none, mq-deadline, or bfq with slice_idle=0."
    ),
    "flat": (
        "flat: several readers together get about as much as one alone, as on an SSD that one reader can saturate, or "
        "behind a link. Idling gains nothing there."
    ),
    "unclear": (
        "unclear: the figures do not show, with the confidence asked for, whether several readers get more or less "
        "than one."
    ),
}


def percent(value: float) -> str:
    return f"{round((value - 1) * 100):+d} %"


def interval_text(r: Ratio) -> str:
    """Format a ratio: an estimate is never shown without its interval."""
    return f"{percent(r.estimate)} ({percent(r.low)} to {percent(r.high)}, {sure_text(r)})"


def sure_text(r: Ratio) -> str:
    pairs = "1 pair" if r.pairs == 1 else f"{r.pairs} pairs"
    return f"{r.confidence * 100:.1f} % confidence, {pairs}"


def kind_text(found: Kind, label: str) -> str:
    text = KINDS[found.name]
    if found.ratios:
        figures = "; ".join(
            f"{readers} readers {r.estimate:.2f} times ({r.low:.2f} to {r.high:.2f}, {sure_text(r)})"
            for readers, r in sorted(found.ratios.items())
        )
        text += f" Under {label}: {figures}."
    return text


def reason_text(decision: Decision) -> str:
    """Return the reason of a verdict as a clause."""
    verdict, found = decision.verdict, decision.verdict.evidence
    label = decision.candidate.label if decision.candidate else ""
    if verdict.why == "only one":
        return "there is only one value"
    if not found:
        takes = f": it takes --time {decision.needed_s}" if decision.needed_s else ""
        return "there was not enough time to compare" + takes
    gain = f"{interval_text(found.total)} for {comparison_text(decision)}"
    single, several, slowest = (interval_text(r) if r else "" for r in (found.single, found.several, found.slowest))
    but = f"{label} has a throughput of {gain}, but"
    texts = {
        "gain": f"throughput {gain}" + (f"; the slowest of several readers {slowest}" if slowest else ""),
        "fairness": f"the slowest of several readers gets {slowest}; throughput {gain}",
        "noise": f"{label} might be better, but the difference is within the noise: {gain}",
        "no gain": f"the best other, {label}, gains less than {percent(GAIN)}: {gain}",
        "unpromising": f"the best other, {label}, did not look better, and was not compared further: {gain}",
        "loss": f"the best other, {label}, is worse: {gain}",
        "time": f"{label} might be better, but there was not enough time to show it: {gain}",
        "single": f"{but} one reader alone gets {single}; {percent(THROUGHPUT_LOSS)} is allowed",
        "several": f"{but} several together get {several}; {percent(THROUGHPUT_LOSS)} is allowed",
        "slowest": f"{but} the slowest of several readers gets {slowest}; {percent(SLOWEST_LOSS)} is allowed",
    }
    if verdict.why == "waits" and found.waits:
        times = f"{found.waits.estimate:.1f} times as long ({found.waits.low:.1f} to {found.waits.high:.1f}"
        return (
            f"{but} the slowest reader waits {found.wait_ms:.0f} ms for one read in "
            f"a hundred, {times}, {found.waits.confidence * 100:.1f} % confidence); {WAIT_TIMES:g} times is allowed"
        )
    if verdict.why == "gain" and found.slowest and found.slowest.low > FAIR_GAIN:
        return texts["gain"] + ", so no reader loses"
    return texts[verdict.why]


def comparison_text(d: Decision) -> str:
    """Return the workloads that the percentages of a decision refer to."""
    workloads = compared_workloads(d.workloads)
    modes = " and ".join(dict.fromkeys(workload.mode for workload in workloads))
    counts = " and ".join(str(count) for count in sorted({workload.readers for workload in workloads}))
    return f"{modes} reads, {counts} reader{'' if counts == '1' else 's'}"


def decision_text(d: Decision) -> str:
    if d.verdict.is_change and d.candidate:
        return f"{d.stage.name}: {d.candidate.label} instead of {d.current.label}: {reason_text(d)}"
    return f"{d.stage.name}: no change from {d.current.label}: {reason_text(d)}"
