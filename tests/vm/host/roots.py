# SPDX-License-Identifier: GPL-2.0-only
"""Root file systems, cached by content, in two layers.

mmdebstrap makes the base of a suite. For the second layer apt installs build/deb/*.deb in a copy of the base, so that
DKMS builds the modules with that suite's own compiler and headers. Each is an ext4 image that a VM opens as a snapshot
and does not change.
"""

import functools
import hashlib
import os
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from . import archive, board, debug_kernel, initrd
from .kernel import Kernel, replace_kernel
from .paths import CACHE, DEBS, TESTS, TOP
from .progress import Trouble, discard, hold, locked, logged, say, step

SUITES = ("bookworm", "trixie", "trixie-backports")
# make matrix runs these, too: other builds of the same kernels, and the next release.
MORE_SUITES = (
    *("bookworm-cloud", "bookworm-rt", "trixie-cloud", "trixie-rt", "trixie-backports-cloud", "trixie-backports-rt"),
    *("sid", "sid-cloud", "sid-rt", "experimental"),
)
# The same releases of the other architecture, on a machine that QEMU emulates whatever this host is.
ARM64_SUITES = ("bookworm-arm64", "trixie-arm64", "trixie-backports-arm64")
# The user space of this host's own suite, with a kernel of our own with sanitizers: 6.12, or the newest.
SANITIZED = ("debug", "kcsan", "debug-newest", "kcsan-newest")
# own-SUITE is a suite with the kernel of --kernel instead of its own.
OWN = "own-"
PACKAGES = (
    *("dkms", "kmod", "openssl", "rpm"),
    *("bpftool", "bpftrace", "linux-perf", "trace-cmd"),
    *("btrfs-progs", "dmsetup", "dump", "e2fsprogs", "mdadm", "xfsprogs"),
    *("autofs", "fio", "nfs-common", "nfs-kernel-server", "open-iscsi", "targetcli-fb"),
    # The build of raid5-deadline reads the kernel image, and Debian 12's kernel for clouds is compressed by lz4.
    *("busybox-static", "iproute2", "lz4", "mount", "procps", "python3", "udev"),
)
# Increase this to make all roots anew although the lists above have not changed.
RECIPE = 1
IMAGE_SIZE = "6G"
KEPT_LAYERS = 2
# The folder of --kernel.
own_kernel: Path | None = None


@dataclass(frozen=True)
class Root:
    """A bootable root: its base, and the image of one of its layers."""

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
    def modules(self) -> Path:
        return self.tree / "lib/modules" / self.kver

    @property
    def kernel_args(self) -> str:
        """Words for the kernel's command line, by suite."""
        words = []
        # With sanitizers, the ACPI interpreter takes minutes for QEMU's table of interrupts.
        if self.suite in SANITIZED:
            words.append("pci=noacpi")
        # The time for which KCSAN watches an address, in us. While a virtual CPU waits, the emulator runs the other one
        # at once; if that is idle, a wait of 80 us takes the emulator thousands of turns.
        if self.suite.startswith("kcsan"):
            words.append("kcsan.udelay_task=10 kcsan.udelay_interrupt=5")
        return " ".join(words)

    @property
    def share_type(self) -> str:
        """The file system of the shared folders: virtiofs for kernels without 9p, as RHEL's and Debian's for clouds."""
        listed = (self.modules / name for name in ("modules.dep", "modules.builtin"))
        return "9p" if any("/9p.ko" in path.read_text() for path in listed) else "virtiofs"

    @property
    def kernel(self) -> Path:
        return self.base / "vmlinuz"

    @property
    def initrd(self) -> Path:
        return self.base / f"initrd-{initrd.digest()}"


def digest(*parts: str | bytes) -> str:
    whole = hashlib.sha256()
    for part in parts:
        whole.update(part.encode() if isinstance(part, str) else part)
        whole.update(b"\0")
    return whole.hexdigest()[:12]


