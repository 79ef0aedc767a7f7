# SPDX-License-Identifier: GPL-2.0-only
"""The kernels with sanitizers that tests/debug-kernel builds."""

import subprocess
from pathlib import Path

from .paths import TOP
from .progress import Trouble


def built(kind: str) -> Path:
    """The folder of the kernel, whose name stands for its content. Builds it if it is missing, in half an hour."""
    build = subprocess.run(
        [TOP / "tests" / "debug-kernel" / "build", kind], stdout=subprocess.PIPE, text=True, check=False
    )
    if build.returncode:
        raise Trouble(f"cannot build the {kind} kernel: see above")
    return Path(build.stdout.strip())
