# SPDX-License-Identifier: GPL-2.0-only
"""The traces of record and replay: which thread read what part of which file, in which order, without a name.

A trace is text, gzipped. The first line is "gauntlet-trace 1", the second the sizes of the files. Then a line per read:

    THREAD DESCRIPTOR KIND OFFSET LENGTH DELAY

THREAD counts from 0. DESCRIPTOR is N for the Nth that was opened; the first line of each is N:FILE. KIND is r for a
read, s for sendfile and splice, m for a page that was touched in a mapping. OFFSET is + where the descriptor's last
read ended. DELAY is the time since the line before, in us. A field that is the same as in the line before is ".".
"""

import gzip
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

MAGIC = "gauntlet-trace 1"


@dataclass(frozen=True)
class Read:
    thread: int
    descriptor: int
    kind: str
    offset: int
    length: int
    delay_us: int


@dataclass
class Trace:
    sizes: list[int] = field(default_factory=list)
    # The file of each descriptor.
    files: list[int] = field(default_factory=list)
    reads: list[Read] = field(default_factory=list)


class BadTrace(Exception):
    """A trace that replay cannot read."""


def lines(trace: Trace) -> Iterator[str]:
    yield MAGIC
    yield " ".join(map(str, trace.sizes))
    ends: dict[int, int] = {}
    before = [""] * 6
    for read in trace.reads:
        number = str(read.descriptor)
        if read.descriptor not in ends:
            number += f":{trace.files[read.descriptor]}"
        offset = "+" if ends.get(read.descriptor) == read.offset else str(read.offset)
        ends[read.descriptor] = read.offset + read.length
        now = [str(read.thread), number, read.kind, offset, str(read.length), str(read.delay_us)]
        yield " ".join("." if new == old and new != "+" else new for new, old in zip(now, before, strict=True))
        before = [now[0], str(read.descriptor), *now[2:]]


def write(path: Path, trace: Trace) -> None:
    text = "".join(f"{line}\n" for line in lines(trace))
    # Without the time of day and the file's name.
    path.write_bytes(gzip.compress(text.encode(), mtime=0))


def parse(text: Iterable[str]) -> Trace:
    source = iter(text)
    if next(source, "").strip() != MAGIC:
        raise BadTrace(f"the first line is not {MAGIC!r}")
    trace = Trace([int(size) for size in next(source, "").split()])
    ends: dict[int, int] = {}
    before = [""] * 6
    for line in source:
        words = [old if word == "." else word for word, old in zip(line.split(), before, strict=True)]
        number, _, file = words[1].partition(":")
        descriptor = int(number)
        if file:
            if descriptor != len(trace.files) or int(file) >= len(trace.sizes):
                raise BadTrace(f"descriptor {words[1]} is out of order, or has no file")
            trace.files.append(int(file))
        offset = ends[descriptor] if words[3] == "+" else int(words[3])
        read = Read(int(words[0]), descriptor, words[2], offset, int(words[4]), int(words[5]))
        ends[descriptor] = read.offset + read.length
        trace.reads.append(read)
        before = [words[0], number, *words[2:]]
    return trace


def load(path: Path) -> Trace:
    try:
        with gzip.open(path, "rt") as file:
            return parse(file)
    except (ValueError, KeyError, IndexError, OSError) as error:
        raise BadTrace(f"{path}: {error}") from error
