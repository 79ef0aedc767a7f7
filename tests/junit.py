# SPDX-License-Identifier: GPL-2.0-only
"""Results of tests, as JUnit XML: every stage writes them, tests/check sums them up."""

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

# Characters that XML 1.0 does not allow.
UNPRINTABLE = re.compile(r"[^\t\n\x20-\ud7ff\ue000-\ufffd]")

# The element with the reason. flakyFailure, of a test that passed at its second try, is Maven Surefire's.
TAGS = {"failed": "failure", "skipped": "skipped", "passed": "flakyFailure"}


@dataclass(frozen=True)
class Case:
    """One test. verdict is passed, failed or skipped; reason says why it did not pass, or not at its first try."""

    suite: str
    name: str
    verdict: str
    reason: str = ""
    output: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class Totals:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: "Totals") -> "Totals":
        return Totals(self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped)

    def __str__(self) -> str:
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"

    @property
    def good(self) -> bool:
        """Something passed and nothing failed: skips alone prove nothing."""
        return self.passed > 0 and self.failed == 0


def count(cases: Iterable[Case]) -> Totals:
    verdicts = [case.verdict for case in cases]
    return Totals(*(verdicts.count(verdict) for verdict in ("passed", "failed", "skipped")))


def printable(text: str) -> str:
    return UNPRINTABLE.sub("?", text)


def write(path: Path, stage: str, cases: Sequence[Case]) -> None:
    """Write one <testsuite> per suite, in the order of the cases."""
    top = ElementTree.Element("testsuites", name=stage)
    for name in dict.fromkeys(case.suite for case in cases):
        mine = [case for case in cases if case.suite == name]
        totals = count(mine)
        suite = ElementTree.SubElement(
            top,
            "testsuite",
            name=name,
            tests=str(len(mine)),
            failures=str(totals.failed),
            errors="0",
            skipped=str(totals.skipped),
            time=f"{sum(case.seconds for case in mine):.1f}",
        )
        for case in mine:
            add(suite, stage, case)
    path.parent.mkdir(parents=True, exist_ok=True)
    ElementTree.indent(top)
    ElementTree.ElementTree(top).write(path, encoding="utf-8", xml_declaration=True)


def add(suite: ElementTree.Element, stage: str, case: Case) -> None:
    element = ElementTree.SubElement(
        suite,
        "testcase",
        classname=f"{stage}.{case.suite}",
        name=printable(case.name),
        time=f"{case.seconds:.1f}",
    )
    if case.verdict != "passed" or case.reason:
        ElementTree.SubElement(element, TAGS[case.verdict], message=printable(case.reason))
    if case.output:
        ElementTree.SubElement(element, "system-out").text = printable(case.output)


def read_totals(path: Path) -> Totals:
    """Count the test cases of a file. An unreadable file counts as a failure."""
    try:
        cases = list(ElementTree.parse(path).iter("testcase"))
    except (OSError, ElementTree.ParseError):
        return Totals(failed=1)
    failed = sum(case.find("failure") is not None or case.find("error") is not None for case in cases)
    skipped = sum(case.find("skipped") is not None for case in cases)
    return Totals(len(cases) - failed - skipped, failed, skipped)


def read_troubles(path: Path) -> list[str]:
    """A line for each test of a file that failed, or passed at its second try only."""
    try:
        cases = list(ElementTree.parse(path).iter("testcase"))
    except (OSError, ElementTree.ParseError) as error:
        return [f"failed: {path}: {error}"]
    lines = []
    for case in cases:
        for tag, verdict in (("failure", "failed"), ("error", "failed"), ("flakyFailure", "second try")):
            if (found := case.find(tag)) is not None:
                reason = found.get("message", "").partition("\n")[0]
                lines.append(f"{verdict}: {case.get('classname')} {case.get('name')}: {reason}")
    return lines
