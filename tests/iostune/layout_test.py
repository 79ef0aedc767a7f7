# SPDX-License-Identifier: GPL-2.0-only
"""The areas that readers read."""

import unittest

from iostune_lib.layout import MIB, SMALLEST_AREA, place_areas


class Areas(unittest.TestCase):
    def test_within_the_device_and_apart(self) -> None:
        for size in (64 * MIB, 333 * MIB + 512, 1 << 40):
            for readers in (1, 2, 3, 8):
                for rounds in range(12):
                    found = place_areas(size, readers, rounds, rounds % 5, 5, 100 * MIB)
                    self.assertEqual(len(found), readers)
                    end = 0
                    for area in found:
                        self.assertGreaterEqual(area.offset, end)
                        self.assertGreaterEqual(area.length, SMALLEST_AREA)
                        self.assertEqual(area.offset % MIB, 0)
                        end = area.offset + area.length
                    self.assertLessEqual(end, size)

    def test_arms_of_a_round_lie_side_by_side(self) -> None:
        found = [place_areas(1 << 40, 1, 3, arm, 4, 64 * MIB)[0] for arm in range(4)]
        self.assertEqual([area.offset - found[0].offset for area in found], [0, 64 * MIB, 128 * MIB, 192 * MIB])

    def test_each_round_reads_elsewhere(self) -> None:
        starts = {place_areas(1 << 40, 2, rounds, 0, 2, 64 * MIB)[0].offset for rounds in range(20)}
        self.assertEqual(len(starts), 20)

    def test_too_small(self) -> None:
        with self.assertRaises(ValueError):
            place_areas(8 * MIB, 8, 0, 0, 1, MIB)


if __name__ == "__main__":
    unittest.main()
