# SPDX-License-Identifier: GPL-2.0-only
"""docs/RESULTS.md: where we are no better, then today beside the seeds. docs/results/MODULE.md: every arm."""

import math
from collections.abc import Iterable, Iterator, Sequence

import results
from results import BENCHES, Bench, Case, Figure, Judged, Ratio, Results, Verdict
from seeds import Reported, Seed

SUITES = ("bookworm", "trixie", "trixie-backports")
NOT_MEASURED = "not measured"

INTRODUCTION = """\
# Results

Stock kernels against seqkeep, in turn in one boot, beside what the five seed documents reported: first every case where
seqkeep is no better, then each seed's table. `make report` wrote this page, and the page of every arm beside its data
in [docs/results](results); no figure is typed in. `make bench` measures: [bench/README.md](../bench/README.md).

The machine is emulated, on disks and networks whose cost is set. Compare figures of today with each other, and with
those of a seed, which come from other hardware and older kernels, only by their ratios. *Stock* is the kernel as it
comes; *control* arms are the stock kernel with other settings. Figures are medians of the rounds."""

ENOUGH = ", ".join(f"{bench.module} {bench.enough}" for bench in BENCHES.values() if bench.enough)

RULE = f"""\
## Where seqkeep is no better, or worse

Each arm of ours is held against the best stock arm of its case, controls included: the one with the best median of that
figure. Given are the ratio of the medians, its spread from round to round in brackets, and the arm it was held against.

- **worse**, in bold: the whole spread is on the bad side of 1, by however little;
- better: the whole spread is on the good side, and the median by {results.LEAST_GAIN:.0%} or more;
- no better: anything else; one run: measured once, and never called better.

A rate is listed unless it is better, or good enough where being better is not asked for:
{ENOUGH} of the best stock arm. Other figures, of which less is better,
are listed where they are worse, or in the median by {results.TOLD_COST:.0%} or more; but for mean latencies: with so
many requests at a time they are the rates turned over.
A cell is empty where nothing is to be listed on that kernel."""


def number(value: float) -> str:
    if math.isinf(value):
        return "∞"
    if value == 0 or value >= 100:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}" if value >= 0.1 else f"{value:.2g}"


def times(value: float) -> str:
    """A ratio: near 1 the third digit may be the one that counts."""
    return f"{value:.3f}" if 0.9 < value < 1.1 and value != 1 else number(value)


def ratio_text(found: Ratio, rounds: int) -> str:
    spread = f" [{times(found.low)}..{times(found.high)}]" if rounds > 1 else ""
    return times(found.median) + spread


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def figure_name(bench: str, suite: str) -> str:
    return f"results-{bench}-{suite}.png"


def suites_of(cases: Iterable[Case]) -> list[str]:
    """Those that there should be, and what was measured besides."""
    return list(dict.fromkeys([*SUITES, *(case.suite for case in cases)]))


def suite_title(suite: str, cases: Iterable[Case]) -> str:
    kernels = dict.fromkeys(case.kernel for case in cases if case.suite == suite)
    return "<br>".join([suite, *kernels])


def judged_text(bench: Bench, judged: Judged) -> str:
    """One line: which figure of which arm, and how it compares."""
    arm = f"{judged.arm}, " if len(bench.ours) > 1 else ""
    text = f"{arm}{judged.figure.title}: {ratio_text(judged.ratio, judged.case.rounds)} of {judged.best}"
    if judged.verdict is Verdict.WORSE:
        return f"**{text}**"
    return text if judged.verdict is Verdict.NO_BETTER else f"{text}, {judged.verdict.value}"


def no_better(bench: Bench, cases: Sequence[Case]) -> str:
    """The table of a bench's cases, each kernel beside the other, if any of them has to be listed."""
    suites = suites_of(cases)
    by_case: dict[str, dict[str, str]] = {}
    for case in cases:
        if lines := [judged_text(bench, judged) for judged in results.judge(case) if judged.listed]:
            by_case.setdefault(results.full_name(case, cases), {})[case.suite] = "<br>".join(lines)
    measured = {(results.full_name(case, cases), case.suite) for case in cases}
    if not by_case:
        return f"**{bench.module}**: none, of {len(cases)} cases on all kernels." if cases else ""
    rows = [
        [name, *(found.get(suite, "" if (name, suite) in measured else NOT_MEASURED) for suite in suites)]
        for name, found in by_case.items()
    ]
    header = ["case", *(suite_title(suite, cases) for suite in suites)]
    return f"**{bench.module}**\n\n{table(header, rows)}"


