#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draw results of bench/run ctxra: disk reads and throughput, stock against ctxra.

bench/report uses this too. Uses Debian's python3, for which python3-matplotlib is installed.
"""

import argparse
import json
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib
from results import MIN_EFFECT, Bench, Case, against_stock, full_name, ratio, series, with_stock

matplotlib.use("Agg")
from matplotlib import pyplot as plt
from matplotlib.ticker import LogLocator

# The same figures give the same file. Text stays text, so that the browser draws it.
matplotlib.rcParams.update({"svg.hashsalt": "seqkeep", "svg.fonttype": "none"})

LABELS = {
    "in-order-128K": "one reader\nin order",
    "in-order-1M": "one reader\nin order, 1 MiB",
    "turn-4": "4 readers\nin turn",
    "free-4": "4 readers\nfree-running",
    "swap-4": "4 readers,\nneighbours swapped",
    "shuffle-8": "8 readers,\nshuffled by 8",
    "shuffle-8-1M": "8 readers,\nshuffled, 1 MiB",
    "streams-2": "2 streams,\n1 descriptor",
    "streams-8": "8 streams,\n1 descriptor",
    "reverse": "backwards",
    "reverse-1M": "backwards,\n1 MiB",
    "stride-2": "every second\n64 KiB",
    "stride-3": "every third\n64 KiB",
    "noise-50": "with as many\nrandom reads",
    "nfs-16": "NFS server,\n16 nfsd",
    "random-4K": "random\n4 KiB",
    "runs-of-4": "random runs\nof 4 x 4 KiB",
}
COLOURS = {"stock": "#9aa5b1", "ctxra": "#1f6f8b"}
OUR_COLOURS = ("#1f6f8b", "#d1495b")
CONTROL_MARKERS = "osvD^<>pPX*d"


def draw(found: dict[str, Any], out: Path | str) -> None:
    """Draw stock's and ctxra's disk reads and throughput as bars, for make demo."""
    results = found["results"]
    size = (max(9, 2.2 + 1.15 * len(results)), 6.4)
    figure, axes = plt.subplots(2, 1, figsize=size, sharex=True, layout="constrained")
    for axis, key, title in (
        (axes[0], "ios", "disk reads (fewer is better)"),
        (axes[1], "mb_s", "MB/s (more is better)"),
    ):
        for shift, arm in ((-0.2, "stock"), (0.2, "ctxra")):
            medians = [result[arm][key]["median"] for result in results]
            spread = [
                [m - result[arm][key]["min"] for m, result in zip(medians, results, strict=True)],
                [result[arm][key]["max"] - m for m, result in zip(medians, results, strict=True)],
            ]
            places = [n + shift for n in range(len(results))]
            bars = axis.bar(places, medians, 0.38, yerr=spread, capsize=2, label=arm, color=COLOURS[arm])
            axis.bar_label(bars, fmt="%.0f", fontsize=8, padding=2)
        axis.set_ylabel(title)
        axis.margins(y=0.15)
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].legend(frameon=False, loc="lower right", bbox_to_anchor=(1, 1), ncols=2)
    axes[1].set_xticks(range(len(results)), [LABELS.get(r["case"]["name"], r["case"]["name"]) for r in results])
    axes[1].tick_params(axis="x", labelsize=8)
    figure.suptitle(
        f"64 MiB read from a disk of 2 ms per I/O, Linux {found['kernel']}, median of {results[0]['rounds']} runs."
        "\nDisk reads are what counts: the emulated CPU limits the speed over NFS.",
        fontsize=10,
    )
    figure.savefig(out, dpi=120)
    plt.close(figure)


def cost_gain(bench: Bench, case: Case) -> float | None:
    """Return how many times fewer of the drawn cost our default arm has than stock."""
    drawn = [figure for figure in bench.figures if figure.key == bench.drawn_cost]
    return next((judged.gain for judged in against_stock(bench, [case], drawn)), None)


def draw_module(bench: Bench, cases: Sequence[Case], title: str, out: Path) -> None:
    """Draw the default arm's rates relative to stock, the largest gain first; those of 2 % or less are one row."""
    drawn = [case for case in cases if not case.name.startswith("cost-")]
    found = sorted(against_stock(bench, drawn, bench.main_figures), key=lambda judged: -judged.gain)
    shown = [
        judged
        for judged in found
        if any(abs(gain - 1) > MIN_EFFECT for gain in (judged.gain, cost_gain(bench, judged.case) or 1))
    ]
    same = [judged for judged in found if judged not in shown]
    several = len(bench.main_figures) > 1
    labels = [
        LABELS.get(judged.case.name, full_name(judged.case, cases)).replace("\n", " ")
        + (f", {judged.figure.title}" if several else "")
        for judged in shown
    ]
    # Kept apart, so that a case that it is for and that gains nothing is seen.
    for whose, is_meant in (("that it is for", True), ("else", False)):
        if alike := [judged for judged in same if judged.is_meant is is_meant]:
            shown.append(alike[-1])
            labels.append(f"{len(alike)} {whose} within {MIN_EFFECT * 100:.0f} %")
    # 8 inches are 768 pixels of a browser.
    figure, axis = plt.subplots(figsize=(8, 1.5 + 0.26 * len(shown)), layout="constrained")
    for place, judged in enumerate(shown):
        marker, colour = ("o", OUR_COLOURS[0]) if judged.is_meant else ("s", "#6b7680")
        if place % 2 == 0:
            axis.axhspan(place - 0.5, place + 0.5, color="#f3f5f7", zorder=0)
        axis.plot([1, judged.gain], [place, place], color=colour, linewidth=1.2)
        axis.plot(judged.gain, place, marker=marker, color=colour)
        if fewer := cost_gain(bench, judged.case):
            axis.plot(fewer, place, marker="D", color="black", markerfacecolor="white", linestyle="none")
    for marker, colour, face, text in (
        ("o", OUR_COLOURS[0], OUR_COLOURS[0], "speed, a case that it is for"),
        ("s", "#6b7680", "#6b7680", "speed, another case"),
        *([("D", "black", "white", "how many times fewer disk reads")] if bench.drawn_cost else []),
    ):
        axis.plot([], [], marker=marker, color=colour, markerfacecolor=face, linestyle="none", label=text)
    axis.axvline(1, color="black", linewidth=0.8)
    axis.set_xscale("log")
    axis.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.xaxis.set_major_formatter("{x:g}")
    axis.xaxis.set_minor_formatter("")
    axis.set_yticks(range(len(shown)), labels, fontsize=9)
    axis.set_ylim(len(shown) - 0.5, -0.5)
    axis.set_xlabel(f"times stock, Linux {series(cases[0])}; right of 1 is better")
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(frameon=False, fontsize=9, loc="lower right", bbox_to_anchor=(1, 1), ncols=3)
    figure.suptitle(textwrap.fill(title, 90), fontsize=11)
    # The ground is white in a dark page too.
    figure.savefig(out, metadata={"Date": None}, facecolor="white")
    plt.close(figure)


