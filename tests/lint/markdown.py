#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Find lines of Markdown over 100 columns.

Usage: tests/lint/markdown.py FILE...

Tables, code, and lines that are a single link or picture may be longer, because they cannot be wrapped.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

COLUMNS = 100
LINK = re.compile(r"\s*(?:[-*] )?!?\[[^]]*\]\([^)]*\)[.,;:]?\s*|\s*(?:[-*] )?<?https?://\S+")


def long_lines(text: str) -> Iterator[tuple[int, int]]:
    """(line, columns) of each line that is too long."""
    is_code = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("```"):
            is_code = not is_code
        elif not (is_code or line.startswith(("|", "    ", "\t")) or LINK.fullmatch(line)) and len(line) > COLUMNS:
            yield number, len(line)


def main() -> int:
    found = [(path, *place) for path in sys.argv[1:] for place in long_lines(Path(path).read_text())]
    for path, number, columns in found:
        print(f"{path}:{number}: {columns} columns, over {COLUMNS}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
