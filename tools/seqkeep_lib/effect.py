# SPDX-License-Identifier: GPL-2.0-only
"""Which options do not do at once, or at a boot, what a user may expect of them, and what to say of that."""

from __future__ import annotations

from collections.abc import Mapping

from .host import Host
from .modules import State
from .nfs import nfs_mounts

# Whether to enable nfs-ra sets the mounts that exist.
APPLY = "/sys/module/nfs_ra/parameters/apply"
ON_ENABLE = "when {} is enabled next"
# The options that a module which is enabled does not use at once, and when it does. Their manual pages say so, too.
LATER = {
    "nfsd-dio": {"pool_kb": ON_ENABLE},
    "nfs-ra": {
        "apply": ON_ENABLE,
        **dict.fromkeys(
            ("multiple", "min_kb", "max_kb", "auto_max_kb", "servers", "override"),
            "for mounts that are made from now on",
        ),
    },
    "raid5-deadline": {"cache_mb": "for arrays that need a larger stripe cache from now on"},
}


def later_notes(state: State, options: Mapping[str, str]) -> list[str]:
    """Say which options a module does not use at once. state: what it was before it got them."""
    if not state.enabled:
        return []
    name = state.module.name
    when = {option: text.format(name) for option, text in LATER.get(name, {}).items() if options.get(option)}
    notes = []
    for text in dict.fromkeys(when.values()):
        given = [option for option in when if when[option] == text]
        notes.append(f"{', '.join(given)} {'takes' if len(given) == 1 else 'take'} effect {text}.")
    return notes


def boot_notes(state: State, options: Mapping[str, str]) -> list[str]:
    """Say which option may keep a module from being loaded at boot."""
    if state.module.name != "nfsd-dio" or not options.get("devices"):
        return []
    return [
        "nfsd-dio is not loaded at boot if a disk of devices is not there yet, as an array that is assembled later:"
        " then name directories by exports instead, which need not exist yet."
    ]


def mount_notes(host: Host, state: State) -> list[str]:
    """Say that nfs-ra, which is enabled now and was not before, leaves the mounts that exist."""
    if state.module.name != "nfs-ra" or state.enabled or host.text(APPLY) == "1" or not nfs_mounts(host):
        return []
    return ["nfs-ra does nothing for NFS mounts that exist until they are mounted again: see apply in nfs-ra(4)."]
