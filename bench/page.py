# SPDX-License-Identifier: GPL-2.0-only
"""Format docs/RESULTS.md, the cases where seqkeep is no better and the seeds' tables, and docs/results/MODULE.md."""

import math
from collections.abc import Iterable, Iterator, Sequence

import results
from results import BENCHES, Bench, Case, Figure, Judged, Ratio, Results, Verdict
from seeds import Reported, Seed

SUITES = ("bookworm", "trixie", "trixie-backports")
NOT_MEASURED = "not measured"

INTRODUCTION = """\
# Results

This page compares stock kernels with seqkeep, both measured in one boot, and with the figures of the five seed
documents. It begins with every case in which seqkeep is no better; then it has each seed's table. `make report` writes
this page, and the pages of every arm in [docs/results](results), from the JSON there. `make bench` measures; see
[bench/README.md](../bench/README.md).

The machine is emulated, with disks and networks of known speed. Compare today's figures with each other. Compare them
with those of a seed, which come from other hardware and older kernels, only by ratios. *Stock* is the kernel without
settings; *control* arms are the stock kernel with other settings. Figures are medians over the rounds."""

ENOUGH = ", ".join(f"{bench.module} {bench.enough}" for bench in BENCHES.values() if bench.enough)

RULE = f"""\
## Where seqkeep is no better, or worse

Each of our arms is compared with the stock or control arm that has the best median of that figure. The table shows the
ratio of the medians, its range over the rounds in brackets, and the name of that arm.

- **worse**, in bold: the whole range is on the bad side of 1, by however little;
- better: the whole range is on the good side of 1, and the median by {results.MIN_GAIN:.0%} or more;
- no better: anything else;
- one run: measured once, and never called better.

The table lists a rate unless it is better, or good enough for a module whose goal is not to be better:
{ENOUGH} of the best stock arm. Other figures are costs, of which less is better.
The table lists a cost if it is worse, or if its median is worse by {results.LISTED_COST:.0%} or more. It leaves out
mean latencies, because they are the inverse of the rates with a constant number of requests in flight.
A cell is empty if there is nothing to list on that kernel."""


def number(value: float) -> str:
    if math.isinf(value):
        return "∞"
    if value == 0 or value >= 100:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}" if value >= 0.1 else f"{value:.2g}"


def times(value: float) -> str:
    """Format a ratio, with a third digit near 1, where it matters."""
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
    """Return the default suites, and any other that was measured."""
    return list(dict.fromkeys([*SUITES, *(case.suite for case in cases)]))


def suite_title(suite: str, cases: Iterable[Case]) -> str:
    kernels = dict.fromkeys(case.kernel for case in cases if case.suite == suite)
    return "<br>".join([suite, *kernels])


def judged_text(bench: Bench, judged: Judged) -> str:
    """Return one line: the arm, the figure, and its ratio to the best stock arm."""
    arm = f"{judged.arm}, " if len(bench.ours) > 1 else ""
    text = f"{arm}{judged.figure.title}: {ratio_text(judged.ratio, judged.case.rounds)} of {judged.best}"
    if judged.verdict is Verdict.WORSE:
        return f"**{text}**"
    return text if judged.verdict is Verdict.NO_BETTER else f"{text}, {judged.verdict.value}"


def no_better(bench: Bench, cases: Sequence[Case]) -> str:
    """Return the table of a bench's listed cases, with a column per kernel."""
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
    """Return a line per arm of ours: stock's median, ours, and their ratio."""
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
    """Return the table of the seed's cases that have a nearest case today."""
    suites = suites_of(cases)
    rows = []
    for reported in (reported for reported in seed.figures if reported.like):
        like = f"{reported.like}, {figure_of(bench, reported.figure).title}"
        cells = [today_cell(bench, reported, (c for c in cases if c.suite == suite)) for suite in suites]
        rows.append([reported.case, reported.unit, reported_text(reported), like, *cells])
    kernels = [suite_title(suite, cases) for suite in suites]
    return table(["the seed's case", "unit", "the seed reported", "nearest case today", *kernels], rows)


def all_reported(seed: Seed, bench: Bench, cases: Sequence[Case]) -> str:
    """Return the folded table of all that a seed reported, with today's figures of the same arms."""
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
    """Return the arms: stock, then the controls, then ours."""
    found = dict.fromkeys(arm for case in cases for arm in case.arms)
    controls = [arm for arm in found if arm != bench.stock and arm not in bench.ours]
    return [bench.stock, *controls, *(arm for arm in bench.ours if arm in found)]


def every_arm(bench: Bench, cases: Sequence[Case]) -> str:
    """Return the table of all figures of some cases of one kernel and setting."""
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
    return table(["case", "figure", *arms, *(f"{arm} relative to {bench.stock}" for arm in ours)], rows)


def rounds_text(cases: Iterable[Case]) -> str:
    found = sorted({case.rounds for case in cases})
    text = " or ".join(map(str, found))
    return f"{text} round{'' if found == [1] else 's'}"


def picture(bench: Bench, suite: str, folder: str) -> str:
    """Return the link to a figure; folder is the path of the figures relative to the page."""
    return f"![{bench.module} relative to {bench.stock} on {suite}]({folder}/{figure_name(bench.name, suite)})"


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
    """Return docs/results/MODULE.md: every figure of every arm of one bench."""
    cases = [case for case in found.cases if case.bench == bench.name]
    parts = [
        f"# {bench.module}: every arm",
        f"`make report` writes this page from [{bench.module}.json]({bench.module}.json). [Summary](../RESULTS.md).",
        f"{bench.conditions[0].upper()}{bench.conditions[1:]}.",
        commands_text(bench, found.commands.get(bench.name, [])),
        *every_arm_sections(bench, cases),
    ]
    return "\n\n".join(parts) + "\n"


def most_measured(cases: Sequence[Case]) -> str | None:
    """Return the suite with the most cases in which stock was measured: RESULTS.md shows its figure."""
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
    if found.errors:
        parts.append("**Left out**: " + "; ".join(found.errors) + ".")
    parts += first_section(found.cases)
    for seed in seeds:
        parts += seed_section(seed, found)
    return "\n\n".join(parts) + "\n"
