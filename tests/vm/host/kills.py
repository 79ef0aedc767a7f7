# SPDX-License-Identifier: GPL-2.0-only
"""Kill a virtual machine while it writes, again and again, and look each time at what is there.

The disks are files of the host, written through by the emulator, so that a kill loses what the guest had not sent yet
and nothing else. Each boot of the guest, by a module's kills.guest, looks whether all is there that was reported as
written, says so, and writes on until it is killed. A line of /mnt/out/records is a record that was reported.
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

# From the start of the guest until its first record is written, and how long it writes then, in seconds.
BOOT_LIMIT_S = 600
WRITE_S = (0.0, 4.0)


def parse(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """The options, with those that all kills have."""
    parser.add_argument("--times", type=int, default=50, metavar="N", help="how often to kill it (50)")
    parser.add_argument("suite", metavar="SUITE")
    return parser.parse_args()


def one_boot(job: machine.Job, disks: Sequence[Path], kill: bool) -> str:
    """Boot and kill it when it has written for a while, or let it end. Returns what the guest printed."""
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
                    sys.exit(f"kills: the guest does not come to write; see {job.directory}")
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
    """Do it options.times times; guest gets the number of the boot, that of the last, and words. Ends at a loss."""
    check.build_helpers()
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
        text = one_boot(job, files, kill=boot < options.times)
        shutil.copy(folder / "run" / "out" / "records", records)
        seen = [line for line in text.splitlines() if line.startswith("boot")]
        print(f"[{boot}/{options.times}] {'; '.join(seen)}", flush=True)
    total = records.read_text().count("\n")
    print(f"kills: {options.times} kills, {total} records written, none was lost")
    shutil.rmtree(folder)
