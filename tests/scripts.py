# SPDX-License-Identifier: GPL-2.0-only
"""Import scripts, whose names do not end in .py, for their unit tests."""

import importlib.machinery
import importlib.util
import sys
from pathlib import Path
from types import ModuleType


def load(path: Path) -> ModuleType:
    """Import a script without running it."""
    # No module of Python's own, or of ours, has such a name.
    loader = importlib.machinery.SourceFileLoader(f"script_{path.name}", str(path))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec
    # A dataclass looks its own module up there.
    module = sys.modules[loader.name] = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module
