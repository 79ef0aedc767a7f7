# SPDX-License-Identifier: GPL-2.0-only
"""Write docs/gauntlet.md from the file of measured cases, the worst first."""

import collections
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from . import judge
from .judge import Judged, Verdict

Json = dict[str, Any]

HEAD = """# The gauntlet

`make gauntlet` runs programs that nobody here made up on stock and on seqkeep, in turn in one boot,
and writes this page from [gauntlet.jsonl](gauntlet.jsonl).
[tests/gauntlet/README.md](../tests/gauntlet/README.md) says how to run it, how it judges, and how
to add a case.

A case is *worse* if the median ratio of seqkeep to stock is above 1.02 in any figure that judges
(1.05 for a time that fewer than three pairs measured), and every pair of runs agrees (without the
outer tenths if there are more than eight). Less is better in every figure. Times are the guest's,
in which an instruction takes a nanosecond. Cases that were the same are at the end, among all
figures; a figure that was 0 in every run is not shown."""
NOT_MEASURED = "not measured"
# The ref of entries that compare stock with itself.
NULL = "null"
SUITES = ("bookworm", "trixie", "trixie-backports")


def wrapped(text: str) -> str:
    return textwrap.fill(text, 100, break_long_words=False, break_on_hyphens=False)


def number(value: float) -> str:
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def ratio_text(figure: Judged) -> str:
    if figure.low == figure.high:
        return f"{figure.ratio:.2f}"
    return f"{figure.ratio:.2f} [{figure.low:.2f}..{figure.high:.2f}]"


def figure_text(figure: Judged) -> str:
    text = f"{figure.title} {number(figure.stock)} -> {number(figure.ours)}: {ratio_text(figure)}"
    return f"**{text}**" if figure.judges and figure.verdict is Verdict.WORSE else text


def differing(entry: Json) -> list[Judged]:
    return [figure for figure in judge.figures(entry) if figure.judges and figure.verdict is not Verdict.SAME]


def figures_text(entry: Json) -> str:
    if "failed" in entry:
        return f"**{entry['failed']}**".replace("|", "\\|").replace("\n", " ")
    found = sorted(differing(entry), key=lambda figure: -figure.ratio)
    broken = "**no better, and the modules promise that**"
    none = broken if entry.get("bar") == "better" else "no difference"
    return "<br>".join(figure_text(figure) for figure in found) or none


def all_figures(entry: Json) -> str:
    return "; ".join(f"{f.title} {number(f.stock)} -> {number(f.ours)}" for f in judge.figures(entry))


def badness(entry: Json) -> tuple[int, float]:
    """Sorts the failed first, then the worse by their worst ratio, then the same, then the better."""
    if "failed" in entry:
        return 0, 0.0
    order = [Verdict.WORSE, Verdict.SAME, Verdict.BETTER]
    return 1 + order.index(judge.judge(entry)), -judge.worst(judge.figures(entry))


def verdict_text(entry: Json) -> str:
    return "**failed**" if "failed" in entry else judge.judge(entry).value


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(row) + " |" for row in (header, *rows)]
    lines.insert(1, "|" + "---|" * len(header))
    return "\n".join(lines)


def counts(entries: Sequence[Json]) -> str:
    groups = dict.fromkeys(entry["case"].partition("/")[0] for entry in entries)
    suites = dict.fromkeys([*SUITES, *(entry["suite"] for entry in entries)])
    rows = []
    for group in groups:
        for suite in suites:
            here = [e for e in entries if e["suite"] == suite and e["case"].startswith(f"{group}/")]
            if not here:
                rows.append([group, suite, NOT_MEASURED, "", "", "", "0"])
                continue
            kernels = ", ".join(dict.fromkeys(e["kernel"] for e in here))
            verdicts = [verdict_text(e) for e in here]
            row = [str(verdicts.count(name)) for name in ("worse", "same", "better", "**failed**")]
            rows.append([group, f"{suite}, {kernels}", *row, str(len(here))])
    return table(["cases", "kernel", "worse", "same", "better", "failed", "all"], rows)


