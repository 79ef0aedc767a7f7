# SPDX-License-Identifier: GPL-2.0-only
"""Replace names and addresses in a text. The same name gets the same placeholder, so that a reader can follow it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from .arrays import arrays
from .host import Host
from .nfs import exports
from .storage import mounts
from .targets import backstores

# Paths that every system has, and sources of mounts that name nothing.
COMMON = re.compile(
    r"/(boot|dev|etc|home|media|mnt|opt|proc|root|run|srv|sys|tmp|usr|var)?(/(efi|lib|log|tmp|shm|pts))?"
)
# Of an array that no administrator named.
KERNEL_NAME = re.compile(r"md\d+")
HEX = "[0-9A-Fa-f]"
# Mounts of the system, and volumes that every system may have.
SYSTEM = re.compile(r"/(sys|proc|dev|lib/modules|usr/lib/modules)/.*|/(usr/)?lib/modules")
VOLUMES = ("root", "swap", "home", "data", "live-rw", "live-base")
# What is left of a path.
REST = r"/[^\s\"',;)]+"
PATTERNS = (
    ("mail", r"[\w.+-]+@[\w-]+(\.[\w-]+)+"),
    ("iqn", r"\b(iqn|eui|naa|nqn)\.[\w.:-]+"),
    ("uuid", rf"\b{HEX}{{8}}(:{HEX}{{8}}){{3}}\b"),
    # Not a register, and not a number.
    ("wwn", rf"(?<![A-Z0-9]{{3}}: )\b(0x)?(?!\d+\b)(?!(?:6b|5a)+\b)([56]{HEX}{{15}}|6{HEX}{{31}})\b"),
    ("uuid", rf"\b{HEX}{{8}}(-{HEX}{{4}}){{3}}-{HEX}{{12}}\b"),
    ("mac", rf"\b{HEX}{{2}}(:{HEX}{{2}}){{5}}\b"),
    ("address", r"(?<![\w:])::(ffff:)?(\d{1,3}\.){3}\d{1,3}(?![\d.])"),
    # Not the time of day, and not a device's number: an address has seven colons, or two that follow each other.
    ("address", rf"(?<![\w:])({HEX}{{1,4}}:){{7}}{HEX}{{1,4}}\b"),
    ("address", rf"(?<![\w:])({HEX}{{1,4}}:){{0,6}}({HEX}{{1,4}})?::({HEX}{{1,4}}:)*{HEX}{{0,4}}(?![\w:])"),
    ("address", r"(?<![\d.])(\d{1,3}\.){3}\d{1,3}(?![\d.])"),
    # Values of our own options.
    ("list", r"(?<=\b(?:exports|servers)=)(\"[^\"]*\"|[^\s\"']+)"),
    ("path", rf"(?<![\w.])/dev/(?!(pts|shm|fd|net|cpu)/)[\w.+-]+{REST}"),
    ("path", rf"/(home|mnt|media|srv|export|exports|data){REST}"),
)


def known_names(host: Host) -> Iterable[tuple[str, str]]:
    """Yield the names that this machine's administrator chose, with the kind of each."""
    nodename = host.text("/proc/sys/kernel/hostname") or (os.uname().nodename if host.is_real else "")
    yield "host", nodename
    yield "host", nodename.split(".")[0]
    yield "host", host.text("/proc/sys/kernel/domainname") or ""
    yield "id", host.text("/etc/machine-id") or ""
    for mount in mounts(host):
        if not SYSTEM.fullmatch(mount.path):
            yield "path", mount.path
        if mount.fstype in ("nfs", "nfs4", "cifs", "smb3", "ceph", "glusterfs"):
            yield "server", mount.source
            yield "server", re.split(r":/|/", mount.source.lstrip("/"))[0].strip("[]")
    for path, client in exports(host):
        yield "path", path
        yield "client", client
    for array in arrays(host):
        yield "device", array.name
    for disk in host.names("/sys/block"):
        volume = host.text(f"/sys/block/{disk}/dm/name") or ""
        yield "volume", "" if volume in VOLUMES else volume
    for store in backstores(host):
        yield "backstore", store.name
        yield "path", store.path
    servers = host.text("/sys/module/nfs_ra/parameters/servers") or ""
    for item in servers.split(","):
        yield "server", item.rpartition(":")[0] or item


class Redactor:
    def __init__(self, names: Iterable[tuple[str, str]]) -> None:
        self.placeholders: dict[str, str] = {}
        kinds: dict[str, str] = {}
        for kind, name in names:
            trivial = (
                len(name) < 3
                or COMMON.fullmatch(name)
                or (kind == "device" and KERNEL_NAME.fullmatch(name))
                or name in ("localhost", "(none)")
            )
            if not trivial:
                kinds.setdefault(name, kind)
        # The longest first: /srv/a/b before /srv/a.
        self.kinds = dict(sorted(kinds.items(), key=lambda item: -len(item[0])))

    def placeholder(self, kind: str, text: str) -> str:
        if text not in self.placeholders:
            n = sum(1 for given in self.placeholders.values() if given.startswith(f"<{kind}-")) + 1
            self.placeholders[text] = f"<{kind}-{n}>"
        return self.placeholders[text]

    def known(self, found: re.Match[str]) -> str:
        kind, name = self.kinds[found[1]], found[1]
        # What is below a path has a name of the same hand.
        return self.placeholder(kind, found[0]) if kind == "path" else self.placeholder(kind, name) + (found[2] or "")

    def redact(self, text: str) -> str:
        if self.kinds:
            known = "|".join(re.escape(name) for name in self.kinds)
            text = re.sub(rf"(?<![\w-])({known})(?![\w-])({REST})?", self.known, text)
        for kind, pattern in PATTERNS:
            text = re.sub(pattern, lambda found, kind=kind: self.placeholder(kind, found[0]), text)  # type: ignore[misc]
        return text
