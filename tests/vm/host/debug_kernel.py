# SPDX-License-Identifier: GPL-2.0-only
"""The kernels with sanitizers that tests/debug-kernel builds, and roots with one of them instead of their own."""

import shutil
import subprocess
from pathlib import Path

from .paths import TOP
from .progress import Trouble


def built(kind: str) -> Path:
    """The folder of the kernel, whose name stands for its content. Builds it if it is missing, in half an hour."""
    build = subprocess.run(
        [TOP / "tests" / "debug-kernel" / "build", kind], stdout=subprocess.PIPE, text=True, check=False
    )
    if build.returncode:
        raise Trouble(f"cannot build the {kind} kernel: see above")
    return Path(build.stdout.strip())


def replace_kernel(tree: Path, kernel: Path, new: Path) -> None:
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
    for folder in ("lib/modules", "boot", "usr/src"):
        subprocess.run(["cp", "-a", f"{kernel / folder}/.", new / folder], check=True)
    for modules in (new / "lib/modules").iterdir():
        subprocess.run(["chroot", new, "/usr/sbin/depmod", modules.name], check=True)
    # Debian's own headers name the compiler by its version, ours by its usual name.
    (compiler,) = (path for path in (new / "usr/bin").glob("gcc-[0-9]*") if path.name[4:].isdigit())
    for name in ("gcc", "cc"):
        (new / "usr/bin" / name).symlink_to(compiler.name)
