# SPDX-License-Identifier: GPL-2.0-only
"""Say what a kernel that is new to us broke: the name in the log, our hooks on it, and the commit that we know of.

Reads the log of a build (gcc, modpost, features.sh) or the console of a boot. The names of hooks come from the modules'
own sources, commits from the comments of modules/common/compat and features.sh, and the versions that have a name from
the kernel sources in the cache.
"""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]
MODULES = TOP / "modules"
# What gcc, modpost, features.sh and our modules print, with the name that it is about.
FAULTS = (
    (re.compile(r"implicit declaration of function '(\w+)'"), "is not declared"),
    (re.compile(r"'(\w+)' undeclared"), "is not declared"),
    (re.compile(r"has no member named '(\w+)'"), "is not a member any more"),
    (re.compile(r"too (?:few|many) arguments to function '(\w+)'"), "takes other arguments"),
    (re.compile(r"passing argument \d+ of '(\w+)' (?:from|makes)"), "takes other arguments"),
    (re.compile(r"conflicting types for '(\w+)'"), "has another type"),
    (
        re.compile(r"(?:invalid use of undefined type|incomplete type) '(?:const )?(?:struct|union) (\w+)"),
        "is not a type",
    ),
    (re.compile(r"fatal error: ([\w/.-]+\.h): No such file"), "is not a header any more"),
    (re.compile(r"modpost: \"(\w+)\" \[.*\] undefined"), "is not exported"),
    (re.compile(r"features\.sh: cannot compile <([\w/.-]+)>"), "does not compile"),
    (re.compile(r"cannot hook (\w+)\(\)"), "cannot be hooked"),
    (re.compile(r"struct \w+ has no member (\w+): an unsupported version"), "is not a member any more"),
)
PLAIN_QUOTES = {0x2018: "'", 0x2019: "'"}
COMMIT = re.compile(r"\b[0-9a-f]{12}\b(?:\s*\(\"[^\"]*\"\))?|\"[a-z][\w./{},+-]*: [^\"]*\"")


def faults(log: str) -> list[tuple[str, str]]:
    """The names that a log complains of and what it says, each once, in its order."""
    found: dict[tuple[str, str], None] = {}
    for line in log.splitlines():
        for pattern, what in FAULTS:
            if match := pattern.search(line.translate(PLAIN_QUOTES)):
                found[match[1], what] = None
                break
    return list(found)


def sources() -> Iterator[tuple[Path, str]]:
    for path in sorted(MODULES.rglob("*")):
        if path.suffix in (".c", ".h", ".sh", ".list"):
            yield path, path.read_text()


def users(name: str) -> list[str]:
    """The modules that hook a function, then the files that only name it."""
    word = re.compile(rf"\b{re.escape(name)}\b")
    hooks, files = [], []
    for path, text in sources():
        if not word.search(text):
            continue
        if re.search(rf"(?:\.symbol = |CALL_HOOK\(|symbol = ){re.escape(chr(34) + name + chr(34))}", text):
            hooks.append(f"the hook of {path.relative_to(MODULES).parts[0]}")
        else:
            files.append(str(path.relative_to(TOP)))
    return [*dict.fromkeys(hooks), *files]


def commits(name: str) -> list[str]:
    """The commits that our comments on a name quote: of the comment block that has the name, or is above it."""
    found: dict[str, None] = {}
    for path, text in sources():
        if "compat" not in path.parts and path.name != "features.sh":
            continue
        for block in text.split("\n\n"):
            if re.search(rf"\b{re.escape(name)}\b", block):
                joined = re.sub(r"\s*\n\s*(?:\*|#|//)?\s*", " ", block)
                found |= dict.fromkeys(match[0] for match in COMMIT.finditer(joined))
    return list(found)


def versions(name: str, trees: dict[str, Path]) -> str:
    """In which of the kernel sources the headers have a name."""
    have = {}
    for series, tree in trees.items():
        grep = ["grep", "-rqw", "-e", name, "include", "mm", "fs/nfsd", "drivers/md"]
        have[series] = subprocess.run(grep, cwd=tree, check=False, capture_output=True).returncode == 0
    yes, no = ([series for series, has in have.items() if has is wanted] for wanted in (True, False))
    return "; ".join(f"{word} {', '.join(series)}" for word, series in (("in", yes), ("not in", no)) if series)


def explain(log: str, trees: dict[str, Path]) -> list[str]:
    """A line on every name that a log complains of."""
    lines = []
    for name, what in faults(log):
        parts = [f"{name} {what}"]
        if used := users(name):
            parts.append(f"used by {', '.join(used)}")
        if quoted := commits(name):
            parts.append(f"see {', '.join(quoted)}")
        if where := versions(name, trees):
            parts.append(where)
        lines.append("; ".join(parts))
    return lines


def cached_trees() -> dict[str, Path]:
    """The kernel sources that tests/linux-source has unpacked, by version."""
    trees = (TOP / "build" / "cache").glob("linux-source-*/*/Makefile")
    return {path.parent.name.split("-")[0]: path.parent for path in sorted(trees)}


def widened_meta(meta: str, kernel: str) -> str | None:
    """META with a range that reaches a kernel (uname -r, or a package's version); None if it does already."""
    series = re.match(r"(\d+)\.(\d+)", kernel)
    newest = re.search(r"^Kernel-Newest: (\d+)\.(\d+)$", meta, re.MULTILINE)
    if not series or not newest:
        raise ValueError(f"no version in {kernel!r}, or META has no Kernel-Newest")
    if tuple(map(int, series.groups())) <= tuple(map(int, newest.groups())):
        return None
    return meta.replace(newest[0], f"Kernel-Newest: {series[0]}")
