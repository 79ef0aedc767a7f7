#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Judge the messages of commits.

Usage: tests/lint/commits.py BASE

A subject is `area: verb object` in at most 72 columns; an empty line and a body follow, which says why. Judges the
commits from BASE to HEAD that are no merges.
"""

import re
import subprocess
import sys
from collections.abc import Iterator

COLUMNS = 72
AREA = r"[A-Za-z0-9][\w./-]*"
SUBJECT = re.compile(rf"{AREA}(?:, {AREA})*: ([a-z]+(?:-[a-z]+)*) \S.*")
# First words that a description of a state begins with, but an order does not.
NO_VERBS = re.compile(
    r"a|after|all|and?|any|as|at|before|both|each|every|for|from|how|if|in|its?|no|not|now|of|on|one|only|our|some|that|"
    r"the|their|there|these|this|those|to|two|what|when|where|which|who|why|with|without"
)
TRAILER = re.compile(r"[A-Z][\w-]+: \S")


def troubles(message: str) -> Iterator[str]:
    lines = message.rstrip("\n").split("\n")
    subject, rest = lines[0], lines[1:]
    match = SUBJECT.fullmatch(subject)
    if len(subject) > COLUMNS:
        yield f"subject has {len(subject)} columns, over {COLUMNS}"
    if not match or NO_VERBS.fullmatch(match[1]):
        yield "subject is not `area: verb object`"
    if rest and rest[0]:
        yield "no empty line below the subject"
    if not any(line.strip() and not TRAILER.match(line) for line in rest):
        yield "no body that says why"


def main() -> int:
    command = ["git", "log", "-z", "--no-merges", "--reverse", "--format=%h%n%B", f"{sys.argv[1]}..HEAD"]
    log = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    status = 0
    for entry in filter(None, log.split("\0")):
        commit, _, message = entry.partition("\n")
        for trouble in troubles(message):
            print(f"{commit} {message.partition(chr(10))[0]}: {trouble}")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
