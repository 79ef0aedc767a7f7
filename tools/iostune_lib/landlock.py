# SPDX-License-Identifier: GPL-2.0-only
"""The kernel's word for it that fio writes nothing: no file can be opened for writing, by Landlock.

fio is told --readonly, and opens what it reads O_RDONLY. Where the kernel has Landlock (5.13, if it is among
/sys/kernel/security/lsm) even a fio with a fault could not do otherwise.
"""

from __future__ import annotations

import ctypes
import os
import signal
import struct

# The same on every architecture.
CREATE_RULESET, RESTRICT_SELF = 444, 446
PR_SET_PDEATHSIG, PR_SET_NO_NEW_PRIVS = 1, 38
# Of landlock.h, the first version: writing, removing, making whatever. No rule allows any of it anywhere.
WRITE_FILE = 1 << 1
REMOVE_AND_MAKE = sum(1 << bit for bit in range(4, 13))


class Landlock:
    """What fio's process does to itself before it is fio."""

    def __init__(self) -> None:
        # Loaded here: between fork and exec there should be system calls only.
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
        # Killed with us, or else a killed iostune would leave its readers behind.
        self.libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != self.parent:
            os._exit(1)
        if not self.is_enforced:
            return
        self.libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        if self.libc.syscall(RESTRICT_SELF, ctypes.c_int(self.ruleset), ctypes.c_uint32(0)):
            os._exit(126)
