# SPDX-License-Identifier: GPL-2.0-only
"""Run a trial: switch a module off and on by the schedule, and count what the kernel does meanwhile."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from . import trial_counters as counters
from .errors import SeqkeepError
from .host import Host
from .progress import Progress
from .signals import StopSignals
from .trial_counters import Quantities, difference, total
from .trial_figures import Profile, choose_profile, has_acted
from .trial_guard import Guard, KernelLog
from .trial_judge import Outcome, PhaseResult, judge
from .trial_schedule import Phase, Schedule
from .trial_switch import SavedState, Switch, recover_killed, saved_path
from .watchdog import Watchdog, log

# How often to look after the machine in a phase: each second, or ten times.
POLL_S, LOOKS = 1.0, 10
# A trial does not begin while memory is this short.
STALLED_AT_START = 0.10


SYSTEMD = "/run/systemd/system"
UNIT = "seqkeep-try-restore.service"


def start_unit(host: Host) -> None:
    """Let systemd wait, too: for the case that the trial and its watchdog are killed, as with their control group."""
    if host.is_real and host.exists(SYSTEMD):
        host.command("systemctl", "start", "--no-block", UNIT)


class ForeignChange(SeqkeepError):
    """Somebody else has switched the module: it keeps what they set."""


@dataclass(frozen=True)
class Snapshot:
    """The kernel's counts at one time."""

    time: float
    disks: dict[str, Quantities]
    mounts: dict[str, Quantities]
    others: Quantities
    stalled: float | None


@dataclass
class TrialResult:
    """What a trial found."""

    phases: list[PhaseResult] = field(default_factory=list)
    profile: Profile | None = None
    outcome: Outcome | None = None
    acted: bool | None = None
    # Why the guard ended it; "" if it did not.
    aborted: str = ""
    # What the guard could not watch.
    blind: list[str] = field(default_factory=list)
    is_kept: bool = False


def read_snapshot(host: Host, now: float) -> Snapshot:
    others = {**counters.server_quantities(host), "cpu_ms": counters.cpu_seconds(host) * 1000}
    return Snapshot(now, counters.read_disks(host), counters.read_mounts(host), others, counters.stalled_seconds(host))


def differences(after: dict[str, Quantities], before: dict[str, Quantities]) -> dict[str, Quantities]:
    """Return what each disk or mount counted; of one that has just appeared, nothing."""
    return {name: difference(now, before[name]) for name, now in after.items() if name in before}


class Counted(NamedTuple):
    """What was counted in some time: summed up, by disk, and by NFS mount."""

    total: Quantities
    disks: dict[str, Quantities]
    mounts: dict[str, Quantities]


class Disks:
    """Which disks count for a module."""

    def __init__(self, host: Host, module: str, options: Mapping[str, str]) -> None:
        arrays = counters.parity_arrays(host)
        self.counted = counters.bottom_disks(host)
        self.arrays: set[str] = set()
        if module == "raid5-deadline":
            self.arrays = arrays
            self.counted = counters.members(host, arrays)
        named = {name for name in options.get("devices", "").split(",") if name}
        if module == "ctxra" and named & set(host.names("/sys/block")):
            self.counted = named & set(host.names("/sys/block"))

    def quantities(self, before: Snapshot, after: Snapshot) -> Counted:
        """Return what was counted between two snapshots."""
        disks = differences(after.disks, before.disks)
        mounts = differences(after.mounts, before.mounts)
        found = difference(after.others, before.others)
        found["seconds"] = after.time - before.time
        found.update(total(disks, self.counted, "disk_"))
        found.update(total(disks, self.arrays, "array_"))
        found.update(total(mounts, mounts, ""))
        found["preread_bytes"] = max(0.0, found.get("disk_read_bytes", 0.0) - found.get("array_read_bytes", 0.0))
        return Counted(
            found,
            {name: values for name, values in disks.items() if values["reads"] or values["writes"]},
            {name: values for name, values in mounts.items() if values.get("read_calls")},
        )


