# SPDX-License-Identifier: GPL-2.0-only
"""How many pairs of runs the guest measures, with invented figures in place of loads."""

import sys
import types
import unittest
from pathlib import Path
from typing import Any

import scripts

from gauntlet import case

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[1]


def measure() -> types.ModuleType:
    """The guest's script, which has its modules in other folders there."""
    before = list(sys.path)
    sys.path[:0] = [str(TOP / "bench/guest"), str(TOP / "tests/vm")]
    try:
        return scripts.load(HERE / "guest/measure")
    finally:
        sys.path[:] = before


def pairs(ratios: list[float], rounds: int = 2, mode: str = "brief", key: str = "time_ms", **settings: str) -> int:
    """The number of pairs that are run if the figure has these ratios in turn, and then the last of them."""
    script = measure()
    chosen = case.find(["reads/dd-skip"])[0]
    chosen = case.Case(chosen.path, chosen.settings | {"BAR": ""} | settings, chosen.text)
    session = script.Session(script.Guest(next(case.variants(chosen)), Path("/nowhere")), null=False)

    def run_once(arm: str, number: int, how: str) -> dict[str, Any]:
        if how == "latency":
            return {"p99_us": 1000.0}
        ratio = ratios[min(number, len(ratios)) - 1]
        return {key: 1000.0 * (ratio if arm == "ours" else 1)}

    session.run_once = run_once
    session.measure(rounds, mode)
    return len(session.found["stock"][key])


class Pairs(unittest.TestCase):
    def test_what_is_the_same_is_not_measured_again(self) -> None:
        self.assertEqual(pairs([1.01]), 2)
        self.assertEqual(pairs([1.1, 0.9]), 2)

    def test_a_small_loss_or_gain_of_time_is_confirmed(self) -> None:
        for ratio in (1.03, 1.5, 0.97, 0.5):
            self.assertEqual(pairs([ratio]), 4)

    def test_until_a_pair_disagrees(self) -> None:
        self.assertEqual(pairs([1.03, 1.03, 0.99]), 3)
        self.assertEqual(pairs([0.9, 0.9, 1.01]), 3)

    def test_at_most_eight(self) -> None:
        self.assertEqual(pairs([1.5], rounds=6, mode="fast"), 8)

    def test_make_check_confirms_only_what_would_fail(self) -> None:
        self.assertEqual(pairs([1.5], mode="check", key="ios", BAR="same"), 4)
        self.assertEqual(pairs([1.5], mode="check", BAR="same"), 2)
        self.assertEqual(pairs([0.5], mode="check", key="ios", BAR="same"), 2)
        self.assertEqual(pairs([0.5], mode="check", key="ios", BAR="better"), 2)


class Bars(unittest.TestCase):
    def test_breaks_bar(self) -> None:
        script = measure()
        for bar, ours, broken in (
            ("same", 1000, False),
            ("same", 1100, True),
            ("same", 900, False),
            ("better", 1000, True),
            ("better", 900, False),
            ("", 1100, False),
        ):
            found = {"case": "reads/x", "bar": bar, "stock": {"ios": [1000, 1000]}, "ours": {"ios": [ours, ours]}}
            self.assertEqual(script.breaks_bar(found), broken, (bar, ours))


if __name__ == "__main__":
    unittest.main()
