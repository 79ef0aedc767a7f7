# SPDX-License-Identifier: GPL-2.0-only
"""Draw the curves of the first stage. matplotlib is optional."""

from __future__ import annotations

import os
from pathlib import Path

from .report import Result, tables


def plot(path: Path, result: Result) -> None:
    """Draw throughput over the number of readers: a panel per mode, a line with its range per scheduler."""
    from matplotlib import pyplot

    found = tables(result.decisions[0])
    modes = list(dict.fromkeys(mode for _, mode, _ in found)) or [""]
    figure, axes = pyplot.subplots(
        1, len(modes), sharey=True, squeeze=False, figsize=(6 * len(modes), 5.5), constrained_layout=True
    )
    for axis, wanted in zip(axes[0], modes):
        for arm, mode, rows in found:
            if mode != wanted:
                continue
            totals = [r["total_mb_s"] for _, r in rows]
            below = [r["total_mb_s"] - r["range_mb_s"][0] for _, r in rows]
            above = [r["range_mb_s"][1] - r["total_mb_s"] for _, r in rows]
            readers = [count for count, _ in rows]
            axis.errorbar(readers, totals, yerr=(below, above), marker=".", capsize=3, label=arm.label)
        axis.set_title(wanted)
        axis.set_xscale("log", base=2)
        counts = sorted({count for _, _, rows in found for count, _ in rows})
        # Not in one call, which needs matplotlib 3.5.
        axis.set_xticks(counts)
        axis.set_xticklabels([str(count) for count in counts])
        axis.set_xlabel("readers")
        axis.set_ylim(bottom=0)
        axis.grid(alpha=0.3)
    axes[0][0].set_ylabel("MB/s, all readers")
    # A path may be any bytes, but an SVG must be UTF-8.
    name = str(result.device["path"]).encode(errors="replace").decode()
    wanted_text = ", ".join(f"{setting} = {value}" for setting, value in result.settings.items()) or "no change"
    figure.suptitle(
        f"{name}, {result.device['description']}, Linux {os.uname().release}: {result.kind.name}\n"
        f"Recommended: {wanted_text}",
        fontsize="medium",
        wrap=True,
    )
    # Beside the last panel: it hides no data there.
    axes[0][-1].legend(loc="center left", bbox_to_anchor=(1.02, 0.5), fontsize="small", frameon=False)
    figure.savefig(path)
