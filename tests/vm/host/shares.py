# SPDX-License-Identifier: GPL-2.0-only
"""Share folders of the host with a guest: by 9p, which QEMU serves itself, or by virtiofs if the kernel has no 9p."""

import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from .progress import Trouble

# Debian 12 has virtiofsd in qemu-system-common, Debian 13 in a package of its own.
VIRTIOFSD = "/usr/lib/qemu:/usr/libexec"
START_LIMIT_S = 10


@dataclass(frozen=True)
class Share:
    """A folder of the host, /mnt/NAME in the guest."""

    name: str
    path: Path
    writable: bool = False


def by_9p(shares: list[Share]) -> list[str]:
    options = []
    for share in shares:
        readonly = "" if share.writable else ",readonly=on"
        options += [
            *("-fsdev", f"local,id={share.name},path={share.path},security_model=none,multidevs=remap{readonly}"),
            *("-device", f"virtio-9p-pci,fsdev={share.name},mount_tag={share.name}"),
        ]
    return options


@contextmanager
def virtiofsd(share: Share, socket: Path) -> Iterator[None]:
    """Serve a folder. Only the guest's own mount (guest/mount-share) makes it read-only."""
    program = shutil.which("virtiofsd", path=VIRTIOFSD)
    if not program:
        raise Trouble("cannot find virtiofsd, which a kernel without 9p needs: install virtiofsd or qemu-system-common")
    # sandbox=chroot, because a host that is a container may refuse namespaces.
    command = [program, f"--socket-path={socket}", "-o", f"source={share.path}", "-o", "sandbox=chroot"]
    log = socket.with_suffix(".log")
    with log.open("wb") as out:
        # virtiofsd dies with this process, however that ends.
        daemon = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", *command], stdout=out, stderr=out)
    try:
        end = time.monotonic() + START_LIMIT_S
        while not socket.exists():
            if daemon.poll() is not None or time.monotonic() > end:
                raise Trouble(f"virtiofsd does not serve {share.path}: {log.read_text(errors='replace').strip()}")
            time.sleep(0.05)
        yield
    finally:
        daemon.kill()
        daemon.wait()


@contextmanager
def served(shares: list[Share], file_system: str, memory: str) -> Iterator[list[str]]:
    """QEMU's options for these folders. The context serves them."""
    for share in shares:
        share.path.mkdir(parents=True, exist_ok=True)
    if file_system == "9p":
        yield by_9p(shares)
        return
    # virtiofsd needs access to the guest's memory.
    options = ["-object", f"memory-backend-memfd,id=memory,size={memory},share=on", "-machine", "memory-backend=memory"]
    # Outside the run's folder, because the path of a socket has at most 107 characters.
    with tempfile.TemporaryDirectory(prefix="seqkeep-") as sockets, ExitStack() as daemons:
        for share in shares:
            socket = Path(sockets, share.name)
            daemons.enter_context(virtiofsd(share, socket))
            options += [
                *("-chardev", f"socket,id={share.name},path={socket}"),
                *("-device", f"vhost-user-fs-pci,chardev={share.name},tag={share.name}"),
            ]
        yield options
