# SPDX-License-Identifier: GPL-2.0-only
"""Write a udev rule for one disk and no other. Pure."""

from __future__ import annotations

from collections.abc import Mapping

# What identifies a disk and can be matched by a rule, best first: udev's properties, then attributes of the disk or of
# a parent device.
PROPERTIES = ("ID_SERIAL", "ID_WWN_WITH_EXTENSION", "ID_WWN", "MD_UUID", "DM_UUID")
ATTRIBUTES = {
    "wwid": "ATTR{wwid}",
    "device/wwid": "ATTRS{wwid}",
    "serial": "ATTR{serial}",
    "device/serial": "ATTRS{serial}",
    "dm/uuid": "ATTR{dm/uuid}",
}


def escape_pattern(value: str) -> str:
    """Return a pattern for a value, with "?", which matches any character, for those that udev would interpret."""
    return "".join(c if c.isalnum() or c in " -_.:,;+=/#@%()" else "?" for c in value)


def disk_match(properties: Mapping[str, str], identity: Mapping[str, str]) -> str:
    """Return the key of a rule that matches this disk only; "" if there is none."""
    for name in PROPERTIES:
        if properties.get(name):
            return f'ENV{{{name}}}=="{escape_pattern(properties[name])}"'
    for name, key in ATTRIBUTES.items():
        if identity.get(name):
            return f'{key}=="{escape_pattern(identity[name])}"'
    return ""


def needed_rules_file(matched: str) -> str:
    """Return udev's file that sets the property of a key: rules must sort after it. "" if the kernel sets it."""
    if not matched.startswith("ENV{"):
        return ""
    return "63-md-raid-arrays.rules" if matched.startswith("ENV{MD_UUID}") else "60-persistent-storage.rules"


def rules_text(disk: str, matched: str, settings: Mapping[str, str], comments: list[str]) -> str:
    """Return a file for /etc/udev/rules.d, one line per tunable: some exist only once the scheduler is set."""
    scope = f'ACTION=="add|change", SUBSYSTEM=="block", ENV{{DEVTYPE}}=="disk", {matched}'
    lines = [f"# {line}" for line in (f"By iostune, for {disk}.", *comments)]
    lines += [f'{scope}, ATTR{{{name}}}="{value}"' for name, value in settings.items()]
    return "\n".join(lines) + "\n"
