# SPDX-License-Identifier: GPL-2.0-only
"""
Check for NFS mounts whose requests wait in the client before they are sent.

The wait is for a slot of the session (version 4.1 and later), or for the connection. Then a larger readahead only makes
the queue longer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .finding import ADVICE, Finding
from .host import Host, unescape
from .modules import State

MAX_SLOTS = "/sys/module/nfs/parameters/max_session_slots"
# Fewer requests since the mount say nothing.
FEWEST = 1000
# A queue of milliseconds, and as long as the round trip, is more than a burst.
LEAST_QUEUE_MS = 2
# The kernel's default, and the most that it takes.
SLOTS, MOST_SLOTS = 64, 1024


@dataclass(frozen=True)
class Queue:
    """How long the requests of one kind waited to be sent, and then for the reply, on average."""

    path: str
    kind: str
    options: str
    queue_ms: float
    rtt_ms: float


def queues(host: Host) -> Iterator[Queue]:
    """Read /proc/self/mountstats: READ and WRITE of each NFS mount with enough of them."""
    path = options = ""
    for line in (host.text("/proc/self/mountstats") or "").split("\n"):
        mount = re.match(r"device [^ ]+ mounted on ([^ ]+) with fstype (\S+)", line)
        if mount:
            path, options = (unescape(mount[1]) if mount[2] in ("nfs", "nfs4") else ""), ""
        words = line.split()
        if not path or len(words) < 2:
            continue
        if words[0] == "opts:":
            options = words[1]
        elif words[0] in ("READ:", "WRITE:") and len(words) > 7 and all(word.isdecimal() for word in words[1:8]):
            ops = int(words[1])
            if ops >= FEWEST:
                yield Queue(path, words[0][:-1], options, int(words[6]) / ops, int(words[7]) / ops)


def remedies(host: Host, options: str) -> Iterator[str]:
    if not re.search(r"\bnconnect=", options):
        yield "mount with nconnect=4, for more connections"
    slots = host.number(MAX_SLOTS)
    if slots is not None and slots <= SLOTS and re.search(r"\bvers=4\.[1-9]", options):
        yield f"raise max_session_slots of the module nfs, which is {slots}, before the mount (most: {MOST_SLOTS})"
    yield "run more threads of nfsd on the server"


def check_nfs_queues(host: Host, states: list[State]) -> Iterator[Finding]:
    """Check that the requests of NFS mounts do not wait in the client longer than for the server."""
    for queue in queues(host):
        # WRITEs wait for each other whenever much is written back.
        if queue.kind == "READ" and queue.queue_ms >= LEAST_QUEUE_MS and queue.queue_ms > queue.rtt_ms:
            yield Finding(
                ADVICE,
                "nfs",
                f"{queue.kind}s of {queue.path} waited {queue.queue_ms:.1f} ms to be sent, and {queue.rtt_ms:.1f} ms"
                " for the server, on average since the mount",
                "; or ".join(remedies(host, queue.options)),
            )
