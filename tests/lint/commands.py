#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compare the commands of README.md and the manual pages with the table of those that tests run.

Usage: tests/lint/commands.py TABLE DOCUMENT...

Commands are set apart in a document: indented by four spaces in README.md, between .nf and .fi in a manual page. Each
line of the table has, separated by tabs, a command without its comment, the test that runs it, and words of that test
by which one can see that it does. Instead of a test it has

  -        the command is run by no test, and the words say why
  sample   this is no command, but the line where output or configuration begins, and takes up the rest of its block;
           the words say what it is
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
COMMENT = re.compile(r"(^|\s)\s*# .*")


def blocks(text: str) -> Iterator[list[str]]:
    """The blocks of a document that are set apart, a list of lines each."""
    block: list[str] = []
    manual = text.startswith('.\\"')
    inside = not manual
    for line in [*text.splitlines(), ""]:
        if manual and line in (".nf", ".fi"):
            inside = line == ".nf"
        if inside and line.startswith("    "):
            block.append(line[4:].replace("\\-", "-"))
        elif block and (line or not manual):
            yield block
            block = []


def commands(block: list[str]) -> list[str]:
    return [bare for line in block if (bare := COMMENT.sub("", line).strip())]


def read_table(text: str) -> dict[str, tuple[str, str]]:
    """The test and its words of each command of the table."""
    rows = [line.split("\t") for line in text.splitlines() if line and not line.startswith("#")]
    if bad := [row for row in rows if len(row) != 3 or not all(row)]:
        raise ValueError(f"not three columns: {bad[0]}")
    table = {command: (test, words) for command, test, words in rows}
    if len(table) != len(rows):
        raise ValueError("two lines are for the same command")
    return table


def troubles(table: dict[str, tuple[str, str]], documents: dict[str, str], top: Path = TOP) -> Iterator[str]:
    seen = set()
    for name, text in documents.items():
        for block in blocks(text):
            for command in commands(block):
                seen.add(command)
                if command not in table:
                    yield f"{name}: no test is named for: {command}"
                elif table[command][0] == "sample":
                    break
    for command, (test, words) in table.items():
        if command not in seen:
            yield f"the table has what no document has: {command}"
        if test in ("-", "sample"):
            continue
        path = top / test
        if not path.is_file():
            yield f"there is no {test}, which should run: {command}"
        elif words not in path.read_text():
            yield f"{test} has no '{words}', by which it should run: {command}"


def main() -> int:
    table, *documents = sys.argv[1:]
    found = list(troubles(read_table(Path(table).read_text()), {name: Path(name).read_text() for name in documents}))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
