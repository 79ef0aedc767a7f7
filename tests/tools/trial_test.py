# SPDX-License-Identifier: GPL-2.0-only
"""Trials on a simulated machine whose truth is known, and what ends them."""

import argparse
import contextlib
import io
import json
import random
import tempfile
import unittest
from collections.abc import Callable
from pathlib import Path
from unittest import mock

from seqkeep_lib import command_try, trial_counters, trial_judge
from seqkeep_lib.errors import SeqkeepError
from seqkeep_lib.host import Host
from seqkeep_lib.progress import Progress
from seqkeep_lib.signals import StoppedBySignal, StopSignals
from seqkeep_lib.stats import Ratio
from seqkeep_lib.switch import module_named
from seqkeep_lib.trial import ForeignChange, Trial, TrialResult
from seqkeep_lib.trial_figures import CTXRA_SERVER
from seqkeep_lib.trial_guard import Guard
from seqkeep_lib.trial_judge import HARMS, HELPS, NO_DIFFERENCE, NO_LOAD, UNCLEAR, PhaseResult, judge, sentence
from seqkeep_lib.trial_schedule import LEAST_PAIRS, make_schedule, reason_too_short
from seqkeep_lib.trial_switch import Lock, Switch, read_saved
from tools.simulated_machine import Load, Machine, changing, serve

from tools import machines

NO_GUARD = 1000.0


class Base(unittest.TestCase):
    def machine(self, load: Load, seed: int = 1) -> Machine:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        machine = Machine(Path(folder.name), load, seed)
        return machine

    def run_trial(
        self,
        machine: Machine,
        limit: float = NO_GUARD,
        keep: bool = False,
        seconds: float = 600.0,
        options: dict[str, str] | None = None,
        stop: StopSignals | None = None,
    ) -> TrialResult:
        host = machine.host()
        lock = Lock(host)
        self.assertTrue(lock.acquire(wait=False))
        self.addCleanup(lock.release)
        schedule = make_schedule(seconds, 30.0, machine.source)
        trial = Trial(
            host,
            Switch(host, module_named("ctxra"), lock),
            options or {},
            schedule,
            limit,
            stop or StopSignals(),
            machine.clock,
            machine.sleep,
        )
        with contextlib.redirect_stderr(io.StringIO()):
            return trial.run(Progress("seqkeep", 0.0), keep)

    def words(self, load: Callable[[int], Load], runs: int = 20) -> list[str]:
        found = []
        for seed in range(runs):
            result = self.run_trial(self.machine(load(seed), seed))
            assert result.outcome
            found.append(result.outcome.word)
        return found


class KnownTruths(Base):
    def setUp(self) -> None:
        # Ten looks in 30 s would make no difference to what is counted, but these tests ten times slower.
        poll = mock.patch("seqkeep_lib.trial.POLL_S", 30.0)
        look = mock.patch("seqkeep_lib.trial.LOOKS", 1)
        for patch in (poll, look):
            patch.start()
            self.addCleanup(patch.stop)

    def test_a_load_that_the_module_helps(self) -> None:
        self.assertEqual(self.words(lambda seed: serve(100, 32, 128, 0.2)), [HELPS] * 20)

    def test_a_load_that_it_does_not_help(self) -> None:
        self.assertEqual(self.words(lambda seed: serve(100, 64, 64, 0.005)), [NO_DIFFERENCE] * 20)

    def test_a_load_that_it_harms(self) -> None:
        self.assertEqual(self.words(lambda seed: serve(100, 128, 16, 0.2)), [HARMS] * 20)

    def test_a_load_that_changes_by_itself(self) -> None:
        for change_s in (7, 45, 200):
            found = self.words(lambda seed, s=change_s: changing(100, s, seed))  # type: ignore[misc]
            # With 99 % confidence one in a hundred is wrong by chance.
            self.assertGreaterEqual(found.count(UNCLEAR) + found.count(NO_DIFFERENCE), 19, (change_s, found))

    def test_no_load(self) -> None:
        result = self.run_trial(self.machine(serve(0, 8, 8)))
        assert result.outcome and result.profile
        self.assertEqual(result.outcome.word, NO_LOAD)
        self.assertIn("no load", sentence("ctxra", result.profile, result.outcome, None))

    def test_the_sentence(self) -> None:
        result = self.run_trial(self.machine(serve(100, 64, 128)))
        assert result.outcome and result.profile
        text = sentence("ctxra", result.profile, result.outcome, True)
        self.assertRegex(text, r"^ctxra helps this load: disk reads per MiB served -\d+ % \(-\d+ % to -\d+ %\), ")
        self.assertRegex(text, r"; no difference in [^;]*data read from disk per MiB served[,; ]")
        self.assertRegex(text, r"\(99\.\d % confidence, 10 pairs\)\.$")