def check_suite(suite: str) -> None:
    known = (*SUITES, *MORE_SUITES, *ARM64_SUITES, *SANITIZED)
    if suite.removeprefix(OWN) not in known:
        raise Trouble(f"no suite {suite!r}: choose from {', '.join(known)}")
    if os.geteuid() != 0:
        raise Trouble("roots are made with chroot and mount: run this as root")
    board.check_host(suite)


def is_stock(suite: str) -> bool:
    """Whether a suite's kernel comes from the archive, in the packages that the suite's users install."""
    return suite not in SANITIZED and not suite.startswith(OWN)


def newest(suite: str) -> Path | None:
    made = [path.parent for path in CACHE.glob(f"{suite}_*/base/kver")]
    return max(made, key=lambda path: path.stat().st_mtime, default=None)


@functools.cache
def base_root(suite: str) -> Root:
    """The base of a suite with the archive's present kernel, from the cache if it is there."""
    check_suite(suite)
    if suite in SANITIZED:
        return with_kernel(suite, archive.host_codename(), lambda: debug_kernel.built(suite))
    if suite.startswith(OWN):
        return with_kernel(suite, suite.removeprefix(OWN), own_folder)
    offered = archive.offered_kernel(suite)
    if offered is None:
        cached = newest(suite)
        if cached is None:
            raise Trouble(f"cannot make a root of {suite}: none is in the cache, and the archive cannot be reached")
        say(f"vm: using the cached root of {suite}: a newer kernel may exist")
        return open_base(suite, cached)
    key = digest(suite, *sorted(archive.kernel_packages(suite) + PACKAGES), str(RECIPE), offered)
    base = CACHE / f"{suite}_{key}" / "base"
    # A complete base needs no lock, which another process may hold for minutes to install packages.
    if not (base / "kver").exists():
        with locked(CACHE / f"{suite}.lock"):
            if not (base / "kver").exists():
                with step(f"making the root of {suite}, kernel {offered}"):
                    build_base(suite, base)
                discard(set(CACHE.glob(f"{suite}_*")) - {base.parent})
    return open_base(suite, base)


def own_folder() -> Path:
    if own_kernel is None:
        raise Trouble("a suite own-* is for vm --kernel DIR")
    return own_kernel


def with_kernel(suite: str, under: str, folder_of: Callable[[], Path]) -> Root:
    """The base of the suite under, with the kernel of a folder instead of its own."""
    stock = base_root(under)
    with locked(CACHE / f"{suite}.lock"):
        kernel = Kernel(folder_of())
        base = CACHE / f"{suite}_{digest(stock.base.parent.name, kernel.identity())}" / "base"
        if not (base / "kver").exists():
            with step(f"making the root of {suite}, kernel {kernel.kver}"):
                replace_kernel(stock.tree, kernel, base / "tree")
                finish_base(suite, base)
            discard(set(CACHE.glob(f"{suite}_*")) - {base.parent})
        return open_base(suite, base)


def open_base(suite: str, base: Path) -> Root:
    """Hold a base that is there, and bring its initrd up to date."""
    hold(base.parent)
    root = Root(suite, base, base / "root.img")
    with locked(base / "initrd.lock"):
        initrd.update_initrd(root.tree, root.kver, root.share_type, root.initrd)
    return root


