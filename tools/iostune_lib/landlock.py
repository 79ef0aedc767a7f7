# SPDX-License-Identifier: GPL-2.0-only
"""Forbid fio by Landlock to open any file for writing.

fio runs with --readonly and opens the device O_RDONLY. If the kernel has Landlock (since 5.13, if it is in
/sys/kernel/security/lsm), it protects the device even from a bug in fio.
"""

from __future__ import annotations

import ctypes
import os
import signal
import struct

# System call numbers, the same on every architecture.
CREATE_RULESET, RESTRICT_SELF = 444, 446
PR_SET_PDEATHSIG, PR_SET_NO_NEW_PRIVS = 1, 38
# Access rights in landlock.h, version 1: to write, remove and create files. No rule grants any of them.
WRITE_FILE = 1 << 1
REMOVE_AND_MAKE = sum(1 << bit for bit in range(4, 13))


class Landlock:
    """A ruleset that fio's process enforces on itself before it executes fio."""

    def __init__(self) -> None:
        # Load libc here, because between fork and exec only system calls are safe.
        self.libc = ctypes.CDLL(None, use_errno=True)
        attributes = struct.pack("Q", WRITE_FILE | REMOVE_AND_MAKE)
        self.ruleset = self.libc.syscall(
            CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), ctypes.c_uint32(0)
        )
        self.parent = os.getpid()

    @property
    def is_enforced(self) -> bool:
        return bool(self.ruleset >= 0)

    def enter_child(self) -> None:
        # The kernel kills fio when iostune dies, so that a killed iostune leaves no readers.
        self.libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != self.parent:
            os._exit(1)
        if not self.is_enforced:
            return
        self.libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        if self.libc.syscall(RESTRICT_SELF, ctypes.c_int(self.ruleset), ctypes.c_uint32(0)):
            os._exit(126)
