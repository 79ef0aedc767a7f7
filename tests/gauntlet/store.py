# SPDX-License-Identifier: GPL-2.0-only
"""The file of measured cases: a line of JSON for each case, variant, suite and tree that was measured."""

import fcntl
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

Json = dict[str, Any]
Key = tuple[str, str, str, str]


def key(entry: Json) -> Key:
    return entry["case"], entry["variant"], entry["suite"], entry.get("ref", "")


def load(path: Path) -> list[Json]:
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def rounded(values: list[float]) -> list[float]:
    """Three digits or more of each value: whole numbers from 100 on."""
    return [round(value) if abs(value) >= 100 else round(value, 2) for value in values]


def compact(entry: Json) -> Json:
    """What the file keeps: no figure that was 0 in every run of both arms, and not the axes, which the title tells."""
    kept = {name: value for name, value in entry.items() if name != "axes"}
    arms = [name for name in ("stock", "ours") if name in entry]
    other_than_0 = {key for arm in arms for key, values in entry[arm].items() if any(values)}
    for arm in arms:
        kept[arm] = {key: rounded(values) for key, values in entry[arm].items() if key in other_than_0}
    return kept


def add(path: Path, entries: Iterable[Json]) -> list[Json]:
    """Add entries, in place of those with the same key, and return all. A lock orders two runs at once."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        by_key = {key(entry): entry for entry in load(path)} | {key(entry): entry for entry in entries}
        found = [by_key[name] for name in sorted(by_key)]
        text = "".join(json.dumps(compact(entry), separators=(",", ":")) + "\n" for entry in found)
        file.seek(0)
        file.truncate()
        file.write(text)
    return found
