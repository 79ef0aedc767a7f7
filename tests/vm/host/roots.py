# SPDX-License-Identifier: GPL-2.0-only
"""Root file systems, cached by content, in two layers.

The base is what mmdebstrap makes of a suite. The second layer is the base with build/deb/*.deb
installed by apt, so that DKMS builds the modules with that suite's own compiler and headers.
Each is an ext4 image that a VM opens as a throw-away snapshot.
"""

import functools
import hashlib
import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from . import archive, debug_kernel
from .initrd import update_initrd
from .paths import CACHE, DEBS, TESTS, TOP
from .progress import Trouble, discard, hold, locked, logged, say, step

SUITES = ("bookworm", "trixie", "trixie-backports")
# Where make matrix goes besides: other builds of the same kernels, and what the next release will be.
MORE_SUITES = (
    *("bookworm-cloud", "bookworm-rt", "trixie-cloud", "trixie-rt", "trixie-backports-cloud", "trixie-backports-rt"),
    *("sid", "sid-cloud", "sid-rt"),
)
# The user space of the suite that this host runs, with a kernel of our own that has sanitizers: 6.12, or the newest.
SANITIZED = ("debug", "kcsan", "debug-newest", "kcsan-newest")
PACKAGES = (
    *("dkms", "kmod", "openssl", "rpm"),
    *("bpftool", "bpftrace", "linux-perf", "trace-cmd"),
    *("btrfs-progs", "dmsetup", "dump", "e2fsprogs", "mdadm", "xfsprogs"),
    *("autofs", "fio", "nfs-common", "nfs-kernel-server", "open-iscsi", "targetcli-fb"),
    # Debian 12's kernel for clouds is packed by lz4, and our build looks into the kernel.
    *("busybox-static", "iproute2", "lz4", "mount", "procps", "python3", "udev"),
)
# Raised when a root has to be made anew although the lists above have not changed.
RECIPE = 1
IMAGE_SIZE = "6G"
KEPT_LAYERS = 2


@dataclass(frozen=True)
class Root:
    """A bootable root: the base it comes from, and the image of the layer wanted."""

    suite: str
    base: Path
    image: Path

    @property
    def kver(self) -> str:
        return (self.base / "kver").read_text().strip()

    @property
    def tree(self) -> Path:
        return self.base / "tree"

    @property
    def kernel_args(self) -> str:
        """Words for the kernel's command line."""
        words = []
        # With sanitizers, ACPI's interpreter takes minutes for QEMU's table of interrupts.
        if self.suite in SANITIZED:
            words.append("pci=noacpi")
        # How long KCSAN watches an address, us. Waiting, a virtual CPU lets the other one run at once, for as long as
        # the wait takes; where that has nothing to do, a wait of 80 us is thousands of turns of the emulator.
        if self.suite.startswith("kcsan"):
            words.append("kcsan.udelay_task=10 kcsan.udelay_interrupt=5")
        return " ".join(words)

    @property
    def share_type(self) -> str:
        """The file system by which a guest gets folders of the host: Debian's kernels for clouds have no 9p."""
        return "virtiofs" if archive.flavour(self.suite) == "-cloud" else "9p"

    @property
    def kernel(self) -> Path:
        return self.base / "vmlinuz"

    @property
    def initrd(self) -> Path:
        return self.base / "initrd"


def digest(*parts: str | bytes) -> str:
    whole = hashlib.sha256()
    for part in parts:
        whole.update(part.encode() if isinstance(part, str) else part)
        whole.update(b"\0")
    return whole.hexdigest()[:12]


def check_suite(suite: str) -> None:
    known = (*SUITES, *MORE_SUITES, *SANITIZED)
    if suite not in known:
        raise Trouble(f"no suite {suite!r}: choose from {', '.join(known)}")
    if os.geteuid() != 0:
        raise Trouble("roots are made with chroot and mount: run this as root")


def newest(suite: str) -> Path | None:
    made = [path.parent for path in CACHE.glob(f"{suite}_*/base/kver")]
    return max(made, key=lambda path: path.stat().st_mtime, default=None)


