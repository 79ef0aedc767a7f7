# SPDX-License-Identifier: GPL-2.0-only
"""One run of a virtual machine: boot a root, run one command in it, collect its output and status."""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from . import archive, board, booted, console, firmware
from .paths import CACHE, DEBS, HELPERS, RPMS, TESTS, TOP
from .progress import Trouble, locked, say, stop
from .roots import Root
from .shares import Share, served

# Time for the boot and the shutdown, in addition to the command's own limit.
BOOT_LIMIT_S = 180
PROBE_LIMIT_S = 10

# Any oops ends the run at once. The watchdogs' limits suit two emulators on two cores; a true lockup lasts for ever and
# still exceeds them. guest/init brings up the second CPU and later ones, because 6.1 hangs under -icount when it brings
# them up during boot. board.py has what differs between architectures.
KERNEL_ARGS = (
    "loglevel=8 net.ifnames=0 panic=-1 oops=panic watchdog_thresh=60 rcupdate.rcu_cpu_stall_timeout=120 maxcpus=1"
)


@dataclass(frozen=True)
class Job:
    """A command to run in a guest, and the guest to run it in."""

    root: Root
    directory: Path
    command: tuple[str, ...] = ()
    timeout_s: int = 300
    memory: str = "2G"
    cpus: int = 2
    network: bool = False
    share: Path | None = None
    # Copied to /mnt/out in the guest.
    files: tuple[Path, ...] = ()
    live: bool = False
    clock: str = "instructions"
    # More words for the kernel's command line.
    kernel_args: str = ""
    # Whether the kernel trusts the key by which DKMS signed our modules.
    trusted: bool = False


@dataclass
class Outcome:
    """How a run ended. status is None if the guest reported none."""

    status: int | None
    timed_out: bool
    output: str
    faults: list[str] = field(default_factory=list)

    @property
    def trouble(self) -> str:
        """Why the run failed, whatever the command's own status; empty if it did not."""
        if self.timed_out:
            return "timed out; blocked tasks are on the console"
        if self.faults:
            return f"the console has: {self.faults[0]}"
        if self.status is None:
            return "the VM ended before the command did"
        return ""


def accelerator(root: Root) -> str:
    """kvm if a stock kernel boots under it within a time limit, else tcg."""
    if board.is_foreign(root.suite) or not os.access("/dev/kvm", os.R_OK | os.W_OK):
        return "tcg"
    boot_id = booted.host_boot_id()
    verdict = CACHE / "accelerator"
    with locked(CACHE / "accelerator.lock"):
        seen_in, _, found = verdict.read_text().partition(" ") if verdict.exists() else ("", "", "")
        if seen_in != boot_id:
            found = "kvm" if kvm_boots(root) else "tcg"
            verdict.write_text(f"{boot_id} {found}")
    return found


def kvm_boots(root: Root) -> bool:
    say("vm: trying KVM ...")
    log = CACHE / "kvm-probe.log"
    with log.open("wb") as out:
        probe = subprocess.Popen(
            [
                *shlex.split(
                    "qemu-system-x86_64 -accel kvm -m 512M -nodefaults -display none -no-reboot -serial stdio"
                ),
                *("-kernel", root.kernel, "-initrd", root.initrd),
                *("-append", "console=ttyS0 panic=-1 seqkeep.probe"),
            ],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
        )
    end = time.monotonic() + PROBE_LIMIT_S
    while probe.poll() is None and time.monotonic() < end:
        time.sleep(0.1)
    # Without a wait(), because a process stuck in a broken KVM may never die.
    probe.kill()
    boots = b"initrd: up" in log.read_bytes()
    say("vm: KVM works" if boots else "vm: KVM does not boot a kernel here: emulating (TCG)")
    return boots


def shares(job: Job) -> list[Share]:
    folders = [
        Share("seqkeep", TESTS),
        Share("bin", HELPERS / archive.architecture(job.root.suite)),
        Share("deb", DEBS),
        Share("rpm", RPMS),
        Share("gauntlet", TOP / "tests" / "gauntlet"),
        Share("bench", TOP / "bench" / "guest"),
        Share("out", job.directory / "out", writable=True),
    ]
    if job.share:
        folders.append(Share("share", job.share.resolve(), writable=True))
    return folders


