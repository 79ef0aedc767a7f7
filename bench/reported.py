# SPDX-License-Identifier: GPL-2.0-only
"""Read reported.toml: the documents that the modules come from, and the figures that these reported."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

DOCUMENTS = Path(__file__).resolve().with_name("reported.toml")


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
class Document:
    title: str
    # Its title, authors, list and date, in Markdown.
    source: str
    bench: str
    conditions: str
    figures: tuple[Reported, ...]


def load(path: Path = DOCUMENTS) -> list[Document]:
    with path.open("rb") as file:
        found = tomllib.load(file)
    return [
        Document(
            title=document["title"],
            source=document["source"],
            bench=document["bench"],
            conditions=document["conditions"],
            figures=tuple(
                Reported(
                    case=row["case"],
                    unit=row["unit"],
                    by_arm=row["reported"],
                    before=row.get("before", document["before"]),
                    after=row.get("after", document["after"]),
                    said=row.get("said", ""),
                    like=row.get("like", ""),
                    figure=row.get("figure", ""),
                )
                for row in document["figures"]
            ),
        )
        for document in found["documents"]
    ]
