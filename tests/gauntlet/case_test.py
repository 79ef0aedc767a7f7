# SPDX-License-Identifier: GPL-2.0-only
"""Case files: invented ones, and all that are in the tree."""

import tempfile
import unittest
from pathlib import Path

from gauntlet import case
from gauntlet.case import BadCase

GOOD = """
DESCRIPTION="reads"
MODULES="ctxra"
PLACES="local nfs3-64k"
WINDOWS="128 1024"
PACKAGES="b a"	# two
setup() {
	true
}
load() {
	echo "{}"
}
check() {
	same_as_golden
}
"""


def case_of(text: str, group: str = "mounts") -> case.Case:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, group)
        path.mkdir()
        (path / "x").write_text(text)
        return case.read(path / "x")


class Reading(unittest.TestCase):
    def test_settings(self) -> None:
        found = case_of(GOOD)
        self.assertEqual(found.packages, ("a", "b"))
        self.assertEqual(found["DISKS"], "2ms")
        self.assertEqual(found.seeds, 0)

    def test_variants_are_a_star(self) -> None:
        found = [(v["PLACES"], v["WINDOWS"]) for v in case.variants(case_of(GOOD))]
        self.assertEqual(found, [("local", "128"), ("nfs3-64k", "128"), ("local", "1024")])

    def test_a_group_has_defaults(self) -> None:
        text = GOOD.replace('PLACES="local nfs3-64k"\n', "")
        self.assertEqual({v["PLACES"] for v in case.variants(case_of(text))}, {"local"})
        found = list(case.variants(case_of(text, "reads")))
        self.assertEqual(len({v["PLACES"] for v in found}), 6)
        self.assertEqual({v["DISKS"] for v in found}, {"2ms", "spindle", "50us"})
        self.assertEqual((found[0]["PLACES"], found[0]["DISKS"]), ("local", "2ms"))

    def test_windows_share_a_boot(self) -> None:
        local, nfs, wide = case.variants(case_of(GOOD))
        self.assertEqual(local.boot, wide.boot)
        self.assertNotEqual(local.boot, nfs.boot)

    def test_a_case_that_sources_another(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "x").write_text(GOOD.replace("setup()", "place() {\n\tmake_place\n}\nsetup()"))
            source = '. "${BASH_SOURCE%/*}/x"\n'
            Path(folder, "x-auto").write_text(f'{source}DESCRIPTION="others"\nOPTIONS="nfs-ra.multiple=auto"\n')
            first, second = (case.read(Path(folder, name)) for name in ("x", "x-auto"))
        self.assertEqual((second["DESCRIPTION"], second["MODULES"]), ("others", "ctxra"))
        self.assertEqual(second["OPTIONS"], "nfs-ra.multiple=auto")
        self.assertEqual(second.functions(), first.functions())
        self.assertEqual([v.boot for v in case.variants(second)], [v.boot for v in case.variants(first)])

    def test_wrong_files(self) -> None:
        for wrong in (
            GOOD.replace('"reads"', '""'),
            GOOD.replace('"reads"', f'"{"x" * 71}"'),
            GOOD.replace("MODULES", "MODULE"),
            GOOD.replace("check()", "checks()"),
        ):
            with self.assertRaises(BadCase):
                case_of(wrong)


class Tree(unittest.TestCase):
    def test_all_cases_can_be_read(self) -> None:
        cases = case.find()
        self.assertGreater(len(cases), 50)
        for found in cases:
            with self.subTest(found.name):
                self.assertTrue(list(case.variants(found)))

    def test_find(self) -> None:
        self.assertEqual([found.name for found in case.find(["reads/pg-seqscan"])], ["reads/pg-seqscan"])
        self.assertGreater(len(case.find(["reads/pg"])), 4)
        with self.assertRaises(BadCase):
            case.find(["reads/nothing"])


if __name__ == "__main__":
    unittest.main()
