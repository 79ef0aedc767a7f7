# SPDX-License-Identifier: GPL-2.0-only
"""The page and the file of results, of invented runs."""

import tempfile
import unittest
from pathlib import Path
from typing import Any

from gauntlet import page, store


def entry(case: str, ours: float, **more: Any) -> dict[str, Any]:
    return {
        "case": case,
        "variant": "local, 2ms",
        "suite": "trixie",
        "kernel": "6.12.1",
        "modules": "ctxra",
        "commit": "abcdef0",
        "stock": {"ios": [1000.0, 1000.0]},
        "ours": {"ios": [ours, ours]},
    } | more


class Page(unittest.TestCase):
    def test_the_worst_first(self) -> None:
        entries = [
            entry("reads/better", 500),
            entry("reads/bad", 1100),
            entry("reads/same", 1000),
            entry("reads/worst", 2000),
            entry("reads/broken", 1000, failed="check: 1 | 2"),
        ]
        text = page.page(entries)
        names = ["broken", "worst", "bad", "better"]
        places = [text.index(f"| reads/{name}<br>") for name in names]
        self.assertEqual(places, sorted(places))
        self.assertGreater(text.index("| reads/same<br>"), text.index("All figures"))
        self.assertEqual(text.count("reads/same<br>"), 1)
        self.assertIn("**disk reads 1000 -> 2000: 2.00**", text)
        self.assertIn("check: 1 \\| 2", text)
        self.assertIn("| reads | trixie, 6.12.1 | 2 | 1 | 1 | 1 | 5 |", text)

    def test_what_was_not_measured(self) -> None:
        entries = [entry("reads/x", 1), entry("raid/x", 1, suite="bookworm")]
        text = page.page(entries, ["mounts/y"])
        self.assertIn("| reads | bookworm | not measured |  |  |  | 0 |", text)
        self.assertIn("were not measured on any kernel: mounts/y.", text)

    def test_older_modules(self) -> None:
        entries = [entry("reads/x", 1), entry("reads/y", 1, commit="1234567")]
        text = page.page(entries, current={"ctxra": "1234567"})
        self.assertIn("1 of 2 lines are of older modules", text.replace("\n", " "))
        self.assertIn("| ctxra abcdef0 |", text)
        self.assertIn("No module has changed since", page.page(entries[1:], current={"ctxra": "1234567"}))

    def test_how_the_lines_were_measured(self) -> None:
        full = entry("reads/z", 1, stock={"ios": [9, 9, 9], "p99_us": [7], "cpu_ms": [5]})
        text = page.page([entry("reads/x", 1), entry("reads/y", 1), full, entry("reads/w", 1, stock={}, failed="x")])
        text = text.replace("\n", " ")
        self.assertIn("Of 3 lines, the gauntlet measured 2 by 2, 1 by 3 pairs of runs.", text)
        self.assertIn("2 lines have no latencies, and 2 no CPU time:", text)

    def test_changes_that_are_not_committed(self) -> None:
        entries = [entry("reads/x", 1), entry("reads/y", 1, commit="abcdef0+")]
        text = page.page(entries, current={"ctxra": "abcdef0+"}).replace("\n", " ")
        self.assertIn("not committed: 1 of 2 lines. No module has changed since.", text)
        self.assertIn("| ctxra abcdef0+ |", text)

    def test_stock_against_itself(self) -> None:
        self.assertIn("## Stock against itself", page.page([entry("reads/x", 1), entry("reads/x", 2, ref="null")]))

    def test_a_commit_of_its_own(self) -> None:
        text = page.page([entry("reads/x", 1000), entry("reads/x", 1500, ref="1234567")])
        self.assertIn("## The modules of 1234567", text)
        self.assertIn("| reads | trixie, 6.12.1 | 0 | 1 | 0 | 0 | 1 |", text)


class Store(unittest.TestCase):
    def test_a_new_line_replaces_the_old(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "gauntlet.jsonl")
            store.add(path, [entry("reads/x", 1), entry("reads/y", 2)])
            store.add(
                path, [entry("reads/x", 3), entry("reads/x", 4, suite="bookworm"), entry("reads/x", 5, ref="1234567")]
            )
            found = store.load(path)
            self.assertEqual([e["ours"]["ios"][0] for e in found if e["case"] == "reads/x"], [4, 3, 5])
            self.assertEqual(len(found), 4)
            self.assertEqual(path.read_text().count("\n"), 4)

    def test_what_was_0_is_not_kept(self) -> None:
        runs = {"ios": [1000.0, 0.0], "wios": [0.0, 0.0], "time_ms": [1234.567, 12.345]}
        ours = {"ios": [0.0, 0.0], "wios": [0.0, 0.0], "time_ms": [0.0, 99.996]}
        kept = store.compact(entry("reads/x", 1) | {"stock": runs, "ours": ours, "axes": ["2ms"]})
        self.assertNotIn("axes", kept)
        self.assertEqual(kept["stock"], {"ios": [1000, 0], "time_ms": [1235, 12.35]})
        self.assertEqual(kept["ours"], {"ios": [0, 0], "time_ms": [0, 100.0]})


if __name__ == "__main__":
    unittest.main()
