# SPDX-License-Identifier: GPL-2.0-only
"""Make a small initrd: busybox, our init, and the modules for the disk and the shared folders.

Under emulation it boots in a fraction of the time of a distribution's own initrd.
"""

import functools
import hashlib
import lzma
import shutil
import subprocess
import tempfile
from pathlib import Path

from .paths import TESTS
from .progress import Trouble

INIT = TESTS / "guest" / "initrd-init"
MOUNT_SHARE = TESTS / "guest" / "mount-share"
MODULES = ("virtio_pci", "virtio_blk", "ext4")
SHARE_MODULES = {"9p": ("9p", "9pnet_virtio"), "virtiofs": ("virtiofs",)}


def module_files(tree: Path, kver: str, share_type: str) -> list[Path]:
    """The modules' files in the order to load them in, from the root's own modprobe."""
    files: list[Path] = []
    for module in (*MODULES, *SHARE_MODULES[share_type]):
        listing = subprocess.run(
            ["chroot", tree, "modprobe", "--set-version", kver, "--show-depends", module],
            capture_output=True,
            text=True,
            check=False,
        )
        if listing.returncode:
            raise Trouble(f"kernel {kver} has no module {module}: {listing.stderr.strip()}")
        for line in listing.stdout.splitlines():
            word, _, path = line.strip().partition(" ")
            file = Path(path.strip())
            if word == "insmod" and file not in files:
                files.append(file)
    return files


@functools.cache
def digest() -> str:
    """A digest of the initrd's sources: checkouts that differ in them may share a cache."""
    sources = (INIT, MOUNT_SHARE, Path(__file__))
    return hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:12]


def update_initrd(tree: Path, kver: str, share_type: str, initrd: Path) -> None:
    """Make the initrd unless it exists. Its name has the digest of its sources."""
    if initrd.exists():
        return
    with tempfile.TemporaryDirectory(dir=initrd.parent) as temporary:
        stage = Path(temporary)
        for name in ("bin", "dev", "proc", "root", "modules"):
            (stage / name).mkdir()
        shutil.copy(tree / "bin" / "busybox", stage / "bin" / "busybox")
        shutil.copy(INIT, stage / "init")
        shutil.copy(MOUNT_SHARE, stage / "bin")
        order = []
        for file in module_files(tree, kver, share_type):
            content = (tree / file.relative_to("/")).read_bytes()
            name = file.name
            if file.suffix == ".xz":
                content, name = lzma.decompress(content), file.stem
            (stage / "modules" / name).write_bytes(content)
            order.append(name)
        (stage / "modules" / "order").write_text("".join(f"{name}\n" for name in order))
        names = "\n".join(str(path.relative_to(stage)) for path in sorted(stage.rglob("*")))
        half_made = stage.with_suffix(".new")
        with half_made.open("wb") as out:
            subprocess.run(
                ["cpio", "--quiet", "-o", "-H", "newc", "-R", "0:0"],
                cwd=stage,
                input=names.encode(),
                stdout=out,
                check=True,
            )
        half_made.rename(initrd)
