# SPDX-License-Identifier: GPL-2.0-only
import unittest

import commits


class Commits(unittest.TestCase):
    def check(self, message: str, *expected: str) -> None:
        self.assertEqual(list(expected), list(commits.troubles(message)))

    def test_right(self) -> None:
        self.check("ctxra: keep the window over a swapped pair\n\nIt was dropped.\n")
        self.check("kunit, modules/common: pre-allocate pages\n\nWhy.\n\nSigned-off-by: A <a@example.org>\n")

    def test_length_of_the_subject(self) -> None:
        start = "a: name "
        self.check(start + "x" * (72 - len(start)) + "\n\nWhy.\n")
        self.check(start + "x" * (73 - len(start)) + "\n\nWhy.\n", "subject has 73 columns, over 72")

    def test_form_of_the_subject(self) -> None:
        for subject in (
            "keep the window",
            "a: keep",
            "a: The window is kept",
            "a: the window is kept",
            "a: 6.1's CPU time",
        ):
            with self.subTest(subject):
                self.check(f"{subject}\n\nWhy.\n", "subject is not `area: verb object`")

    def test_body(self) -> None:
        self.check("a: keep the window\n", "no body that says why")
        self.check("a: keep the window\n\nSigned-off-by: A <a@example.org>\n", "no body that says why")
        self.check("a: keep the window\nWhy.\n", "no empty line below the subject")


if __name__ == "__main__":
    unittest.main()
