#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Find words that readers of the kernel's own code do not know, or that make a sentence hard to read.

Usage: tests/lint/words.py FILE...

The words are in tests/lint/words, exceptions in tests/lint/words-except. An exception that no file needs is a failure.
"""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

HERE = Path(__file__).resolve().parent
# What may stand between two words: the end of a line, and what begins a line of a comment.
GAP = r"(?:\s+(?:\*|#|//)?\s*)"


@dataclass(frozen=True)
class Word:
    regex: re.Pattern[str]
    instead: str


@dataclass(frozen=True)
class Exemption:
    files: str
    word: str

    def covers(self, path: str, word: str) -> bool:
        return fnmatchcase(path, self.files) and fnmatchcase(word, self.word)


def rows(text: str) -> Iterator[list[str]]:
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            yield line.split("\t")


def read_words(text: str) -> list[Word]:
    return [Word(re.compile(regex.replace(" ", GAP), re.I), instead) for regex, instead in rows(text)]


def read_exceptions(text: str) -> list[Exemption]:
    return [Exemption(files, word) for files, word, _ in rows(text)]


def matches(text: str, words: list[Word]) -> Iterator[tuple[int, str, str]]:
    """(line, what stands there, what to say instead)"""
    for word in words:
        for match in word.regex.finditer(text):
            found = " ".join(re.sub(r"[*#]|//", " ", match[0]).split()).lower()
            yield text.count("\n", 0, match.start()) + 1, found, word.instead


def main() -> int:
    words = read_words((HERE / "words").read_text())
    exceptions = read_exceptions((HERE / "words-except").read_text())
    used: set[Exemption] = set()
    status = 0
    for path in sys.argv[1:]:
        data = Path(path).read_bytes()
        if b"\0" in data:
            continue
        for line, found, instead in sorted(matches(data.decode(errors="replace"), words)):
            excepted = [exception for exception in exceptions if exception.covers(path, found)]
            used.update(excepted)
            if not excepted:
                print(f"{path}:{line}: {found}: say {instead}")
                status = 1
    for exception in exceptions:
        if exception not in used and exception.word != "*":
            print(f"words-except: {exception.files}, {exception.word}: needed nowhere")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
