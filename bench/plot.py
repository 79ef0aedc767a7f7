#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draw results of bench/run-ctxra: disk reads and speed, stock against ctxra.

Usage: bench/plot.py RESULTS.json SUITE OUT.png

Debian's own python3, which python3-matplotlib is for.
"""

import json
import sys
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot as plt

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
    "noise-50": "amid as much\nnoise",
    "nfs-16": "NFS server,\n16 nfsd",
    "random-4K": "random\n4 KiB",
    "runs-of-4": "random runs\nof 4 x 4 KiB",
}
COLOURS = {"stock": "#9aa5b1", "ctxra": "#1f6f8b"}


def draw(found: dict[str, Any], out: str) -> None:
    results = found["results"]
    figure, axes = plt.subplots(2, 1, figsize=(2.2 + 1.15 * len(results), 6.4), sharex=True)
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
    axes[0].legend(frameon=False)
    axes[1].set_xticks(range(len(results)), [LABELS.get(r["case"]["name"], r["case"]["name"]) for r in results])
    axes[1].tick_params(axis="x", labelsize=8)
    figure.suptitle(
        f"64 MiB read from a disk of 2 ms an I/O, Linux {found['kernel']}, median of {results[0]['rounds']}",
        fontsize=10,
    )
    figure.tight_layout()
    figure.savefig(out, dpi=120)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    draw(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))[sys.argv[2]], sys.argv[3])
