# SPDX-License-Identifier: GPL-2.0-only
"""Roots with more packages of the archive, for tests/gauntlet, and data that their programs make.

The packages become a layer between the base and ours, so that a new build of our modules does not install them again.
Programs run in a chroot of the host, without an emulator, to make the data that a guest only unpacks.
"""

import functools
import os
import shlex
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

from . import archive, roots
from .paths import CACHE, DEBS, TESTS
from .progress import Trouble, discard, hold, locked, logged, step
from .roots import Root, digest

KEPT_LAYERS = 3
INSTALL = """
printf '#!/bin/sh\\nexit 101\\n' > /usr/sbin/policy-rc.d
chmod 755 /usr/sbin/policy-rc.d
export DEBIAN_FRONTEND=noninteractive LC_ALL=C PATH=/usr/sbin:/usr/bin:/sbin:/bin
apt-get -q -y --no-install-recommends install /root/debs/*.deb
rm -r /usr/sbin/policy-rc.d /root/debs
"""


def in_chroot(tree: Path, script: str, args: Sequence[str], log: Path, why: str) -> None:
    """Run a script in a chroot with namespaces of its own, so that nothing stays mounted or running."""
    mounts = (
        'mount -t proc proc "$1/proc"; mount --rbind /dev "$1/dev"; mount -t tmpfs tmpfs "$1/run"; '
        "ip link set lo up 2> /dev/null || true; "
    )
    command = [
        *shlex.split("unshare --mount --pid --net --ipc --fork --kill-child sh -eu -c"),
        mounts + 'root=$1; shift; exec chroot "$root" bash -eu -c "$@"',
        *("sh", str(tree), script, "bash", *args),
    ]
    logged(command, log, why)


def download(base: Root, packages: Iterable[str], debs: Path) -> None:
    """Download packages, and what the base lacks of their dependencies."""
    (debs / "partial").mkdir(parents=True)
    options = [
        *archive.apt_options(base.suite),
        f"--option=Dir::State::status={base.tree}/var/lib/dpkg/status",
        f"--option=Dir::Cache::archives={debs}/",
        "--option=APT::Sandbox::User=root",
    ]
    command = ["apt-get", *options, *shlex.split("-y --no-install-recommends --download-only install"), *packages]
    logged(command, debs.parent / "download.log", f"the download of packages for {base.suite}")


@functools.cache
def packages_tree(suite: str, packages: tuple[str, ...]) -> Path:
    """The upper folder of an overlay of the base with these packages of the archive installed."""
    base = roots.base_root(suite)
    layer = base.base.parent / f"extras_{digest(*packages)}"
    with locked(CACHE / f"{suite}-extras.lock"):
        if not (layer / "complete").exists():
            shutil.rmtree(layer, ignore_errors=True)
            layer.mkdir()
            with step(f"installing {' '.join(packages)} in {suite}"):
                download(base, packages, layer / "debs")
                with roots.overlay([base.tree], layer) as tree:
                    shutil.copytree(layer / "debs", tree / "root/debs", ignore=shutil.ignore_patterns("partial"))
                    in_chroot(tree, INSTALL, (), layer / "install.log", f"installing packages in {suite}")
            shutil.rmtree(layer / "debs")
            (layer / "complete").touch()
        hold(layer)
    return layer / "upper"


@functools.cache
def root(suite: str, packages: tuple[str, ...], debs: Path = DEBS) -> Root:
    """A root with packages of the archive, and with our packages of a folder."""
    base = roots.base_root(suite)
    upper = packages_tree(suite, packages) if packages else None
    ours = roots.newest_debs(debs)
    if not ours:
        raise Trouble(f"{debs} has no packages: make deb")
    installer = TESTS / "guest" / "install-packages"
    key = digest(*packages, *(file.read_bytes() for file in (*ours, installer)))
    layer = base.base.parent / f"measured_{key}"
    with locked(CACHE / f"{suite}-extras.lock"):
        if (layer / "root.img").exists():
            os.utime(layer)
        else:
            shutil.rmtree(layer, ignore_errors=True)
            layer.mkdir()
            with step(f"installing {' '.join(deb.name for deb in ours)} in {suite}, beside {' '.join(packages)}"):
                roots.build_layer(base, ours, layer, [upper] if upper else [])
            old = sorted(layer.parent.glob("measured_*"), key=lambda path: path.stat().st_mtime)
            discard(old[:-KEPT_LAYERS])
        hold(layer)
    return Root(suite, base.base, layer / "root.img")


def prepared(suite: str, packages: tuple[str, ...], key: str, script: str, files: Sequence[Path]) -> Path:
    """A tar file of what a script left in /root/prepared, of a root with these packages.

    files are copied to the chroot's /root. key tells which packages the script needs, so that more of them make no
    difference.
    """
    base = roots.base_root(suite)
    name = digest(key, script, *(file.read_bytes() for file in files))
    tar = base.base.parent / "prepared" / f"{name}.tar"
    if tar.exists():
        return tar
    uppers = [packages_tree(suite, packages)] if packages else []
    with locked(CACHE / f"{suite}-prepared.lock"), step(f"making data with {key or 'no more packages'} in {suite}"):
        tar.parent.mkdir(exist_ok=True)
        scratch = tar.with_suffix(".scratch")
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir()
        with roots.overlay([*uppers, base.tree], scratch) as tree:
            for file in files:
                shutil.copy(file, tree / "root")
            (tree / "root/prepared").mkdir()
            in_chroot(tree, script, (), tar.with_suffix(".log"), f"making data with {key}")
            new = tar.with_suffix(".new")
            subprocess.run(["tar", "--sparse", "-C", str(tree / "root/prepared"), "-cf", str(new), "."], check=True)
            new.rename(tar)
        shutil.rmtree(scratch)
    return tar