class Restored(Base):
    def check(self, machine: Machine, expected: dict[str, str | None]) -> None:
        self.assertEqual({name: machine.parameter(name) for name in expected}, expected)
        self.assertIsNone(read_saved(machine.host()))

    def test_not_loaded_before(self) -> None:
        machine = self.machine(serve(100, 32, 128))
        self.run_trial(machine)
        self.assertFalse((machine.root / "sys/module/ctxra").exists())
        self.check(machine, {"enable": None})

    def test_loaded_before(self) -> None:
        for enable in ("N", "Y"):
            machine = self.machine(serve(100, 32, 128))
            machine.load_module(enable, "512")
            self.run_trial(machine, options={"max_kb": "4096"})
            self.check(machine, {"enable": enable, "max_kb": "512"})

    def test_a_module_that_observes(self) -> None:
        machine = self.machine(serve(100, 32, 128))
        machine.load_module("N", "512")
        machine.write("/sys/module/ctxra/parameters/observe", "Y\n")
        seen = set()
        machine.events.append(lambda m: seen.add(m.parameter("observe")))
        self.run_trial(machine)
        # The first second is that of the check before the trial.
        self.assertEqual(seen, {"Y", "N"})
        self.check(machine, {"enable": "N", "observe": "Y", "max_kb": "512"})

    def test_kept_only_if_it_helps(self) -> None:
        for kib, enable in ((128.0, "Y"), (32.0, None), (8.0, None)):
            machine = self.machine(serve(100, 32, kib, 0.02))
            result = self.run_trial(machine, keep=True, options={"max_kb": "4096"})
            self.assertEqual(result.is_kept, enable is not None)
            self.check(machine, {"enable": enable, "max_kb": "4096" if enable else None})

    def test_an_unknown_option(self) -> None:
        machine = self.machine(serve(100, 32, 128))
        with self.assertRaisesRegex(SeqkeepError, "ctxra refuses bogus=1: No such file"):
            self.run_trial(machine, options={"bogus": "1"})
        self.check(machine, {"enable": None})

    def test_a_signal(self) -> None:
        machine = self.machine(serve(100, 32, 128))
        machine.load_module("N", "512")
        stop = StopSignals()
        machine.events.append(lambda m: setattr(stop, "number", 15 if m.now > 100 else 0))
        with self.assertRaises(StoppedBySignal):
            self.run_trial(machine, options={"max_kb": "1"}, stop=stop)
        self.check(machine, {"enable": "N", "max_kb": "512"})

    def test_no_process_for_the_watchdog(self) -> None:
        """The number of processes is limited. Nothing was changed, so other commands must not refuse to work."""
        machine = self.machine(serve(100, 32, 128))
        with mock.patch("os.fork", side_effect=BlockingIOError), self.assertRaises(BlockingIOError):
            self.run_trial(machine)
        self.check(machine, {"enable": None})

    def test_somebody_else_switches_it(self) -> None:
        machine = self.machine(serve(100, 32, 128))
        machine.load_module("N", "512")

        def switch(m: Machine) -> None:
            if m.now > 30:
                m.write("/sys/module/ctxra/parameters/enable", "Y\n")

        machine.events.append(switch)
        with self.assertRaises(ForeignChange):
            self.run_trial(machine)
        self.check(machine, {"enable": "Y"})

    def test_a_module_that_cannot_be_unloaded_is_off(self) -> None:
        machine = self.machine(serve(100, 32, 128))
        machine.write("/busy", "")
        with (
            mock.patch("seqkeep_lib.trial_switch.RETRY_S", 0.0),
            self.assertRaisesRegex(SeqkeepError, "cannot run modprobe -r ctxra: .*in use.*--restore"),
        ):
            self.run_trial(machine)
        self.assertEqual(machine.parameter("enable"), "N")
        self.assertIsNotNone(read_saved(machine.host()))