def verdict_counts(cases: Sequence[Case]) -> str:
    rows = []
    for bench in BENCHES.values():
        found = [j.verdict for case in cases if case.bench == bench.name for j in results.judge(case) if j.figure.main]
        counts = [str(found.count(verdict)) for verdict in Verdict] if found else [NOT_MEASURED] * len(Verdict)
        rows.append([bench.module, str(len(found)), *counts])
    return table(["rates of", "measured", *(verdict.value for verdict in Verdict)], rows)


def first_section(cases: Sequence[Case]) -> Iterator[str]:
    yield RULE
    yield verdict_counts(cases)
    for bench in BENCHES.values():
        if text := no_better(bench, [case for case in cases if case.bench == bench.name]):
            yield text


def figure_of(bench: Bench, key: str) -> Figure:
    return next((figure for figure in bench.figures if figure.key == key), bench.main_figures[0])


def today(bench: Bench, figure: Figure, case: Case) -> list[str]:
    """Stock and each arm of ours, in lines."""
    stock = case.arms.get(bench.stock, {}).get(figure.key)
    if not stock:
        return [NOT_MEASURED]
    lines = []
    for arm in bench.ours:
        if ours := case.arms.get(arm, {}).get(figure.key):
            name = f"{arm} " if len(bench.ours) > 1 else ""
            found = ratio_text(results.ratio(ours, stock), case.rounds)
            lines.append(f"{number(stock.median)} -> {name}{number(ours.median)}: {found}")
    return lines or [f"{number(stock.median)} -> {NOT_MEASURED}"]


def today_cell(bench: Bench, reported: Reported, cases: Iterable[Case]) -> str:
    alike = [case for case in cases if case.name == reported.like]
    figure = figure_of(bench, reported.figure)
    lines = []
    for case in alike:
        setting = f"{case.setting}: " if case.setting else ""
        lines += [setting + line for line in today(bench, figure, case)]
    return "<br>".join(lines) or NOT_MEASURED


def reported_text(reported: Reported) -> str:
    before, after = reported.by_arm.get(reported.before), reported.by_arm.get(reported.after)
    if before is None or after is None:
        return reported.said
    return f"{reported.before} {before} -> {reported.after} {after}: {times(results.divide(after, before))}"


def seed_table(seed: Seed, bench: Bench, cases: Sequence[Case]) -> str:
    """What the seed reported beside the nearest case of today, where there is one."""
    suites = suites_of(cases)
    rows = []
    for reported in (reported for reported in seed.figures if reported.like):
        like = f"{reported.like}, {figure_of(bench, reported.figure).title}"
        cells = [today_cell(bench, reported, (c for c in cases if c.suite == suite)) for suite in suites]
        rows.append([reported.case, reported.unit, reported_text(reported), like, *cells])
    kernels = [suite_title(suite, cases) for suite in suites]
    return table(["the seed's case", "unit", "the seed reported", "nearest case today", *kernels], rows)


def all_reported(seed: Seed, bench: Bench, cases: Sequence[Case]) -> str:
    """Everything that a seed reported, and those of today's arms that are the same."""
    arms = list(dict.fromkeys(arm for reported in seed.figures for arm in reported.by_arm))
    if len(arms) <= 2 and all(reported.like for reported in seed.figures):
        return ""

    def row(case: str, whose: str, by_arm: dict[str, str], said: str = "") -> list[str]:
        return [case, whose, *(by_arm.get(arm, "") for arm in arms), said]

    rows = []
    for reported in seed.figures:
        by_arm = {arm: str(value) for arm, value in reported.by_arm.items()}
        rows.append(row(reported.case, f"seed, {reported.unit}", by_arm, reported.said))
        for case in cases:
            key = figure_of(bench, reported.figure).key
            same = {arm: number(case.arms[arm][key].median) for arm in arms if key in case.arms.get(arm, {})}
            if case.name == reported.like and len(same) > 1:
                rows.append(row("", ", ".join(filter(None, [case.kernel, case.setting])), same))
    return folded("All that the seed reported", table(["case", "", *arms, "in words"], rows))


def folded(title: str, text: str) -> str:
    return f"<details><summary>{title}</summary>\n\n{text}\n\n</details>"


def arms_of(bench: Bench, cases: Iterable[Case]) -> list[str]:
    """Stock first, then the controls, then ours."""
    found = dict.fromkeys(arm for case in cases for arm in case.arms)
    controls = [arm for arm in found if arm != bench.stock and arm not in bench.ours]
    return [bench.stock, *controls, *(arm for arm in bench.ours if arm in found)]


