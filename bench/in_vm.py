# SPDX-License-Identifier: GPL-2.0-only
"""What all benches do: run a program of bench/guest on a suite's kernel, and keep what it found."""

import argparse
import json
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import results

TOP = Path(__file__).resolve().parent.parent
OUT = TOP / "build/bench"
# For a VM: the longest bench takes hours.
TIME_LIMIT_S = 20000


def parse(parser: argparse.ArgumentParser) -> tuple[argparse.Namespace, list[str]]:
    """The options, with the suites, and the words after "--": the cases."""
    parser.add_argument("suites", nargs="+", metavar="SUITE", help="and after --, the cases (all)")
    words = sys.argv[1:]
    split = words.index("--") if "--" in words else len(words)
    return parser.parse_args(words[:split]), words[split + 1 :]


def measure(suite: str, program: str, words: Sequence[object], *options: str, skip_idle: bool = False) -> Any:
    """Run bench/guest/PROGRAM with the name of its output and some words; return what it found."""
    OUT.mkdir(parents=True, exist_ok=True)
    # One for each run: two benches may be at work. It is left where the run fails, with what was found until then.
    share = Path(tempfile.mkdtemp(prefix=f"{program}-{suite}-", dir=OUT))
    shutil.copytree(TOP / "bench/guest", share, dirs_exist_ok=True)
    clock = ["--skip-idle"] if skip_idle else []
    command = [
        *(str(TOP / "tests/vm/vm"), "run", *clock, "--timeout", str(TIME_LIMIT_S), *options),
        *("--share", str(share), suite, str(share / program), "/mnt/share/found.json", *map(str, words)),
    ]
    subprocess.run(command, check=True, cwd=TOP)
    found = json.loads((share / "found.json").read_text())
    shutil.rmtree(share)
    return found


def keep(out: Path, name: str, found: results.Json) -> None:
    """Add what was found, and how, to the file: to what it has of that name, if that was measured alike."""
    command = shlex.join([f"bench/{Path(sys.argv[0]).name}", *sys.argv[1:]])
    results.add(out, {name: found | {"commands": [command]}})


def run(main: Callable[[], Path]) -> None:
    """Be the program: main returns the file that has the figures."""
    try:
        print(f"bench: figures in {main().relative_to(TOP)}")
    except subprocess.CalledProcessError as error:
        sys.exit(f"bench: the run in the VM failed with status {error.returncode}; see its console log above")
