# SPDX-License-Identifier: GPL-2.0-only
"""Run the tests: find them, choose a root for each, and judge how each ended."""

import dataclasses
import difflib
import re
import subprocess
import time
import unittest
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from pathlib import Path

import junit

from . import archive, board, machine, roots
from .paths import BUILD, HELPERS, RESULTS, RUNS, TESTS, TOP
from .progress import Trouble, say, stop

SKIPPED = 77
# From assert_at_most and assert_at_least of guest/lib/assert.sh.
MISSED_ITS_BAR = 75
CONSOLE_TAIL = 40
# How many times as long as on a stock kernel a test may take on one with sanitizers.
SANITIZED_SLOWNESS = 5
# The time limit of a test that gets --args, because these ask for a longer run.
LONGER_LIMIT_S = 6 * 3600
SETTING = re.compile(r"^([A-Z_]+)=(?:\"([^\"]*)\"|(\S*))\s*(?:#.*)?$", re.MULTILINE)


@dataclass(frozen=True)
class Test:
    """A test script and its settings, which the README explains."""

    path: Path
    settings: dict[str, str]

    @property
    def name(self) -> str:
        return f"{self.path.parent.name}/{self.path.name}"

    @property
    def is_plain(self) -> bool:
        return self.setting("ROOT") == "plain"

    @property
    def is_trusted(self) -> bool:
        return self.setting("TRUSTED") == "1"

    def setting(self, name: str, default: str = "") -> str:
        return self.settings.get(name, default)


def read_test(path: Path) -> Test:
    settings = {m[1]: m[2] if m[2] is not None else m[3] for m in SETTING.finditer(path.read_text())}
    if not settings.get("DESCRIPTION"):
        raise Trouble(f"{path} has no DESCRIPTION")
    if settings.get("CLOCK", "host") not in machine.CLOCKS:
        raise Trouble(f"{path}: CLOCK is one of {', '.join(machine.CLOCKS)}")
    return Test(path, settings)


def find_tests(wanted: Sequence[str]) -> list[Test]:
    """The tests whose names begin with one of wanted, or all tests."""
    paths = [path for path in sorted(TESTS.glob("*/[0-9][0-9][0-9]-*")) if path.suffix != ".out"]
    all_tests = [read_test(path) for path in paths]
    for start in wanted:
        if not any(test.name.startswith(start) for test in all_tests):
            raise Trouble(f"no test begins with {start!r}; there are {', '.join(test.name for test in all_tests)}")
    return [test for test in all_tests if not wanted or test.name.startswith(tuple(wanted))]


def is_long(test: Test, suite: str) -> bool:
    """Whether a test is long, everywhere or on this suite."""
    long = test.setting("LONG")
    return long == "1" or suite.removeprefix(roots.OWN) in long.split()


def is_left_out(test: Test, suite: str, wanted: Sequence[str]) -> bool:
    """Whether a test is long, and not named, as ctxra/010 names one."""
    named = tuple(start for start in wanted if "/" in start)
    return is_long(test, suite) and not test.name.startswith(named)


def select_runs(suites: Sequence[str], wanted: Sequence[str]) -> list[tuple[Test, str]]:
    """Each test with each suite that it runs on."""
    tests = find_tests(wanted)
    for suite in suites:
        if left_out := [test.name for test in tests if is_left_out(test, suite, wanted)]:
            say(f"vm: {suite}: long tests left out: {', '.join(left_out)}")
    return [(test, suite) for suite in suites for test in tests if not is_left_out(test, suite, wanted)]


def build_helpers(suites: Iterable[str]) -> None:
    """Build the programs that tests run in the guest, statically, so that they run on every suite."""
    for suite in suites:
        board.check_host(suite)
    for architecture in sorted({archive.architecture(suite) for suite in suites}):
        source, program = TOP / "bench" / "reader.c", HELPERS / architecture / "reader"
        program.parent.mkdir(parents=True, exist_ok=True)
        if not source.exists() or (program.exists() and program.stat().st_mtime > source.stat().st_mtime):
            continue
        compiler = board.BOARDS[architecture].compiler
        flags = ["-O2", "-Wall", "-Wextra", "-Werror", "-static", "-pthread"]
        if subprocess.run([compiler, *flags, "-o", program, source], check=False).returncode:
            raise Trouble(f"{source} does not compile: see above")


