# SPDX-License-Identifier: GPL-2.0-only
import unittest

import descriptions


class Descriptions(unittest.TestCase):
    def test_numbers_are_counted_by_folder(self) -> None:
        self.assertEqual([], list(descriptions.same_numbers(["a/001-x", "a/002-x", "b/001-x"])))
        self.assertEqual(
            ["a/001-y: has the number of a/001-x"], list(descriptions.same_numbers(["a/001-x", "a/001-y"]))
        )

    def test_70_characters_are_right_and_71_are_not(self) -> None:
        self.assertEqual([], list(descriptions.description_troubles("t", f'#!/bin/bash\nDESCRIPTION="{"x" * 70}"\n')))
        self.assertEqual(
            ["t: DESCRIPTION has 71 characters, over 70"],
            list(descriptions.description_troubles("t", f'DESCRIPTION="{"x" * 71}"\n')),
        )

    def test_none(self) -> None:
        for text in ("", 'DESCRIPTION=""\n', 'DESCRIPTION="on two\nlines"\n'):
            with self.subTest(text):
                found = list(descriptions.description_troubles("t", text))
                self.assertEqual(["t: has no DESCRIPTION in quotes on one line"], found)


if __name__ == "__main__":
    unittest.main()