# By the setting CLOCK: QEMU's options for the guest's clock under emulation.
CLOCKS = {
    # The host's clock: the fastest, but other work of the host changes a guest's timing.
    "host": [],
    # An instruction takes one nanosecond, so timing hardly depends on the host. A test takes twice as long.
    "instructions": ["-icount", "shift=0,sleep=on"],
    # The same, but the clock jumps over idle time: timing is repeatable to the percent. Time nothing that waits for the
    # host (the guest's root disk, a shared folder), because that would seem to take long.
    "skip-idle": ["-icount", "shift=0,sleep=off"],
}
# By that clock a task that waits for the host seems hung.
SKIP_IDLE_ARGS = "sysctl.kernel.hung_task_timeout_secs=0"


def emulator(job: Job) -> list[str]:
    """Emulate all virtual CPUs in turn, on one core.

    With thread=multi a stock kernel died at boot of an int3. The kernel writes one where it changes its own code, and a
    module that hooks functions makes it do so often.
    """
    return ["-accel", "tcg,thread=single", *CLOCKS[job.clock]]


@contextmanager
def qemu(job: Job) -> Iterator[list[str]]:
    """The command that boots a guest. The context serves the guest's folders."""
    with served(shares(job), job.root.share_type, job.memory) as share_options:
        yield [*hardware(job), *share_options, *console_options(job)]


def hardware(job: Job) -> list[str]:
    kvm = accelerator(job.root) == "kvm"
    made = board.of(job.root.suite)
    clock_args = SKIP_IDLE_ARGS if job.clock == "skip-idle" else ""
    kernel_args = [f"console={made.console}", made.kernel_args, KERNEL_ARGS]
    kernel_args += [job.root.kernel_args, job.kernel_args, clock_args]
    command = [
        # QEMU dies with this process, however that ends.
        *("setpriv", "--pdeathsig", "KILL", *made.qemu, "-nodefaults", "-display", "none", "-no-reboot"),
        *(["-accel", "kvm", "-cpu", "host"] if kvm else [*emulator(job), "-cpu", made.cpu]),
        *("-smp", str(job.cpus), "-m", job.memory),
        *("-kernel", str(job.root.kernel), "-initrd", str(job.root.initrd)),
        *("-append", " ".join(kernel_args)),
        *("-drive", f"file={job.root.image},format=raw,if=none,id=root,snapshot=on,cache=unsafe"),
        *shlex.split("-device virtio-blk-pci,drive=root -device virtio-rng-pci"),
    ]
    if job.trusted:
        command += firmware.options(job.directory)
    if job.network:
        command += ["-netdev", "user,id=net", "-device", "virtio-net-pci,netdev=net"]
    return command


def is_usual(job: Job) -> bool:
    """Whether the machine is like those of most tests, so that a booted one is worth keeping.

    A clock that jumps over idle time would run away while a booted machine waits.
    """
    usual = Job(job.root, job.directory, job.command, job.timeout_s, files=job.files, live=job.live, clock=job.clock)
    return (
        job == usual
        and job.command != ()
        and job.clock != "skip-idle"
        and job.root.share_type == "9p"
        and not board.is_foreign(job.root.suite)
        and booted.has_disk_module(job.root.modules)
        and accelerator(job.root) == "tcg"
    )


def state_to_resume(job: Job, command: list[str]) -> Path | None:
    """The file of a booted machine from which this one goes on, if it may."""
    if not is_usual(job):
        return None
    same = booted.without((str(job.directory), str(job.root.image), str(TOP)), command)
    return booted.kept_state(command, same, job.root.base / "booted", job.directory / "console.log")


@contextmanager
def started(command: list[str], state: Path | None) -> Iterator[tuple[list[str], BinaryIO | int]]:
    """The command with which to start a machine, and its standard input."""
    if not state:
        yield command, subprocess.DEVNULL
        return
    with tempfile.TemporaryFile() as line:
        line.write(booted.go_on_line().encode())
        line.seek(0)
        yield booted.resume(command, state), line


