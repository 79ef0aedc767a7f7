# SPDX-License-Identifier: GPL-2.0-only
"""Does the reader of KTAP count each test that ran, and notice each that did not?"""

import unittest

import ktap

# Output of 6.1: parameters have no plan.
OLD = """\
Linux version 6.1
WARNING: CPU: 0 PID: 1 at arch/um/drivers/virt-pci.c:975 um_pci_init
KTAP version 1
1..2
    KTAP version 1
    # Subtest: first
    1..3
    ok 1 plain
        KTAP version 1
        # Subtest: parameters
        ok 1 one
    # parameters: EXPECTATION FAILED at first_test.c:21
    Expected 2 == 3
        not ok 2 two
        ok 3 three # SKIP not today
    # parameters: pass:1 fail:1 skip:1 total:3
    not ok 2 parameters
    ok 3 absent # SKIP
# first: pass:1 fail:1 skip:1 total:3
# Totals: pass:2 fail:1 skip:2 total:5
not ok 1 first
    KTAP version 1
    # Subtest: second
    1..1
    ok 1 only
ok 2 second
reboot: System halted
"""

# Output of 6.12, which also has a plan for parameters, attributes, and the module's name.
NEW = """\
KTAP version 1
1..1
    KTAP version 1
    # Subtest: first
    # module: first_test
    1..1
        KTAP version 1
        # Subtest: parameters
        1..2
        ok 1 one
        ok 2 two
    # parameters: pass:2 fail:0 skip:0 total:2
    ok 1 parameters
ok 1 first
"""


def verdicts(text: str, *expected: str) -> dict[str, str]:
    cases = ktap.cases(ktap.parse(text.splitlines()), expected)
    return {f"{case.suite}/{case.name}": case.verdict for case in cases}


class Complete(unittest.TestCase):
    def test_old(self) -> None:
        self.assertEqual(
            verdicts(OLD, "first", "second"),
            {
                "first/plain": "passed",
                "first/parameters/one": "passed",
                "first/parameters/two": "failed",
                "first/parameters/three": "skipped",
                "first/absent": "skipped",
                "second/only": "passed",
            },
        )

    def test_new(self) -> None:
        self.assertEqual(
            verdicts(NEW, "first"),
            {"first/parameters/one": "passed", "first/parameters/two": "passed"},
        )

    def test_failed_test_has_the_log(self) -> None:
        cases = ktap.cases(ktap.parse(OLD.splitlines()), [])
        (failed,) = [case for case in cases if case.verdict == "failed"]
        self.assertEqual(failed.name, "parameters/two")
        self.assertIn("Expected 2 == 3", failed.output)

    def test_reason_of_a_skip(self) -> None:
        cases = ktap.cases(ktap.parse(OLD.splitlines()), [])
        reasons = [case.reason for case in cases if case.verdict == "skipped"]
        self.assertEqual(reasons, ["not today", "no reason given"])


class Incomplete(unittest.TestCase):
    def test_no_output(self) -> None:
        self.assertEqual(verdicts(""), {"(boot)/(suite)": "failed"})

    def test_boot_messages_only(self) -> None:
        self.assertEqual(verdicts("Linux version 6.1\npanic\n"), {"(boot)/(suite)": "failed"})

    def test_suite_that_is_not_built(self) -> None:
        self.assertEqual(verdicts(NEW, "first", "third")["third/(suite)"], "failed")

    def test_every_cut_is_noticed(self) -> None:
        for text in (OLD, NEW):
            lines = text.replace("reboot: System halted\n", "").splitlines(keepends=True)
            for end in range(len(lines)):
                found = verdicts("".join(lines[:end]), "first")
                self.assertIn("failed", found.values(), f"cut after line {end}")

    def test_crash_keeps_earlier_results(self) -> None:
        text = OLD[: OLD.index("        ok 3 three")] + "Kernel panic - not syncing: oops\n"
        cases = ktap.cases(ktap.parse(text.splitlines()), [])
        names = {f"{case.suite}/{case.name}": case for case in cases}
        self.assertEqual(names["parameters/plain"].verdict, "passed")
        self.assertEqual(names["parameters/two"].verdict, "failed")

    def test_crash_without_a_failed_test(self) -> None:
        text = NEW[: NEW.index("        ok 2 two")] + "Kernel panic - not syncing: oops\n"
        cases = ktap.cases(ktap.parse(text.splitlines()), [])
        failed = [case for case in cases if case.verdict == "failed"]
        self.assertEqual(len(failed), 1)
        self.assertIn("Kernel panic", failed[0].output)

    def test_fewer_than_planned(self) -> None:
        found = verdicts(NEW.replace("        ok 2 two\n", ""), "first")
        self.assertEqual(found["first/parameters/(plan)"], "failed")

    def test_suite_without_tests(self) -> None:
        text = "KTAP version 1\n1..1\n    # Subtest: empty\n    1..0\nok 1 empty\n"
        self.assertEqual(verdicts(text), {"empty/(suite)": "failed"})

    def test_suite_failed_but_no_test(self) -> None:
        found = verdicts(NEW.replace("\nok 1 first", "\nnot ok 1 first"), "first")
        self.assertEqual(found["first/(suite)"], "failed")

    def test_parameter_skipped_but_reported_as_passed(self) -> None:
        found = verdicts(OLD.replace(" # SKIP not today", ""), "first")
        self.assertEqual(found["first/parameters/(skips)"], "failed")


class Splat(unittest.TestCase):
    def test_warning_fails_the_running_test(self) -> None:
        text = NEW.replace("        ok 2 two", "WARNING: CPU: 0 at stream.c:1\n        ok 2 two")
        found = verdicts(text, "first")
        self.assertEqual(found["first/parameters/one"], "passed")
        self.assertEqual(found["first/parameters/two"], "failed")

    def test_splat_after_the_last_result(self) -> None:
        found = verdicts(NEW + "BUG: KASAN: use-after-free in seqkeep\n")
        self.assertEqual(found["(end)/(suite)"], "failed")
        self.assertEqual(verdicts(NEW), {name: verdict for name, verdict in found.items() if name != "(end)/(suite)"})

    def test_warning_before_the_first_test_is_ignored(self) -> None:
        self.assertEqual(verdicts(OLD)["first/plain"], "passed")


if __name__ == "__main__":
    unittest.main()
