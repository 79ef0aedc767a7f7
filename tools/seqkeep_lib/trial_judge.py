# SPDX-License-Identifier: GPL-2.0-only
"""Judge the phases of a trial, and say it in one sentence. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from . import stats
from .stats import Ratio
from .trial_counters import Quantities
from .trial_figures import Figure, Profile
from .trial_schedule import CONFIDENCE, LEAST_PAIRS, Phase

# A difference of less than this is none.
SAME = 1.05

BETTER, WORSE, NO_DIFFERENCE, UNCLEAR = "better", "worse", "no difference", "unclear"
HELPS, HARMS, MIXED, NO_LOAD = "helps", "harms", "mixed", "no load"


@dataclass(frozen=True)
class PhaseResult:
    """What was counted in a phase."""

    phase: Phase
    # When it was measured, in seconds from the start of the trial, and for how long.
    start_s: float
    seconds: float
    quantities: Quantities
    disks: dict[str, Quantities]
    mounts: dict[str, Quantities]


@dataclass(frozen=True)
class FigureResult:
    """A figure with the module relative to the figure without it."""

    figure: Figure
    # None: fewer pairs than can be compared had any I/O.
    ratio: Ratio | None
    word: str
    off: float | None
    on: float | None


@dataclass(frozen=True)
class Outcome:
    """The verdict on a module: one of the words above."""

    word: str
    figures: tuple[FigureResult, ...]

    @property
    def first(self) -> FigureResult:
        return self.figures[0]


def compare(ratio: Ratio | None, figure: Figure) -> str:
    if ratio is None or ratio.pairs < LEAST_PAIRS or ratio.confidence < CONFIDENCE:
        return UNCLEAR
    is_inside = ratio.low > 1 / SAME and ratio.high < SAME
    is_certain = ratio.low > 1 or ratio.high < 1
    if is_inside or (is_certain and 1 / SAME < ratio.estimate < SAME):
        return NO_DIFFERENCE
    if not is_certain:
        return UNCLEAR
    return BETTER if (ratio.low > 1) == figure.more_is_better else WORSE


def mean_of(figure: Figure, phases: Sequence[PhaseResult]) -> float | None:
    """Return a figure over several phases together."""
    total: Quantities = {}
    for phase in phases:
        for name, value in phase.quantities.items():
            total[name] = total.get(name, 0.0) + value
    return figure.value(total) if total else None


def judge_figure(figure: Figure, phases: Sequence[PhaseResult]) -> FigureResult:
    """Compare a figure in the pairs in which both phases had I/O."""
    sides: dict[bool, dict[int, float]] = {True: {}, False: {}}
    for result in phases:
        value = figure.value(result.quantities)
        if value is not None:
            sides[result.phase.is_on][result.phase.pair] = value
    pairs = sorted(sides[True].keys() & sides[False].keys())
    ratio = None
    if pairs:
        ratio = stats.ratio([sides[True][pair] for pair in pairs], [sides[False][pair] for pair in pairs], CONFIDENCE)
    off, on = (mean_of(figure, [p for p in phases if p.phase.is_on == is_on]) for is_on in (False, True))
    return FigureResult(figure, ratio, compare(ratio, figure), off, on)


def judge(profile: Profile, phases: Sequence[PhaseResult]) -> Outcome:
    """Return the verdict. The first figure decides, and a certain loss in another one is said."""
    results = tuple(judge_figure(figure, phases) for figure in profile.figures)
    first = results[0]
    judged = [result for result in results[1:] if result.figure.is_judged]
    loses = any(result.word == WORSE for result in judged)
    if first.ratio is None or first.ratio.pairs < LEAST_PAIRS:
        word = NO_LOAD
    elif first.word == BETTER:
        word = MIXED if loses else HELPS
    elif first.word == WORSE:
        word = HARMS
    elif first.word == NO_DIFFERENCE:
        word = HARMS if loses else NO_DIFFERENCE
    else:
        word = UNCLEAR
    return Outcome(word, results)


def percent(value: float) -> str:
    return f"{round((value - 1) * 100):+d} %"


def ratio_text(ratio: Ratio) -> str:
    return f"{percent(ratio.estimate)} ({percent(ratio.low)} to {percent(ratio.high)})"


def figure_text(result: FigureResult) -> str:
    """Return a clause: an estimate is never shown without its interval."""
    if result.word == NO_DIFFERENCE or result.ratio is None:
        return f"{result.figure.words} {result.word}"
    if result.word == UNCLEAR:
        low, high = percent(result.ratio.low), percent(result.ratio.high)
        return f"{result.figure.words} not clear ({low} to {high})"
    return f"{result.figure.words} {ratio_text(result.ratio)}"


def clauses(results: Sequence[FigureResult]) -> str:
    """Return clauses: what differs with its figures, and the names of the rest, whose figures are in the table."""
    clear = [figure_text(result) for result in results if result.word in (BETTER, WORSE)]
    text = ", ".join(clear)
    for word, said in ((NO_DIFFERENCE, "no difference in"), (UNCLEAR, "not clear:")):
        names = [result.figure.words for result in results if result.word == word]
        text += f"; {said} {', '.join(names)}" if names else ""
    return text


def sentence(module: str, profile: Profile, outcome: Outcome, acted: bool | None) -> str:
    """Return the one sentence that answers: does this module help this load?"""
    first = outcome.first
    if outcome.word == NO_LOAD:
        seen = first.ratio.pairs if first.ratio else 0
        return (
            f"There was no load to judge {module} by: {profile.load} in {seen} of the pairs, {LEAST_PAIRS} are needed."
        )
    assert first.ratio
    sure = f"{first.ratio.confidence * 100:.1f} % confidence, {first.ratio.pairs} pairs"
    if outcome.word == UNCLEAR:
        return (
            f"The load changed too much to tell: with {module} {first.figure.words} may have changed by "
            f"{percent(first.ratio.low)} to {percent(first.ratio.high)} ({sure})."
        )
    judged = [result for result in outcome.figures[1:] if result.figure.is_judged]
    if outcome.word == NO_DIFFERENCE:
        low, high = percent(first.ratio.low), percent(first.ratio.high)
        text = f"{module} makes no difference to this load: {first.figure.words} {low} to {high} ({sure})"
        text += "".join(f", {figure_text(result)}" for result in judged if result.word in (BETTER, WORSE))
        return f"{text}; it found nothing to do." if acted is False else f"{text}."
    verb = {HELPS: "helps", HARMS: "harms", MIXED: "changes"}[outcome.word]
    return f"{module} {verb} this load: {clauses([first, *judged])} ({sure})."


def next_step(module: str, options: str, outcome: Outcome, seconds: float) -> str:
    """Return what to do next."""
    words = " ".join(["seqkeep enable --now", module, *([options] if options else [])])
    longer = f"--for {round(2 * seconds)}s"
    return {
        HELPS: f"To keep it: {words}",
        MIXED: f"Decide which of these matters more here. To keep it: {words}",
        HARMS: "Leave it off for this load, or try other options: seqkeep advise says what else there is.",
        NO_DIFFERENCE: "Leave it off: seqkeep advise says what this machine's load would need.",
        UNCLEAR: f"Try again while the load is steadier, or longer: {longer}",
        NO_LOAD: "Try again while there is such a load.",
    }[outcome.word]
