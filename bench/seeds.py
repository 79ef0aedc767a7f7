# SPDX-License-Identifier: GPL-2.0-only
"""Read seeds.toml: the figures that the seed documents reported."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

SEEDS = Path(__file__).resolve().with_name("seeds.toml")


@dataclass(frozen=True)
class Reported:
    case: str
    unit: str
    by_arm: Mapping[str, float]
    before: str
    after: str
    said: str = ""
    # The nearest case of the bench, and the figure of it to compare.
    like: str = ""
    figure: str = ""


@dataclass(frozen=True)
class Seed:
    number: int
    document: str
    title: str
    bench: str
    conditions: str
    figures: tuple[Reported, ...]


def load(path: Path = SEEDS) -> list[Seed]:
    with path.open("rb") as file:
        found = tomllib.load(file)
    return [
        Seed(
            number=seed["number"],
            document=seed["document"],
            title=seed["title"],
            bench=seed["bench"],
            conditions=seed["conditions"],
            figures=tuple(
                Reported(
                    case=row["case"],
                    unit=row["unit"],
                    by_arm=row["reported"],
                    before=row.get("before", seed["before"]),
                    after=row.get("after", seed["after"]),
                    said=row.get("said", ""),
                    like=row.get("like", ""),
                    figure=row.get("figure", ""),
                )
                for row in seed["figures"]
            ),
        )
        for seed in found["seeds"]
    ]