def build_base(suite: str, base: Path) -> None:
    """Run mmdebstrap into base/tree. It downloads only packages that no earlier run kept."""
    shutil.rmtree(base, ignore_errors=True)
    base.mkdir(parents=True)
    tree = base / "tree"
    debs = CACHE / "debs" / suite
    debs.mkdir(parents=True, exist_ok=True)
    release = archive.release(suite)
    target = f"/{archive.pocket(suite)}" if archive.pocket(suite) != release else ""
    include = [name + target for name in archive.kernel_packages(suite)] + list(PACKAGES)
    command = [
        # Without the stock initramfs, because the VM boots with ours.
        *shlex.split("env INITRD=No mmdebstrap --variant=apt --skip=essential/unlink"),
        f"--architectures={archive.architecture(suite)}",
        f"--include={','.join(include)}",
        # A mirror may be a snapshot some weeks old.
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
    """Make the files that a VM boots from base/tree. The file kver comes last, because it marks a complete base."""
    tree = base / "tree"
    kernels = sorted(path.name for path in (tree / "lib/modules").iterdir())
    if len(kernels) != 1:
        raise Trouble(f"the root of {suite} has {len(kernels)} kernels ({' '.join(kernels)}), expected one")
    kver = kernels[0]
    shutil.copyfile(tree / "boot" / f"vmlinuz-{kver}", base / "vmlinuz")
    make_image(tree, base / "root.img")
    (base / "kver").write_text(kver + "\n")


def make_image(tree: Path, image: Path) -> None:
    """Make an ext4 image of tree, without a journal, because no image is ever recovered."""
    half_made = image.with_suffix(".new")
    half_made.unlink(missing_ok=True)
    command = [*shlex.split("mke2fs -q -t ext4 -O ^has_journal -m 0 -d"), str(tree), str(half_made), IMAGE_SIZE]
    logged(command, image.with_suffix(".log"), f"the image of {tree}")
    half_made.rename(image)


def newest_debs(debs: Path = DEBS) -> list[Path]:
    """The newest .deb of each package name in a folder."""
    by_name: dict[str, Path] = {}
    for deb in sorted(debs.glob("*.deb"), key=lambda path: path.stat().st_mtime):
        by_name[deb.name.partition("_")[0]] = deb
    return sorted(by_name.values())


@functools.cache
def packages_root(suite: str) -> Root:
    """The base with our packages installed, or the base itself if build/deb is empty."""
    base = base_root(suite)
    debs = newest_debs()
    if not debs:
        say("vm: build/deb has no packages (make deb makes them): using a plain root")
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
    """The sources of the modules that tests load, tests/vm/*/module with modules/common, by their place in the root."""
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


def mount_overlay(trees: Sequence[Path], scratch: Path) -> subprocess.CompletedProcess[bytes]:
    """Mount an overlay of trees, the uppermost first, at scratch/merged. What is written goes to scratch/upper."""
    for name in ("upper", "work", "merged"):
        (scratch / name).mkdir(parents=True)
    options = f"lowerdir={':'.join(map(str, trees))},upperdir={scratch}/upper,workdir={scratch}/work"
    command = ["mount", "-t", "overlay", "overlay", "-o", options, str(scratch / "merged")]
    return subprocess.run(command, capture_output=True, check=False)


@contextmanager
def overlay(trees: Sequence[Path], scratch: Path) -> Iterator[Path]:
    """A writable overlay of trees, the uppermost first."""
    if said := mount_overlay(trees, scratch).stderr:
        raise Trouble(f"cannot mount an overlay in {scratch}: {said.decode().strip()}")
    try:
        yield scratch / "merged"
    finally:
        subprocess.run(["umount", scratch / "merged"], check=True)


@contextmanager
def writable_copy(tree: Path, scratch: Path) -> Iterator[Path]:
    """A writable copy of tree: an overlay if the host can mount one, else copied files."""
    merged = scratch / "merged"
    mounted = mount_overlay([tree], scratch)
    try:
        if mounted.returncode:
            subprocess.run(["cp", "-a", f"{tree}/.", merged], check=True)
        yield merged
    finally:
        if not mounted.returncode:
            subprocess.run(["umount", merged], check=True)
        shutil.rmtree(scratch)


def build_layer(base: Root, debs: list[Path], layer: Path, over: Sequence[Path] = ()) -> None:
    """Install the packages with apt in a chroot of the base, below the trees of over, and make the image."""
    layer.mkdir(exist_ok=True)
    scratch = layer / "scratch"
    with overlay([*over, base.tree], scratch) if over else writable_copy(base.tree, scratch) as tree:
        inside = tree / "root" / "install"
        inside.mkdir()
        for file in (*debs, TESTS / "guest" / "install-packages"):
            shutil.copy(file, inside)
        for target, file in test_module_files().items():
            (inside / "modules" / target).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, inside / "modules" / target)
        # In namespaces of its own, so that nothing stays mounted or running, however the installation ends.
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
    shutil.rmtree(scratch, ignore_errors=True)
