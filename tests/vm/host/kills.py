# SPDX-License-Identifier: GPL-2.0-only
"""Kill a virtual machine again and again while it writes, and check its disks at each next boot.

The disks are files of the host that the emulator writes through, so a kill loses only what the guest had not sent yet.
At each boot a module's kills.guest checks that every record is there that the guest reported as written, and then
writes until the host kills it. Each line of /mnt/out/records is a reported record.
"""

import argparse
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from . import check, console, machine, roots
from .paths import RUNS

# In seconds: the limit from the guest's start to its first record, and the range of times after which it is killed.
BOOT_LIMIT_S = 600
WRITE_S = (0.0, 4.0)


def parse(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """Parse the command line: the options of parser, and those that every kills script has."""
    parser.add_argument("--times", type=int, default=50, metavar="N", help="how often to kill it (50)")
    parser.add_argument("suite", metavar="SUITE")
    return parser.parse_args()


def boot_once(job: machine.Job, disks: Sequence[Path], kill: bool) -> str:
    """Boot the guest, and kill it after it has written for a while, or let it end. Returns its output."""
    machine.prepare(job)
    options = []
    for number, disk in enumerate(disks):
        options += ["-drive", f"file={disk},format=raw,if=none,id=disk{number},cache=writeback"]
        options += ["-device", f"virtio-blk-pci,drive=disk{number},serial=disk{number}"]
    output, records = job.directory / "out" / "output", job.directory / "out" / "records"
    before = records.stat().st_size
    end = time.monotonic() + BOOT_LIMIT_S
    with machine.qemu(job) as command:
        guest = subprocess.Popen([*command, *options], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        try:
            while guest.poll() is None and kill and records.stat().st_size == before:
                if time.monotonic() > end:
                    sys.exit(f"kills: the guest writes no record within {BOOT_LIMIT_S} s; see {job.directory}")
                time.sleep(0.1)
            if kill and guest.poll() is None:
                time.sleep(random.uniform(*WRITE_S))
            else:
                guest.wait(BOOT_LIMIT_S)
        finally:
            guest.kill()
            guest.wait()
    text = output.read_text(errors="replace")
    faults = console.faults((job.directory / "console.log").read_text(errors="replace"))
    if faults or "FAILED" in text or "writing" not in text:
        sys.exit(f"kills: {faults[0] if faults else text}; see {job.directory}")
    return text


def run(
    options: argparse.Namespace,
    guest: Path,
    words: Sequence[str],
    disks: int,
    disk_mb: int,
    *,
    is_plain: bool = False,
    share: Path | None = None,
) -> None:
    """Boot and kill options.times times. guest gets the number of the boot, that of the last, and words."""
    check.build_helpers([options.suite])
    root = roots.root_of(options.suite, is_plain)
    RUNS.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f"{options.suite}-kills-", dir=RUNS))
    files = [folder / f"disk{number}" for number in range(disks)]
    for file in files:
        with file.open("wb") as opened:
            opened.truncate(disk_mb << 20)
    records = folder / "records"
    records.touch()
    program = f"/mnt/seqkeep/{guest.parent.name}/{guest.name}"
    for boot in range(options.times + 1):
        job = machine.Job(
            root,
            folder / "run",
            command=(program, str(boot), str(options.times), *words),
            files=(records,),
            share=share,
            timeout_s=BOOT_LIMIT_S,
            clock="host",
        )
        text = boot_once(job, files, kill=boot < options.times)
        shutil.copy(folder / "run" / "out" / "records", records)
        seen = [line for line in text.splitlines() if line.startswith("boot")]
        print(f"[{boot}/{options.times}] {'; '.join(seen)}", flush=True)
    total = records.read_text().count("\n")
    print(f"kills: {options.times} kills, {total} records written, none was lost")
    shutil.rmtree(folder)
