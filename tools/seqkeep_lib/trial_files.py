# SPDX-License-Identifier: GPL-2.0-only
"""
Files of devices whose values change when a module is disabled and enabled, so that a trial has to put them back.

raid5-deadline forgets the deadline of each array. nfs-ra, when it is enabled, sets no mount that exists, or all.
"""

from __future__ import annotations

import re

from .device_conf import deadline_file, present, read_settings
from .errors import SeqkeepError
from .host import Host
from .modules import Module
from .nfs import nfs_mounts

NFS_RA, RAID5 = "nfs-ra", "raid5-deadline"
FILE = re.compile(r"/sys/(class/bdi/\d+:\d+/read_ahead_kb|block/[\w.!-]+/md/stripe_deadline)", re.ASCII)
VALUE = re.compile(r"\d{1,9}|auto", re.ASCII)


def read_files(host: Host, module: Module) -> dict[str, str]:
    """Return the values that a module which is enabled has given to devices, by file."""
    files: list[str] = []
    follows = None
    if module.name == NFS_RA:
        files = [f"/sys/class/bdi/{each.mount.device}/read_ahead_kb" for each in nfs_mounts(host)]
    elif module.name == RAID5:
        files = [deadline_file(disk) for disk in host.names("/sys/block")]
        # An array whose deadline nobody has set shows that of the module, and follows it.
        follows = host.text("/sys/module/raid5_deadline/parameters/deadline")
    # An array may have a name that the file of the saved state does not take.
    values = {file: host.text(file) or "" for file in files if FILE.fullmatch(file)}
    return {file: value for file, value in values.items() if VALUE.fullmatch(value) and value != follows}


def kept_files(host: Host, module: Module) -> dict[str, str]:
    """Return the deadlines of arrays that /etc/seqkeep.conf has, by file; none if it cannot be read."""
    if module.name != RAID5:
        return {}
    try:
        settings = read_settings(host)
    except SeqkeepError:
        return {}
    return {
        deadline_file(disk): values["stripe_deadline"]
        for disk, _, values in present(host, settings)
        if "stripe_deadline" in values and FILE.fullmatch(deadline_file(disk))
    }