@functools.cache
def base_root(suite: str) -> Root:
    """The base of a suite with the kernel the archive offers now, from the cache if it is there."""
    check_suite(suite)
    if suite in SANITIZED:
        return sanitized_root(suite)
    with locked(CACHE / f"{suite}.lock"):
        offered = archive.offered_kernel(suite)
        if offered is None:
            cached = newest(suite)
            if cached is None:
                raise Trouble(f"no root of {suite} in the cache and no archive to make one from")
            say(f"vm: using the cached root of {suite}: a newer kernel may exist")
            return plain(suite, cached)
        key = digest(suite, *sorted(archive.kernel_packages(suite) + PACKAGES), str(RECIPE), offered)
        base = CACHE / f"{suite}_{key}" / "base"
        if not (base / "kver").exists():
            with step(f"making the root of {suite}, kernel {offered}"):
                build_base(suite, base)
            discard(set(CACHE.glob(f"{suite}_*")) - {base.parent})
        return plain(suite, base)


def sanitized_root(suite: str) -> Root:
    """The base of the host's own suite with a kernel that has sanitizers in the place of the stock one."""
    under = base_root(archive.host_codename())
    with locked(CACHE / f"{suite}.lock"):
        kernel = debug_kernel.built(suite)
        base = CACHE / f"{suite}_{digest(under.base.parent.name, kernel.name)}" / "base"
        if not (base / "kver").exists():
            with step(f"making the root of {suite}, kernel {kernel.name}"):
                debug_kernel.replace_kernel(under.tree, kernel, base / "tree")
                finish_base(suite, base)
            discard(set(CACHE.glob(f"{suite}_*")) - {base.parent})
        return plain(suite, base)


def plain(suite: str, base: Path) -> Root:
    hold(base.parent)
    root = Root(suite, base, base / "root.img")
    update_initrd(root.tree, root.kver, root.share_type, root.initrd)
    return root


def build_base(suite: str, base: Path) -> None:
    """mmdebstrap into base/tree, with the .debs of earlier times at hand."""
    shutil.rmtree(base, ignore_errors=True)
    base.mkdir(parents=True)
    tree = base / "tree"
    debs = CACHE / "debs" / suite
    debs.mkdir(parents=True, exist_ok=True)
    release = archive.release(suite)
    target = f"/{archive.pocket(suite)}" if archive.pocket(suite) != release else ""
    include = [name + target for name in archive.kernel_packages(suite)] + list(PACKAGES)
    command = [
        # No stock initramfs: the VM boots with ours.
        *shlex.split("env INITRD=No mmdebstrap --variant=apt --skip=essential/unlink"),
        f"--include={','.join(include)}",
        # A mirror may be a snapshot of some weeks ago.
        '--aptopt=Acquire::Check-Valid-Until "false"',
        "--dpkgopt=path-exclude=/usr/share/locale/*",
        "--dpkgopt=path-exclude=/usr/share/doc/*/*",
        '--setup-hook=mkdir -p "$1/var/cache/apt/archives"',
        f"--setup-hook=sync-in {debs} /var/cache/apt/archives",
        f"--customize-hook=sync-out /var/cache/apt/archives {debs}",
        release,
        str(tree),
        *archive.sources(suite),
    ]
    logged(command, base / "mmdebstrap.log", f"mmdebstrap of {suite}")
    finish_base(suite, base)


def finish_base(suite: str, base: Path) -> None:
    """What a VM boots, made of base/tree; kver comes last, as it says that all is there."""
    tree = base / "tree"
    kernels = sorted(path.name for path in (tree / "lib/modules").iterdir())
    if len(kernels) != 1:
        raise Trouble(f"the root of {suite} has {len(kernels)} kernels ({' '.join(kernels)}), expected one")
    kver = kernels[0]
    shutil.copyfile(tree / "boot" / f"vmlinuz-{kver}", base / "vmlinuz")
    make_image(tree, base / "root.img")
    (base / "kver").write_text(kver + "\n")


def make_image(tree: Path, image: Path) -> None:
    """An ext4 image of tree. No journal: an image is thrown away, never recovered."""
    half_made = image.with_suffix(".new")
    half_made.unlink(missing_ok=True)
    command = [*shlex.split("mke2fs -q -t ext4 -O ^has_journal -m 0 -d"), str(tree), str(half_made), IMAGE_SIZE]
    logged(command, image.with_suffix(".log"), f"the image of {tree}")
    half_made.rename(image)


