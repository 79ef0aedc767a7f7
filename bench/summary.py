# SPDX-License-Identifier: GPL-2.0-only
"""Format docs/RESULTS.md: what each module gains in the cases that it is for, and what it costs in the others."""

import re
from collections.abc import Iterable, Iterator, Sequence
from statistics import median

import results
from page import SUITES, most_measured, number, ratio_text, table, times
from results import BENCHES, Bench, Case, Judged, Results, Verdict

EFFECT = f"{results.MIN_EFFECT * 100:.0f} %"
SURE = f"{results.CONFIDENCE * 100:.0f} %"
INTRODUCTION = f"""\
# Results

Rates relative to the stock kernel as it comes, in one boot, of ROUNDS rounds: mostly too few to
judge a case by the project's own rule (below), so these are counts and medians. The last two columns
are the median relative to the best stock setting that was measured, where below 1 that setting is
faster, and the worst ratio of the cases that the module is *not* for.

FIRST_TABLE

Where the figures come from: an emulator whose clock counts instructions, with disks and networks of
known speed. Compare the columns of a table with each other, not with your machine. Nobody has
measured on hardware yet; `seqkeep try` does that.

`make bench` measures, arms in turn; `make report` writes this page from
[results.jsonl](results.jsonl), which has each round of each case, and writes every figure of every
arm into `build/report`. A ratio is of medians; its range over the rounds is in brackets. A rate is
called better or worse if its confidence interval of {SURE}, by signed ranks, leaves 1
out, which takes six rounds, and if it differs by {EFFECT} or more. *Control*: the best of the stock arms with
other settings, chosen for each case by the same figures, so it is a little better than each of them.
[REFERENCES.md](REFERENCES.md) has what the modules' documents reported, and
[gauntlet.md](gauntlet.md) what real programs do."""

GAUNTLET = """\
## The gauntlet

What real programs do: rows of [gauntlet.md](gauntlet.md) that are worse / same / better / failed. Most were
measured in two to four pairs of runs, and with older versions of the modules, as that page says."""


def compared(bench: Bench, cases: Iterable[Case]) -> tuple[list[Judged], list[Judged]]:
    """Compare the default arm's rates with stock's, the worst first: the cases that it is for, and the others."""
    found = sorted(results.against_stock(bench, cases, bench.main_figures), key=lambda judged: judged.gain)
    return [judged for judged in found if judged.is_meant], [judged for judged in found if not judged.is_meant]


def against_controls(found: Iterable[Judged]) -> list[float]:
    """Return the gains over the best stock arm, of the cases that have other stock arms."""
    gains = []
    for judged in found:
        best = results.against_best(judged)
        controls = judged.case.arms.keys() - {judged.other, *BENCHES[judged.case.bench].ours}
        if best and controls:
            gains.append(best.gain)
    return gains


def verdicts(found: Sequence[Judged]) -> str:
    counts = {verdict: sum(judged.verdict is verdict for judged in found) for verdict in Verdict}
    return ", ".join(f"{count} {verdict.value}" for verdict, count in counts.items() if count)


def first_row(bench: Bench, cases: Sequence[Case]) -> list[str]:
    yes, no = compared(bench, cases)
    if not yes:
        return [bench.module, "not measured", "", "", ""]
    faster = sum(judged.gain >= 1 + results.MIN_EFFECT for judged in yes)
    controls = against_controls(yes)
    return [
        bench.module,
        f"{faster} of {len(yes)} faster by {EFFECT} or more",
        times(median(judged.gain for judged in yes)),
        times(median(controls)) if controls else "none",
        f"{times(no[0].gain)} ({len(no)} cases)" if no else "none measured",
    ]


def first_table(cases: Sequence[Case]) -> str:
    header = ["module", "cases that it is for", "median", "of the best stock setting", "others: worst"]
    return table(header, [first_row(b, [c for c in cases if c.bench == b.name]) for b in BENCHES.values()])


def row(what: str, judged: Judged) -> list[str]:
    case, figure = judged.case, judged.figure
    ours, stock = (case.arms[arm][figure.key].median for arm in (judged.arm, judged.other))
    control = results.against_best(judged)
    return [
        what,
        f"{case.name}{f' ({case.setting})' if case.setting else ''}, {results.series(case)}",
        figure.title,
        f"{number(stock)} -> {number(ours)}",
        ratio_text(judged.ratio, case.rounds),
        f"{ratio_text(control.ratio, case.rounds)} of {control.other}"
        if control and control.other != judged.other
        else "",
    ]


