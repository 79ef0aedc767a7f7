# SPDX-License-Identifier: GPL-2.0-only
import unittest

import words

WORDS = words.read_words("# Why.\n\n\\bis looked at\\b\tthe actor checks\n(?-i:\\bWho\\b)\tthe actor\n")


def found(text: str) -> list[tuple[int, str]]:
    return [(line, word) for line, word, _ in words.matches(text, WORDS)]


class Words(unittest.TestCase):
    def test_word_and_line(self) -> None:
        self.assertEqual([(2, "is looked at")], found("one\nwhat is looked at here\n"))
        self.assertEqual([], found("one\nthis looked attractive\n"))

    def test_case_counts_only_where_it_says_so(self) -> None:
        self.assertEqual([(1, "is looked at")], found("Is Looked At"))
        self.assertEqual([(1, "who")], found("Who waits"))
        self.assertEqual([], found("a reader who waits"))

    def test_over_the_end_of_a_line(self) -> None:
        for text in ("it is\nlooked at", "/* it is\n * looked at", "# it is looked\n\t# at", "// is\n// looked at"):
            with self.subTest(text):
                self.assertEqual([(1, "is looked at")], found(text))

    def test_exceptions(self) -> None:
        exception = words.read_exceptions("tools/*\tcell*\ta cell of a table\n")[0]
        self.assertTrue(exception.covers("tools/x/y.py", "cells"))
        self.assertFalse(exception.covers("modules/x.c", "cells"))
        self.assertFalse(exception.covers("tools/x.py", "door"))

    def test_each_word_of_the_list_can_be_found(self) -> None:
        listed = words.read_words((words.HERE / "words").read_text())
        for text in (
            "the two doors", "hushed", "a lapse", "aligned cells", "r5d_array_meet", "let go", "crowded",
            "witness_miss", "x_heed_memory", "at odds", "astray", "its fate", "left alone", "be it",
            "whoever", "Who waits.", "for who", "who has no page", "is looked at", "is given back", "is not told from",
            "cannot be had", "had it", "doing without", "is no more", "no telling", "lest", "an I/O of 2 ms",
            "2 ms an I/O", "doors.c", "conf_blocked", "known_find", "hooks_stay", "ra_waste_open",
            "not enabled: a hook", "the rest of itself",
        ):  # fmt: skip
            with self.subTest(text):
                self.assertTrue(list(words.matches(text, listed)))
        for text in (
            "Who else uses it?",
            "no more than 3",
            "an I/O of 64 KiB",
            "a cached page",
            "a reader met the marker",
            "the overview.c",
        ):
            with self.subTest(text):
                self.assertEqual([], list(words.matches(text, listed)))


if __name__ == "__main__":
    unittest.main()