def draw_ratios(bench: Bench, cases: Sequence[Case], out: Path) -> None:
    """Draw each arm's main figures relative to stock, on a logarithmic scale, with their range."""
    rows = with_stock(cases)
    arms = dict.fromkeys(arm for case, _ in rows for arm in case.arms if arm != bench.stock)
    controls = [arm for arm in arms if arm not in bench.ours]
    several = len(bench.main_figures) > 1
    labels = [full_name(case, cases) + (f", {what.title}" if several else "") for case, what in rows]
    figure, axis = plt.subplots(figsize=(9, 1.6 + 0.26 * len(rows)))
    shown = [*controls, *(arm for arm in bench.ours if arm in arms)]
    for number, arm in enumerate(shown):
        shift = 0.6 * (number / (len(shown) - 1) - 0.5) if len(shown) > 1 else 0
        points = [
            (place + shift, ratio(case.arms[arm][what.key], case.arms[bench.stock][what.key]))
            for place, (case, what) in enumerate(rows)
            if what.key in case.arms.get(arm, {})
        ]
        if arm in controls:
            look = {"color": "#9aa5b1", "marker": CONTROL_MARKERS[controls.index(arm) % len(CONTROL_MARKERS)]}
        else:
            look = {"color": OUR_COLOURS[bench.ours.index(arm)], "marker": "o"}
        middles = [found.median for _, found in points]
        spread = [
            [max(0, found.median - found.low) for _, found in points],
            [max(0, found.high - found.median) for _, found in points],
        ]
        places = [place for place, _ in points]
        axis.errorbar(middles, places, xerr=spread, linestyle="none", markersize=4, capsize=2, label=arm, **look)
    axis.axvline(1, color="#555555", linewidth=0.8)
    axis.set_xscale("log")
    axis.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.xaxis.set_major_formatter("{x:g}")
    axis.xaxis.set_minor_formatter("")
    axis.grid(axis="y", color="#eeeeee")
    axis.set_yticks(range(len(rows)), labels, fontsize=8)
    axis.set_ylim(len(rows) - 0.5, -0.5)
    axis.set_xlabel(f"throughput relative to {bench.stock} (more is better)")
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1, 0.5))
    kernels = ", ".join(dict.fromkeys(case.kernel for case in cases))
    axis.set_title(f"{bench.module} and controls relative to {bench.stock}, Linux {kernels}", fontsize=10)
    figure.tight_layout()
    figure.savefig(out, metadata={"Date": None}, facecolor="white")
    plt.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path, metavar="RESULTS.json", help="as bench/run ctxra writes it")
    parser.add_argument("suite", metavar="SUITE", help="the entry to draw")
    parser.add_argument("out", type=Path, metavar="OUT.png")
    options = parser.parse_args()
    draw(json.loads(options.results.read_text(encoding="utf-8"))[options.suite], options.out)


if __name__ == "__main__":
    main()
