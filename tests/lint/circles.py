#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Find circles: files of a module that need each other, and folders that need what they must not.

Usage: tests/lint/circles.py MODULE=DIRECTORY...

DIRECTORY is the built tree of a module. File A needs file B of the same module if A's object refers to a symbol that
B's object defines, or if A includes B.h and uses a type, macro or inline function of it. X.c and X.h are one file,
except where X.h declares no function or variable: then it is a file of its own. A variable that a header without a .c
declares is that header's: so are the counters, which MODULE_main.c defines and all others add to.

The files of kunit/ and the folders are judged by their includes and imports alone, because nothing is built of them
here. Prints each circle as a -> b -> a; the exit status is 1 if there is any.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path, PurePosixPath

# file -> the files that it needs, each with an example of what it needs there.
Needs = dict[str, dict[str, str]]

# What common/module.c calls, and each module defines: as module_init() would be, but called directly.
CALLED_BY_COMMON = {"seqkeep_init", "seqkeep_exit", "seqkeep_enable", "seqkeep_disable"}

# Whose files a folder may need besides its own. tests/ may need everything, and nothing is said of it here.
MAY_NEED = {
    "modules/common": set[str](),
    "modules/*": {"modules/common"},
    "kunit": {"modules/common", "modules/*", "tests"},
    "tools": set[str](),
    "bench": {"tools"},
    "packaging": {"tests"},
}

COMMENT_OR_STRING = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.S)
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
DEFINITIONS = (
    re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.M),
    re.compile(r"\b(?:struct|union|enum)\s+(\w+)\s*\{"),
    re.compile(r"^static\s+(?:__always_)?inline\b[^;{]*?(\w+)\(", re.M),
    re.compile(r"^typedef\b[^;]*?(?:\(\s*\*?\s*(\w+)\s*\)\s*\(|\b(\w+)\s*;|\b(\w+)\()", re.M),
)
ENUM = re.compile(r"\benum\b[^;{(]*\{([^}]*)\}")
# At the start of a line, and neither static nor a type: a function or variable that a .c file defines.
DECLARATION = re.compile(
    r"^(?:extern\b|(?!static\b|typedef\b|union\b|(?:struct|enum) \w+ ?[;{])[a-z][\w \t*]*\()", re.M
)

VARIABLE = re.compile(r"^extern\b[^();]*?\b(\w+)(?:\[[^]]*\])*\s*;", re.M)


def bare(text: str) -> str:
    """C without comments, and with strings empty, but with the names of includes."""
    return COMMENT_OR_STRING.sub(lambda match: '""' if match[0].startswith('"') else " ", text)


def defined_names(header: str) -> set[str]:
    """The types, macros, enumerators and inline functions that a header defines, but not its guard."""
    text = bare(header)
    names = {group for pattern in DEFINITIONS for match in pattern.finditer(text) for group in match.groups() if group}
    for match in ENUM.finditer(text):
        names.update(re.findall(r"(?:^|,)\s*([A-Za-z_]\w*)", match[1]))
    return names - set(re.findall(r"#ifndef\s+(\w+_H)\b", text))


def is_types_only(header: str) -> bool:
    """Whether no .c file has to define anything for this header."""
    return not DECLARATION.search(bare(header))


def file_of(path: str, texts: dict[str, str]) -> str:
    """The name that a file's .c and .h share; a header of types keeps its own."""
    stem = str(PurePosixPath(path).with_suffix(""))
    if path.endswith(".h") and f"{stem}.c" in texts and is_types_only(texts[path]):
        return path
    return stem


def included(path: str, texts: dict[str, str]) -> Iterator[str]:
    """The files among texts that a file includes, by its own directory or from the top."""
    for name in INCLUDE.findall(texts[path]):
        for candidate in (PurePosixPath(path).parent / name, PurePosixPath(name)):
            parts: list[str] = []
            for part in candidate.parts:
                if part == ".." and parts:
                    parts.pop()
                else:
                    parts.append(part)
            if "/".join(parts) in texts:
                yield "/".join(parts)
                break