def differs(entry: Json) -> bool:
    return "failed" in entry or entry.get("bar") == "better" or bool(differing(entry))


def section(entries: Sequence[Json]) -> Iterator[str]:
    """The entries with a difference; those that were the same are among all figures."""
    shown = [entry for entry in entries if differs(entry)]
    rows = [
        [
            f"{entry['case']}<br>{entry['variant']}",
            entry["suite"],
            verdict_text(entry),
            figures_text(entry),
            str(pairs(entry)),
            f"{entry['modules']} {entry['commit']}",
        ]
        for entry in sorted(shown, key=badness)
    ]
    yield table(["case", "kernel of", "verdict", "figures that differ, stock -> seqkeep", "pairs", "modules"], rows)


def medians(entries: Sequence[Json]) -> str:
    rows = [[f"{e['case']}<br>{e['variant']}", e["suite"], all_figures(e)] for e in entries if "stock" in e]
    text = table(["case", "kernel of", "medians of all figures, stock -> seqkeep"], rows)
    return f"<details><summary>All figures</summary>\n\n{text}\n\n</details>"


def pairs(entry: Json) -> int:
    return max((len(values) for values in entry.get("stock", {}).values()), default=0)


def how_measured(entries: Sequence[Json]) -> str:
    """Say how many pairs of runs the lines have, and how many lines lack latencies and CPU time."""
    measured = [entry for entry in entries if pairs(entry)]
    by_pairs = collections.Counter(map(pairs, measured)).most_common()
    text = ", ".join(f"{lines} by {count}" for count, lines in by_pairs)
    slow = sum(not any(key.endswith("p99_us") for key in entry["stock"]) for entry in measured)
    cpu = sum("cpu_ms" not in entry["stock"] for entry in measured)
    return (
        f"Of {len(measured)} lines, the gauntlet measured {text} pairs of runs. {slow} lines have no latencies, and "
        f"{cpu} no CPU time: `--mode brief` leaves out both, but for latencies that a load reports itself."
    )


def age(entries: Sequence[Json], current: Mapping[str, str]) -> str:
    """Say how many figures are of modules that have changed since, or that no commit has."""
    text = "The last column names the commit that had last changed the modules of a case when it was measured."
    if dirty := sum(entry["commit"].endswith("+") for entry in entries):
        text += f" A + says that they had changes that were not committed: {dirty} of {len(entries)} lines."
    names = {modules: commit.rstrip("+") for modules, commit in current.items()}
    old = [e for e in entries if names.get(e["modules"], e["commit"].rstrip("+")) != e["commit"].rstrip("+")]
    if not old:
        return f"{text} No module has changed since."
    changed = ", ".join(f"{name} ({current[name]})" for name in sorted({entry["modules"] for entry in old}))
    return f"{text} Since then {changed} changed: {len(old)} of {len(entries)} lines are of older modules."


def about_ref(ref: str) -> tuple[str, str]:
    if ref == NULL:
        text = "`tests/gauntlet/run --null` enables no module. What differs here differs by chance."
        return "## Stock against itself", text
    text = f"`REF={ref}` measures the modules of that commit. It shows whether the gauntlet sees what it should."
    return f"## The modules of {ref}", text


def page(entries: Sequence[Json], unmeasured: Sequence[str] = (), current: Mapping[str, str] | None = None) -> str:
    now = [entry for entry in entries if not entry.get("ref")]
    parts = [HEAD]
    if now:
        parts += [
            counts(now),
            wrapped(how_measured(now)),
            wrapped(age(now, current or {})),
            "## The worst first",
            *section(now),
        ]
    if unmeasured:
        parts.append(wrapped(f"Cases that were not measured on any kernel: {', '.join(unmeasured)}."))
    for ref in sorted({entry["ref"] for entry in entries if entry.get("ref")}):
        old = [entry for entry in entries if entry.get("ref") == ref]
        title, about = about_ref(ref)
        parts += [title, wrapped(about), *section(old)]
    if now:
        parts.append(medians(now))
    return "\n\n".join(parts) + "\n"
