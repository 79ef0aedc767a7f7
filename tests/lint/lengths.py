#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Find functions and files of C that are too long.

Usage: tests/lint/lengths.py FILE...

A function has at most 60 lines, from the first of its head to its closing brace; a file in modules/ at most 400.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

FUNCTION_LINES = 60
FILE_LINES = 400

# What may stand before a function's head: the end of something else.
BEFORE_HEAD = re.compile(r"^$|[;}]\s*$|\*/\s*$|^\s*#|\\$")


def functions(text: str) -> Iterator[tuple[str, int, int]]:
    """(name, first line, number of lines) of each function, by the kernel's style: braces in the first column."""
    lines = text.split("\n")
    for brace, line in enumerate(lines):
        if line != "{":
            continue
        first = brace
        while first > 0 and not BEFORE_HEAD.search(lines[first - 1]):
            first -= 1
        head = " ".join(lines[first:brace])
        match = re.search(r"(\w+)\s*\(", head)
        if match and "}" in lines[brace:]:
            yield match[1], first + 1, lines.index("}", brace) - first + 1


def troubles(path: str, text: str) -> Iterator[str]:
    for name, first, count in functions(text):
        if count > FUNCTION_LINES:
            yield f"{path}:{first}: {name}() has {count} lines, over {FUNCTION_LINES}"
    count = text.count("\n")
    if path.startswith("modules/") and count > FILE_LINES:
        yield f"{path}: has {count} lines, over {FILE_LINES}"


def main() -> int:
    found = [trouble for path in sys.argv[1:] for trouble in troubles(path, Path(path).read_text())]
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
