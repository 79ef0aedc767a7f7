# SPDX-License-Identifier: GPL-2.0-only
"""UEFI firmware whose list of trusted keys (db) has the one that DKMS signed our modules with.

Debian's kernels take that list for what may sign modules, as they take a key that mokutil enrolled. Secure boot itself
stays off: the kernel is handed over by QEMU.
"""

import subprocess
import uuid
from pathlib import Path

from .paths import BUILD
from .progress import Trouble, logged

CODE = Path("/usr/share/OVMF/OVMF_CODE_4M.fd")
VARIABLES = Path("/usr/share/OVMF/OVMF_VARS_4M.fd")
# The same with the key, in a run's folder.
CHANGED = "uefi-variables"
EDITOR = BUILD / "cache/venv/bin/virt-fw-vars"
# Of whoever enrolled the key; any will do.
OWNER = uuid.uuid5(uuid.NAMESPACE_URL, "seqkeep")


def signing_key(image: Path, key: Path) -> None:
    """Copy the certificate that DKMS made when it signed the modules of an image."""
    subprocess.run(["debugfs", "-R", f"dump /var/lib/dkms/mok.pub {key}", image], capture_output=True, check=True)
    if not key.exists():
        raise Trouble(f"{image} has no signing key of DKMS")


def trust_signing_key(image: Path, directory: Path) -> None:
    """Make variables for the firmware that trust the key of an image's modules, in directory."""
    if not (CODE.exists() and EDITOR.exists()):
        raise Trouble(f"no {CODE if EDITOR.exists() else EDITOR.name}: make deps installs it")
    key = directory / "signing-key.der"
    signing_key(image, key)
    command = [EDITOR, "-i", VARIABLES, "--add-db", OWNER, key, "-o", directory / CHANGED]
    logged([str(word) for word in command], directory / "uefi-variables.log", "enrolling the key")


def options(directory: Path) -> list[str]:
    """QEMU's options for the firmware with the variables that are in directory."""
    return [
        *("-drive", f"if=pflash,format=raw,readonly=on,file={CODE}"),
        *("-drive", f"if=pflash,format=raw,file={directory / CHANGED}"),
    ]
