# SPDX-License-Identifier: GPL-2.0-only
"""What the iSCSI targets of a machine serve: LIO's and SCST's backstores."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .host import Host

LIO = "/sys/kernel/config/target/core"
SCST = "/sys/kernel/scst_tgt/handlers"
KINDS = {"iblock": "block", "fileio": "fileio", "pscsi": "pscsi", "rd_mcp": "ramdisk", "user": "user"}


@dataclass(frozen=True)
class Backstore:
    name: str
    # "fileio" alone reads through the page cache.
    kind: str
    # The file or the device; "" if unknown.
    path: str = ""
    # A fileio that reads by direct I/O (LIO's fd_async_io).
    direct: bool = False

    @property
    def is_cached(self) -> bool:
        return self.kind == "fileio" and not self.direct


def lio_backstores(host: Host) -> Iterator[Backstore]:
    for group in host.names(LIO):
        kind = KINDS.get(group.rpartition("_")[0])
        for name in host.names(f"{LIO}/{group}") if kind else []:
            info = host.text(f"{LIO}/{group}/{name}/info")
            if info is None or not kind:
                # hba_info, hba_mode: a file of the group itself.
                continue
            file = re.search(r"File: (.+?)  Size:", info)
            path = host.text(f"{LIO}/{group}/{name}/udev_path") or (file[1] if file else "")
            yield Backstore(name, kind, path, direct="Async: 1" in info)


def scst_backstores(host: Host) -> Iterator[Backstore]:
    for handler, kind in (("vdisk_fileio", "fileio"), ("vdisk_blockio", "block")):
        for name in host.names(f"{SCST}/{handler}"):
            path = host.text(f"{SCST}/{handler}/{name}/filename")
            if path is not None:
                direct = (host.text(f"{SCST}/{handler}/{name}/o_direct") or "").startswith("1")
                yield Backstore(name, kind, path.splitlines()[0], direct)


def backstores(host: Host) -> list[Backstore]:
    return [*lio_backstores(host), *scst_backstores(host)]