def skip_reason(test: Test, suite: str) -> str:
    """Why a test does not run on a suite; empty if it does."""
    like = suite.removeprefix(roots.OWN)
    allowed = test.setting("SUITES", like).split()
    if like not in allowed:
        return f"is for {' '.join(allowed)}"
    if not roots.is_stock(suite) and test.is_plain:
        return "is for a stock root"
    if not roots.is_stock(suite) and test.is_trusted:
        return "is for a kernel that checks signatures"
    if board.is_foreign(suite) and test.is_trusted:
        return "needs the firmware of amd64"
    return ""


def run_test(test: Test, suite: str, args: Sequence[str] = ()) -> junit.Case:
    """Run one test, and once more if only a count missed its bar; the result tells of both runs."""
    if reason := skip_reason(test, suite):
        return junit.Case(suite, test.name, "skipped", reason)
    first, missed = run_once(test, suite, args)
    if not missed:
        return first
    second, _ = run_once(test, suite, args)
    return merge_tries(first, second)


def merge_tries(first: junit.Case, second: junit.Case) -> junit.Case:
    """The result of two runs, the first of which missed a bar."""
    reason = f"first try: {first.reason}"
    if second.verdict != "passed":
        reason = f"{second.reason}; {reason}"
    return dataclasses.replace(
        second,
        reason=reason,
        output=f"{first.output.rstrip()}\n--- second try\n{second.output}",
        seconds=first.seconds + second.seconds,
    )


def run_once(test: Test, suite: str, args: Sequence[str]) -> tuple[junit.Case, bool]:
    """Run one test in a VM of its own. Returns the result, and whether only a count that missed its bar was wrong."""
    begin = time.monotonic()
    sanitized = suite in roots.SANITIZED
    limit_s = int(test.setting("TIMEOUT", "300")) * (SANITIZED_SLOWNESS if sanitized else 1)
    job = machine.Job(
        roots.root_of(suite, test.is_plain),
        RUNS / "check" / suite / test.name.replace("/", "-"),
        command=("/mnt/seqkeep/guest/run-test", f"/mnt/seqkeep/{test.name}", *args),
        timeout_s=LONGER_LIMIT_S if args else limit_s,
        memory=test.setting("MEMORY", "4G" if sanitized else "2G"),
        cpus=int(test.setting("CPUS", "2")),
        network=test.setting("NETWORK") == "1",
        clock=test.setting("CLOCK", "instructions"),
        kernel_args=test.setting("KERNEL_ARGS"),
        trusted=test.is_trusted,
    )
    try:
        outcome = machine.run(job)
    except Trouble as trouble:
        return junit.Case(suite, test.name, "failed", str(trouble)), False
    seconds = time.monotonic() - begin
    verdict, reason = judge(test, outcome)
    output = outcome.output
    if verdict == "failed":
        output = f"{output.rstrip()}\n{console_tail(job.directory / 'console.log')}"
    missed = not outcome.trouble and outcome.status == MISSED_ITS_BAR
    return junit.Case(suite, test.name, verdict, reason, output, seconds), missed


def console_tail(console: Path) -> str:
    """The end of a console log, which often has the reason of a failure."""
    if not console.exists():
        return ""
    lines = console.read_text(errors="replace").splitlines()[-CONSOLE_TAIL:]
    return "\n".join([f"--- end of {console}", *lines])


def judge(test: Test, outcome: machine.Outcome) -> tuple[str, str]:
    """A verdict and its reason. A splat on the console fails even a test that ended with status 0."""
    last = outcome.output.strip().splitlines()[-1:] or ["no output"]
    if outcome.trouble:
        return "failed", outcome.trouble
    if outcome.status == SKIPPED:
        return "skipped", last[0]
    if outcome.status:
        return "failed", last[0]
    golden = test.path.with_name(test.path.name + ".out")
    if golden.exists() and golden.read_text() != outcome.output:
        lines = difflib.unified_diff(
            golden.read_text().splitlines(),
            outcome.output.splitlines(),
            golden.name,
            "output",
            lineterm="",
        )
        return "failed", "the output differs from the golden file\n" + "\n".join(lines)
    return "passed", ""


