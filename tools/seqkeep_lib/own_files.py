# SPDX-License-Identifier: GPL-2.0-only
"""
Files in /etc that seqkeep writes as a whole.

The first line says that seqkeep wrote the file, and has a checksum of the rest. So a file that somebody else wrote or
edited is recognised, and left as it is. A file appears, changes and disappears at once, whatever ends the command.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
import zlib
from pathlib import Path

from .errors import SeqkeepError
from .host import Host

HEADER = "# Written by seqkeep, checksum {:08x}. It does not touch the file once that is edited by hand.\n"
MARKER = re.compile(r"# Written by seqkeep, checksum ([0-9a-f]{8})\..*\n")
# Neither modprobe(8) nor modules-load.d(5) reads a file of this ending.
NEW = ".seqkeep-new"


def read_own(host: Host, name: str) -> str | None:
    """Return what seqkeep wrote into a file, without the first line; None if there is no such file."""
    data = host.bytes(name)
    if data is None:
        if host.exists(name):
            raise SeqkeepError(f"cannot read {name}: {host.unread.get(name, 'unknown error')}")
        return None
    text = data.decode(errors="surrogateescape")
    header = MARKER.match(text)
    if not header:
        raise SeqkeepError(f"{name} exists, and seqkeep did not write it: move it away, then run this again")
    rest = text[header.end() :]
    if int(header[1], 16) != checksum(rest):
        raise SeqkeepError(f"{name} was edited since seqkeep wrote it: move it away, then run this again")
    return rest


def checksum(text: str) -> int:
    return zlib.crc32(text.encode(errors="surrogateescape"))


def write_own(host: Host, name: str, text: str) -> None:
    """Write a file that does not exist or that seqkeep wrote."""
    if read_own(host, name) == text:
        return
    replace(host, name, HEADER.format(checksum(text)) + text)


def remove_own(host: Host, name: str) -> None:
    """Remove a file that seqkeep wrote, if there is one."""
    if read_own(host, name) is not None:
        try:
            host.path(name).unlink()
        except OSError as error:
            raise_reason("remove", name, error)
        sync_directory(host.path(name).parent)


def replace(host: Host, name: str, text: str) -> None:
    """Write a file, so that each reader sees the old one or the new one, also after a crash."""
    path = host.path(name)
    try:
        # An administrator may keep the file elsewhere, as in a repository, and let not everybody read it.
        path = path.resolve()
        old = path.stat() if path.exists() else None
        if old and not stat.S_ISREG(old.st_mode):
            raise SeqkeepError(f"{name} is {path}, which is no regular file: remove {name}, then run this again")
        path.parent.mkdir(parents=True, exist_ok=True)
        write_and_rename(path, text.encode(errors="surrogateescape"), old)
    except OSError as error:
        raise_reason("write", name, error)
    except RuntimeError as error:
        # Of resolve(), before Python 3.13.
        raise SeqkeepError(f"cannot write {name}: it is a loop of links") from error
    sync_directory(path.parent)


def write_and_rename(path: Path, data: bytes, old: os.stat_result | None) -> None:
    """Write a file under another name, with the owner and the mode of the old one, and give it its own."""
    new = path.with_name(path.name + NEW)
    # Not through a link that somebody has put there.
    new.unlink(missing_ok=True)
    try:
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(data)
            if old:
                os.fchown(file.fileno(), old.st_uid, old.st_gid)
            os.fchmod(file.fileno(), old.st_mode & 0o777 if old else 0o644)
            file.flush()
            os.fsync(file.fileno())
        new.rename(path)
    except BaseException:
        # The disk is full, or a signal came.
        with contextlib.suppress(OSError):
            new.unlink()
        raise


def raise_reason(what: str, name: str, error: OSError) -> None:
    remedy = ": run seqkeep as root" if isinstance(error, PermissionError) else ""
    raise SeqkeepError(f"cannot {what} {name}: {error.strerror}{remedy}") from error


def sync_directory(path: Path) -> None:
    directory = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)
