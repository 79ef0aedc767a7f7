# SPDX-License-Identifier: GPL-2.0-only
"""A kernel in a folder, as its packages unpack, and roots with it instead of their own."""

import hashlib
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from .progress import Trouble


@dataclass(frozen=True)
class Kernel:
    """A kernel's image, modules and headers, at the places that Debian's or Red Hat's packages have for them."""

    folder: Path

    @property
    def modules(self) -> Path:
        # Red Hat's packages have no lib beside usr/lib.
        folders = (self.folder / "lib/modules", self.folder / "usr/lib/modules")
        found = {path.parent.resolve() for folder in folders for path in folder.glob("*/kernel")}
        if len(found) != 1:
            raise Trouble(f"{self.folder} has the modules of {len(found)} kernels in lib/modules, expected one")
        return found.pop()

    @property
    def kver(self) -> str:
        return self.modules.name

    @property
    def image(self) -> Path:
        places = (self.folder / "boot" / f"vmlinuz-{self.kver}", self.modules / "vmlinuz")
        for place in places:
            if place.exists():
                return place
        raise Trouble(f"{self.folder} has no image of {self.kver}: want {' or '.join(map(str, places))}")

    @property
    def headers(self) -> Path:
        """The folder for /usr/src, to which the link build of the modules leads."""
        sources = self.folder / "usr/src"
        if not list(sources.glob("**/Module.symvers")):
            raise Trouble(f"{sources} has no headers: want those that build modules for {self.kver}")
        return sources

    def identity(self) -> str:
        """A digest of the image, and of the names and sizes of all modules."""
        whole = hashlib.sha256(self.image.read_bytes())
        for path in sorted(self.modules.rglob("*.ko*")):
            whole.update(f"{path.relative_to(self.modules)} {path.stat().st_size}\n".encode())
        return whole.hexdigest()


def replace_kernel(tree: Path, kernel: Kernel, new: Path) -> None:
    """Make new a copy of tree with this kernel only. Its files are hard links to those of tree: write to none."""
    shutil.rmtree(new.parent, ignore_errors=True)
    new.parent.mkdir(parents=True)
    subprocess.run(["cp", "-al", tree, new], check=True)
    for pattern in ("lib/modules/*", "boot/*"):
        for old in new.glob(pattern):
            if old.is_dir():
                shutil.rmtree(old)
            else:
                old.unlink()
    # Folder by folder, because lib is a link to usr/lib since Debian merged them.
    shutil.copytree(kernel.modules, new / "lib/modules" / kernel.kver, symlinks=True)
    shutil.copytree(kernel.headers, new / "usr/src", symlinks=True, dirs_exist_ok=True)
    shutil.copy(kernel.image, new / "boot" / f"vmlinuz-{kernel.kver}")
    subprocess.run(["chroot", new, "/usr/sbin/depmod", kernel.kver], check=True)
    # Debian's own headers name the compiler by its version, others by its usual name.
    (compiler,) = (path for path in (new / "usr/bin").glob("gcc-[0-9]*") if path.name[4:].isdigit())
    for name in ("gcc", "cc"):
        (new / "usr/bin" / name).symlink_to(compiler.name)
