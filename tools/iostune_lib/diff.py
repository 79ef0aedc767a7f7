# SPDX-License-Identifier: GPL-2.0-only
"""Compare two results of iostune --json. Says what the figures show and no more: two runs are no pairs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .errors import IostuneError

Key = tuple[str, str, str, int]


def read_result(path: Path) -> dict[str, Any]:
    """Return a result. IostuneError: the file has none."""
    try:
        found = json.loads(path.read_bytes())
    except OSError as error:
        raise IostuneError(f"{path}: {error.strerror}") from None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or found.get("version") != 1 or not isinstance(found.get("decisions"), list):
        raise IostuneError(f"{path} is no result of iostune --json")
    return found


def measurements(result: dict[str, Any]) -> dict[Key, tuple[float, float, float]]:
    """Return the median and the range of the throughput of each measurement of the tables."""
    found = {}
    for decision in result["decisions"]:
        for row in decision["tables"]:
            low, high = row["range_mb_s"]
            key = (str(decision["tunable"]), str(row["arm"]), str(row["mode"]), int(row["readers"]))
            found[key] = (float(row["total_mb_s"]), float(low), float(high))
    return found


def compare(first: dict[str, Any], second: dict[str, Any]) -> list[list[str]]:
    """Return a row for each measurement that both have: throughput, the ratio, and whether the ranges overlap."""
    rows = [["TUNABLE", "VALUE", "MODE", "READERS", "A MB/S", "B MB/S", "B / A", "RANGES"]]
    left, right = measurements(first), measurements(second)
    for key in left:
        if key in right:
            a, b = left[key], right[key]
            apart = "apart" if b[1] > a[2] or b[2] < a[1] else "overlap"
            ratio = f"{b[0] / a[0]:.2f}" if a[0] else "-"
            rows.append([key[0].rpartition("/")[2], *key[1:3], str(key[3]), f"{a[0]:.1f}", f"{b[0]:.1f}", ratio, apart])
    return rows


def changes(first: dict[str, Any], second: dict[str, Any]) -> list[str]:
    """Return a line for each thing that differs: the device, its kind, and what is recommended."""
    lines = []
    for what, a, b in (
        ("device", first["device"]["path"], second["device"]["path"]),
        ("kind", first["kind"]["name"], second["kind"]["name"]),
    ):
        lines.append(f"{what}: {a}" if a == b else f"{what}: {a}, then {b}")
    wanted = [{name: v["value"] for name, v in result["recommendation"].items()} for result in (first, second)]
    for name in sorted(wanted[0].keys() | wanted[1].keys()):
        a, b = (found.get(name, "no change") for found in wanted)
        lines.append(f"recommended {name}: {a}" if a == b else f"recommended {name}: {a}, then {b}")
    if not any(wanted):
        lines.append("recommended: no change in either")
    return lines


def text(paths: list[Path]) -> str:
    """Return the comparison of two files."""
    first, second = map(read_result, paths)
    try:
        rows, lines = compare(first, second), changes(first, second)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise IostuneError("one of the files is no whole result of iostune --json") from None
    return "\n".join([*lines, *([""] if len(rows) > 1 else []), *(table(rows) if len(rows) > 1 else [])])


def table(rows: list[list[str]]) -> list[str]:
    """Align columns at the left."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return ["  ".join(word.ljust(width) for word, width in zip(row, widths)).rstrip() for row in rows]