class Trial:
    """One trial of a module. The caller holds the lock."""

    def __init__(
        self,
        host: Host,
        switch: Switch,
        options: Mapping[str, str],
        schedule: Schedule,
        limit: float,
        stop: StopSignals,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.host = host
        self.switch = switch
        self.options = options
        self.schedule = schedule
        self.stop = stop
        self.clock = clock
        self.sleep = sleep
        self.poll_s = min(POLL_S, schedule.period_s / LOOKS)
        self.disks = Disks(host, switch.module.name, options)
        self.guard = Guard(choose_profile(switch.module.name, []), limit)
        self.log = KernelLog(host)
        self.watchdog = Watchdog(
            switch.lock.release,
            partial(recover_killed, host),
            lambda text: log(host.path("/dev/kmsg"), f"seqkeep: {text}"),
        )
        self.saved: SavedState | None = None
        self.begin = 0.0
        self.last: Snapshot | None = None
        self.acts: dict[str, int] = {}

    def run(self, progress: Progress, keep: bool) -> TrialResult:
        """Run all phases, judge them, and restore the module, however the trial ends."""
        result = TrialResult()
        if not self.log.is_readable:
            result.blind.append("the kernel's log cannot be read")
        if counters.stalled_seconds(self.host) is None:
            result.blind.append("the kernel does not say whether memory is short (PSI)")
        self.check_memory()
        self.saved = self.switch.save(self.options)
        stays_off = False
        try:
            # Before the first change: nothing can be left changed without somebody who restores it.
            self.watchdog.start()
            start_unit(self.host)
            progress.stage(f"trying {self.switch.module.name}")
            self.switch.prepare(self.options)
            self.run_phases(result, progress)
            if not result.aborted:
                self.judge(result)
                result.is_kept = keep and result.outcome is not None and result.outcome.word == "helps"
            stays_off = bool(result.aborted)
        except ForeignChange:
            self.forget()
            raise
        finally:
            self.finish(progress, result.is_kept, stays_off)
        return result

    def finish(self, progress: Progress, is_kept: bool, stays_off: bool) -> None:
        """Restore the module first of all, because a failure to print must not prevent it."""
        failed: list[str] = []
        if self.saved and is_kept:
            self.switch.enable(True)
            self.switch.leave_pending()
            self.forget()
        elif self.saved:
            failed = self.switch.restore(self.saved, stays_off)
        if not failed:
            self.watchdog.stop()
        self.log.close()
        progress.end()
        if failed:
            raise SeqkeepError("; ".join(failed))

    def forget(self) -> None:
        """Leave the module as it is now."""
        saved_path(self.host).unlink(missing_ok=True)
        self.saved = None

    def check_memory(self) -> None:
        before = counters.stalled_seconds(self.host)
        if before is None:
            return
        begin = self.clock()
        self.sleep(POLL_S)
        after = counters.stalled_seconds(self.host) or before
        share = (after - before) / max(self.clock() - begin, 1e-3)
        if share > STALLED_AT_START:
            raise SeqkeepError(
                f"memory is short: tasks wait for it {share * 100:.0f} % of the time; try again when it is not"
            )

    def run_phases(self, result: TrialResult, progress: Progress) -> None:
        self.begin = self.clock()
        is_on = False
        for number, phase in enumerate(self.schedule.phases):
            word = "on" if phase.is_on else "off"
            progress.run(f"phase {number + 1} of {len(self.schedule.phases)}, {word}")
            if phase.is_on != is_on:
                self.switch.enable(phase.is_on)
                is_on = phase.is_on
            end = self.begin + (number + 1) * self.schedule.period_s
            result.aborted = self.run_phase(result, phase, end)
            if result.aborted:
                return

    def run_phase(self, result: TrialResult, phase: Phase, end: float) -> str:
        """Let the switch settle, then count until the end. Return why the guard ends the trial, or ""."""
        counted = self.module_counters()
        self.last = None
        bad = self.wait_until(end - self.schedule.period_s + self.schedule.settle_s, phase, is_settled=False)
        if bad:
            return bad
        before = read_snapshot(self.host, self.clock())
        self.last = before
        bad = self.wait_until(end, phase, is_settled=True)
        if bad:
            return bad
        after = read_snapshot(self.host, self.clock())
        if phase.is_on:
            for name, value in self.module_counters().items():
                self.acts[name] = self.acts.get(name, 0) + max(0, value - counted.get(name, 0))
        counted_now = self.disks.quantities(before, after)
        result.phases.append(PhaseResult(phase, before.time - self.begin, after.time - before.time, *counted_now))
        return ""

    def wait_until(self, end: float, phase: Phase, is_settled: bool) -> str:
        """Wait, and look after the machine meanwhile. Return why the trial has to end, or ""."""
        while True:
            self.stop.check()
            bad = self.look(phase, is_settled)
            left = end - self.clock()
            if bad or left <= 0:
                return bad
            self.sleep(min(self.poll_s, left))

    def look(self, phase: Phase, is_settled: bool) -> str:
        if not self.watchdog.is_alive():
            self.watchdog.start()
        self.check_unchanged(phase)
        self.switch.put_files()
        error = self.log.first_error()
        if error:
            return f"the kernel has logged: {error}"
        now = read_snapshot(self.host, self.clock())
        last, self.last = self.last, now
        if not last or not is_settled or now.time - last.time < self.poll_s / 2:
            self.last = last if last and is_settled else now
            return ""
        quantities = self.disks.quantities(last, now).total
        stalled = None
        if now.stalled is not None and last.stalled is not None:
            stalled = (now.stalled - last.stalled) / (now.time - last.time)
        return self.guard.check(phase.is_on, quantities, stalled)

    def check_unchanged(self, phase: Phase) -> None:
        if self.switch.is_enabled != phase.is_on or not self.switch.is_loaded:
            raise ForeignChange(
                f"somebody else has switched {self.switch.module.name} during the trial: it stays so; start again"
            )

    def module_counters(self) -> dict[str, int]:
        return counters.module_counters(self.host, self.switch.module.counters)

    def judge(self, result: TrialResult) -> None:
        profile = choose_profile(self.switch.module.name, [phase.quantities for phase in result.phases])
        result.profile = profile
        result.outcome = judge(profile, result.phases)
        result.acted = has_acted(profile, self.acts)
