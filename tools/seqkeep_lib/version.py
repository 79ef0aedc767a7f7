# SPDX-License-Identifier: GPL-2.0-only
"""The release of seqkeep that a command belongs to."""

from __future__ import annotations

from pathlib import Path


def version() -> str:
    # In the package META is beside this library's folder, in the sources in the root.
    # A list, because Python 3.9 cannot slice parents.
    for folder in list(Path(__file__).resolve().parents)[1:3]:
        if (folder / "META").exists():
            lines = (folder / "META").read_text().splitlines()
            return next(line.removeprefix("Version: ") for line in lines if line.startswith("Version: "))
    return "of unknown version: no META"
