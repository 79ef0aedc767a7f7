# SPDX-License-Identifier: GPL-2.0-only
"""Machines that have booted as far as our initrd, kept in files, because most of a short test's time was its boot.

QEMU migrates a machine to a file as soon as the initrd has loaded all modules but the disk's. A later machine with the
same hardware goes on from that file. It has a disk and folders of its own, because the initrd has not looked at any
yet. It reads the time and a seed from its second serial port. Under emulation this takes 1 s instead of 4 to 11 s.
"""

import hashlib
import json
import os
import secrets
import shlex
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TextIO

from . import console
from .progress import Trouble, locked, stop

# The word on the kernel's command line that makes the initrd wait, and what it says then.
WAIT = "seqkeep.wait"
WAITING = "initrd: waiting"
BOOT_LIMIT_S = 180
MIGRATION_LIMIT_S = 60
LINE_PORT = ("-chardev", "stdio,id=line,signal=off", "-serial", "chardev:line")
# So many files of 130 to 160 MB stay for a kernel: two clocks, and a few kinds of hardware.
KEPT = 4


def host_boot_id() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def has_disk_module(modules: Path) -> bool:
    """Whether the driver of the disk is a module, so that a kernel without it knows nothing of the disk."""
    return "/virtio_blk.ko" in (modules / "modules.dep").read_text()


def go_on_line() -> str:
    """What a machine reads when it goes on: the time and a seed. QEMU may lose the first character."""
    return f"\n{int(time.time())} {secrets.token_hex(32)}\n"


def resume(command: Sequence[str], state: Path) -> list[str]:
    """The command that starts a machine from state; its standard input is a file with go_on_line()."""
    return [*command, *LINE_PORT, "-incoming", f"exec:cat {shlex.quote(str(state))}"]


def without(paths: Sequence[str], command: Iterable[str]) -> list[str]:
    """A command without the paths of one run; a path that contains another comes before it."""
    words = []
    for word in command:
        for path in paths:
            word = word.replace(path, "")
        words.append(word)
    return words


def kept_state(command: Sequence[str], same: Sequence[str], folder: Path, log: Path) -> Path:
    """The file of a booted machine that has the hardware of command. Boots one if there is none; its console is log.

    same is command without the paths of one run. The emulated clock may count the host's cycles, so a file is good
    until the host boots.
    """
    boot = host_boot_id()[:8]
    digest = hashlib.sha256("\0".join((qemu_version(command), *same)).encode()).hexdigest()[:12]
    state = folder / f"{boot}-{digest}"
    folder.mkdir(exist_ok=True)
    if not state.exists():
        with locked(folder.with_suffix(".lock")):
            if not state.exists():
                boot_and_keep(command, state, log)
                prune(folder, boot)
    os.utime(state)
    return state


def prune(folder: Path, boot: str) -> None:
    """Remove the files of other boots of the host, and all but the last used of this one."""
    states = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
    mine = [path for path in states if path.name.startswith(boot)]
    for path in {*states} - {*mine[:KEPT]}:
        path.unlink()


def qemu_version(command: Sequence[str]) -> str:
    program = next(word for word in command if word.startswith("qemu-system-"))
    return subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout


def boot_and_keep(command: Sequence[str], state: Path, log: Path) -> None:
    """Boot a machine whose console goes to log, and keep its state."""
    if stop.is_set():
        raise Trouble("stopped")
    append = command.index("-append") + 1
    waits = [*command[:append], f"{command[append]} {WAIT}", *command[append + 1 :], *LINE_PORT]
    half_made = state.with_suffix(".new")
    log.unlink(missing_ok=True)
    try:
        said = migrate_booted(waits, half_made, log)
        if faults := console.faults(console_text(log)):
            raise Trouble(f"the console of a machine that boots has: {faults[0]}; it is in {log}")
        if "cat:" in said:
            raise Trouble(f"a booted machine cannot be kept: {said.strip()}")
        half_made.rename(state)
    finally:
        half_made.unlink(missing_ok=True)


def migrate_booted(command: Sequence[str], half_made: Path, log: Path) -> str:
    """Start a machine, and write its state to half_made once its initrd waits. Returns what QEMU and cat said."""
    # Outside the run's folder, because the path of a socket has at most 107 characters.
    with tempfile.TemporaryDirectory(prefix="seqkeep-") as sockets:
        control = Path(sockets, "qmp")
        machine = subprocess.Popen(
            [*command, "-qmp", f"unix:{control},server=on,wait=off"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        try:
            await_initrd(machine, log)
            migrate(control, f"exec:cat > {shlex.quote(str(half_made))}")
        finally:
            machine.kill()
            # This waits for cat, too, because cat has QEMU's standard error.
            said = machine.communicate()[1]
    return said.decode(errors="replace")


def console_text(log: Path) -> str:
    return log.read_text(errors="replace") if log.exists() else ""


def await_initrd(machine: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + BOOT_LIMIT_S
    while WAITING not in console_text(log):
        if machine.poll() is not None and machine.stderr:
            said = machine.stderr.read().decode(errors="replace").strip()
            raise Trouble(f"the machine ended before its initrd was up: {said or f'its console is in {log}'}")
        if stop.is_set() or time.monotonic() > end:
            raise Trouble(f"the initrd has not come up within {BOOT_LIMIT_S} s; the console is in {log}")
        time.sleep(0.1)


def migrate(control: Path, where: str) -> None:
    """Have QEMU write the machine's state, and wait for the end."""
    end = time.monotonic() + MIGRATION_LIMIT_S
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(MIGRATION_LIMIT_S)
            connection.connect(str(control))
            with connection.makefile("rw") as stream:
                stream.readline()
                ask(stream, "qmp_capabilities")
                ask(stream, "migrate", uri=where)
                while (status := ask(stream, "query-migrate").get("status")) != "completed":
                    if status in ("failed", "cancelled") or stop.is_set() or time.monotonic() > end:
                        raise Trouble(f"QEMU cannot keep a booted machine ({status}); is the disk full?")
                    time.sleep(0.1)
    except OSError as error:
        raise Trouble(f"QEMU ended before it had kept a booted machine: {error}") from None


def ask(stream: TextIO, command: str, **arguments: str) -> dict[str, object]:
    """Send a command of QMP, and return what it returns; events are passed over."""
    stream.write(json.dumps({"execute": command, "arguments": arguments}))
    stream.flush()
    while line := stream.readline():
        answer: dict[str, dict[str, object]] = json.loads(line)
        if "error" in answer:
            raise Trouble(f"QEMU refuses {command}: {answer['error'].get('desc')}")
        if "return" in answer:
            return answer["return"]
    raise ConnectionError(f"no answer to {command}")
