# SPDX-License-Identifier: GPL-2.0-only
"""Format docs/REFERENCES.md, and for build/report every figure of every arm of one bench."""

import math
from collections.abc import Iterable, Iterator, Sequence

import results
from reported import Document, Reported
from results import BENCHES, Bench, Case, Figure, Ratio, Results

SUITES = ("bookworm", "trixie", "trixie-backports")
NOT_MEASURED = "not measured"

REFERENCES = """\
# References

seqkeep takes up five documents. Each has its own chapter here: where it is from, what it reported,
and the nearest figure of today. Theirs come from other hardware and older kernels, so compare the
ratios only. [RESULTS.md](RESULTS.md) says how today's are measured. `make report` writes this page
from `bench/reported.toml`."""


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
    return f"{bench}-{suite}.svg"


def suites_of(cases: Iterable[Case]) -> list[str]:
    """Return the default suites, and any other that was measured."""
    return list(dict.fromkeys([*SUITES, *(case.suite for case in cases)]))


def suite_title(suite: str, cases: Iterable[Case]) -> str:
    kernels = dict.fromkeys(case.kernel for case in cases if case.suite == suite)
    return "<br>".join([suite, *kernels])


def figure_of(bench: Bench, key: str) -> Figure:
    return next((figure for figure in bench.figures if figure.key == key), bench.main_figures[0])


def today_cell(bench: Bench, reported: Reported, alike: Sequence[Case]) -> str:
    """Return a line per setting: stock's median, ours, and their ratio."""
    figure = figure_of(bench, reported.figure)
    lines = []
    for case in alike:
        stock, ours = (case.arms.get(arm, {}).get(figure.key) for arm in (bench.stock, bench.ours[0]))
        if stock and ours:
            setting = f"{case.setting}: " if len({other.setting for other in alike}) > 1 else ""
            found = ratio_text(results.ratio(ours, stock), case.rounds)
            lines.append(f"{setting}{number(stock.median)} -> {number(ours.median)}: {found}")
    return "<br>".join(lines) or NOT_MEASURED


def reported_text(reported: Reported) -> str:
    before, after = reported.by_arm.get(reported.before), reported.by_arm.get(reported.after)
    if before is None or after is None:
        return reported.said
    return f"{reported.before} {before} -> {reported.after} {after}: {times(results.divide(after, before))}"


def reported_table(document: Document, bench: Bench, cases: Sequence[Case]) -> str:
    """Return the document's figures, with the nearest of today on each kernel where there is one."""
    suites = suites_of(cases)
    rows = []
    for reported in document.figures:
        alike = [case for case in cases if case.name == reported.like]
        like = f"{reported.like}, {figure_of(bench, reported.figure).title}" if reported.like else ""
        cells = [today_cell(bench, reported, [case for case in alike if case.suite == suite]) for suite in suites]
        rows.append(
            [reported.case, reported.unit, reported_text(reported), like, *(cells if like else [""] * len(cells))]
        )
    kernels = [suite_title(suite, cases) for suite in suites]
    return table(["then", "unit", "reported", "nearest case today", *kernels], rows)


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


def picture(bench: Bench, suite: str) -> str:
    return f"![{bench.module} relative to {bench.stock} on {suite}]({figure_name(bench.module, suite)})"


def every_arm_sections(bench: Bench, cases: Sequence[Case]) -> Iterator[str]:
    for suite in suites_of(cases):
        here = [case for case in cases if case.suite == suite]
        yield f"## {suite_title(suite, cases).replace('<br>', ', Linux ')}"
        if not here:
            yield f"{NOT_MEASURED.capitalize()}."
            continue
        if results.with_stock(here):
            yield picture(bench, suite)
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
    """Return build/report/MODULE.md: every figure of every arm of one bench."""
    cases = [case for case in found.cases if case.bench == bench.name]
    parts = [
        f"# {bench.module}: every arm",
        "`make report` writes this page from docs/results.jsonl.",
        f"{bench.conditions[0].upper()}{bench.conditions[1:]}.",
        commands_text(bench, found.commands.get(bench.name, [])),
        *every_arm_sections(bench, cases),
    ]
    return "\n\n".join(parts) + "\n"


def most_measured(cases: Sequence[Case]) -> str | None:
    """Return the suite with the most cases in which stock was measured: the module's figure is of it."""
    counts = {suite: len(results.with_stock([c for c in cases if c.suite == suite])) for suite in suites_of(cases)}
    best = max(counts, key=lambda suite: (counts[suite], suite == "trixie"))
    return best if counts[best] else None


def commands_text(bench: Bench, commands: Iterable[str]) -> str:
    lines = list(dict.fromkeys(commands)) or [f"make bench BENCH={bench.name}"]
    return "\n".join(["```", *lines, "```"])


def chapter(document: Document, found: Results) -> Iterator[str]:
    bench = BENCHES[document.bench]
    cases = [case for case in found.cases if case.bench == document.bench]
    yield f"## {document.title[0].upper()}{document.title[1:]} ({bench.module})"
    yield f"{document.source}."
    yield f"{document.conditions}."
    yield f"Today: {bench.conditions}; stock ({bench.stock}) -> {bench.ours[0]}."
    yield reported_table(document, bench, cases)


def references(found: Results, documents: Iterable[Document]) -> str:
    """Return docs/REFERENCES.md."""
    parts = [REFERENCES]
    for document in documents:
        parts += chapter(document, found)
    return "\n\n".join(parts) + "\n"