def newest_debs() -> list[Path]:
    """The newest build/deb/*.deb of each package name."""
    by_name: dict[str, Path] = {}
    for deb in sorted(DEBS.glob("*.deb"), key=lambda path: path.stat().st_mtime):
        by_name[deb.name.partition("_")[0]] = deb
    return sorted(by_name.values())


@functools.cache
def packages_root(suite: str) -> Root:
    """The base with our packages installed; the base itself while there are none."""
    base = base_root(suite)
    debs = newest_debs()
    if not debs:
        say("vm: build/deb has no packages (make deb makes them): a plain root is used")
        return base
    inputs = (*debs, TESTS / "guest" / "install-packages", *test_module_files().values())
    key = digest(*(file.read_bytes() for file in inputs))
    layer = base.base.parent / f"packages_{key}"
    with locked(CACHE / f"{suite}.lock"):
        if (layer / "root.img").exists():
            os.utime(layer)
        else:
            shutil.rmtree(layer, ignore_errors=True)
            names = " ".join(deb.name for deb in debs)
            with step(f"installing {names} in {suite}, kernel {base.kver}"):
                build_layer(base, debs, layer)
            prune_layers(layer.parent)
        hold(layer)
    return Root(suite, base.base, layer / "root.img")


def test_module_files() -> dict[Path, Path]:
    """Sources of the modules that tests load, tests/vm/*/module with modules/common: where to, from where."""
    files = {}
    for directory in sorted(TESTS.glob("*/module")):
        for source, target in ((directory, Path()), (TOP / "modules" / "common", Path("common"))):
            for file in sorted(path for path in source.rglob("*") if path.is_file()):
                files[Path(directory.parent.name) / target / file.relative_to(source)] = file
    return files


def root_of(suite: str, is_plain: bool) -> Root:
    return base_root(suite) if is_plain else packages_root(suite)


def prune_layers(parent: Path) -> None:
    layers = sorted(parent.glob("packages_*"), key=lambda path: path.stat().st_mtime)
    discard(layers[:-KEPT_LAYERS])


@contextmanager
def writable_copy(tree: Path, scratch: Path) -> Iterator[Path]:
    """A copy of tree to change: an overlay where the host can mount one, else copied files."""
    for name in ("upper", "work", "merged"):
        (scratch / name).mkdir(parents=True)
    merged = scratch / "merged"
    options = f"lowerdir={tree},upperdir={scratch}/upper,workdir={scratch}/work"
    overlay = subprocess.run(
        ["mount", "-t", "overlay", "overlay", "-o", options, merged],
        capture_output=True,
        check=False,
    )
    try:
        if overlay.returncode:
            subprocess.run(["cp", "-a", f"{tree}/.", merged], check=True)
        yield merged
    finally:
        if not overlay.returncode:
            subprocess.run(["umount", merged], check=True)
        shutil.rmtree(scratch)


def build_layer(base: Root, debs: list[Path], layer: Path) -> None:
    """Install the packages with apt in a chroot of the base."""
    layer.mkdir()
    with writable_copy(base.tree, layer / "scratch") as tree:
        inside = tree / "root" / "install"
        inside.mkdir()
        for file in (*debs, TESTS / "guest" / "install-packages"):
            shutil.copy(file, inside)
        for target, file in test_module_files().items():
            (inside / "modules" / target).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, inside / "modules" / target)
        # Namespaces of its own, so that nothing stays mounted or running whatever happens.
        logged(
            [
                *shlex.split("unshare --mount --pid --fork --kill-child sh -eu -c"),
                'mount -t proc proc "$1/proc"; mount --rbind /dev "$1/dev"; '
                'exec chroot "$1" /root/install/install-packages /root/install "$2"',
                *("sh", tree, base.kver),
            ],
            layer / "install.log",
            f"installing the packages in {base.suite}",
        )
        shutil.rmtree(inside)
        make_image(tree, layer / "root.img")
