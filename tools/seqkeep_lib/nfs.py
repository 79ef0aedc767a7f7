# SPDX-License-Identifier: GPL-2.0-only
"""The NFS server and the NFS mounts of a machine."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from .host import Host, unescape
from .storage import Mount, mounts

NFS_CONF = ("/etc/nfs.conf", "/usr/etc/nfs.conf")
# Where distributions install the program that udev runs for each NFS mount.
NFSRAHEAD = ("/usr/libexec/nfsrahead", "/usr/lib/nfs-utils/nfsrahead", "/usr/sbin/nfsrahead")
# nfsd's switch for what becomes of writes: cached or not since 6.18, direct since 6.19.
IO_CACHE_WRITE = "/sys/kernel/debug/nfsd/io_cache_write"
NFSD_IO_DIRECT = 2
# A parameter of nfsd-dio.
NATIVE = "/sys/module/nfsd_dio/parameters/native"
# Of /proc/net/tcp: the port of NFS, and the state of a connection.
NFS_PORT, ESTABLISHED = f"{2049:04X}", "01"


@dataclass(frozen=True)
class NfsMount:
    mount: Mount
    rsize_kb: int
    # None: this kernel does not show it.
    read_ahead_kb: int | None


def server_threads(host: Host) -> int:
    """Return how many threads nfsd runs. Everyone may read the second file."""
    threads = host.number("/proc/fs/nfsd/threads") if host.exists("/proc/fs/nfsd/threads") else None
    if threads is not None:
        return threads
    found = re.search(r"^th (\d+)", host.text("/proc/net/rpc/nfsd") or "", re.MULTILINE)
    return int(found[1]) if found else 0


def exported_directories(host: Host) -> list[str]:
    """Return the directories that nfsd exports; none if nfsd does not run."""
    return sorted({path for path, _ in exports(host)}) if server_threads(host) else []


def exports(host: Host) -> Iterator[tuple[str, str]]:
    """Yield each exported directory, also while nfsd does not run, and its clients: "PATH\tCLIENTS(OPTIONS)"."""
    for line in (host.text("/var/lib/nfs/etab") or "").split("\n"):
        path, _, rest = line.partition("\t")
        if path.startswith("/"):
            yield unescape(path), unescape(rest.partition("(")[0])


def nfs_mounts(host: Host) -> list[NfsMount]:
    """Return the mounts of NFS file systems, one for each superblock."""
    found: dict[str, NfsMount] = {}
    for mount in mounts(host):
        rsize = re.search(r"\brsize=(\d+)", mount.options)
        if mount.fstype in ("nfs", "nfs4") and rsize:
            now = host.number(f"/sys/class/bdi/{mount.device}/read_ahead_kb")
            found.setdefault(mount.device, NfsMount(mount, int(rsize[1]) // 1024, now))
    return list(found.values())


def most_connections(host: Host) -> int:
    """Return how many connections to nfsd the client with the most has."""
    clients: Counter[str] = Counter()
    for file in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in (host.text(file) or "").splitlines():
            # "0: LOCAL:PORT REMOTE:PORT STATE ...".
            words = line.split()
            if len(words) > 3 and words[1].endswith(f":{NFS_PORT}") and words[3] == ESTABLISHED:
                clients[words[2].partition(":")[0]] += 1
    return max(clients.values(), default=0)


def fstab_connections(host: Host) -> dict[str, int]:
    """Return nconnect of the NFS mounts in fstab(5), by mount point."""
    found = {}
    for line in (host.text("/etc/fstab") or "").splitlines():
        words = line.split("#")[0].split()
        wanted = re.search(r"(?:^|,)nconnect=(\d+)(?:,|$)", words[3]) if len(words) > 3 else None
        if wanted and words[2] in ("nfs", "nfs4"):
            found[unescape(words[1])] = int(wanted[1])
    return found


def nfs_conf_readahead(host: Host) -> dict[str, str]:
    """Return the section nfsrahead of nfs.conf(5) and its drop-ins."""
    files = [file for file in NFS_CONF if host.exists(file)]
    files += [f"{file}.d/{name}" for file in NFS_CONF for name in host.names(f"{file}.d") if name.endswith(".conf")]
    values: dict[str, str] = {}
    for file in files:
        section = ""
        for line in (host.text(file) or "").splitlines():
            text = line.split("#")[0].split(";")[0].strip()
            header = re.fullmatch(r'\[\s*(\w+)\s*(?:"[^"]*")?\s*\]', text)
            if header:
                section = header[1].lower()
            elif section == "nfsrahead" and "=" in text:
                key, _, value = text.partition("=")
                values[key.strip()] = value.strip()
    return values


def has_nfsrahead(host: Host) -> bool:
    return any(host.exists(file) for file in NFSRAHEAD)


def keeps_native_coherent(host: Host) -> bool:
    """Return whether nfsd-dio updates the times after nfsd's own direct writes."""
    return io_cache_write(host) == NFSD_IO_DIRECT and host.text(NATIVE) == "Y"


def io_cache_write(host: Host) -> int | None:
    """Return nfsd's io_cache_write; None: this kernel has none, or this user cannot read it."""
    return host.number(IO_CACHE_WRITE)
