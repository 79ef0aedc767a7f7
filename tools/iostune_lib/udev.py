# SPDX-License-Identifier: GPL-2.0-only
"""A udev rule for this disk and no other. Pure."""

from __future__ import annotations

from collections.abc import Mapping

# Which of what identifies a disk a rule can match, best first: as udev's properties, as attributes of the disk, or of
# a device above it.
PROPERTIES = ("ID_SERIAL", "ID_WWN_WITH_EXTENSION", "ID_WWN", "MD_UUID", "DM_UUID")
ATTRIBUTES = {
    "wwid": "ATTR{wwid}",
    "device/wwid": "ATTRS{wwid}",
    "serial": "ATTR{serial}",
    "device/serial": "ATTRS{serial}",
    "dm/uuid": "ATTR{dm/uuid}",
}


def escape_pattern(value: str) -> str:
    """A value as udev matches it: what it would take for a pattern or for the end matches any one character."""
    return "".join(c if c.isalnum() or c in " -_.:,;+=/#@%()" else "?" for c in value)


def disk_match(properties: Mapping[str, str], identity: Mapping[str, str]) -> str:
    """What a rule matches the disk by; empty if nothing tells it from others."""
    for name in PROPERTIES:
        if properties.get(name):
            return f'ENV{{{name}}}=="{escape_pattern(properties[name])}"'
    for name, key in ATTRIBUTES.items():
        if identity.get(name):
            return f'{key}=="{escape_pattern(identity[name])}"'
    return ""


def needed_rules_file(matched: str) -> str:
    """The file of udev's that finds what a rule matches the disk by: rules are read in the order of their names."""
    if not matched.startswith("ENV{"):
        # The kernel has it from the start.
        return ""
    return "63-md-raid-arrays.rules" if matched.startswith("ENV{MD_UUID}") else "60-persistent-storage.rules"


def rules_text(disk: str, matched: str, settings: Mapping[str, str], comments: list[str]) -> str:
    """A file for /etc/udev/rules.d. A line for each: with the scheduler come tunables that were not there before."""
    scope = f'ACTION=="add|change", SUBSYSTEM=="block", ENV{{DEVTYPE}}=="disk", {matched}'
    lines = [f"# {line}" for line in (f"By iostune, for {disk}.", *comments)]
    lines += [f'{scope}, ATTR{{{name}}}="{value}"' for name, value in settings.items()]
    return "\n".join(lines) + "\n"
