# SPDX-License-Identifier: GPL-2.0-only
"""
/etc/seqkeep.conf: settings of devices, which are applied when the device appears.

A section per device, named by what udev knows it by: sda, /dev/sda, /dev/disk/by-id/..., /dev/md/data or
/dev/mapper/vg-lv. An administrator may edit the file; "seqkeep set" changes its own lines and keeps the others.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from .errors import SeqkeepError, UsageError
from .host import Host
from .own_files import replace

FILE = "/etc/seqkeep.conf"
INTRO = """\
# Settings of devices, which seqkeep applies when the device appears; see seqkeep(8), seqkeep set.
# A name such as sda may be another disk after a boot: take a link of /dev/disk/by-id, /dev/md or /dev/mapper.
"""
# The settings, the file of each in /sys/block/DISK, and its range.
ATTRIBUTES = {
    "read_ahead_kb": ("queue/read_ahead_kb", 0, 4194304),
    "wbt_lat_usec": ("queue/wbt_lat_usec", -1, 10000000),
    "stripe_cache_size": ("md/stripe_cache_size", 17, 32768),
    "group_thread_cnt": ("md/group_thread_cnt", 0, 8192),
    "skip_copy": ("md/skip_copy", 0, 1),
    # ms, or auto: of raid5-deadline, in an array that has been written to since the module was enabled.
    "stripe_deadline": ("md/stripe_deadline", 0, 10000),
}
# Of ctxra, which has one list for all devices: yes, and KiB.
CTXRA, CTXRA_KB = "ctxra", "ctxra_max_kb"
NAMES = (*ATTRIBUTES, CTXRA, CTXRA_KB)
DEVICE = re.compile(r"[\w./:@+=,%~!\\-]{1,200}", re.ASCII)
SECTION = re.compile(r"\s*\[([^\]]+)\]\s*")

Settings = dict[str, dict[str, str]]


def deadline_file(disk: str) -> str:
    return f"/sys/block/{disk}/{ATTRIBUTES['stripe_deadline'][0]}"


def check_setting(name: str, value: str) -> None:
    """Fail unless a setting exists and the value is in its range."""
    if name == CTXRA:
        if value != "yes":
            raise UsageError(f"{CTXRA}={value}: the value is yes; to take the device out, give {CTXRA}= without one")
        return
    if name == CTXRA_KB:
        low, high = 0, 65536
    elif name in ATTRIBUTES:
        _, low, high = ATTRIBUTES[name]
    else:
        raise UsageError(f"a device has no setting {name}; it has: {', '.join(NAMES)}")
    if name in ("stripe_deadline", CTXRA_KB) and value == "auto":
        return
    if not re.fullmatch(r"-?\d{1,9}", value, re.ASCII) or not low <= int(value) <= high:
        raise UsageError(f"{name}={value}: the value is not from {low} to {high}")


def read_text(host: Host) -> str:
    data = host.bytes(FILE)
    if data is None and FILE in host.unread:
        raise SeqkeepError(f"cannot read {FILE}: {host.unread[FILE]}")
    return (data or b"").decode(errors="surrogateescape")


def parse(text: str) -> Settings:
    """Parse the file. Fail with the line that cannot be understood."""
    settings: Settings = {}
    section: dict[str, str] | None = None
    for number, line in enumerate(text.splitlines(), 1):
        bare = line.split("#")[0].strip()
        header = SECTION.fullmatch(bare)
        name, equals, value = (part.strip() for part in bare.partition("="))
        if header and DEVICE.fullmatch(header[1]):
            section = settings.setdefault(header[1], {})
        elif bare:
            try:
                if section is None or not equals:
                    raise UsageError("neither [DEVICE] nor SETTING = VALUE below one")
                check_setting(name, value)
            except UsageError as error:
                raise SeqkeepError(f"{FILE}, line {number}: {error}") from error
            section[name] = value
    return settings


def read_settings(host: Host) -> Settings:
    return parse(read_text(host))


def changed(text: str, device: str, changes: dict[str, str]) -> str:
    """Return the text of the file with settings of a device changed, or removed if the value is empty."""
    wanted = dict(changes)
    lines: list[str] = []
    inside = False
    last = None
    for line in (text or INTRO).splitlines():
        header = SECTION.fullmatch(line.split("#")[0])
        name = line.split("#")[0].partition("=")[0].strip()
        if header:
            inside = header[1] == device
        if inside and not header and name in changes:
            # The last of several counts, so write it once and drop the others.
            if wanted.get(name):
                lines.append(f"{name} = {wanted.pop(name)}")
                last = len(lines)
            continue
        lines.append(line)
        if inside and (header or name):
            last = len(lines)
    added = [f"{name} = {value}" for name, value in wanted.items() if value]
    if added and last is None:
        lines += ["", f"[{device}]", *added]
    elif added:
        lines[last:last] = added
    return "\n".join(drop_empty(lines, device)) + "\n"


def drop_empty(lines: list[str], device: str) -> list[str]:
    """Return the lines without the section of a device that has no setting."""
    at = [n for n, line in enumerate(lines) if SECTION.fullmatch(line) and line.strip() == f"[{device}]"]
    for n in reversed(at):
        rest = next((line for line in lines[n + 1 :] if line.strip()), "[")
        if rest.lstrip().startswith("["):
            del lines[n]
            if n and not lines[n - 1].strip():
                del lines[n - 1]
    return lines


def write_settings(host: Host, device: str, changes: dict[str, str]) -> None:
    text = read_text(host)
    parse(text)
    new = changed(text, device, changes)
    if new != text and (text or any(changes.values())):
        replace(host, FILE, new)


def restore_settings(host: Host, text: str) -> None:
    """Write what read_text() returned."""
    if read_text(host) != text:
        replace(host, FILE, text)


def disk_named(host: Host, name: str) -> str | None:
    """Return the name in /sys/block that a device has now; None if it is not there."""
    if not DEVICE.fullmatch(name):
        return None
    # A disk with a slash in its name, as etherd/e1.1, has a ! there in /sys/block, by which it may be named, too.
    path = Path(os.path.realpath(host.path(name if name.startswith("/") else f"/dev/{name.replace('!', '/')}")))
    try:
        if host.is_real and not path.is_block_device():
            return None
    except OSError:
        # In a directory that the user may not read.
        return None
    folder = os.path.realpath(host.path("/dev"))
    kernel = os.path.relpath(path, folder).replace("/", "!") if path.is_relative_to(folder) else path.name
    return kernel if host.exists(f"/sys/block/{kernel}") and kernel else None


def find_disk(host: Host, device: str) -> str | None:
    """Return the name in /sys/block of a device that a user names; None if it is not there but may be later."""
    if not DEVICE.fullmatch(device):
        raise UsageError(f"{device!a} is neither a module nor the name of a device")
    disk = disk_named(host, device)
    if disk is None and (re.fullmatch(r"\d+:\d+", device) or host.exists(f"/sys/class/bdi/{device}")):
        raise UsageError(
            f"{device} is no name of a disk, and seqkeep keeps settings of disks only: give ctxra others by a file of"
            " your own in /etc/modprobe.d, see ctxra(4)"
        )
    if disk is None and host.exists(f"/sys/class/block/{device.rpartition('/')[2]}/partition"):
        raise UsageError(f"{device} is a partition: name its disk")
    if disk is None and not device.startswith("/dev/"):
        raise UsageError(
            f"{device} is neither a module nor a disk that is there; an absent disk needs its path in /dev"
        )
    return disk


def check_has(host: Host, disk: str, names: Iterable[str]) -> None:
    """Fail unless a disk that is there has these settings, or may get them."""
    for name in names:
        file = ATTRIBUTES[name][0] if name in ATTRIBUTES else ""
        level = host.text(f"/sys/block/{disk}/md/level")
        if file.startswith("md/") and level == "":
            # A stopped array has its files when it is started.
            continue
        # The module makes its file later.
        if name == "stripe_deadline" and level in ("raid4", "raid5", "raid6"):
            continue
        if file and not host.exists(f"/sys/block/{disk}/{file}"):
            why = "is no array of RAID 4, 5 or 6" if file.startswith("md/") else f"has no {file}"
            raise UsageError(f"{disk} has no setting {name}: it {why}")


def present(host: Host, settings: Settings) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Yield the disks that are there: their name in /sys/block, in the file, and their settings."""
    for name, values in settings.items():
        disk = disk_named(host, name)
        if disk:
            yield disk, name, values


def has_listed_disk(host: Host) -> bool:
    """Return whether a disk of ctxra's list is there."""
    try:
        return any(CTXRA in values for _, _, values in present(host, read_settings(host)))
    except SeqkeepError:
        # The doctor reports the file.
        return False


def stable_name(host: Host, name: str) -> str:
    """Return a link that still leads to a disk after a boot, for a name that may not; "" if there is none."""
    if not re.fullmatch(r"(/dev/)?(sd|nvme|vd|md|dm-|nullb)\w*", name):
        return ""
    disk = disk_named(host, name)
    for directory in ("/dev/disk/by-id", "/dev/md", "/dev/mapper"):
        # Of an array rather its UUID than its name, which another array may have after a boot.
        links = sorted(host.names(directory), key=lambda link: not link.startswith("md-uuid-")) if disk else []
        for link in links:
            if disk_named(host, f"{directory}/{link}") == disk:
                return f"{directory}/{link}"
    return ""
