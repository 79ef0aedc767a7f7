#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compare the counters of modules with their names and man pages.

Usage: tests/lint/counters.py MODULE...

A module lists its counters once, in modules/MODULE/*.h, as C(NAME, "name"): the string is the name in lower case, and
docs/man/MODULE.4 has an entry for it. A module without counters.h, as ra-trace, has no such list. Conversely, each
entry of COUNTERS in the page is a counter: of that list, or a word that a file of the module or modules/common prints.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

LISTED = re.compile(r'\b[A-Z]\((\w+),\s*"([^"]*)"\)')
LITERAL = re.compile(r'"([^"\n]*)"')
COMMENT = re.compile(r"/\*.*?\*/", re.S)
# The tag of an item: the line after .TP or .TQ.
TAG = re.compile(r"^\.T[PQ].*\n(.*)$", re.MULTILINE)
SECTION = re.compile(r"^\.SH COUNTERS\n(.*?)(?=^\.SH |\Z)", re.MULTILINE | re.S)
MACRO = re.compile(r"^\.[A-Z]+ ")
# "below_64_us to above_2_s" stands for all between.
SERIES = re.compile(r"^(below|above)_")


def listed(headers: str) -> list[tuple[str, str]]:
    """(name, string) of each counter in a module's headers."""
    return LISTED.findall(COMMENT.sub(" ", headers))


def documented(page: str) -> set[str]:
    """The words that are set in bold in the tags of a man page."""
    return {word for tag in TAG.findall(page) for word in re.findall(r"\w+", MACRO.sub("", tag))}


def stale(headers: str, page: str, code: str) -> Iterator[str]:
    """What has an entry in COUNTERS, and is no counter of the headers, nor printed by the code."""
    strings = {string for _, string in listed(headers)}
    printed = {word for literal in LITERAL.findall(code) for word in re.findall(r"\w+", literal)}
    for word in sorted(word for section in SECTION.findall(page) for word in documented(section)):
        if word not in ("and", "to") and word not in strings | printed:
            yield f"the man page has an entry for {word}, which the module does not count"


def troubles(headers: str, page: str) -> Iterator[str]:
    counters = listed(headers)
    if not counters:
        yield 'lists no counter as C(NAME, "name")'
    words = documented(page)
    for name, string in counters:
        if string != name.lower():
            yield f'{name} is "{string}", not its name in lower case'
        if string not in words and not (SERIES.match(string) and any(SERIES.match(word) for word in words)):
            yield f"{string} has no entry in the man page"


def main() -> int:
    checked = status = 0
    for module in sys.argv[1:]:
        headers = sorted(Path("modules", module).glob("*.h"))
        has_list = any(header.name == "counters.h" for header in headers)
        checked += has_list
        page = Path("docs/man", f"{module}.4").read_text()
        lists = "\n".join(header.read_text() for header in headers)
        code = "\n".join(
            file.read_text() for file in (*Path("modules", module).glob("*.c"), *Path("modules/common").glob("*.c"))
        )
        for trouble in (*(troubles(lists, page) if has_list else ()), *stale(lists, page, code)):
            print(f"{module}: {trouble}")
            status = 1
    if not checked:
        print("no module has a counters.h")
    return status if checked else 1


if __name__ == "__main__":
    sys.exit(main())