def every_arm(bench: Bench, cases: Sequence[Case]) -> str:
    """All figures of some cases of one kernel and setting."""
    arms = arms_of(bench, cases)
    ours = [arm for arm in arms if arm in bench.ours]
    rows = []
    for case in cases:
        for figure in bench.figures:
            found = {arm: spreads[figure.key] for arm, spreads in case.arms.items() if figure.key in spreads}
            if not found:
                continue
            medians = [number(found[arm].median) if arm in found else NOT_MEASURED for arm in arms]
            ratios = [
                ratio_text(results.ratio(found[arm], found[bench.stock]), case.rounds)
                if arm in found and bench.stock in found
                else NOT_MEASURED
                for arm in ours
            ]
            rows.append([case.name, figure.title, *medians, *ratios])
    return table(["case", "figure", *arms, *(f"{arm} by {bench.stock}" for arm in ours)], rows)


def rounds_text(cases: Iterable[Case]) -> str:
    found = sorted({case.rounds for case in cases})
    text = " or ".join(map(str, found))
    return f"{text} round{'' if found == [1] else 's'}"


def picture(bench: Bench, suite: str, folder: str) -> str:
    """folder is where the figures are, as seen from the page."""
    return f"![{bench.module} by {bench.stock} on {suite}]({folder}/{figure_name(bench.name, suite)})"


def every_arm_sections(bench: Bench, cases: Sequence[Case]) -> Iterator[str]:
    for suite in suites_of(cases):
        here = [case for case in cases if case.suite == suite]
        yield f"## {suite_title(suite, cases).replace('<br>', ', Linux ')}"
        if not here:
            yield f"{NOT_MEASURED.capitalize()}."
            continue
        if results.with_stock(here):
            yield picture(bench, suite, "../figures")
        for setting in dict.fromkeys(case.setting for case in cases):
            of_setting = [case for case in here if case.setting == setting]
            about = f"{setting}: " if setting else ""
            if not of_setting:
                yield f"{about}{NOT_MEASURED}."
                continue
            yield f"{about}{rounds_text(of_setting)}."
            yield every_arm(bench, of_setting)
            there = dict.fromkeys(case.name for case in cases if case.setting == setting)
            if missing := [name for name in there if name not in {case.name for case in of_setting}]:
                yield f"{about}{NOT_MEASURED}: {', '.join(missing)}."


def arms_page(bench: Bench, found: Results) -> str:
    """docs/results/MODULE.md: every figure of every arm of one bench."""
    cases = [case for case in found.cases if case.bench == bench.name]
    parts = [
        f"# {bench.module}: every arm",
        f"`make report` made this page of [{bench.module}.json]({bench.module}.json); [in short](../RESULTS.md).",
        f"{bench.conditions[0].upper()}{bench.conditions[1:]}.",
        commands_text(bench, found.commands.get(bench.name, [])),
        *every_arm_sections(bench, cases),
    ]
    return "\n\n".join(parts) + "\n"


def most_measured(cases: Sequence[Case]) -> str | None:
    """The suite with the most cases that have stock beside them: whose figure the page shows."""
    counts = {suite: len(results.with_stock([c for c in cases if c.suite == suite])) for suite in suites_of(cases)}
    best = max(counts, key=lambda suite: counts[suite])
    return best if counts[best] else None


def commands_text(bench: Bench, commands: Iterable[str]) -> str:
    lines = list(dict.fromkeys(commands)) or [f"make bench BENCH={bench.name}"]
    return "\n".join(["```", *lines, "```"])


def seed_section(seed: Seed, found: Results) -> Iterator[str]:
    bench = BENCHES[seed.bench]
    cases = [case for case in found.cases if case.bench == seed.bench]
    yield f"## Seed {seed.number}: {seed.title}"
    yield f"The seed, {seed.document}: {seed.conditions}."
    yield f"Today, {bench.module}: {bench.conditions}."
    yield commands_text(bench, found.commands.get(bench.name, []))
    yield seed_table(seed, bench, cases)
    if text := all_reported(seed, bench, cases):
        yield text
    if suite := most_measured(cases):
        yield picture(bench, suite, "figures")
    yield f"Every figure of every arm, on each kernel: [results/{bench.module}.md](results/{bench.module}.md)."


def page(found: Results, seeds: Iterable[Seed]) -> str:
    parts = [INTRODUCTION]
    if found.troubles:
        parts.append("**Left out**: " + "; ".join(found.troubles) + ".")
    parts += first_section(found.cases)
    for seed in seeds:
        parts += seed_section(seed, found)
    return "\n\n".join(parts) + "\n"