def closure(path: str, texts: dict[str, str]) -> set[str]:
    """All that a file includes, and what that includes."""
    seen: set[str] = set()
    waiting = [path]
    while waiting:
        for name in included(waiting.pop(), texts):
            if name not in seen:
                seen.add(name)
                waiting.append(name)
    return seen


def header_needs(texts: dict[str, str]) -> Needs:
    """Which file uses a type, macro or inline function of which header."""
    needs: Needs = {}
    names = {path: defined_names(text) for path, text in texts.items() if path.endswith(".h")}
    for path, text in texts.items():
        words = set(re.findall(r"\w+", bare(text)))
        for header in closure(path, texts):
            used = sorted(words & names.get(header, set()))
            user, owner = file_of(path, texts), file_of(header, texts)
            if used and user != owner:
                needs.setdefault(user, {}).setdefault(owner, used[0])
    return needs


def header_variables(texts: dict[str, str]) -> dict[str, str]:
    """The variables that a header declares for which there is no .c file, and its name."""
    return {
        match[1]: file_of(path, texts)
        for path, text in texts.items()
        if path.endswith(".h") and f"{path[:-2]}.c" not in texts
        for match in VARIABLE.finditer(bare(text))
    }


def symbol_needs(symbols: dict[str, tuple[set[str], set[str]]], variables: dict[str, str]) -> Needs:
    """Which file refers to a symbol of which, from file -> (defined, undefined)."""
    needs: Needs = {}
    owners = {name: file for file, (defined, _) in symbols.items() for name in defined} | variables
    for file, (_, undefined) in symbols.items():
        for name in sorted(undefined):
            owner = owners.get(name, file)
            if owner != file and not (name in CALLED_BY_COMMON and file == "common/module"):
                needs.setdefault(file, {}).setdefault(owner, name)
    return needs


def merged(*all_needs: Needs) -> Needs:
    result: Needs = {}
    for needs in all_needs:
        for file, targets in needs.items():
            for target, why in targets.items():
                result.setdefault(file, {}).setdefault(target, why)
    return result


def path_between(needs: Needs, start: str, end: str) -> list[str]:
    """The shortest way from start to end, both included; empty if there is none."""
    came_from: dict[str, str] = {}
    waiting = [start]
    for file in waiting:
        for target in sorted(needs.get(file, {})):
            if target == end:
                way = [end, file]
                while way[-1] != start:
                    way.append(came_from[way[-1]])
                return way[::-1]
            if target != start and target not in came_from:
                came_from[target] = file
                waiting.append(target)
    return []


def circles(needs: Needs) -> Iterator[list[str]]:
    """Circles until every file that is part of one has been in one that was shown, the shortest of each file."""
    shown: set[str] = set()
    for file in sorted(needs):
        way = path_between(needs, file, file)
        if way and not shown.issuperset(way):
            shown.update(way)
            yield way


def show(way: list[str], needs: Needs) -> str:
    reasons = ", ".join(f"{a} needs {needs[a][b]} of {b}" for a, b in pairwise(way))
    return f"{' -> '.join(way)} ({reasons})"


def read_texts(directory: Path) -> dict[str, str]:
    files = (path for suffix in ("*.c", "*.h") for path in directory.rglob(suffix) if not path.name.endswith(".mod.c"))
    return {path.relative_to(directory).as_posix(): path.read_text() for path in sorted(files)}