class Advice(Base):
    def test_it_has_the_options_that_were_measured(self) -> None:
        """nfs-ra is tried with apply=1, because mounts exist."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        fixture = machines.nfs_client(Path(folder.name))
        fixture.load("nfs-ra", "", apply="0", multiple="4")
        host = Host(Path(folder.name))
        for is_kept, words in ((False, "seqkeep enable --now"), (True, "seqkeep enable")):
            result = self.run_trial(self.machine(serve(100, 32, 128)))
            result.is_kept = is_kept
            for given, options in (([], "apply=1"), (["multiple=8"], "apply=1 multiple=8"), (["apply=0"], "apply=0")):
                args = argparse.Namespace(
                    restore=False, wait=False, module="nfs-ra", options=given, seconds=600.0, period=30.0
                )
                args.guard, args.keep, args.json, args.plot = 1.5, is_kept, True, None
                command_try.check_arguments(args)
                shown = io.StringIO()
                with (
                    mock.patch("seqkeep_lib.command_try.Trial") as trial,
                    contextlib.redirect_stdout(shown),
                ):
                    trial.return_value.run.return_value = result
                    trial.return_value.switch.notes = []
                    command_try.try_module(args, host, Lock(host), StopSignals())
                said = json.loads(shown.getvalue())["next"]
                self.assertTrue(said.endswith(f": {words} nfs-ra {options}"), said)


class Guarded(Base):
    def aborted(self, machine: Machine, limit: float = 1.5) -> str:
        machine.load_module("N")
        result = self.run_trial(machine, limit)
        self.assertEqual(machine.parameter("enable"), "N")
        if result.aborted:
            self.assertIsNone(result.outcome)
        return result.aborted

    def test_long_waits_end_it_at_once(self) -> None:
        machine = self.machine(serve(100, 128, 16))
        self.assertIn("times as long", self.aborted(machine))
        # The first phase is off, and the second was ended after three looks.
        self.assertLess(machine.now, 45)

    def test_usual_noise_does_not_end_it(self) -> None:
        self.assertEqual(self.aborted(self.machine(serve(100, 128, 128, 0.2))), "")

    def test_an_error_in_the_log(self) -> None:
        machine = self.machine(serve(100, 32, 128))

        def log(m: Machine) -> None:
            if m.now > 70 and not (m.root / "dev/kmsg").read_text():
                m.write("/dev/kmsg", "3,1,1,-;Buffer I/O error on dev sda, logical block 7\n")

        machine.events.append(log)
        self.assertIn("Buffer I/O error on dev sda", self.aborted(machine))
        self.assertLess(machine.now, 73)

    def test_harmless_lines_in_the_log(self) -> None:
        machine = self.machine(serve(100, 32, 128))
        lines = "6,1,1,-;ctxra: loading out-of-tree module taints kernel.\n SUBSYSTEM=x\n5,2,2,-;seqkeep: cannot\n"
        machine.events.append(lambda m: m.write("/dev/kmsg", lines if m.now > 10 else ""))
        self.assertEqual(self.aborted(machine), "")

    def test_memory_pressure(self) -> None:
        machine = self.machine(serve(100, 32, 128))

        def stall(m: Machine) -> None:
            m.stalled_us += 4e5 if m.parameter("enable") == "Y" else 1e3

        machine.events.append(stall)
        self.assertIn("memory was short", self.aborted(machine))

    def test_memory_is_short_before(self) -> None:
        machine = self.machine(serve(100, 32, 128))
        machine.events.append(lambda m: setattr(m, "stalled_us", m.stalled_us + 5e5))
        machine.sleep(1)
        with self.assertRaisesRegex(SeqkeepError, "memory is short"):
            self.aborted(machine)


class FalseAlarms(unittest.TestCase):
    """A load that the module does not change, and that has a rhythm of its own: 300 trials each, without files."""

    def word(self, every_s: float, noise: float, seed: int) -> str:
        source = random.Random(seed)
        schedule = make_schedule(600, 30, source)
        found = []
        for number, phase in enumerate(schedule.phases):
            now = number * schedule.period_s + schedule.settle_s
            kib = 8 if every_s and now % every_s < every_s / 2 else 128
            served = 1e8 * source.lognormvariate(0, noise)
            reads = served / 1024 / kib * source.lognormvariate(0, noise)
            counted = {"served_bytes": served, "disk_reads": reads, "disk_read_bytes": served, "seconds": 25.0}
            found.append(PhaseResult(phase, now, 25.0, counted, {}, {}))
        return judge(CTXRA_SERVER, found).word

    def test_no_more_than_the_confidence_allows(self) -> None:
        for every_s, noise in ((60, 0.05), (120, 0.05), (37, 0.05), (0, 0.05), (0, 0.5)):
            words = [self.word(every_s, noise, seed) for seed in range(300)]
            self.assertLessEqual(words.count(HELPS) + words.count(HARMS), 8, (every_s, noise))

    def test_the_guard(self) -> None:
        """Noise alone does not end a trial of 20 phases, 25 looks each."""
        ended = 0
        for seed in range(100):
            source = random.Random(seed)
            guard = Guard(CTXRA_SERVER, 1.5)
            for phase in make_schedule(600, 30, source).phases:
                for _ in range(25):
                    wait = 50 * source.lognormvariate(0, 0.4)
                    ended += bool(guard.check(phase.is_on, {"disk_read_ms": wait, "disk_read_bytes": 1 << 20}, 0.01))
        self.assertLessEqual(ended, 1)


MOUNTSTATS = """device /dev/sda1 mounted on / with fstype ext4
device srv:/a mounted on /mnt/a with fstype nfs4 statvers=1.1
 bytes: 1000 0 24 0 4096 0 1 0
 per-op statistics
         READ: 10 10 0 1 2 3 40 50 0
        WRITE: 7 7 0 1 2 3 4 5 0
       COMMIT: 3 3 0 1 2 3 4 30 0
