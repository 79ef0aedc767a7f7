# SPDX-License-Identifier: GPL-2.0-only
"""Write a profile for tuned, and see whether tuned would overwrite a udev rule."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from . import tunables as t
from .target import read_file

ACTIVE = Path("/etc/tuned/active_profile")
PROFILES = (Path("/etc/tuned/profiles"), Path("/etc/tuned"), Path("/usr/lib/tuned/profiles"), Path("/usr/lib/tuned"))
# tuned's names of what its plugin for disks sets. It sets them again whenever it starts.
DISK_OPTIONS = {t.SCHEDULER: "elevator", t.READAHEAD: "readahead"}
MOST_INCLUDES = 20


def profile_text(disk: str, properties: Mapping[str, str], settings: Mapping[str, str], comments: Sequence[str]) -> str:
    """Return a tuned.conf that sets the values on one disk, on top of the profile that is active. Pure.

    tuned finds the disk by a property of udev; the files of sysfs are set by the disk's present name, for which tuned
    knows no other way.
    """
    lines = [f"# {line}" for line in (f"By iostune, for {disk}.", *comments)]
    lines += ["[main]", f"summary=What iostune recommends for {disk}"]
    active = active_profiles()
    if active:
        lines.append(f"include={active[0]}")
    named = next(
        (f"{name}={properties[name]}" for name in ("ID_SERIAL", "ID_WWN", "DM_UUID") if name in properties), ""
    )
    of_disk = {DISK_OPTIONS[name]: value for name, value in settings.items() if name in DISK_OPTIONS}
    if of_disk:
        lines += ["", f"[disk_{disk}]", "type=disk"]
        lines.append(f"devices_udev_regex=^{re.escape(named)}$" if named else f"devices={disk}")
        lines += [f"{name}={value}" for name, value in of_disk.items()]
    others = {name: value for name, value in settings.items() if name not in DISK_OPTIONS}
    if others:
        lines += ["", "[sysfs]"]
        lines += [f"/sys/block/{disk}/{name}={value}" for name, value in others.items()]
    return "\n".join(lines) + "\n"


def active_profiles() -> list[str]:
    """Return the profiles that tuned applies; none if it is not there or has none."""
    return read_file(ACTIVE).split()


def sets_disks(profile: str) -> bool:
    """Return whether a profile, or one that it includes, sets the scheduler or the readahead of disks."""
    waiting, seen = [profile], set[str]()
    while waiting and len(seen) < MOST_INCLUDES:
        name = waiting.pop()
        if name in seen or "/" in name:
            continue
        seen.add(name)
        text = next((found for folder in PROFILES for found in [read_file(folder / name / "tuned.conf")] if found), "")
        if re.search(r"^\s*(elevator|readahead)\s*=", text, re.MULTILINE):
            return True
        for match in re.findall(r"^\s*include\s*=\s*(.*)$", text, re.MULTILINE):
            waiting += re.split(r"[,;\s]+", match.strip())
    return False


def overwriting_profile() -> str:
    """Return the active profile that would overwrite a udev rule for a disk; "" if there is none."""
    return next((name for name in active_profiles() if sets_disks(name)), "")