def read_symbols(directory: Path, module: str) -> dict[str, tuple[set[str], set[str]]]:
    """What nm says of each object that a module is linked from."""
    symbols: dict[str, tuple[set[str], set[str]]] = {}
    for path in sorted(directory.rglob("*.o")):
        if path.name.startswith(".") or path.name.endswith(".mod.o") or path == directory / f"{module}.o":
            continue
        lines = subprocess.run(["nm", path], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
        words = [line.split() for line in lines]
        symbols[path.relative_to(directory).with_suffix("").as_posix()] = (
            {line[-1] for line in words if line[-2].isupper() and line[-2] != "U"},
            {line[-1] for line in words if line[-2] == "U"},
        )
    return symbols


def folder_of(path: str) -> str:
    """The name that MAY_NEED knows a file's folder by; empty for a file in the root."""
    parts = PurePosixPath(path).parts
    return "/".join(parts[:2]) if parts[0] == "modules" else parts[0] if len(parts) > 1 else ""


def may_need(folder: str, other: str) -> bool:
    allowed = MAY_NEED.get(folder, MAY_NEED["modules/*"] if folder.startswith("modules/") else None)
    return (
        allowed is None
        or other in (folder, "")
        or other in allowed
        or ("modules/*" in allowed and other.startswith("modules/"))
    )


def imports(source: str) -> set[str]:
    """The first part of the names that Python imports, but not relative ones, which stay within a folder."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return found


def folder_needs(texts: dict[str, str]) -> Iterator[tuple[str, str]]:
    """(file, the file or package of ours that it includes or imports), of C and Python in the whole repository."""
    homes: dict[str, list[str]] = {}
    for path in texts:
        pure = PurePosixPath(path)
        if path.endswith("/__init__.py"):
            homes.setdefault(pure.parent.name, []).append(str(pure.parent))
        elif path.endswith(".py"):
            homes.setdefault(pure.stem, []).append(path)
    # Where the compiler looks for C, besides the directory of the file: the top of a module and of kunit, and modules/.
    for path, text in texts.items():
        if path.endswith((".c", ".h")):
            here = PurePosixPath(path)
            top = PurePosixPath(*here.parts[:2])
            for name in INCLUDE.findall(text):
                places = (here.parent, top, PurePosixPath("kunit"), PurePosixPath("modules"))
                found = [str(place / name) for place in places if str(place / name) in texts]
                yield from ((path, one) for one in found[:1])
        elif path.endswith(".py") or re.match(r"#!.*python", text):
            for name in sorted(imports(text)):
                near = [home for home in homes.get(name, []) if folder_of(home) == folder_of(path)]
                yield from ((path, one) for one in (near or homes.get(name, []))[:1])


def kunit_needs(texts: dict[str, str]) -> Needs:
    """Which file of kunit/ includes which."""
    needs: Needs = {}
    for path, needed in folder_needs(texts):
        user, owner = (str(PurePosixPath(one).with_suffix("")) for one in (path, needed))
        if path.endswith((".c", ".h")) and folder_of(path) == folder_of(needed) == "kunit" and user != owner:
            needs.setdefault(user, {}).setdefault(owner, PurePosixPath(needed).name)
    return needs


def wrong_folders(texts: dict[str, str]) -> Iterator[str]:
    for path, needed in folder_needs(texts):
        if not may_need(folder_of(path), folder_of(needed)):
            yield f"{path} needs {needed}: {folder_of(path)} must not need {folder_of(needed)}"


def tracked_texts() -> dict[str, str]:
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"]
    names = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.split("\0")
    paths = [Path(name) for name in names if name and Path(name).is_file()]
    texts = {}
    for path in paths:
        data = path.read_bytes()
        if path.suffix in (".c", ".h", ".py") or data.startswith(b"#!"):
            texts[path.as_posix()] = data.decode(errors="replace")
    return texts


def main(arguments: Iterable[str]) -> int:
    texts = tracked_texts()
    troubles = list(wrong_folders(texts))
    needs = kunit_needs(texts)
    troubles += [f"kunit: {show(way, needs)}" for way in circles(needs)]
    for argument in arguments:
        module, _, directory = argument.partition("=")
        symbols = read_symbols(Path(directory), module)
        if not any(undefined for _, undefined in symbols.values()):
            raise SystemExit(f"circles: {directory} has no objects of {module}")
        staged = read_texts(Path(directory))
        needs = merged(symbol_needs(symbols, header_variables(staged)), header_needs(staged))
        troubles += [f"{module}: {show(way, needs)}" for way in circles(needs)]
    print("\n".join(troubles), end="\n" if troubles else "")
    return 1 if troubles else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
