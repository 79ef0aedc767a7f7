# SPDX-License-Identifier: GPL-2.0-only
"""Machines that have booted as far as our initrd, kept in files, because most of a short test's time was its boot.

QEMU migrates a machine to a file as soon as the initrd has loaded its modules. A later machine with the same hardware
goes on from that file. It has a disk and folders of its own, because the initrd has not looked at any yet, and a time
and a seed of its own, which it reads from its second serial port. Under emulation it takes 1 s instead of 4 to 11 s.
"""

import hashlib
import json
import secrets
import shlex
import socket
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from . import console
from .progress import Trouble, locked

# The word on the kernel's command line that makes the initrd wait, and what it says then.
WAIT = "seqkeep.wait"
WAITING = "initrd: waiting"
BOOT_LIMIT_S = 180
LINE_PORT = ("-chardev", "stdio,id=line,signal=off", "-serial", "chardev:line")


def has_disk_module(modules: Path) -> bool:
    """Whether the driver of the disk is a module, so that a kernel without it knows nothing of the disk."""
    return "/virtio_blk.ko" in (modules / "modules.dep").read_text()


def go_on_line() -> str:
    """What a machine reads when it goes on: the time and a seed. QEMU may lose the first character."""
    return f"\n{int(time.time())} {secrets.token_hex(32)}\n"


def resume(command: Sequence[str], state: Path) -> list[str]:
    """The command that starts a machine from state; its standard input is a file with go_on_line()."""
    return [*command, *LINE_PORT, "-incoming", f"exec:cat {shlex.quote(str(state))}"]


def kept_state(command: Sequence[str], same: Sequence[str], folder: Path, initrd: Path, log: Path) -> Path:
    """The file of a booted machine that has the hardware of command. Boots one if there is none.

    same is command without the paths of one run. The emulated clock may count the host's cycles, so that a file is good
    until the host boots.
    """
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()[:8]
    digest = hashlib.sha256("\0".join((qemu_version(command).decode(), str(initrd.stat().st_mtime_ns), *same)).encode())
    state = folder / f"{boot}-{digest.hexdigest()[:12]}"
    folder.mkdir(exist_ok=True)
    if not state.exists():
        with locked(folder.with_suffix(".lock")):
            if not state.exists():
                boot_and_keep(command, state, log)
                for old in folder.iterdir():
                    if not old.name.startswith(boot):
                        old.unlink()
    return state


def qemu_version(command: Sequence[str]) -> bytes:
    program = next(word for word in command if word.startswith("qemu-system-"))
    return subprocess.run([program, "--version"], capture_output=True, check=True).stdout


def boot_and_keep(command: Sequence[str], state: Path, log: Path) -> None:
    """Boot a machine whose console goes to log, and keep its state."""
    append = command.index("-append") + 1
    waits = [*command[:append], f"{command[append]} {WAIT}", *command[append + 1 :], *LINE_PORT]
    half_made = state.with_suffix(".new")
    log.unlink(missing_ok=True)
    # Outside the run's folder, because the path of a socket has at most 107 characters.
    with tempfile.TemporaryDirectory(prefix="seqkeep-") as sockets:
        control = Path(sockets, "qmp")
        waits += ["-qmp", f"unix:{control},server=on,wait=off"]
        machine = subprocess.Popen(waits, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        try:
            await_initrd(machine, log)
            migrate(control, f"exec:cat > {shlex.quote(str(half_made))}")
        finally:
            machine.kill()
            machine.communicate()
    half_made.rename(state)


def await_initrd(machine: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + BOOT_LIMIT_S
    text = ""
    while WAITING not in text:
        if machine.poll() is not None and machine.stderr:
            raise Trouble(f"qemu did not run: {machine.stderr.read().decode(errors='replace').strip()}")
        if time.monotonic() > end:
            raise Trouble(f"the initrd has not come up within {BOOT_LIMIT_S} s; the console is in {log}")
        time.sleep(0.1)
        text = log.read_text(errors="replace") if log.exists() else ""
    if faults := console.faults(text):
        raise Trouble(f"the console of a machine that boots has: {faults[0]}")


def migrate(control: Path, where: str) -> None:
    """Have QEMU write the machine's state, and wait for the end."""
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(control))
            with connection.makefile("rw") as stream:
                stream.readline()
                ask(stream, "qmp_capabilities")
                ask(stream, "migrate", uri=where)
                while (status := ask(stream, "query-migrate").get("status")) != "completed":
                    if status in ("failed", "cancelled"):
                        raise Trouble("QEMU cannot keep a booted machine; is the disk full?")
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
