# SPDX-License-Identifier: GPL-2.0-only
"""Read the machine's state: files below a root, which tests replace, and the output of commands that only read."""

from __future__ import annotations

import errno
import gzip
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

# sysfs has the file, but this device has no value for it: wbt_lat_usec of a disk that bfq serves.
NO_VALUE = (errno.EINVAL, errno.ENODEV, errno.EOPNOTSUPP)


def unescape(path: str) -> str:
    r"""Decode the octal escapes in a path from a file like mountinfo, which writes a blank as \040.

    etab has each byte of what is not ASCII so, which together are a character.
    """
    return re.sub(r"(?:\\[0-3][0-7]{2})+", lambda run: decode_octal(run[0]), path)


def decode_octal(escapes: str) -> str:
    return bytes(int(octal, 8) for octal in escapes.split("\\")[1:]).decode(errors="replace")


class Host:
    """The machine that the tools inspect. No method changes anything."""

    def __init__(self, root: Path = Path("/"), release: str = "") -> None:
        self.root = root
        # Otherwise a folder of a test.
        self.is_real = root == Path("/")
        # The files that exist and could not be read, with the error. The doctor reports them as unknown.
        self.unread: dict[str, str] = {}
        self.release = release or self.text("/proc/sys/kernel/osrelease") or os.uname().release

    def path(self, name: str) -> Path:
        return self.root / name.lstrip("/")

    def bytes(self, name: str) -> bytes | None:
        """Return the contents of a file; None if it does not exist, has no value or cannot be read."""
        try:
            return self.path(name).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            if error.errno not in NO_VALUE or not name.startswith("/sys/"):
                self.unread[name] = error.strerror or str(error)
            return None

    def text(self, name: str) -> str | None:
        """Return the contents of a file as text without surrounding white space; None as bytes() does."""
        data = self.bytes(name)
        return None if data is None else data.decode(errors="replace").strip()

    def number(self, name: str) -> int | None:
        """Return the number that a file contains; None if it contains none."""
        try:
            return int(self.text(name) or "")
        except ValueError:
            return None

    def exists(self, name: str) -> bool:
        try:
            return self.path(name).exists()
        except OSError as error:
            self.unread[name] = error.strerror or str(error)
            return False

    def names(self, directory: str) -> list[str]:
        """Return the sorted names in a directory; none if it does not exist or cannot be read."""
        try:
            return sorted(entry.name for entry in self.path(directory).iterdir())
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            self.unread[directory] = error.strerror or str(error)
            return []

    def find(self, directory: str, pattern: str) -> Iterator[str]:
        """Find files anywhere below a directory; the names start at the root."""
        try:
            found = sorted(self.path(directory).rglob(pattern))
        except OSError as error:
            # A subdirectory was removed meanwhile.
            self.unread[directory] = error.strerror or str(error)
            found = []
        for path in found:
            yield "/" + str(path.relative_to(self.root))

    def command(self, *words: str) -> str | None:
        """Return the output of a command; None if it is not installed or fails."""
        if not self.is_real:
            # The commands of this machine know nothing of another one.
            words = (str(self.path(f"/usr/bin/{words[0]}")), *words[1:])
        try:
            done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, timeout=30)
        except (OSError, subprocess.SubprocessError):
            return None
        return done.stdout.decode(errors="replace").strip()

    def kernel_config(self, release: str) -> dict[str, str] | None:
        """Return the options that a kernel was built with; None if no file has them."""
        text = self.text(f"/boot/config-{release}") or self.text(f"/lib/modules/{release}/config")
        if text is None:
            packed = self.bytes("/proc/config.gz") if release == self.release else None
            if packed is None:
                return None
            text = gzip.decompress(packed).decode()
        pairs = (line.split("=", 1) for line in text.splitlines() if line.startswith("CONFIG_"))
        return {pair[0]: pair[1] for pair in pairs if len(pair) == 2}