def check_harness() -> list[junit.Case]:
    """Run the harness's own unit tests, because without them no verdict of a VM test is worth much."""
    results: list[junit.Case] = []

    class Collector(unittest.TestResult):
        def stopTest(self, test: unittest.TestCase) -> None:  # noqa: N802 (unittest's name)
            # unittest lists a failed subtest by itself.
            traces = [
                trace for case, trace in self.failures + self.errors if test in (case, getattr(case, "test_case", None))
            ]
            verdict = "failed" if traces else "passed"
            results.append(junit.Case("host", f"harness/{test.id().rpartition('.')[2]}", verdict, "\n".join(traces)))

    unittest.defaultTestLoader.discover(str(TESTS / "host"), "*_test.py", str(TESTS)).run(Collector())
    return results


def make_roots(kinds: Iterable[tuple[str, bool]], jobs: int) -> dict[tuple[str, bool], str]:
    """Make the roots before the first test, so that no test's time includes them. Returns the errors by root."""
    broken = {}

    def make(kind: tuple[str, bool]) -> None:
        try:
            machine.accelerator(roots.root_of(*kind))
        except Trouble as trouble:
            say(f"vm: {trouble}")
            broken[kind] = str(trouble)

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(make, kinds))
    return broken


def run_all(pairs: list[tuple[Test, str]], jobs: int, args: Sequence[str]) -> Iterator[junit.Case]:
    """Run tests on suites, some at a time, and report each result at once."""
    kinds = dict.fromkeys((suite, test.is_plain) for test, suite in pairs if not skip_reason(test, suite))
    broken = make_roots(kinds, jobs)

    def run_one(test: Test, suite: str) -> junit.Case:
        no_root = broken.get((suite, test.is_plain))
        return junit.Case(suite, test.name, "failed", no_root) if no_root else run_test(test, suite, args)

    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(run_one, test, suite) for test, suite in pairs]
        try:
            for number, future in enumerate(as_completed(futures), 1):
                result = future.result()
                report(result, f"[{number}/{len(pairs)}]")
                yield result
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise


def report(result: junit.Case, position: str) -> None:
    module, _, test = result.name.partition("/")
    name = f"{module}/{test.partition('-')[0]}"
    print(f"{position} {result.suite} {name} ... {result.verdict} ({result.seconds:.0f} s)", flush=True)
    if result.verdict != "failed" and result.reason:
        print(f"    {result.reason}", flush=True)
    if result.verdict == "failed":
        lines = [*result.reason.splitlines(), "--- output", *result.output.rstrip().splitlines()]
        print("\n".join(f"    {line}" for line in lines), flush=True)


def write_results(results: Iterable[junit.Case], suite: str) -> None:
    """Write the results so far of a suite to its JUnit file."""
    if mine := [result for result in results if result.suite == suite]:
        junit.write(RESULTS / f"vm-{suite}.xml", "vm", mine)


def with_cpus(test: Test, cpus: int) -> Test:
    """The test on a guest with so many CPUs, memory for them, and time: all take turns on one CPU of the host."""
    limit_s = int(test.setting("TIMEOUT", "300"))
    more = {"CPUS": str(cpus), "MEMORY": f"{2048 + 64 * cpus}M", "TIMEOUT": str(limit_s + 10 * cpus)}
    return replace(test, settings=test.settings | more)


def check(suites: list[str], wanted: Sequence[str], jobs: int, args: Sequence[str], cpus: int = 0) -> int:
    pairs = [(with_cpus(test, cpus) if cpus else test, suite) for test, suite in select_runs(suites, wanted)]
    for suite in suites:
        roots.check_suite(suite)
    build_helpers(suites)
    results = [] if wanted else check_harness()
    for number, result in enumerate(results, 1):
        report(result, f"[{number}/{len(results)}]")
    for result in run_all(pairs, jobs, args):
        results.append(result)
        # After each test, because a run of hours may be interrupted.
        write_results(results, result.suite)
    write_results(results, "host")
    totals = junit.count(results)
    say(f"vm: results in {RESULTS.relative_to(BUILD.parent)}/, console logs in {RUNS.relative_to(BUILD.parent)}/check/")
    print(totals, flush=True)
    return 0 if totals.good else 1