device srv:/b mounted on /mnt/b with fstype nfs statvers=1.1
 bytes: 5 0 0 0 7 0 1 0
 per-op statistics
         READ: 1 1 0 1 2 3 4 x 0
"""


class Counters(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.host = Host(self.root, "6.12.0")

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def test_mounts(self) -> None:
        self.write("proc/self/mountstats", MOUNTSTATS)
        found = trial_counters.read_mounts(self.host)
        a = {"program_bytes": 1024.0, "fetched_bytes": 4096.0, "read_calls": 10.0, "read_call_ms": 50.0}
        self.assertEqual(found["srv:/a"], {**a, "commit_calls": 3.0, "commit_call_ms": 30.0})
        self.assertEqual(list(found), ["srv:/a", "srv:/b"])

    def test_disks(self) -> None:
        for name in ("sda", "sdb", "md0", "loop0", "dm-0"):
            self.write(f"sys/block/{name}/dev", "8:0")
        self.write("sys/block/md0/md/level", "raid5\n")
        for array, slaves in (("md0", ("sda", "sdb")), ("dm-0", ("md0",))):
            for slave in slaves:
                (self.root / f"sys/block/{array}/slaves").mkdir(exist_ok=True)
                (self.root / f"sys/block/{array}/slaves/{slave}").symlink_to(self.root / "sys/block" / slave)
        self.assertEqual(trial_counters.bottom_disks(self.host), {"sda", "sdb"})
        self.assertEqual(trial_counters.parity_arrays(self.host), {"md0"})
        self.assertEqual(trial_counters.members(self.host, {"md0"}), {"sda", "sdb"})
        numbers = " ".join(str(n) for n in range(1, 18))
        self.write("proc/diskstats", f"8 0 sda {numbers}\n8 1 sda1 {numbers}\n9 0 md0 1 2 3\n")
        (name,) = found = trial_counters.read_disks(self.host)
        self.assertEqual((name, found[name]["read_bytes"], found[name]["flush_ms"]), ("sda", 3 * 512, 17))

    def test_what_clients_read_and_write(self) -> None:
        self.write("proc/net/rpc/nfsd", "rc 1 2 3\nio 100 200\n")
        place = "sys/kernel/config/target/core/fileio_0/disk/statistics/scsi_lu"
        self.write(f"{place}/read_mbytes", "3\n")
        self.write(f"{place}/write_mbytes", "1\n")
        found = trial_counters.server_quantities(self.host)
        self.assertEqual(found, {"served_bytes": 100 + (3 << 20), "client_bytes": 200 + (1 << 20)})


class Schedules(unittest.TestCase):
    def test_abba(self) -> None:
        seen = set()
        for seed in range(20):
            schedule = make_schedule(600, 30, random.Random(seed))
            on = [phase.is_on for phase in schedule.phases]
            self.assertEqual(len(on), 20)
            self.assertFalse(on[0])
            for first in range(0, 20, 4):
                self.assertIn(on[first : first + 4], ([False, True, True, False], [True, False, False, True]))
            seen.add(tuple(on))
        self.assertGreater(len(seen), 5)

    def test_enough_pairs_or_no_word(self) -> None:
        self.assertEqual(LEAST_PAIRS, 8)
        self.assertEqual(reason_too_short(480, 30), "")
        self.assertIn("--for 480s, or --period 26s", reason_too_short(420, 30))
        self.assertNotIn("--period", reason_too_short(10, 30))
        figure = mock.Mock(more_is_better=False)
        few = Ratio(0.5, 0.4, 0.6, 0.984, 7)
        self.assertEqual(trial_judge.compare(few, figure), UNCLEAR)


if __name__ == "__main__":
    unittest.main()
