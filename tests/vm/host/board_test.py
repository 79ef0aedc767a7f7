# SPDX-License-Identifier: GPL-2.0-only
"""A suite's name says which packages of the archive it has, and which machine boots it."""

import unittest

from . import archive, board
from .roots import ARM64_SUITES, MORE_SUITES, SUITES


class Names(unittest.TestCase):
    def test_pockets(self) -> None:
        for suite, pocket, release in (
            ("trixie", "trixie", "trixie"),
            ("trixie-backports-rt", "trixie-backports", "trixie"),
            ("trixie-arm64", "trixie", "trixie"),
            ("trixie-backports-arm64", "trixie-backports", "trixie"),
        ):
            self.assertEqual((archive.pocket(suite), archive.release(suite)), (pocket, release))

    def test_kernels(self) -> None:
        for suite, image in (
            ("trixie", "linux-image-amd64"),
            ("sid-cloud", "linux-image-cloud-amd64"),
            ("bookworm-arm64", "linux-image-arm64"),
        ):
            self.assertEqual(archive.kernel_packages(suite)[0], image)

    def test_apt_answers_for_the_architecture(self) -> None:
        self.assertIn("--option=APT::Architecture=arm64", archive.apt_options("trixie-arm64"))
        self.assertIn("--option=APT::Architecture=amd64", archive.apt_options("trixie"))


class Machine(unittest.TestCase):
    def test_by_architecture(self) -> None:
        for suite in (*SUITES, *MORE_SUITES):
            self.assertEqual((board.is_foreign(suite), board.of(suite).console), (False, "ttyS0"))
        for suite in ARM64_SUITES:
            self.assertEqual((board.is_foreign(suite), board.of(suite).console), (True, "ttyAMA0"))


if __name__ == "__main__":
    unittest.main()
