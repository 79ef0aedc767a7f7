# SPDX-License-Identifier: GPL-2.0-only
"""The md arrays of a machine, those that LVM makes by dm-raid, and what lies on them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .host import Host
from .storage import disk_of_mount, lowest_disks, mounts, slave_disk, slaves

# Members that hold no data of their own in a row of chunks, by level.
PARITY = {"raid0": 0, "raid4": 1, "raid5": 1, "raid6": 2}
# md's own default of stripe_cache_size.
DEFAULT_STRIPES = 256
PAGE_KB = 4


@dataclass(frozen=True)
class Member:
    # A disk or a partition, and the disk that it is on: of one that is encrypted or LVM's, the one below.
    name: str
    disk: str


@dataclass(frozen=True)
class Array:
    """An array of md, or of dm-raid."""

    name: str
    # raid5 and so on; "" if this user cannot see it.
    level: str
    chunk_kb: int
    disks: int
    dm: bool = False
    # The page cache's readahead of the array, KiB, and the size of its stripe cache.
    read_ahead_kb: int | None = None
    stripes: int | None = None
    degraded: bool = False
    # Why no stripe can be held: "a journal" or "a partial parity log".
    log: str = ""
    members: tuple[Member, ...] = ()
    # What is not aligned to a row of chunks, a sentence each.
    misaligned: list[str] = field(default_factory=list)

    @property
    def has_parity(self) -> bool:
        return bool(PARITY.get(self.level))

    @property
    def row_kb(self) -> int:
        """The data in a row of chunks, KiB; 0: unknown."""
        if self.level == "raid10":
            return self.chunk_kb * self.disks // 2
        if self.level not in PARITY:
            return 0
        return self.chunk_kb * max(self.disks - PARITY[self.level], 0)

    def cache_mb(self, stripes: int) -> int:
        """Return the memory that a stripe cache takes, MiB."""
        return stripes * self.disks * PAGE_KB // 1024


def members_of(host: Host, disk: str) -> tuple[Member, ...]:
    return tuple(
        Member(name, below) for name in slaves(host, disk) for below in lowest_disks(host, slave_disk(host, disk, name))
    )


def log_of(host: Host, disk: str) -> str:
    policy = host.text(f"/sys/block/{disk}/md/consistency_policy")
    return {"journal": "a journal", "ppl": "a partial parity log"}.get(policy or "", "")


def first_number(host: Host, file: str) -> int:
    """Return the number that a file of md has; the new one of "4 (3)" while the array is reshaped; 0: it has none."""
    found = re.match(r"\d+", host.text(file) or "", re.ASCII)
    return int(found[0]) if found else 0


def md_array(host: Host, disk: str) -> Array:
    md = f"/sys/block/{disk}/md"
    array = Array(
        name=disk,
        level=host.text(f"{md}/level") or "",
        chunk_kb=first_number(host, f"{md}/chunk_size") // 1024,
        disks=first_number(host, f"{md}/raid_disks"),
        read_ahead_kb=host.number(f"/sys/block/{disk}/queue/read_ahead_kb"),
        stripes=host.number(f"{md}/stripe_cache_size"),
        degraded=bool(host.number(f"{md}/degraded")),
        log=log_of(host, disk),
        members=members_of(host, disk),
    )
    array.misaligned.extend(misaligned_partitions(host, array))
    array.misaligned.extend(misaligned_file_systems(host, array))
    return array


def misaligned_partitions(host: Host, array: Array) -> list[str]:
    """Return which partitions of an array begin within a row, so that each full row of writes is in two rows."""
    found = []
    for name in host.names(f"/sys/block/{array.name}"):
        start = host.number(f"/sys/block/{array.name}/{name}/start")
        if start is not None and array.row_kb and start // 2 % array.row_kb:
            found.append(
                f"partition {name} begins {start // 2 % array.row_kb} KiB within a row of {array.row_kb} KiB,"
                " so no write of a row's size is one row"
            )
    return found


def misaligned_file_systems(host: Host, array: Array) -> list[str]:
    """Return which file systems on an array were made without knowing its rows, or with those of another one."""
    found = []
    for mount in mounts(host):
        if not array.has_parity or not array.row_kb or disk_of_mount(host, mount) != array.name:
            continue
        # ext4 counts blocks, of 4 KiB but on small file systems; XFS counts sectors.
        scale = {"ext4": ("stripe", 4.0), "xfs": ("swidth", 0.5)}.get(mount.fstype)
        if not scale:
            continue
        option = re.search(rf"\b{scale[0]}=(\d+)", mount.options)
        row = int(option[1]) * scale[1] if option else 0
        if not row:
            found.append(f"{mount.fstype} on {mount.path} does not know the array's rows ({scale[0]} is not set)")
        elif row % array.row_kb and array.row_kb % row:
            found.append(f"{mount.fstype} on {mount.path} was made for rows of {row:g} KiB, not {array.row_kb} KiB")
    return found


def dm_arrays(host: Host) -> list[Array]:
    """Return the arrays of dm-raid. Only root sees their level, by dmsetup; LVM's names show that they exist."""
    disks = [name for name in host.names("/sys/block") if host.exists(f"/sys/block/{name}/dm/name")]
    tables = host.command("dmsetup", "table", "--target", "raid") if disks else None
    found = []
    for disk in disks:
        name = host.text(f"/sys/block/{disk}/dm/name") or disk
        below = [host.text(f"/sys/block/{slave}/dm/name") or "" for slave in slaves(host, disk)]
        if not any(re.search(r"_r(image|meta)_\d+$", slave) for slave in below):
            continue
        # "NAME: START LENGTH raid raid5_ls COUNT CHUNK_SECTORS [stripe_cache N ...] ...".
        line = rf"^{re.escape(name)}: \d+ \d+ raid (\w+?)(?:_\w+)? \d+ (\d+)(.*)$"
        table = re.search(line, tables or "", re.MULTILINE)
        stripes = re.search(r"\bstripe_cache (\d+)", table[3]) if table else None
        images = [slave for slave in below if re.search(r"_rimage_\d+$", slave)]
        found.append(
            Array(
                name=name,
                level=table[1] if table else "",
                chunk_kb=int(table[2]) // 2 if table else 0,
                disks=len(images),
                dm=True,
                read_ahead_kb=host.number(f"/sys/block/{disk}/queue/read_ahead_kb"),
                stripes=int(stripes[1]) if stripes else None,
                members=members_of(host, disk),
            )
        )
    return found


def arrays(host: Host) -> list[Array]:
    md = [md_array(host, disk) for disk in host.names("/sys/block") if host.exists(f"/sys/block/{disk}/md")]
    return md + dm_arrays(host)
