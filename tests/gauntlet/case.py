# SPDX-License-Identifier: GPL-2.0-only
"""Read the case files, on the host and in the guest: settings, and the variants in which a case is measured."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "cases"
SETTING = re.compile(r"^([A-Z_0-9]+)=(?:\"([^\"]*)\"|(\S*))\s*(?:#.*)?$", re.MULTILINE)
FUNCTION = re.compile(r"^(\w+)\(\) [{(]$(.*?)^[})]", re.MULTILINE | re.DOTALL)
# A case that sources another one of its group has that one's settings and functions, and replaces some.
TWIN = re.compile(r'^\. "\$\{BASH_SOURCE%/\*\}/([\w-]+)"$', re.MULTILINE)
MAX_DESCRIPTION = 70

# The settings of which a case may give several values, and the default of each.
AXES = {
    "PLACES": "local",
    "DISKS": "2ms",
    "WINDOWS": "128",
    "LEVEL": "5",
    "MEMBERS": "3",
    "CHUNK": "512",
    "CACHE": "256",
}
# The defaults of cases of a group, where they are others.
GROUP_AXES = {
    "reads": {"PLACES": "local nfs3-64k nfs3-1m nfs42-64k nfs42-1m iscsi", "DISKS": "2ms spindle 50us"},
    "random": {"WINDOWS": "128 1024 4096"},
}
# The axes that change between two runs of one boot.
SOFT_AXES = ("WINDOWS", "CACHE")
# The axes that describe an array.
ARRAY_AXES = ("LEVEL", "MEMBERS", "CHUNK", "CACHE")
DEFAULTS = {
    "PACKAGES": "",
    "OPTIONS": "",
    "FS": "ext4",
    "MEMORY": "3G",
    "CPUS": "2",
    "DISK_MB": "1024",
    "SEEDS": "0",
    "OWN_BOOT": "",
    "FAST": "",
    "BAR": "",
    "JUDGED": "",
    # own: the load reports latencies itself, so tracing does not.
    "LATENCY": "",
}


class BadCase(Exception):
    """A case file is wrong."""


@dataclass(frozen=True)
class Case:
    """A case file and its settings, which the README explains."""

    path: Path
    settings: dict[str, str]
    text: str

    @property
    def name(self) -> str:
        return f"{self.path.parent.name}/{self.path.name}"

    @property
    def group(self) -> str:
        return self.path.parent.name

    def __getitem__(self, name: str) -> str:
        return self.settings[name]

    @property
    def seeds(self) -> int:
        return int(self["SEEDS"])

    @property
    def packages(self) -> tuple[str, ...]:
        return tuple(sorted(self["PACKAGES"].split()))

    def function(self, name: str) -> str:
        """The text of a function of the case, empty if it has none."""
        return next((m[0] for m in FUNCTION.finditer(self.text) if m[1] == name), "")

    def functions(self) -> set[str]:
        return {m[1] for m in FUNCTION.finditer(self.text)}


@dataclass(frozen=True)
class Variant:
    """A case with one value of each axis."""

    case: Case
    axes: tuple[str, ...]

    def __getitem__(self, axis: str) -> str:
        return self.axes[list(AXES).index(axis)]

    @property
    def is_array(self) -> bool:
        return self["PLACES"].startswith("array") or self.case.group == "raid"

    @property
    def title(self) -> str:
        """The variant without the case's name, as a line of the table shows it."""
        parts = [self["PLACES"], self["DISKS"]]
        if self["WINDOWS"] != AXES["WINDOWS"]:
            parts.append(f"window {self['WINDOWS']}K")
        if self.is_array:
            parts.append(f"RAID {self['LEVEL']} of {self['MEMBERS']}, chunk {self['CHUNK']}K, cache {self['CACHE']}")
        return ", ".join(parts)

    @property
    def boot(self) -> tuple[str, ...]:
        """Variants with the same value can share a boot."""
        hard = [value for axis, value in zip(AXES, self.axes, strict=True) if axis not in SOFT_AXES]
        about = [self.case[name] for name in ("FS", "MEMORY", "CPUS", "DISK_MB")]
        # Cases with the same place of their own can share it.
        own = self.case.name if self.case["OWN_BOOT"] else self.case.function("place")
        return (*hard, *about, own)

    def environment(self) -> dict[str, str]:
        """What the functions of a case see of the variant."""
        names = {"PLACES": "PLACE", "DISKS": "DISK_MODEL", "WINDOWS": "WINDOW"}
        return {names.get(axis, axis): value for axis, value in zip(AXES, self.axes, strict=True)}


def read(path: Path) -> Case:
    text = TWIN.sub(lambda m: path.with_name(m[1]).read_text(), path.read_text())
    found = {m[1]: m[2] if m[2] is not None else m[3] for m in SETTING.finditer(text)}
    settings = AXES | GROUP_AXES.get(path.parent.name, {}) | DEFAULTS | found
    case = Case(path, settings, text)
    if not 0 < len(settings.get("DESCRIPTION", "")) <= MAX_DESCRIPTION:
        raise BadCase(f"{case.name}: DESCRIPTION has 1 to {MAX_DESCRIPTION} characters")
    if "MODULES" not in settings:
        raise BadCase(f"{case.name} has no MODULES")
    if missing := {"setup", "load", "check"} - case.functions():
        raise BadCase(f"{case.name} lacks the functions {', '.join(sorted(missing))}")
    return case


def find(wanted: Sequence[str] = (), folder: Path = FOLDER) -> list[Case]:
    """The cases whose names begin with one of wanted, or all."""
    cases = [read(path) for path in sorted(folder.glob("*/*")) if path.is_file() and path.suffix == ""]
    for start in wanted:
        if not any(case.name.startswith(start) for case in cases):
            raise BadCase(f"no case begins with {start!r}; there are {', '.join(case.name for case in cases)}")
    exact = {case.name for case in cases} & set(wanted)
    return [
        case
        for case in cases
        if not wanted
        or case.name in exact
        or any(start not in exact and case.name.startswith(start) for start in wanted)
    ]


def variants(case: Case) -> Iterator[Variant]:
    """The first value of every axis, then each further value of one axis with the first values of the others."""
    values = {axis: case[axis].split() for axis in AXES}
    first = {axis: all_of[0] for axis, all_of in values.items()}
    yield Variant(case, tuple(first.values()))
    for axis, all_of in values.items():
        for value in all_of[1:]:
            yield Variant(case, tuple((first | {axis: value}).values()))
