# SPDX-License-Identifier: GPL-2.0-only
"""Check what the NFS server and mounts have to work with: threads, connections, direct writes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .finding import ADVICE, Finding
from .host import Host
from .modules import State, enabled_module
from .nfs import (
    IO_CACHE_WRITE,
    NFSD_IO_DIRECT,
    fstab_connections,
    io_cache_write,
    keeps_native_coherent,
    most_connections,
    nfs_mounts,
    server_threads,
)

# Debian's default for many years.
FEWEST_THREADS = 8


def threads_remedy(threads: int) -> str:
    return f"rpc.nfsd {threads}  # to keep it, threads={threads} in nfs.conf, section nfsd"


def check_nfs_threads(host: Host, states: list[State]) -> Iterator[Finding]:
    """Check that nfsd has threads enough for the requests of a client at a time."""
    threads = server_threads(host)
    connections = most_connections(host) if threads else 0
    if 0 < threads < FEWEST_THREADS:
        yield Finding(
            ADVICE,
            "nfsd",
            f"nfsd runs {threads} threads: a client sends more requests at once, and they wait",
            threads_remedy(max(2 * FEWEST_THREADS, 2 * connections)),
        )
    elif threads < connections:
        yield Finding(
            ADVICE,
            "nfsd",
            f"nfsd runs {threads} threads, fewer than the {connections} connections of one address (nconnect),"
            " so requests of some wait",
            threads_remedy(2 * connections),
        )


def check_nfs_connections(host: Host, states: list[State]) -> Iterator[Finding]:
    """Check that an NFS mount has as many connections as fstab says: the first mount of a server decides for all."""
    wanted = fstab_connections(host)
    for nfs in nfs_mounts(host):
        now = re.search(r"\bnconnect=(\d+)", nfs.mount.options)
        connections = int(now[1]) if now else 1
        if connections < wanted.get(nfs.mount.path, 0):
            yield Finding(
                ADVICE,
                "nfs",
                f"{nfs.mount.path} has nconnect={wanted[nfs.mount.path]} in fstab, but {connections} in force,"
                " as the first mount of that server had, or fstab was changed later",
                f"umount all mounts of that server, and mount {nfs.mount.path} first",
            )


def check_io_cache_write(host: Host, states: list[State]) -> Iterator[Finding]:
    """Check that nfsd-dio and nfsd's own direct writes are enabled at once only if that does something."""
    own = io_cache_write(host) if enabled_module(states, "nfsd-dio") else None
    if own and not keeps_native_coherent(host):
        yield Finding(
            ADVICE,
            "nfsd",
            f"nfsd-dio is enabled, but nfsd's own io_cache_write is {own}: nfsd-dio leaves all writes to it",
            f"echo 0 > {IO_CACHE_WRITE}  # or: seqkeep disable --now nfsd-dio"
            + ("; or, if clients share files: seqkeep set nfsd-dio native=1" if own == NFSD_IO_DIRECT else ""),
        )
