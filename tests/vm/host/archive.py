# SPDX-License-Identifier: GPL-2.0-only
"""What the Debian archive offers for a suite, asked through this machine's own apt."""

import subprocess
import time
from pathlib import Path

from .paths import CACHE
from .progress import Trouble, say

KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
BACKPORTS = "-backports"
# A question takes seconds, and new kernels come in days.
ASK_AGAIN_S = 3600


def host_codename() -> str:
    for line in Path("/etc/os-release").read_text().splitlines():
        name, _, value = line.partition("=")
        if name == "VERSION_CODENAME":
            return value.strip('"')
    raise Trouble("/etc/os-release names no VERSION_CODENAME: the harness needs a Debian host")


def sources(suite: str) -> list[str]:
    """This machine's Debian sources, with its release replaced by that of the suite."""
    release = suite.removesuffix(BACKPORTS)
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
    pockets = {pocket: uri for pocket, uri in uris.items() if pocket in ("", "-updates", "-security")}
    if suite.endswith(BACKPORTS):
        pockets[BACKPORTS] = uris[""]
    return [f"deb {uri} {release}{pocket} main" for pocket, uri in pockets.items()]


def offered_kernel(suite: str) -> str | None:
    """The version of linux-image-amd64 that the suite has now; None when the archive is out of reach."""
    answer = CACHE / "apt" / suite / "kernel"
    if not answer.exists() or time.time() - answer.stat().st_mtime > ASK_AGAIN_S:
        version = ask_archive(suite)
        if version is None:
            return None
        answer.write_text(version)
    return answer.read_text()


def ask_archive(suite: str) -> str | None:
    state = CACHE / "apt" / suite
    (state / "lists" / "partial").mkdir(parents=True, exist_ok=True)
    lines = [line.replace("deb ", f"deb [signed-by={KEYRING}] ", 1) for line in sources(suite)]
    (state / "sources.list").write_text("\n".join(lines) + "\n")
    (state / "status").touch()
    settings = {
        "Dir::Etc::sourcelist": state / "sources.list",
        "Dir::Etc::sourceparts": "/dev/null",
        "Dir::State::lists": state / "lists",
        "Dir::State::status": state / "status",
        "Dir::Cache": state,
        "Acquire::Languages": "none",
        "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled": "false",
        "APT::Update::Error-Mode": "any",
    }
    options = ["-q", *(f"--option={name}={value}" for name, value in settings.items())]
    update = subprocess.run(
        ["apt-get", *options, "update"],
        capture_output=True,
        text=True,
        check=False,
    )
    if update.returncode:
        say(f"vm: the archive of {suite} is out of reach: {update.stderr.strip().splitlines()[-1]}")
        return None
    madison = subprocess.run(
        ["apt-cache", *options, "madison", "linux-image-amd64"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    # "linux-image-amd64 | 6.12.107-1 | http://... trixie/main amd64 Packages", the newest first
    for line in madison.splitlines():
        _, version, origin = (field.strip() for field in line.split("|"))
        if not suite.endswith(BACKPORTS) or f" {suite}/" in origin:
            return version
    raise Trouble(f"{suite} has no linux-image-amd64: is the suite's name right?")
