# SPDX-License-Identifier: GPL-2.0-only
"""A trial puts back what mounts lose when nfs-ra is switched off, and arrays when raid5-deadline is."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path
from unittest import mock

from seqkeep_lib import switch
from seqkeep_lib.errors import SeqkeepError
from seqkeep_lib.host import Host
from seqkeep_lib.modules import Module
from seqkeep_lib.switch import module_named
from seqkeep_lib.trial_switch import Lock, Switch, read_saved

from tools import machines


class Base(unittest.TestCase):
    name = ""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.fixture = self.machine()
        self.host = Host(self.root)
        lock = Lock(self.host)
        lock.acquire(wait=False)
        self.addCleanup(lock.release)
        self.switch = Switch(self.host, module_named(self.name), lock)
        real = switch.set_parameter

        def set_parameter(host: Host, module: Module, name: str, value: str) -> None:
            real(host, module, name, value)
            if name == "enable":
                self.enabled(value == "Y")

        patches = (
            mock.patch("seqkeep_lib.trial_switch.set_parameter", set_parameter),
            mock.patch("seqkeep_lib.trial_switch.RETRY_S", 0.0),
        )
        for patch in patches:
            patch.start()
            self.addCleanup(patch.stop)

    def machine(self) -> machines.Fixture:
        raise NotImplementedError

    def enabled(self, is_on: bool) -> None:
        """Do what the module does when enable is written."""

    def run_trial(self, options: dict[str, str], stays_off: bool = False, killed: bool = False) -> list[str]:
        """Switch the module on and off as a trial does. Return what the user is told."""
        saved = self.switch.save(options)
        self.switch.prepare(options)
        self.switch.enable(True)
        self.during()
        self.switch.enable(False)
        if killed:
            again = read_saved(self.host)
            self.assertEqual(again, saved)
            assert again
            saved = again
        self.assertEqual(self.switch.restore(saved, stays_off), [])
        return self.switch.notes

    def during(self) -> None:
        """Look at the machine while the module is on."""


class Mounts(Base):
    name = "nfs-ra"

    def machine(self) -> machines.Fixture:
        fixture = machines.Fixture(self.root)
        # The first was set by nfs-ra when it was mounted, the second was there before, somebody has set the third.
        for number, now in ((51, 4096), (52, 128), (53, 999)):
            fixture.mount(f"0:{number}", f"/mnt/{number}", "nfs4", "server:/", "rw,vers=4.2,rsize=1048576")
            fixture.write(f"sys/class/bdi/0:{number}/read_ahead_kb", f"{now}\n")
        fixture.load("nfs-ra", "", enable="Y", apply="0", multiple="4")
        self.ours = {51}
        return fixture

    def kb(self, number: int) -> Path:
        return self.root / f"sys/class/bdi/0:{number}/read_ahead_kb"

    def values(self) -> list[str]:
        return [self.kb(number).read_text().strip() for number in (51, 52, 53)]

    def enabled(self, is_on: bool) -> None:
        if not is_on:
            for number in self.ours:
                self.kb(number).write_text("128\n")
            self.ours = set()
        elif self.host.text("/sys/module/nfs_ra/parameters/apply") == "1":
            self.ours = {number for number in (51, 52, 53) if self.kb(number).read_text() == "128\n"}
            for number in self.ours:
                self.kb(number).write_text("4096\n")

    def during(self) -> None:
        self.assertEqual(self.values(), ["4096", "4096", "999"])

    def test_mounts_are_as_before(self) -> None:
        for killed in (False, True):
            self.assertEqual(self.run_trial({"apply": "1"}, killed=killed), [])
            self.assertEqual(self.values(), ["4096", "128", "999"])
            parameters = self.switch.get("enable"), self.switch.get("apply")
            self.assertEqual(parameters, ("Y", "0"))

    def test_off_after_the_guard(self) -> None:
        self.run_trial({"apply": "1"}, stays_off=True)
        self.assertEqual(self.values(), ["128", "128", "999"])
        self.assertEqual((self.switch.get("enable"), self.switch.get("apply")), ("N", "0"))

    def test_a_module_that_was_off(self) -> None:
        self.fixture.load("nfs-ra", "", enable="N", apply="0")
        self.kb(51).write_text("128\n")
        self.run_trial({"apply": "1"})
        self.assertEqual(self.values(), ["128", "128", "999"])
        self.assertEqual((self.switch.get("enable"), self.switch.get("apply")), ("N", "0"))


class Arrays(Base):
    name = "raid5-deadline"

    def machine(self) -> machines.Fixture:
        fixture = machines.md_host(self.root)
        fixture.write("dev/md0")
        fixture.write("sys/block/md0/md/stripe_deadline", "10\n")
        fixture.load("raid5-deadline", "", enable="Y", deadline="auto")
        self.writes = True
        self.seen = ""
        return fixture

    @property
    def file(self) -> Path:
        return self.root / "sys/block/md0/md/stripe_deadline"

    def enabled(self, is_on: bool) -> None:
        self.file.unlink(missing_ok=True)

    def during(self) -> None:
        self.switch.put_files()
        self.assertFalse(self.file.exists())
        self.file.write_text("auto\n")
        self.switch.put_files()
        self.seen = self.file.read_text().strip()

    def test_the_deadline_is_set_while_the_module_is_on(self) -> None:
        said = self.run_trial({})
        self.assertEqual(self.seen, "10")
        # The file is not there again before the next write, and nothing keeps its value.
        self.assertEqual(len(said), 1)
        self.assertIn("/sys/block/md0/md/stripe_deadline is to be 10", said[0])

    def test_a_write_after_the_trial_brings_it_back(self) -> None:
        absent = self.host.exists

        def write(name: str) -> bool:
            # As if a write came while the trial waits for the file.
            if name == "/sys/block/md0/md" and self.switch.get("enable") == "Y" and not self.file.exists():
                self.file.write_text("auto\n")
            return absent(name)

        with (
            mock.patch("seqkeep_lib.trial_switch.RETRY_S", 5.0),
            mock.patch("seqkeep_lib.trial_switch.RETRY_STEP_S", 0.0),
        ):
            saved = self.switch.save({})
            self.switch.prepare({})
            with mock.patch.object(self.host, "exists", write):
                self.assertEqual(self.switch.restore(saved), [])
        self.assertEqual((self.file.read_text().strip(), self.switch.notes), ("10", []))

    def test_what_is_kept_counts_also_if_the_module_was_off(self) -> None:
        self.file.unlink()
        self.fixture.load("raid5-deadline", "", enable="N", deadline="0")
        self.fixture.write("etc/seqkeep.conf", "[md0]\nstripe_deadline = 7\n")
        self.assertEqual(self.run_trial({}), [])
        self.assertEqual(self.seen, "7")

    def test_what_is_kept_is_left_to_systemd(self) -> None:
        self.fixture.write("etc/seqkeep.conf", "[md0]\nstripe_deadline = 10\n")
        with mock.patch("seqkeep_lib.trial_switch.apply_later") as later:
            self.assertEqual(self.run_trial({}), [])
        self.assertEqual(list(later.call_args[0][1]), ["md0"])

    def test_an_array_that_follows_the_parameter(self) -> None:
        self.file.write_text("auto\n")
        self.assertEqual(self.switch.save({}).files, {})


class Gone(Base):
    """ctxra refuses a list with a device that is not there, as one that was removed during the trial."""

    name = "ctxra"

    def machine(self) -> machines.Fixture:
        fixture = machines.nfs_server(self.root)
        fixture.disk("sdc", "8:32")
        fixture.load("ctxra", "", enable="Y", observe="N", devices="sdb,sdc", max_kb="512,sdc=64")
        return fixture

    def trial(self, *gone: str) -> list[str]:
        real = Switch.put

        def put(switch: Switch, name: str, value: str) -> None:
            names = [item.partition("=")[0] for item in value.split(",") if item[:1] == "s"]
            if any(not self.host.exists(f"/sys/block/{each}") for each in names) or (name, value) == ("max_kb", ""):
                raise SeqkeepError(f"ctxra refuses {name}={value}")
            real(switch, name, value)

        with mock.patch.object(Switch, "put", put):
            saved = self.switch.save({"devices": "", "max_kb": "0"})
            self.switch.prepare({"devices": "", "max_kb": "0"})
            for disk in gone:
                (self.root / f"sys/block/{disk}").unlink()
            self.assertEqual(self.switch.restore(saved), [])
        self.assertIsNone(read_saved(self.host))
        return [self.switch.get(name) or "" for name in ("enable", "devices", "max_kb")]

    def test_nothing(self) -> None:
        self.assertEqual(self.trial(), ["Y", "sdb,sdc", "512,sdc=64"])
        self.assertEqual(self.switch.notes, [])

    def test_one(self) -> None:
        self.assertEqual(self.trial("sdc"), ["Y", "sdb", "512"])
        self.assertIn("devices was sdb,sdc, and is sdb now", self.switch.notes[0])

    def test_all_of_the_windows(self) -> None:
        (self.root / "sys/module/ctxra/parameters/max_kb").write_text("sdc=64\n")
        self.assertEqual(self.trial("sdc"), ["Y", "sdb", "0"])

    def test_all(self) -> None:
        self.assertEqual(self.trial("sdb", "sdc"), ["N", "", "512"])
        self.assertIn("ctxra stays off, because no device of its list sdb,sdc is there", self.switch.notes)


if __name__ == "__main__":
    unittest.main()