def costs(bench: Bench, cases: Sequence[Case]) -> Iterator[Judged]:
    """Yield of each cost the case in which it grows most."""
    for figure in bench.figures:
        if figure.more_is_better or figure.implied:
            continue
        found = results.against_stock(bench, cases, [figure])
        # A growth from nothing has no ratio, and one that not every round shows may be chance.
        if grown := [judged for judged in found if 0 < judged.gain < 1 < judged.ratio.low]:
            yield min(grown, key=lambda judged: judged.gain)


def repeat_text(case: Case, commands: Sequence[str]) -> str:
    """Say how to measure a case again: alone if its bench takes cases, with the options that were used last."""
    again = f"make bench BENCH={case.bench}"
    for command in commands:
        options, _, names = command.partition(" -- ")
        words = options.split()
        fs = words[words.index("--fs") + 1] if "--fs" in words else ""
        if case.suite in words and (not names or case.name in names.split()) and case.setting.startswith(fs):
            again = " ".join(word for word in words if word not in SUITES or word == case.suite)
            if any(" -- " in other for other in commands):
                again += f" -- {case.name}"
    return f"The typical row once more: `{again}`; `build/report` has the commands of all."


def screen(bench: Bench, cases: Sequence[Case], commands: Sequence[str]) -> Iterator[str]:
    """Yield a module's part: its figure, its best, typical and worst cases, its costs, and the commands."""
    yes, no = compared(bench, cases)
    yield f"## {bench.module}"
    if not yes:
        yield "Not measured."
        return
    shown = [case for case in cases if case.suite == most_measured(cases)]
    yield f"![{sentence(bench, shown)}](figures/{bench.module}.svg)"
    rounds = sorted({case.rounds for case in cases})
    yield f"{bench.conditions[0].upper()}{bench.conditions[1:]}."
    yield (
        f"Of {len(yes)} rates that it is for: {verdicts(yes)}; of {len(no)} others: {verdicts(no) or 'none'}"
        f" ({' or '.join(map(str, rounds))} rounds)."
    )
    rows = [row("best", yes[-1]), row("typical", yes[len(yes) // 2]), row("worst", yes[0])]
    if no:
        rows.append(row("worst of the others", no[0]))
    rows += [row("most cost", judged) for judged in costs(bench, cases)]
    yield table(["", "case, kernel", "figure", f"{bench.stock} -> {bench.ours[0]}", "ratio", "of the control"], rows)
    yield repeat_text(yes[len(yes) // 2].case, commands)


def sentence(bench: Bench, cases: Sequence[Case]) -> str:
    """Say in one line what a module's figure shows."""
    yes, no = compared(bench, cases)
    text = f"{bench.module}: {number(median(j.gain for j in yes))} times stock's speed in the median, "
    text += f"{times(yes[0].gain)} to {number(yes[-1].gain)}, where it is meant to help"
    kernels = dict.fromkeys(map(results.series, cases))
    text += f", on Linux {', '.join(kernels)}"
    return text + (f"; at worst {times(no[0].gain)} elsewhere" if no else "")


def gauntlet(its_page: str) -> str:
    """Take the counts from docs/gauntlet.md: a row per group of cases, a column per kernel."""
    found: dict[str, dict[str, str]] = {}
    pattern = r"^\| (\S+) \| (\S+), [^|]+" + r" \| (\d+)" * 5 + r" \|$"
    for name, suite, *counts in re.findall(pattern, its_page, re.MULTILINE):
        found.setdefault(name, {})[suite] = " / ".join(counts[:-1])
    rows = [[name, *(group.get(suite, "not measured") for suite in SUITES)] for name, group in found.items()]
    return f"{GAUNTLET}\n\n{table(['cases', *SUITES], rows)}"


def page(found: Results, gauntlet_page: str) -> str:
    """Format docs/RESULTS.md, of the results and the text of docs/gauntlet.md."""
    rounds = sorted({case.rounds for case in found.cases})
    introduction = INTRODUCTION.replace("ROUNDS", f"{rounds[0]} to {rounds[-1]}" if rounds else "no")
    parts = [introduction.replace("FIRST_TABLE", first_table(found.cases))]
    if found.errors:
        parts.append("**Left out**: " + "; ".join(found.errors) + ".")
    for bench in BENCHES.values():
        parts += screen(bench, [c for c in found.cases if c.bench == bench.name], found.commands.get(bench.name, []))
    parts.append(gauntlet(gauntlet_page))
    return "\n\n".join(parts) + "\n"
