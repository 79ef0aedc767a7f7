#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Find tests that share a number, and DESCRIPTIONs that are missing or do not fit on a line of a report.

Usage: tests/lint/descriptions.py TEST...
"""

import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath

COLUMNS = 70
DESCRIPTION = re.compile(r'^DESCRIPTION="([^"\n]+)"$', re.MULTILINE)


def same_numbers(paths: Iterable[str]) -> Iterator[str]:
    first: dict[tuple[str, str], str] = {}
    for path in paths:
        pure = PurePath(path)
        other = first.setdefault((str(pure.parent), pure.name[:3]), path)
        if other != path:
            yield f"{path}: has the number of {other}"


def description_troubles(path: str, text: str) -> Iterator[str]:
    match = DESCRIPTION.search(text)
    if not match:
        yield f"{path}: has no DESCRIPTION in quotes on one line"
    elif len(match[1]) > COLUMNS:
        yield f"{path}: DESCRIPTION has {len(match[1])} characters, over {COLUMNS}"


def main() -> int:
    paths = sys.argv[1:]
    found = list(same_numbers(paths))
    for path in paths:
        found += description_troubles(path, Path(path).read_text())
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
