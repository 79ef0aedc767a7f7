# SPDX-License-Identifier: GPL-2.0-only
"""UEFI firmware whose list of trusted keys (db) has the key by which DKMS signed our modules.

Debian's kernels accept modules signed by a key of that list, as by a key that mokutil enrolled. Secure Boot itself
stays off, because QEMU loads the kernel.
"""

import subprocess
import uuid
from pathlib import Path

from .paths import BUILD
from .progress import Trouble, logged

CODE = Path("/usr/share/OVMF/OVMF_CODE_4M.fd")
VARIABLES = Path("/usr/share/OVMF/OVMF_VARS_4M.fd")
# The name of the variables with the key, in a run's folder.
CHANGED = "uefi-variables"
EDITOR = BUILD / "cache/venv/bin/virt-fw-vars"
# The interpreter that the editor names is gone if the cache was made under another path.
PYTHON = EDITOR.with_name("python3")
# The owner of an enrolled key. Any will do.
OWNER = uuid.uuid5(uuid.NAMESPACE_URL, "seqkeep")


def signing_key(image: Path, key: Path) -> None:
    """Copy the certificate by which DKMS signed the modules of an image to key."""
    subprocess.run(["debugfs", "-R", f"dump /var/lib/dkms/mok.pub {key}", image], capture_output=True, check=True)
    if not key.exists():
        raise Trouble(f"cannot find a signing key of DKMS in {image}")


def trust_signing_key(image: Path, directory: Path) -> None:
    """Write to directory variables of the firmware that trust the key of an image's modules."""
    if not (CODE.exists() and EDITOR.exists()):
        raise Trouble(f"cannot find {CODE if EDITOR.exists() else EDITOR.name}: make deps installs it")
    key = directory / "signing-key.der"
    signing_key(image, key)
    command = [PYTHON, EDITOR, "-i", VARIABLES, "--add-db", OWNER, key, "-o", directory / CHANGED]
    logged([str(word) for word in command], directory / "uefi-variables.log", "enrolling the key")


def options(directory: Path) -> list[str]:
    """QEMU's options for the firmware with the variables in directory."""
    return [
        *("-drive", f"if=pflash,format=raw,readonly=on,file={CODE}"),
        *("-drive", f"if=pflash,format=raw,file={directory / CHANGED}"),
    ]
