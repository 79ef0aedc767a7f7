# SPDX-License-Identifier: GPL-2.0-only
"""Ask the Debian archive, through this machine's own apt, which kernel a suite has."""

import subprocess
import time
from pathlib import Path

from .paths import CACHE
from .progress import Trouble, locked, say

KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
BACKPORTS = "-backports"
# Unstable with the kernel of experimental, which has only what is ahead of unstable.
EXPERIMENTAL = "experimental"
# Debian's other builds of a release's kernel: trixie-rt is trixie with the real-time kernel.
FLAVOURS = ("-cloud", "-rt")
# The host's architecture, and the ending of a suite's name that asks for the other one: trixie-arm64.
HOST = "amd64"
ARM64 = "-arm64"
# An answer takes seconds, and new kernels appear every few days.
ASK_AGAIN_S = 3600


def host_codename() -> str:
    for line in Path("/etc/os-release").read_text().splitlines():
        name, _, value = line.partition("=")
        if name == "VERSION_CODENAME":
            return value.strip('"')
    raise Trouble("/etc/os-release names no VERSION_CODENAME: the harness needs a Debian host")


def flavour(suite: str) -> str:
    """The build of the kernel that a suite's name asks for, "" for the usual one."""
    return next((flavour for flavour in FLAVOURS if suite.endswith(flavour)), "")


def architecture(suite: str) -> str:
    """The architecture of a suite, by Debian's name."""
    return "arm64" if suite.endswith(ARM64) else HOST


def pocket(suite: str) -> str:
    """The suite's name for apt."""
    return suite.removesuffix(flavour(suite)).removesuffix(ARM64)


def release(suite: str) -> str:
    return "sid" if pocket(suite) == EXPERIMENTAL else pocket(suite).removesuffix(BACKPORTS)


def kernel_packages(suite: str) -> tuple[str, ...]:
    """The metapackages of a suite's kernel: the image and the headers."""
    build = f"{flavour(suite)}-{architecture(suite)}"
    return f"linux-image{build}", f"linux-headers{build}"


def sources(suite: str) -> list[str]:
    """This machine's Debian sources, with the suite's release in place of its own."""
    host = host_codename()
    listing = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(CREATED_BY) $(COMPONENT) $(RELEASE) $(REPO_URI)"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    uris: dict[str, str] = {}
    for line in listing.splitlines():
        created_by, component, host_release, uri = line.split()
        if created_by == "Packages" and component == "main" and host_release.startswith(host):
            uris.setdefault(host_release.removeprefix(host), uri)
    if "" not in uris:
        raise Trouble(f"apt has no source for {host} main on this machine: add one to /etc/apt")
    # Unstable has one pocket only.
    wanted = [""] if release(suite) == "sid" else ["", "-updates", "-security"]
    pockets = {name: uri for name, uri in uris.items() if name in wanted}
    if pocket(suite).endswith(BACKPORTS):
        pockets[BACKPORTS] = uris[""]
    lines = [f"deb {uri} {release(suite)}{name} main" for name, uri in pockets.items()]
    return lines + ([f"deb {uris['']} {EXPERIMENTAL} main"] if pocket(suite) == EXPERIMENTAL else [])


def offered_kernel(suite: str) -> str | None:
    """The version of the suite's present kernel, or None if apt cannot reach the archive."""
    answer = CACHE / "apt" / suite / "kernel"
    # Without this lock two processes might update the lists at once: one fails, as if the archive were out of reach.
    with locked(CACHE / "apt" / f"{suite}.lock"):
        if not answer.exists() or time.time() - answer.stat().st_mtime > ASK_AGAIN_S:
            version = ask_archive(suite)
            if version is None:
                return None
            answer.write_text(version)
        return answer.read_text()


def apt_options(suite: str) -> list[str]:
    """The options by which apt-get and apt-cache answer for a suite, from the lists of the last offered_kernel()."""
    state = CACHE / "apt" / suite
    settings = {
        "Dir::Etc::sourcelist": state / "sources.list",
        "Dir::Etc::sourceparts": "/dev/null",
        "Dir::State::lists": state / "lists",
        "Dir::State::status": state / "status",
        "Dir::Cache": state,
        "Acquire::Languages": "none",
        "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled": "false",
        "APT::Architecture": architecture(suite),
        "APT::Architectures": architecture(suite),
        "APT::Default-Release": pocket(suite),
        "APT::Update::Error-Mode": "any",
    }
    return ["-q", *(f"--option={name}={value}" for name, value in settings.items())]


def ask_archive(suite: str) -> str | None:
    state = CACHE / "apt" / suite
    (state / "lists" / "partial").mkdir(parents=True, exist_ok=True)
    lines = [line.replace("deb ", f"deb [signed-by={KEYRING}] ", 1) for line in sources(suite)]
    (state / "sources.list").write_text("\n".join(lines) + "\n")
    (state / "status").touch()
    options = apt_options(suite)
    update = subprocess.run(
        ["apt-get", *options, "update"],
        capture_output=True,
        text=True,
        check=False,
    )
    if update.returncode:
        say(f"vm: cannot reach the archive of {suite}: {update.stderr.strip().splitlines()[-1]}")
        return None
    image, _ = kernel_packages(suite)
    madison = subprocess.run(
        ["apt-cache", *options, "madison", image],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    # "linux-image-amd64 | 6.12.107-1 | http://... trixie/main amd64 Packages", the newest first
    for line in madison.splitlines():
        _, version, origin = (field.strip() for field in line.split("|"))
        if pocket(suite) == release(suite) or f" {pocket(suite)}/" in origin:
            return version
    raise Trouble(f"{suite} has no {image}: is the suite's name right?")
