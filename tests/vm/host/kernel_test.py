# SPDX-License-Identifier: GPL-2.0-only
"""A folder is one kernel, or it is refused; the image is found where either kind of package has it."""

import tempfile
import unittest
from pathlib import Path

from .kernel import Kernel
from .progress import Trouble


class Folder(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()
        self.kernel = Kernel(self.folder)

    def file(self, path: str, text: str = "") -> Path:
        made = self.folder / path
        made.parent.mkdir(parents=True, exist_ok=True)
        made.write_text(text)
        return made

    def test_packages_of_debian(self) -> None:
        self.file("lib/modules/6.1/kernel/a.ko")
        image = self.file("boot/vmlinuz-6.1")
        self.file("usr/src/linux-headers-6.1/Module.symvers")
        self.assertEqual((self.kernel.kver, self.kernel.image), ("6.1", image))
        self.assertEqual(self.kernel.headers, self.folder / "usr/src")

    def test_packages_of_red_hat(self) -> None:
        image = self.file("usr/lib/modules/5.14.el9/vmlinuz")
        self.file("usr/lib/modules/5.14.el9/kernel/a.ko.xz")
        (self.folder / "lib").symlink_to("usr/lib")
        self.assertEqual((self.kernel.kver, self.kernel.image), ("5.14.el9", image))

    def test_none_and_two_are_refused(self) -> None:
        with self.assertRaisesRegex(Trouble, "of 0 kernels"):
            self.kernel.kver  # noqa: B018
        self.file("lib/modules/6.1/kernel/a.ko")
        self.file("lib/modules/6.2/kernel/a.ko")
        with self.assertRaisesRegex(Trouble, "of 2 kernels"):
            self.kernel.kver  # noqa: B018

    def test_what_lacks_is_named(self) -> None:
        self.file("lib/modules/6.1/kernel/a.ko")
        with self.assertRaisesRegex(Trouble, "no image"):
            self.kernel.image  # noqa: B018
        with self.assertRaisesRegex(Trouble, "no headers"):
            self.kernel.headers  # noqa: B018

    def test_another_build_is_another_kernel(self) -> None:
        self.file("lib/modules/6.1/kernel/a.ko", "x")
        self.file("boot/vmlinuz-6.1", "one")
        first = self.kernel.identity()
        self.assertEqual(self.kernel.identity(), first)
        self.file("lib/modules/6.1/kernel/a.ko", "xy")
        second = self.kernel.identity()
        self.file("boot/vmlinuz-6.1", "two")
        self.assertEqual(len({first, second, self.kernel.identity()}), 3)


if __name__ == "__main__":
    unittest.main()
