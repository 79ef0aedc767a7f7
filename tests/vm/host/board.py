# SPDX-License-Identifier: GPL-2.0-only
"""The machine that QEMU makes for a suite, by the suite's architecture."""

import shutil
import subprocess
from dataclasses import dataclass

from . import archive
from .progress import Trouble


@dataclass(frozen=True)
class Board:
    """What differs between the architectures' machines."""

    # QEMU's program, with the options that choose the machine.
    qemu: tuple[str, ...]
    # The virtual CPU under emulation.
    cpu: str
    # The serial port, by the kernel's name.
    console: str
    kernel_args: str
    # The C compiler of this host for it.
    compiler: str


BOARDS = {
    "amd64": Board(
        qemu=("qemu-system-x86_64",),
        # cx16=off: after cmpxchg16b QEMU 7.2 leaves the last operand compared, for instance a pointer, in the flags. An
        # interrupt right then turns that into a single step, or worse. SLUB executes one per object, so this did
        # happen. la57=off: four levels of page tables, as on most machines. erms=off: the kernel does not copy by "rep
        # movsb", for which the emulator executes an instruction per byte instead of one per eight bytes. Reads from the
        # page cache are three times as fast, and ctxra/003 takes 57 s instead of 94.
        cpu="max,la57=off,cx16=off,erms=off",
        console="ttyS0",
        # The kernel does not test the timer, because on a busy host the test fails.
        kernel_args="no_timer_check",
        compiler="cc",
    ),
    "arm64": Board(
        qemu=("qemu-system-aarch64", "-machine", "virt"),
        # Without pointer authentication, which the emulator computes for every call of a function.
        cpu="max,pauth=off,sve=off",
        console="ttyAMA0",
        kernel_args="",
        compiler="aarch64-linux-gnu-gcc",
    ),
}


def of(suite: str) -> Board:
    return BOARDS[archive.architecture(suite)]


def is_foreign(suite: str) -> bool:
    return archive.architecture(suite) != archive.HOST


def check_host(suite: str) -> None:
    """Raise Trouble unless this host can make and boot roots of a suite's architecture."""
    if not is_foreign(suite):
        return
    wanted = archive.architecture(suite)
    made = BOARDS[wanted]
    lacks = [program for program in ("arch-test", made.qemu[0], made.compiler) if not shutil.which(program)]
    if lacks:
        raise Trouble(f"{suite} needs {' and '.join(lacks)}: run tests/install-deps {wanted}")
    # apt configures the root's packages in a chroot, and DKMS builds there: with QEMU's emulator of one program.
    if subprocess.run(["arch-test", wanted], capture_output=True, check=False).returncode:
        raise Trouble(f"this host's kernel does not run programs of {wanted}: run tests/install-deps {wanted}")
