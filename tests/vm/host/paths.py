# SPDX-License-Identifier: GPL-2.0-only
"""Paths in the repository. The harness writes only below build/."""

from pathlib import Path

TOP = Path(__file__).resolve().parents[3]
TESTS = TOP / "tests" / "vm"
BUILD = TOP / "build"
DEBS = BUILD / "deb"
RPMS = BUILD / "rpm"
HELPERS = BUILD / "tests-bin"
RESULTS = BUILD / "results"
RUNS = BUILD / "vm"
CACHE = BUILD / "cache" / "vm"
