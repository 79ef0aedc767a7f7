# SPDX-License-Identifier: GPL-2.0-only
"""Udev rules for one disk."""

import unittest

from iostune_lib import udev


class Match(unittest.TestCase):
    def test_the_best_key(self) -> None:
        known = {"ID_WWN": "0x5000", "ID_SERIAL": "ACME_1 2"}
        self.assertEqual(udev.disk_match(known, {"wwid": "naa.5"}), 'ENV{ID_SERIAL}=="ACME_1 2"')
        self.assertEqual(udev.disk_match({}, {"device/wwid": "naa.5", "serial": "x"}), 'ATTRS{wwid}=="naa.5"')
        self.assertEqual(udev.disk_match({}, {"diskseq": "9", "size": "8"}), "")

    def test_special_characters_in_a_serial_number(self) -> None:
        self.assertEqual(udev.escape_pattern('A*B"[x]|$\\'), "A?B??x????")

    def test_udev_file_that_sets_the_property(self) -> None:
        for known, first in (
            ({"ID_SERIAL": "x"}, "60-persistent-storage.rules"),
            ({"MD_UUID": "1:2:3:4"}, "63-md-raid-arrays.rules"),
            ({}, ""),
        ):
            self.assertEqual(udev.needed_rules_file(udev.disk_match(known, {"wwid": "naa.5"})), first)


class Rules(unittest.TestCase):
    def test_a_line_for_each_in_order(self) -> None:
        settings = {"queue/scheduler": "bfq", "queue/iosched/slice_idle": "0"}
        lines = udev.rules_text("sda", 'ENV{ID_SERIAL}=="x"', settings, ["why"]).splitlines()
        self.assertEqual(lines[:2], ["# By iostune, for sda.", "# why"])
        scope = 'ACTION=="add|change", SUBSYSTEM=="block", ENV{DEVTYPE}=="disk", ENV{ID_SERIAL}=="x", '
        self.assertEqual(lines[2], scope + 'ATTR{queue/scheduler}="bfq"')
        self.assertEqual(lines[3], scope + 'ATTR{queue/iosched/slice_idle}="0"')


if __name__ == "__main__":
    unittest.main()
