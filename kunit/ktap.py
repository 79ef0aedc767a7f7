# SPDX-License-Identifier: GPL-2.0-only
"""Read the KTAP that a kernel with KUnit prints (Documentation/dev-tools/ktap.rst).

Stricter than kunit.py. These are failures: a planned test that did not report, a suite that did not
run, a parameter that was skipped but reported as passed (as on 6.1), and a warning of the kernel
during a test.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from junit import Case

HEADER = re.compile(r"^(KTAP version 1|TAP version 14)$")
PLAN = re.compile(r"^( *)1\.\.(\d+)$")
SUBTEST = re.compile(r"^ *# Subtest: (.*)$")
RESULT = re.compile(r"^( *)(not )?ok \d+ (?:- )?(.*?)(?: *# SKIP *(.*))?$")
STATS = re.compile(r"^ *# (.*): pass:\d+ fail:\d+ skip:(\d+) total:\d+$")
SPLAT = re.compile(r"\b(BUG|WARNING|KASAN|UBSAN|Oops|general protection fault|Kernel panic)\b")
INDENT = 4


@dataclass
class Node:
    """A suite, a case of it, or one parameter of a case."""

    name: str
    verdict: str
    reason: str
    log: list[str]
    children: list["Node"] = field(default_factory=list)


def failure(name: str, reason: str, log: list[str] | None = None) -> Node:
    return Node(name, "failed", reason, log or [])


def hidden_skips(node: Node) -> int:
    """The number of skips that the statistics of a node count beyond the marked ones."""
    if not node.children:
        return 0
    stats = filter(None, map(STATS.match, node.log))
    counted = sum(int(match[2]) for match in stats if match[1] == node.name)
    return max(0, counted - sum(child.verdict == "skipped" for child in node.children))


class Reader:
    """A result follows its children, so the children wait one level deeper until it arrives."""

    def __init__(self) -> None:
        self.waiting: list[list[Node]] = [[]]
        self.plans: dict[int, int] = {}
        self.running = ""
        self.log: list[str] = []

    def feed(self, line: str) -> None:
        if HEADER.match(line.strip()):
            return
        if plan := PLAN.match(line):
            self.plans[len(plan[1]) // INDENT] = int(plan[2])
        elif subtest := SUBTEST.match(line):
            self.running = subtest[1]
        elif result := RESULT.match(line):
            self.result(result)
        else:
            self.log.append(line)

    def result(self, match: re.Match[str]) -> None:
        depth = len(match[1]) // INDENT
        node = Node(match[3].strip(), "passed", "", self.log, self.take(depth + 1))
        self.log = []
        if match[2]:
            node.verdict, node.reason = "failed", "failed"
        elif match[4] is not None:
            node.verdict, node.reason = "skipped", match[4] or "no reason given"
        if hidden := hidden_skips(node):
            reason = f"{hidden} skipped parameters were reported as passed: do not skip any"
            node.children.append(failure("(skips)", reason))
        splat = next((line for line in node.log if SPLAT.search(line)), None)
        if splat:
            node.verdict, node.reason = "failed", splat.strip()
        while len(self.waiting) <= depth:
            self.waiting.append([])
        self.waiting[depth].append(node)

    def take(self, depth: int) -> list[Node]:
        """The results of a complete level, and a failure if some are missing."""
        nodes = [node for level in self.waiting[depth:] for node in level]
        del self.waiting[depth:]
        planned = self.plans.pop(depth, None)
        if planned is not None and planned != len(nodes):
            nodes.append(failure("(plan)", f"{planned} tests were planned, {len(nodes)} reported"))
        return nodes

    def end(self) -> list[Node]:
        """All suites, and a failure if the kernel stopped before the end."""
        planned = self.plans.get(0)
        if planned == len(self.waiting[0]) and len(self.waiting) == 1:
            splats = filter(SPLAT.search, self.log)
            return self.waiting[0] + [failure("(end)", line.strip(), self.log) for line in splats][:1]
        self.plans.clear()
        unfinished = [node for level in self.waiting[1:] for node in level]
        reason = "the kernel stopped while it ran" if self.running else "the kernel ran no test"
        crash = failure(self.running or "(boot)", reason, self.log)
        crash.children = unfinished
        return [*self.waiting[0], crash]


def parse(lines: Iterable[str]) -> list[Node]:
    """The suites in a kernel's console output. The lines before the header are boot messages."""
    reader = Reader()
    started = False
    for line in lines:
        started = started or bool(HEADER.match(line.strip()))
        if started:
            reader.feed(line.rstrip("\n"))
    return reader.end()


def leaves(node: Node, path: str) -> Iterator[tuple[str, Node]]:
    for child in node.children:
        yield from leaves(child, f"{path}/{child.name}" if path else child.name)
    # A parent that failed although no child did, as in its init, counts too.
    blamed = any(child.verdict == "failed" for child in node.children)
    if not node.children or (node.verdict == "failed" and not blamed):
        yield path or "(suite)", node


def cases(suites: Iterable[Node], expected: Iterable[str]) -> list[Case]:
    """One case per test or parameter, and a failure for each suite that is missing or empty."""
    found = []
    names = set()
    for suite in suites:
        names.add(suite.name)
        if not suite.children and suite.verdict != "failed":
            suite = failure(suite.name, "the suite has no test")
        for path, node in leaves(suite, ""):
            output = "\n".join(node.log)
            found.append(Case(suite.name, path, node.verdict, node.reason, output))
    for name in sorted(set(expected) - names):
        found.append(Case(name, "(suite)", "failed", "did not run: is it in kunit/Makefile?"))
    return found