def console_options(job: Job) -> list[str]:
    """QEMU's options for the console: to a file, and for a prompt to this terminal, too."""
    log = job.directory / "console.log"
    if job.command:
        return ["-monitor", "none", "-serial", f"file:{log}"]
    return [
        *("-chardev", f"stdio,id=console,mux=on,signal=off,logfile={log}"),
        *("-serial", "chardev:console", "-mon", "chardev=console"),
    ]


def meta(key: str) -> str:
    """A value of the file META."""
    return subprocess.run([TOP / "packaging" / "meta", key], capture_output=True, text=True, check=True).stdout.strip()


def prepare(job: Job) -> None:
    """Make the run's folder, with a file out/job that guest/init sources."""
    shutil.rmtree(job.directory, ignore_errors=True)
    out = job.directory / "out"
    out.mkdir(parents=True)
    (out / "output").touch()
    if job.trusted:
        firmware.trust_signing_key(job.root.image, job.directory)
    for file in job.files:
        shutil.copy(file, out)
    rows, columns = os.popen("stty size 2>/dev/null").read().split() or ("24", "80")
    settings = {
        "SUITE": job.root.suite,
        "KVER": job.root.kver,
        "MODULES": meta("Modules"),
        "SHARES": " ".join(share.name for share in shares(job) if share.name not in ("seqkeep", "out")),
        "NETWORK": "1" if job.network else "",
        "CPUS": str(job.cpus),
        "CONSOLE": board.of(job.root.suite).console,
        "TIMEOUT": str(job.timeout_s),
        "ROWS": rows,
        "COLUMNS": columns,
    }
    lines = [f"{name}={shlex.quote(value)}" for name, value in settings.items()]
    lines.append(f"COMMAND=({shlex.join(job.command)})")
    (out / "job").write_text("\n".join(lines) + "\n")


def run(job: Job) -> Outcome:
    """Boot, run the command, wait for the end. If job.live is set, show the command's output meanwhile."""
    prepare(job)
    out = job.directory / "out"
    environment = os.environ | {"TMPDIR": str(job.directory)}
    timed_out = False
    state = None
    with (
        (job.directory / "qemu.log").open("wb") as log,
        (out / "output").open("rb") as output,
        qemu(job) as cold,
        started(cold, state := state_to_resume(job, cold)) as (command, stdin),
    ):
        end = time.monotonic() + job.timeout_s + BOOT_LIMIT_S
        machine = subprocess.Popen(command, env=environment, stdin=stdin, stdout=log, stderr=log)
        try:
            while machine.poll() is None and not timed_out and not stop.is_set():
                time.sleep(0.2)
                timed_out = time.monotonic() > end
                if job.live:
                    show(output)
        finally:
            machine.kill()
            machine.wait()
        if job.live:
            show(output)
    complaint = (job.directory / "qemu.log").read_text(errors="replace").strip()
    if machine.returncode > 0:
        if state:
            # The next run boots anew, in case QEMU cannot load it.
            state.unlink(missing_ok=True)
        raise Trouble(f"qemu did not run: {complaint or machine.returncode}")
    return collect(job, timed_out)


def show(output: BinaryIO) -> None:
    sys.stdout.buffer.write(output.read())
    sys.stdout.buffer.flush()


def collect(job: Job, timed_out: bool) -> Outcome:
    out = job.directory / "out"
    text = (job.directory / "console.log").read_text(errors="replace")
    status = (out / "status").read_text().strip() if (out / "status").exists() else ""
    return Outcome(
        status=int(status) if status.isdigit() else None,
        timed_out=timed_out or status == "timeout",
        output=(out / "output").read_text(errors="replace"),
        faults=console.faults(text),
    )


def interact(job: Job) -> None:
    """Boot to a prompt on this terminal."""
    prepare(job)
    with qemu(job) as command:
        subprocess.run(command, env=os.environ | {"TMPDIR": str(job.directory)}, check=False)
