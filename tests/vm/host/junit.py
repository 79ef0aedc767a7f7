# SPDX-License-Identifier: GPL-2.0-only
"""A test's result, and JUnit's XML of many."""

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

CONSOLE_TAIL = 40
# What XML 1.0 cannot hold.
UNPRINTABLE = re.compile(r"[^\t\n\x20-\ud7ff\ue000-\ufffd]")


@dataclass(frozen=True)
class Result:
    """verdict is passed, failed or skipped; reason says why if it is not passed."""

    suite: str
    name: str
    verdict: str
    reason: str = ""
    seconds: float = 0.0
    output: str = ""
    console: Path | None = None

    def details(self) -> str:
        """Everything needed to see why a test failed."""
        parts = [self.reason, "--- output", self.output.rstrip()]
        if self.console and self.console.exists():
            tail = self.console.read_text(errors="replace").splitlines()[-CONSOLE_TAIL:]
            parts += [f"--- end of {self.console}", *tail]
        return "\n".join(parts)


def write(path: Path, name: str, results: Sequence[Result]) -> None:
    suite = ElementTree.Element(
        "testsuite",
        name=name,
        tests=str(len(results)),
        failures=str(sum(result.verdict == "failed" for result in results)),
        errors="0",
        skipped=str(sum(result.verdict == "skipped" for result in results)),
        time=f"{sum(result.seconds for result in results):.1f}",
    )
    for result in sorted(results, key=lambda result: result.name):
        module, _, test = result.name.partition("/")
        case = ElementTree.SubElement(
            suite, "testcase", classname=f"{name}.{module}", name=test, time=f"{result.seconds:.1f}"
        )
        summary = UNPRINTABLE.sub("?", result.reason.partition("\n")[0])
        if result.verdict == "failed":
            failure = ElementTree.SubElement(case, "failure", message=summary)
            failure.text = UNPRINTABLE.sub("?", result.details())
        if result.verdict == "skipped":
            ElementTree.SubElement(case, "skipped", message=summary)
        if result.output:
            ElementTree.SubElement(case, "system-out").text = UNPRINTABLE.sub("?", result.output)
    path.parent.mkdir(parents=True, exist_ok=True)
    ElementTree.indent(suite)
    ElementTree.ElementTree(suite).write(path, encoding="utf-8", xml_declaration=True)
