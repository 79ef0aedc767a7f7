# SPDX-License-Identifier: GPL-2.0-only
"""seqkeep enable, disable, set and apply on folders that stand for machines, with a modprobe of a few lines."""

from __future__ import annotations

import argparse
import contextlib
import errno
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

from seqkeep_lib import cli, command_apply, command_enable, command_set, device_conf, own_files, switch
from seqkeep_lib.boot import load_file, options_file, other_boot_files, read_boot
from seqkeep_lib.command_apply import apply_when_free, unit_of, wait_and_apply
from seqkeep_lib.device_conf import changed, parse
from seqkeep_lib.effect import LATER
from seqkeep_lib.errors import BusyError, SeqkeepError
from seqkeep_lib.host import Host
from seqkeep_lib.modules import MODULES, Module
from seqkeep_lib.own_files import read_own, replace, write_own
from seqkeep_lib.signals import StoppedBySignal
from seqkeep_lib.switch import LOCK, exclusive, load
from seqkeep_lib.trial_switch import Lock

from tools import machines

SEQKEEP = Path(__file__).parents[2] / "tools/seqkeep"
# How often each of two commands is killed; a longer run says KILLS=100.
KILLS = int(os.environ.get("KILLS", "20"))
CTXRA, RA_TRACE = MODULES[0], MODULES[1]
# It refuses what the real modules refuse: max_kb=-1. The options of files come before those of the command line.
MODPROBE = r"""#!/bin/sh
root=$(dirname "$0")/../..
if [ "$1" = -r ]; then
	rm -r "$root/sys/module/$(echo "$2" | tr - _)"
	exit
fi
name=$1
shift
set -- $(cat "$root"/etc/modprobe.d/*.conf 2>/dev/null | sed -n "s/^options $name //p") "$@"
dir=$root/sys/module/$(echo "$name" | tr - _)
for option; do
	[ "$option" != max_kb=-1 ] || { echo "modprobe: ERROR: could not insert '$name': Invalid argument" >&2; exit 1; }
done
mkdir -p "$dir/parameters"
echo N > "$dir/parameters/enable"
echo N > "$dir/parameters/observe"
[ "$name" != ctxra ] || { echo 0 > "$dir/parameters/max_kb"; echo > "$dir/parameters/devices"; }
for option; do echo "${option#*=}" > "$dir/parameters/${option%%=*}"; done
echo live > "$dir/initstate"
"""
MODINFO = """#!/bin/sh
case $2 in
parm) case $3 in
	*nfs-ra*) printf 'enable:x: 0 or 1 (default 0)\\nmultiple:x: 1..64, or auto: x\\nservers:list\\n' ;;
	*) printf 'enable:x (bool)\\nobserve:x (bool)\\nmax_kb:x, 0..65536, or auto, or a list\\ndevices:list\\n' ;;
	esac ;;
esac
"""


class Switches(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.fixture = machines.nfs_server(self.root)
        self.host = Host(self.root)
        for name, text in (("modprobe", MODPROBE), ("modinfo", MODINFO)):
            self.fixture.write(f"usr/bin/{name}", text)
            (self.root / f"usr/bin/{name}").chmod(0o755)
        for module in ("ctxra", "ra-trace"):
            self.fixture.write(f"lib/modules/6.12.1-test/updates/dkms/{module}.ko")
            self.fixture.write(f"usr/src/{module}-1.0/dkms.conf")
        self.fixture.write("dev/sdb")

    def command(self, *words: str) -> list[str]:
        return [sys.executable, str(SEQKEEP), "--root", str(self.root), *words]

    def run_ok(self, *words: str) -> str:
        done = subprocess.run(self.command(*words), capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""), words)
        return done.stdout

    def assert_fails(self, status: int, said: str, *words: str) -> None:
        done = subprocess.run(self.command(*words), capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertIn(said, done.stderr)
        self.assertNotIn("Traceback", done.stderr)

    def parameter(self, name: str, module: str = "ctxra") -> str | None:
        return self.host.text(f"/sys/module/{module}/parameters/{name}")

    def is_on(self) -> bool:
        return self.parameter("enable") in ("1", "Y")

    def boot_files(self) -> dict[str, str]:
        return {
            str(path.relative_to(self.root)): path.read_text(errors="surrogateescape")
            for directory in ("etc/modules-load.d", "etc/modprobe.d")
            for path in sorted((self.root / directory).glob("*"))
        }


class Enable(Switches):
    def test_now_and_undo(self) -> None:
        shown = self.run_ok("enable", "--now", "ctxra", "max_kb=512")
        self.assertTrue(self.is_on())
        self.assertEqual(self.parameter("max_kb"), "512")
        boot = read_boot(self.host, CTXRA)
        assert boot
        self.assertEqual((boot.enable, boot.options), (True, {"max_kb": "512"}))
        undo = re.search(r"To undo: seqkeep (.*)", shown)
        assert undo
        self.run_ok(*undo[1].split())
        self.assertFalse(self.is_on())
        self.assertEqual(self.boot_files(), {})

    def test_dracut(self) -> None:
        for words in (("enable", "ctxra"), ("set", "ctxra", "max_kb=512"), ("disable", "ctxra")):
            self.assertNotIn("dracut", self.run_ok(*words))
        self.fixture.write("usr/bin/dracut", "")
        for words in (("enable", "ctxra"), ("set", "ctxra", "max_kb=512"), ("disable", "ctxra")):
            self.assertIn("dracut -f makes it anew", self.run_ok(*words))

    def test_modprobe_says_what_is_not_text(self) -> None:
        program = self.root / "usr/bin/modprobe"
        program.write_text(program.read_text().replace("\n", "\nprintf '\\351t\\n' >&2\n", 1))
        self.run_ok("enable", "--now", "ctxra")
        self.assertTrue(self.is_on())

    def test_a_signal_after_loading(self) -> None:
        """The kernel has the module, and load() has not returned."""

        def loaded_then_stopped(host: Host, module: Module, options: dict[str, str]) -> None:
            load(host, module, options)
            raise StoppedBySignal(signal.SIGTERM)

        patched = mock.patch("seqkeep_lib.command_enable.load", loaded_then_stopped)
        with patched, self.assertRaises(StoppedBySignal):
            command_enable.enable(self.host, CTXRA, {}, now=True, observe=False)
        self.assertIsNone(self.parameter("enable"))
        self.assertEqual(self.boot_files(), {})

    def test_at_boot_only(self) -> None:
        shown = self.run_ok("enable", "ctxra")
        self.assertIsNone(self.parameter("enable"))
        self.assertIn("from the next boot on", shown)
        self.assertTrue(read_boot(self.host, CTXRA))
        # As the boot does it.
        subprocess.run([self.root / "usr/bin/modprobe", "ctxra"], check=True)
        self.assertTrue(self.is_on())

    def test_again_keeps_the_options(self) -> None:
        self.run_ok("enable", "ctxra", "max_kb=512")
        self.run_ok("enable", "--now", "ctxra")
        boot = read_boot(self.host, CTXRA)
        assert boot
        self.assertEqual(boot.options, {"max_kb": "512"})

    def test_the_options_of_the_file_count_in_a_loaded_module(self) -> None:
        self.run_ok("enable", "ctxra", "max_kb=512")
        self.fixture.load("ctxra", "", max_kb="0", devices="", observe="N")
        self.run_ok("enable", "--now", "ctxra")
        self.assertEqual((self.parameter("enable"), self.parameter("max_kb")), ("1", "512"))

    def test_another_kernel(self) -> None:
        """In a chroot, or after an upgrade, the next boot has another kernel."""
        modules = self.root / "lib/modules"
        for release in ("6.12.1-test", "6.12.2-test"):
            self.fixture.write(f"lib/modules/{release}/updates/dkms/nfs-ra.ko")
        shutil.rmtree(modules / "6.12.1-test")
        self.fixture.write("usr/src/nfs-ra-1.0/dkms.conf")
        shown = self.run_ok("enable", "nfs-ra")
        self.assertIn("built for kernel 6.12.2-test, but not for 6.12.1-test, which is running", shown)
        self.assertNotIn("now:", shown)
        self.assertIn("built for kernel 6.12.2-test", self.run_ok("set", "nfs-ra", "multiple=8"))
        self.assert_fails(2, "multiple=99: the value is not from 1 to 64", "enable", "nfs-ra", "multiple=99")
        self.assert_fails(1, "nfs-ra is not built for kernel 6.12.1-test", "enable", "--now", "nfs-ra")
        shutil.rmtree(modules / "6.12.2-test")
        self.assert_fails(1, "nfs-ra is not built for kernel 6.12.1-test", "enable", "nfs-ra")

    def test_observe(self) -> None:
        self.run_ok("enable", "--now", "--observe", "ctxra")
        self.assertEqual((self.parameter("enable"), self.parameter("observe")), ("0", "1"))
        self.run_ok("enable", "--now", "ctxra")
        self.assertEqual((self.parameter("enable"), self.parameter("observe")), ("1", "0"))
        self.run_ok("enable", "--now", "--observe", "ctxra")
        self.assertEqual((self.parameter("enable"), self.parameter("observe")), ("0", "1"))
        self.run_ok("disable", "--now", "ctxra")
        self.assertEqual((self.parameter("enable"), self.parameter("observe")), ("0", "0"))

    def test_bad_input(self) -> None:
        for status, said, words in (
            (2, "invalid choice", ("enable", "none")),
            (2, "'max_kb' is not NAME=VALUE", ("enable", "ctxra", "max_kb")),
            (2, "ctxra has no option max; it has: devices, max_kb, observe", ("enable", "ctxra", "max=1")),
            (2, "max_kb is given twice", ("enable", "ctxra", "max_kb=1", "max_kb=2")),
            (2, "set by seqkeep enable", ("enable", "ctxra", "enable=1")),
            (2, "may not have blanks", ("enable", "ctxra", "max_kb=1 enable=1")),
            (2, "may not have blanks", ("enable", "ctxra", "max_kb=1\ninstall x /bin/sh")),
            (1, "could not insert 'ctxra': Invalid argument", ("enable", "--now", "ctxra", "max_kb=-1")),
            (1, "nfs-ra is not installed: install the package nfs-ra-dkms", ("enable", "nfs-ra")),
            (1, "neither loaded nor enabled", ("set", "ctxra", "max_kb=1")),
            (2, "is neither a module nor a disk", ("set", "sdz", "read_ahead_kb=1")),
            (2, "a device has no setting x", ("set", "sdb", "x=1")),
            (2, "nfsra is neither a module nor a disk", ("set", "nfsra", "max_kb=1")),
            (
                2,
                "0:52 is no name of a disk, and seqkeep keeps settings of disks only",
                ("enable", "ctxra", "devices=0:52"),
            ),
            (2, "not from 0 to 4194304", ("set", "sdb", "read_ahead_kb=-1")),
            (2, "one by one", ("set", "ctxra", "devices=sdb")),
            (2, "one by one", ("set", "ctxra", "devices=")),
            (2, "sdz is neither a module nor a disk", ("enable", "--now", "ctxra", "devices=sdb,sdz")),
            (2, "sdz is neither a module nor a disk", ("enable", "ctxra", "max_kb=sdz=64")),
            (2, "stripe_cache_size: it is no array of RAID 4", ("set", "sdb", "stripe_cache_size=8192")),
            (2, "stripe_deadline: it is no array of RAID 4", ("set", "sdb", "stripe_deadline=auto")),
            (2, "the following arguments are required: MODULE\n", ("enable", "--now")),
        ):
            with self.subTest(words=words):
                self.assert_fails(status, said, *words)
                self.assertEqual(self.boot_files(), {})
                self.assertFalse((self.root / "etc/seqkeep.conf").exists())
                self.assertIsNone(self.parameter("enable"))

    def test_a_value_that_the_module_would_refuse_at_boot(self) -> None:
        self.fixture.write("lib/modules/6.12.1-test/updates/dkms/nfs-ra.ko")
        for value in ("banana", "0", "65", "-1", "0x41", "0101", "4,8", "1_0", "0o17"):
            self.assert_fails(
                2, f"multiple={value}: the value is not from 1 to 64, or auto", "enable", "nfs-ra", f"multiple={value}"
            )
        for value in ("65537", "banana,sdb=64"):
            plain = value.partition(",")[0]
            self.assert_fails(
                2, f"max_kb={plain}: the value is not from 0 to 65536", "enable", "ctxra", f"max_kb={value}"
            )
        self.assert_fails(2, "max_kb: give one window", "enable", "ctxra", "max_kb=512,1024,sdb=64")
        self.assertEqual(self.boot_files(), {})
        for value in ("1", "64", "auto"):
            self.assertNotIn("checked", self.run_ok("enable", "nfs-ra", f"multiple={value}"))
        # Some modules refuse these.
        for value in ("0x40", "010", "+8", "01"):
            said = "\nmultiple was not checked: the module"
            self.assertIn(said, self.run_ok("enable", "nfs-ra", f"multiple={value}"), value)
        self.run_ok("set", "nfs-ra", "multiple=auto")
        self.assertIn("\nservers was not checked: the mod", self.run_ok("enable", "nfs-ra", "servers=nas1:8"))
        self.assert_fails(2, "multiple=0: the value", "set", "nfs-ra", "multiple=0")
        self.assertIn("servers was not checked", self.run_ok("set", "nfs-ra", "servers=nas1:9"))
        # Without a value it is no longer kept.
        self.assertEqual(self.run_ok("set", "nfs-ra"), "multiple=auto\nservers=nas1:9\n")
        self.assertIn("nfs-ra: multiple, servers no longer kept", self.run_ok("set", "nfs-ra", "multiple=", "servers="))
        self.assertNotIn("multiple", "".join(self.boot_files().values()))
        self.assertEqual(self.run_ok("set", "nfs-ra"), "nothing is kept for nfs-ra\n")

    def test_the_reason_is_from_the_log(self) -> None:
        log = "[1.0] ctxra: max_kb: -1 is not in 0..65536 KiB (-EINVAL)\n"
        log += "[1.1] ctxra: `-1' invalid for parameter `max_kb'\n"
        self.fixture.write("log", log)
        self.fixture.write("usr/bin/dmesg", '#!/bin/sh\ncat "$(dirname "$0")/../../log"\n')
        (self.root / "usr/bin/dmesg").chmod(0o755)
        said = "the log says: ctxra: max_kb: -1 is not in 0..65536 KiB (-EINVAL)\n"
        self.assert_fails(1, said, "enable", "--now", "ctxra", "max_kb=-1")

    def test_files_of_others_are_not_touched(self) -> None:
        for file in (load_file(CTXRA), options_file(CTXRA)):
            for text in ("ctxra\n", "", "# Written by seqkeep, checksum 00000000.\nctxra\n", "\udcff\0"):
                with self.subTest(file=file, text=text):
                    path = self.host.path(file)
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(text, errors="surrogateescape")
                    for words in (("enable", "ctxra"), ("enable", "--now", "ctxra"), ("disable", "ctxra")):
                        self.assert_fails(1, "seqkeep", *words)
                    self.assertEqual(path.read_text(errors="surrogateescape"), text)
                    self.assertEqual(list(self.boot_files()), [file[1:]])
                    self.assertIsNone(self.parameter("enable"))
                    path.unlink()

    def test_files_of_others_that_enable_it_are_named(self) -> None:
        self.fixture.write("etc/modprobe.d/ctxra.conf", "#options ctxra enable=1\noptions ctxra enable=1\n")
        self.assertIn("/etc/modprobe.d/ctxra.conf, which seqkeep did not write", self.run_ok("disable", "ctxra"))
        # It does not enable the module while seqkeep loads it to try an option.
        self.assert_fails(1, "Invalid", "enable", "--now", "ctxra", "max_kb=-1")
        self.assertIsNone(self.parameter("enable"))

    def test_all_files_that_enable_it_are_named(self) -> None:
        for file, text in (
            ("etc/modules", "ra-trace\nctxra\n"),
            ("run/modules-load.d/a.conf", "ctxra\n"),
            ("usr/lib/modprobe.d/a.conf", "options ctxra enable=Y\n"),
            ("etc/modprobe.d/b.conf", "options ctxra max_kb=1 enable=on\n"),
            ("usr/local/lib/modprobe.d/c.conf", "options ctxra enable\n"),
        ):
            self.fixture.write(file, text)
            self.assertEqual(other_boot_files(self.host, CTXRA), [f"/{file}"])
            (self.root / file).unlink()
        # The first of one name counts.
        self.fixture.write("etc/modprobe.d/a.conf", "options ctxra enable=0\noptions ctxra enabled=1\n")
        self.fixture.write("usr/lib/modprobe.d/a.conf", "options ctxra enable=Y\n")
        self.assertEqual(other_boot_files(self.host, CTXRA), [])

    def test_a_bad_line_of_others_does_not_keep_it_on(self) -> None:
        self.run_ok("enable", "--now", "ctxra")
        self.fixture.write("etc/seqkeep.conf", "[sdb]\nnonsense\n")
        shown = self.run_ok("disable", "--now", "ctxra")
        self.assertIn("What /etc/seqkeep.conf has for ctxra stays there: /etc/seqkeep.conf, line 2: neither", shown)
        self.assertFalse(self.is_on())
        self.assertEqual(self.boot_files(), {})

    def test_what_fails_is_undone(self) -> None:
        # tracing is off: the doctor finds a problem.
        self.fixture.write("proc/sys/kernel/ftrace_enabled", "0\n")
        self.assert_fails(1, "ftrace is switched off", "enable", "--now", "ctxra", "devices=sdb")
        self.assertEqual(self.boot_files(), {})
        self.assertIsNone(self.parameter("enable"))
        self.assertEqual(parse((self.root / "etc/seqkeep.conf").read_text()), {})
        self.fixture.load("ctxra", "", max_kb="7", devices="", observe="N")
        self.run_ok("enable", "ctxra", "max_kb=9")
        self.assert_fails(1, "ftrace is switched off", "enable", "--now", "ctxra", "max_kb=8")
        self.assertEqual((self.parameter("enable"), self.parameter("max_kb")), ("0", "7"))
        boot = read_boot(self.host, CTXRA)
        assert boot
        self.assertEqual(boot.options, {"max_kb": "9"})

    def test_a_list_that_ctxra_refuses(self) -> None:
        """More than 64 disks, or one that has just gone. Without its list it would take all."""
        real = switch.set_parameter

        def refuse(host: Host, module: Module, name: str, value: str) -> None:
            if (name, value) in (("devices", "sdb"), ("max_kb", "sdb=64")):
                raise SeqkeepError(f"ctxra refuses {name}={value}")
            real(host, module, name, value)

        for options, refused in (
            ({"devices": "sdb"}, "devices=sdb"),
            # It is set before the list.
            ({"devices": "sdb", "max_kb": "sdb=64"}, "max_kb=sdb=64"),
        ):
            for loaded in (False, True):
                if loaded:
                    self.fixture.load("ctxra", "", max_kb="0", devices="", observe="N")
                patched = mock.patch("seqkeep_lib.apply.set_parameter", refuse)
                with patched, self.assertRaisesRegex(SeqkeepError, f"ctxra refuses {refused}"):
                    command_enable.enable(self.host, CTXRA, dict(options), now=True, observe=False)
                self.assertFalse(self.is_on())
                self.assertEqual(self.parameter("devices"), "" if loaded else None)
                self.assertEqual(self.boot_files(), {})
                self.assertEqual(device_conf.read_settings(self.host), {})
            shutil.rmtree(self.root / "sys/module/ctxra")

    def test_what_the_kernel_refuses_of_a_disk_is_said(self) -> None:
        self.fixture.write("etc/seqkeep.conf", "[sdb]\nskip_copy = 1\n")
        said = "sdb: there is no /sys/block/sdb/md/skip_copy (/etc/seqkeep.conf keeps it)\n"
        self.assertIn(said, self.run_ok("enable", "--now", "ctxra"))
        self.assertTrue(self.is_on())

    def test_another_list_is_undone(self) -> None:
        self.fixture.disk("sdc", "8:32")
        self.fixture.write("dev/sdc")
        self.run_ok("enable", "--now", "ctxra", "devices=sdb", "max_kb=sdb=64")
        before = self.boot_files(), device_conf.read_settings(self.host)
        self.fixture.write("proc/sys/kernel/ftrace_enabled", "0\n")
        for device in ("sdc", "/dev/disk/by-id/absent"):
            words = ("enable", "--now", "ctxra", f"devices={device}", "max_kb=128,sdc=32")
            self.assert_fails(1, "ftrace is switched off", *words)
            self.assertTrue(self.is_on())
            self.assertEqual((self.parameter("devices"), self.parameter("max_kb")), ("sdb", "sdb=64"))
            self.assertEqual((self.boot_files(), device_conf.read_settings(self.host)), before)

    def test_a_list_of_absent_disks_switches_it_off(self) -> None:
        """It was on for all disks, or for others."""
        for options in ((), ("devices=sdb",)):
            self.run_ok("enable", "--now", "ctxra", *options)
            shown = self.run_ok("enable", "--now", "ctxra", "devices=/dev/disk/by-id/absent")
            self.assertIn("waits for a device", shown)
            self.assertFalse(self.is_on())
            self.run_ok("disable", "--now", "ctxra")

    def test_options_that_take_effect_later(self) -> None:
        self.fixture.write("lib/modules/6.12.1-test/updates/dkms/nfs-ra.ko")
        self.fixture.load("nfs-ra", "", apply="0", multiple="4", servers="", observe="N")
        mounted = "nfs-ra does nothing for NFS mounts that exist until they are mounted again"
        self.assertNotIn(mounted, self.run_ok("enable", "--now", "nfs-ra"))
        self.run_ok("disable", "--now", "nfs-ra")
        self.fixture.mount("0:52", "/mnt/a", "nfs4", "server:/", "rw,rsize=1048576")
        self.assertIn(mounted, self.run_ok("enable", "--now", "nfs-ra"))
        shown = self.run_ok("enable", "--now", "nfs-ra", "servers=nas1:8", "multiple=8")
        self.assertIn("\nmultiple, servers take effect for mounts that are made from now on.\n", shown)
        self.assertNotIn(mounted, shown)
        shown = self.run_ok("set", "nfs-ra", "multiple=4")
        self.assertIn("\nmultiple takes effect for mounts that are made from now on.\n", shown)
        self.run_ok("disable", "--now", "nfs-ra")
        # It is off, and uses them when it is enabled.
        self.assertNotIn("effect", self.run_ok("set", "nfs-ra", "multiple=4"))
        self.fixture.write("sys/module/nfs_ra/parameters/apply", "1\n")
        self.assertNotIn(mounted, self.run_ok("enable", "--now", "nfs-ra"))

    def test_those_options_are_options(self) -> None:
        modules = Path(__file__).parents[2] / "modules"
        for module, options in LATER.items():
            text = "".join(path.read_text() for path in (modules / module).glob("*.c"))
            for option in options:
                self.assertIn(f"module_param_cb({option},", text)

    def test_a_disk_that_nfsd_dio_would_not_find_at_boot(self) -> None:
        self.fixture.write("lib/modules/6.12.1-test/updates/dkms/nfsd-dio.ko")
        said = "nfsd-dio is not loaded at boot if a disk of devices is not there yet"
        for words in (("enable", "--now"), ("enable",), ("set",)):
            self.assertIn(said, self.run_ok(*words, "nfsd-dio", "devices=sdb"))
            self.assertNotIn(said, self.run_ok(*words, "nfsd-dio", "devices="))

    def test_a_signal_right_after_a_write(self) -> None:
        """The parameter has its new value, or the file for the boot has it, and the command is not done."""
        self.run_ok("enable", "--now", "ctxra", "max_kb=512")
        write, replace_file = os.write, own_files.replace

        def stop_after_write(handle: int, data: bytes) -> int:
            done = write(handle, data)
            if data == b"2048\n":
                os.kill(os.getpid(), signal.SIGTERM)
            return done

        def stop_after_file(host: Host, name: str, text: str) -> None:
            replace_file(host, name, text)
            if "2048" in text:
                os.kill(os.getpid(), signal.SIGTERM)

        for what, stop in (("os.write", stop_after_write), ("seqkeep_lib.own_files.replace", stop_after_file)):
            for words in (("set", "ctxra", "max_kb=2048"), ("enable", "--now", "ctxra", "max_kb=2048")):
                child = os.fork()
                if not child:
                    with (
                        Path(os.devnull).open("w") as nothing,
                        contextlib.redirect_stderr(nothing),
                        mock.patch(what, stop),
                        mock.patch("sys.argv", self.command(*words)[1:]),
                    ):
                        os._exit(cli.main())
                code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
                self.assertEqual(code, 128 + signal.SIGTERM, (what, words))
                kept = read_boot(self.host, CTXRA)
                assert kept
                self.assertEqual((self.parameter("max_kb"), kept.options), ("512", {"max_kb": "512"}), (what, words))

    def test_a_signal_while_a_device_is_set(self) -> None:
        self.fixture.load("ctxra", "", max_kb="0", devices="", observe="N")
        self.run_ok("enable", "ctxra", "devices=/dev/disk/by-id/absent")
        before = device_conf.read_settings(self.host)
        write = os.write
        for last in (b"512\n", b"sdb=64\n", b"sdb\n", b"1\n"):

            def stop(handle: int, data: bytes, last: bytes = last) -> int:
                done = write(handle, data)
                if data == last:
                    raise StoppedBySignal(signal.SIGTERM)
                return done

            settings = {"read_ahead_kb": "512", "ctxra": "yes", "ctxra_max_kb": "64"}
            with mock.patch("os.write", stop), self.assertRaises(StoppedBySignal):
                command_set.set_device(self.host, "sdb", settings)
            self.assertEqual(device_conf.read_settings(self.host), before)
            self.assertEqual(self.host.text("/sys/block/sdb/queue/read_ahead_kb"), "128")
            self.assertEqual((self.parameter("max_kb"), self.parameter("devices")), ("0", ""))
            self.assertFalse(self.is_on())
        command_set.set_device(self.host, "sdb", settings)
        self.assertTrue(self.is_on())

    def test_two_at_a_time(self) -> None:
        with exclusive(self.host):
            words = self.command("enable", "ctxra")
            begun = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            # A brief wait ends with the other command; a long one does not last.
            time.sleep(0.5)
            self.assertIsNone(begun.poll())
        self.assertEqual((begun.communicate(timeout=60)[1], begun.returncode), (b"", 0))
        with exclusive(self.host):
            self.assert_fails(1, "another seqkeep is changing something", "enable", "ctxra")
            # udev runs apply beside others, which are brief but for a trial, which it does not wait for.
            with self.assertRaises(BusyError):
                apply_when_free(self.host, "sdb", 0.05, 0.01)
            self.fixture.write("run/seqkeep/try/state", "{}")
            with mock.patch("seqkeep_lib.command_apply.time.sleep") as slept, self.assertRaises(BusyError):
                apply_when_free(self.host, "sdb", 20, 0.1)
            slept.assert_not_called()
            (self.root / "run/seqkeep/try/state").unlink()
            self.fixture.write("etc/seqkeep.conf", "[/dev/sdb]\nread_ahead_kb = 1024\n")
            begun = subprocess.Popen(self.command("apply", "sdb"), stderr=subprocess.PIPE)
            time.sleep(0.5)
            self.assertIsNone(begun.poll())
        self.assertEqual((begun.communicate(timeout=60)[1], begun.returncode), (b"", 0))

    def test_only_its_owner_can_take_the_lock(self) -> None:
        """A process that can open a file can lock it."""
        for take in (lambda: Lock(self.host).acquire(wait=False), lambda: exclusive(self.host).__enter__()):
            path = self.host.path(LOCK)
            for text in (None, ""):
                path.unlink(missing_ok=True)
                if text is not None:
                    path.write_text(text)
                    path.chmod(0o644)
                take()
                self.assertEqual(path.stat().st_mode & 0o777, 0o600)
            path.unlink()
            path.symlink_to("victim")
            with self.assertRaises((OSError, SeqkeepError)):
                take()
            path.unlink()

    def test_units_of_disks(self) -> None:
        self.assertEqual(unit_of("nvme0n1"), "seqkeep-apply@nvme0n1.service")
        self.assertEqual(unit_of("dm-0"), "seqkeep-apply@dm\\x2d0.service")


class Devices(Switches):
    def test_ctxra_on_some_devices(self) -> None:
        self.run_ok("enable", "--now", "ctxra", "devices=sdb", "max_kb=512,sdb=64")
        self.assertEqual((self.parameter("devices"), self.parameter("max_kb")), ("sdb", "512,sdb=64"))
        self.assertTrue(self.is_on())
        text = (self.root / options_file(CTXRA)[1:]).read_text()
        self.assertIn("options ctxra enable=0 max_kb=512\n", text)
        # After a boot ctxra is off until the disk appears.
        for name, value in (("enable", "N"), ("devices", ""), ("max_kb", "512")):
            self.fixture.write(f"sys/module/ctxra/parameters/{name}", f"{value}\n")
        self.run_ok("apply")
        self.assertTrue(self.is_on())
        self.run_ok("enable", "--now", "ctxra", "devices=")
        self.assertEqual(self.parameter("devices"), "")
        self.assertIn("enable=1", (self.root / options_file(CTXRA)[1:]).read_text())
        self.run_ok("disable", "--now", "ctxra")
        self.assertEqual(device_conf.read_settings(self.host), {})

    def test_the_last_device_of_ctxra(self) -> None:
        self.run_ok("enable", "ctxra", "devices=sdb")
        self.run_ok("set", "/dev/disk/by-id/x", "ctxra=yes")
        self.assertNotIn("no device left", self.run_ok("set", "sdb", "ctxra="))
        self.assertIn("no device left, and stays off", self.run_ok("set", "/dev/disk/by-id/x", "ctxra="))
        # Not all devices, which nobody has asked for.
        self.assertIn("enable=0", (self.root / options_file(CTXRA)[1:]).read_text())
        self.run_ok("enable", "ctxra", "devices=")
        self.assertIn("enable=1", (self.root / options_file(CTXRA)[1:]).read_text())

    def test_an_absent_device(self) -> None:
        shown = self.run_ok("enable", "--now", "ctxra", "devices=/dev/disk/by-id/x")
        self.assertIn("waits for a device of /etc/seqkeep.conf", shown)
        self.assertFalse(self.is_on())
        self.run_ok("apply")
        self.assertFalse(self.is_on())
        self.fixture.link("dev/disk/by-id/x", "dev/sdb")
        self.run_ok("apply")
        self.assertTrue(self.is_on())
        self.assertEqual(self.parameter("devices"), "sdb")

    def test_a_setting_that_is_refused_does_not_fail_another(self) -> None:
        """ctxra refuses the list of another disk."""
        self.fixture.load("ctxra", "", enable="Y", max_kb="0", devices="", observe="N")
        self.fixture.write("etc/seqkeep.conf", "[sdb]\nctxra = yes\nskip_copy = 1\n")
        refuse = mock.patch("seqkeep_lib.apply.set_parameter", side_effect=SeqkeepError("ctxra refuses devices=sdb"))
        with refuse:
            command_set.set_device(self.host, "sdb", {"read_ahead_kb": "512"})
            self.assertEqual(self.host.text("/sys/block/sdb/queue/read_ahead_kb"), "512")
            for name, value in (("ctxra", "yes"), ("ctxra_max_kb", "64")):
                with self.assertRaisesRegex(SeqkeepError, r"ctxra refuses .* \(/etc/seqkeep.conf keeps it\)"):
                    command_set.set_device(self.host, "sdb", {name: value})

    def test_a_value_that_the_kernel_changes(self) -> None:
        """Its readahead is in pages, and -1 is the kernel's own latency."""
        file = self.root / "sys/block/sdb/queue/read_ahead_kb"

        def write(host: Host, name: str, value: str, refused: str, module: Module | None = None) -> None:
            file.write_text(f"{int(value) // 4 * 4}\n")

        with mock.patch("seqkeep_lib.apply.write_attribute", write):
            shown = command_set.set_device(self.host, "sdb", {"read_ahead_kb": "1022"})
            self.assertIn("sdb: the kernel was given read_ahead_kb=1022, and made 1020 of it.", shown)
            shown = command_set.set_device(self.host, "sdb", {"read_ahead_kb": "1024"})
            self.assertNotIn("made", "".join(shown))

    def test_ctxra_that_is_not_loaded(self) -> None:
        told = "ctxra is not loaded, and gets the setting when it is"
        shown = self.run_ok("set", "sdb", "ctxra=yes")
        self.assertIn(told, shown)
        self.assertNotIn("set now", shown)
        self.run_ok("enable", "--now", "ctxra")
        shown = self.run_ok("set", "sdb", "ctxra_max_kb=512")
        self.assertNotIn(told, shown)
        self.assertIn("set now", shown)

    def test_a_list_for_ctxra_that_was_enabled_without(self) -> None:
        """At the next boot it must not act on all disks until udev has set the list."""
        self.run_ok("enable", "--now", "ctxra")
        self.assertIn("waits for a device of its list at boot", self.run_ok("set", "sdb", "ctxra=yes"))
        kept = read_boot(self.host, CTXRA)
        assert kept
        self.assertTrue(kept.waits)
        self.assertIn("enable=0", self.host.text(options_file(CTXRA)) or "")
        self.assertNotIn("at boot", self.run_ok("set", "sdb", "ctxra=yes"))
        self.assertTrue(self.is_on())

    def test_apply_to_a_disk_without_settings(self) -> None:
        """udev starts one for each disk that appears."""
        self.fixture.write("etc/seqkeep.conf", "[/dev/sdb]\nread_ahead_kb = 1024\n")
        self.fixture.write("sys/block/sdz/dev")
        self.fixture.write("dev/sdz")
        with exclusive(self.host):
            self.assertEqual(command_apply.run(argparse.Namespace(root=self.root, device="sdz", wait=False)), 0)
            # The same for a disk with settings waits.
            busy = mock.patch("seqkeep_lib.command_apply.BRIEF_S", 0.0)
            with busy, self.assertRaises(BusyError):
                command_apply.run(argparse.Namespace(root=self.root, device="sdb", wait=False))

    def test_attributes(self) -> None:
        shown = self.run_ok("set", "sdb", "read_ahead_kb=1024")
        self.assertEqual(self.host.text("/sys/block/sdb/queue/read_ahead_kb"), "1024")
        self.assertIn("kept in /etc/seqkeep.conf, and set now", shown)
        self.fixture.write("sys/block/sdb/queue/read_ahead_kb", "128\n")
        self.run_ok("apply", "sdb")
        self.assertEqual(self.host.text("/sys/block/sdb/queue/read_ahead_kb"), "1024")
        self.assertEqual(self.run_ok("set", "sdb"), "read_ahead_kb=1024\n")
        self.run_ok("set", "sdb", "read_ahead_kb=")
        self.assertEqual(self.run_ok("set", "sdb"), "nothing is kept for sdb\n")

    def test_a_disk_with_two_names(self) -> None:
        self.fixture.link("dev/disk/by-id/x", "dev/sdb")
        self.run_ok("set", "/dev/disk/by-id/x", "read_ahead_kb=512")
        said = "/dev/disk/by-id/x is the same disk, and /etc/seqkeep.conf has its read_ahead_kb=512"
        self.assert_fails(2, said, "set", "sdb", "read_ahead_kb=8192")
        self.assert_fails(2, said, "set", "sdb", "read_ahead_kb=")
        self.assertEqual(self.host.text("/sys/block/sdb/queue/read_ahead_kb"), "512")
        self.run_ok("set", "sdb", "wbt_lat_usec=0")
        # As somebody may have written it.
        file = self.root / "etc/seqkeep.conf"
        file.write_text(f"{file.read_text()}[sdb]\nread_ahead_kb = 64\n")
        self.assertIn("no longer kept", self.run_ok("set", "sdb", "read_ahead_kb="))
        self.assertIn("sdb: was not kept", self.run_ok("set", "sdb", "skip_copy="))

    def test_what_is_kept_is_asked_of_a_name_that_is_there(self) -> None:
        self.run_ok("set", "sdb", "read_ahead_kb=1024")
        self.assertEqual(self.run_ok("set", "/dev/sdb"), "read_ahead_kb=1024\n")
        for target in ("nonsense", "read_ahead_kb=1"):
            self.assert_fails(2, "neither a module, nor a disk", "set", target)
        self.assertTrue(self.run_ok("set", "sdb", "read_ahead_kb=").startswith("sdb: no longer kept in"))

    def test_a_mirror_has_no_stripes(self) -> None:
        machines.md_host(self.root / "md", "raid1")
        self.root = self.root / "md"
        for setting in ("stripe_deadline=10", "stripe_cache_size=512"):
            (self.root / "sys/block/md0/md/stripe_cache_size").unlink(missing_ok=True)
            self.assert_fails(2, "no array of RAID 4, 5 or 6", "set", "md0", setting)

    def test_all_that_is_kept(self) -> None:
        self.assertEqual(self.run_ok("set"), "nothing is kept\n")
        self.run_ok("enable", "ctxra", "max_kb=512", "devices=sdb")
        self.run_ok("set", "sdb", "read_ahead_kb=1024")
        self.assertEqual(self.run_ok("set"), "ctxra max_kb=512\nsdb ctxra=yes read_ahead_kb=1024\n")

    def test_a_name_with_a_slash(self) -> None:
        self.fixture.disk("etherd!e1.1", "152:16")
        self.fixture.write("dev/etherd/e1.1")
        for name in ("etherd!e1.1", "/dev/etherd/e1.1"):
            self.assertEqual(device_conf.disk_named(self.host, name), "etherd!e1.1")
        self.run_ok("set", "etherd!e1.1", "read_ahead_kb=1024")
        self.assertEqual(self.host.text("/sys/block/etherd!e1.1/queue/read_ahead_kb"), "1024")
        self.run_ok("apply", "etherd!e1.1")

    def test_a_file_that_has_the_name_of_a_disk(self) -> None:
        """On a real machine only a block device is a disk."""
        self.fixture.write("home/u/sdb")
        for name in ("/home/u/sdb", "/dev/sdb"):
            with mock.patch.object(self.host, "is_real", True):
                self.assertIsNone(device_conf.disk_named(self.host, name))
                with mock.patch("pathlib.Path.is_block_device", return_value=True):
                    self.assertEqual(device_conf.disk_named(self.host, name), "sdb")

    def test_a_name_that_stays(self) -> None:
        self.fixture.link("dev/disk/by-id/wwn-1", "dev/sdb")
        self.assertIn("/dev/disk/by-id/wwn-1 is always this one", self.run_ok("set", "sdb", "read_ahead_kb=1024"))

    def test_an_array_by_its_uuid(self) -> None:
        machines.md_host(self.root / "md")
        self.root = self.root / "md"
        for link in ("md-name-host:0", "md-uuid-1:2:3:4"):
            self.fixture.link(f"md/dev/disk/by-id/{link}", "md/dev/md0")
        uuid = "/dev/disk/by-id/md-uuid-1:2:3:4"
        self.assertIn(f"{uuid} is always this one", self.run_ok("set", "md0", "stripe_cache_size=1024"))
        self.assert_fails(2, "skip_copy=2: the value is not from 0 to 1", "set", uuid, "skip_copy=2")
        self.assert_fails(2, "md0 has no setting skip_copy", "set", uuid, "skip_copy=1")
        (self.root / "sys/block/md0/md/skip_copy").write_text("0\n")
        self.run_ok("set", uuid, "skip_copy=1")
        (self.root / "sys/block/md0/md/skip_copy").write_text("0\n")
        self.run_ok("apply", "md0")
        self.assertEqual((self.root / "sys/block/md0/md/skip_copy").read_text(), "1\n")

    def test_a_file_that_appears_later(self) -> None:
        machines.md_host(self.root / "md")
        self.root = self.root / "md"
        self.assertIn("appears with the first write", self.run_ok("set", "md0", "stripe_deadline=10"))
        self.run_ok("apply")
        # Without the module it will not appear.
        self.run_ok("apply", "--wait", "md0")
        (self.root / "sys/block/md0/md/stripe_deadline").write_text("auto\n")
        self.run_ok("apply", "--wait", "md0")
        self.assertEqual((self.root / "sys/block/md0/md/stripe_deadline").read_text(), "10\n")

    def test_a_window_that_others_have_set(self) -> None:
        """An event of a disk does not change what /etc/modprobe.d/ctxra.conf, or somebody by hand, has set for all."""
        self.fixture.load("ctxra", "", max_kb="2048", devices="", observe="N")
        self.run_ok("set", "sdb", "ctxra_max_kb=64")
        for _ in range(2):
            self.run_ok("apply", "sdb")
            self.assertEqual(self.parameter("max_kb"), "2048,sdb=64")

    def test_a_window_that_is_given_no_more(self) -> None:
        self.run_ok("enable", "--now", "ctxra", "max_kb=1024")
        self.run_ok("enable", "--now", "ctxra", "max_kb=sdb=512")
        self.assertEqual(self.parameter("max_kb"), "sdb=512")

    def test_only_what_appears_later_is_set_later(self) -> None:
        machines.md_host(self.root / "md")
        host = Host(self.root / "md")
        for name in ("dev/md0", "sys/module/raid5_deadline/initstate"):
            self.fixture.write(f"md/{name}")
        self.fixture.write("md/etc/seqkeep.conf", "[md0]\nstripe_deadline = 10\nread_ahead_kb = 512\n")
        readahead, deadline = (
            host.path(f"/sys/block/md0/{name}") for name in ("queue/read_ahead_kb", "md/stripe_deadline")
        )
        seen = []

        def sleep(seconds: float) -> None:
            seen.append(readahead.read_text())
            # By somebody, meanwhile.
            readahead.write_text("64\n")
            if len(seen) == 3:
                deadline.write_text("auto\n")

        with mock.patch("seqkeep_lib.command_apply.time.sleep", sleep):
            self.assertEqual(wait_and_apply(host, "md0"), [])
        self.assertEqual((seen, deadline.read_text()), (["512\n", "64\n", "64\n"], "10\n"))

    def test_options_of_a_module(self) -> None:
        self.run_ok("enable", "--now", "ctxra")
        self.run_ok("set", "ctxra", "max_kb=99")
        self.assertEqual(self.parameter("max_kb"), "99")
        self.run_ok("set", "sdb", "ctxra_max_kb=64")
        self.assertEqual(self.parameter("max_kb"), "99,sdb=64")
        self.run_ok("set", "ctxra", "max_kb=98")
        self.assertEqual(self.parameter("max_kb"), "98,sdb=64")
        self.run_ok("set", "sdb", "ctxra_max_kb=auto")
        self.assertEqual(self.parameter("max_kb"), "98,sdb=auto")
        self.run_ok("set", "sdb", "ctxra_max_kb=")
        self.assertEqual(self.run_ok("set", "ctxra"), "max_kb=98\n")
        self.run_ok("disable", "ctxra")
        self.assertIn("To keep it: seqkeep enable ctxra max_kb=98", self.run_ok("set", "ctxra", "max_kb=98"))


class Configuration(unittest.TestCase):
    TEXT = "# mine\n\n[sda]\n# why\nread_ahead_kb = 1 # one\n\n[md0]\nstripe_deadline=auto\n"

    def test_changes_keep_the_rest(self) -> None:
        new = changed(self.TEXT, "sda", {"read_ahead_kb": "2", "wbt_lat_usec": "0"})
        self.assertEqual(new, self.TEXT.replace("read_ahead_kb = 1 # one\n", "read_ahead_kb = 2\nwbt_lat_usec = 0\n"))
        new = changed(self.TEXT, "sdb", {"read_ahead_kb": "2"})
        self.assertEqual(new, self.TEXT + "\n[sdb]\nread_ahead_kb = 2\n")
        self.assertEqual(changed(new, "sdb", {"read_ahead_kb": ""}), self.TEXT)
        self.assertEqual(changed(self.TEXT, "md0", {"stripe_deadline": ""}), self.TEXT.split("\n[md0]")[0])

    def test_random_changes_read_as_what_was_set(self) -> None:
        for seed in range(100):
            dice = random.Random(seed)
            text, wanted = self.TEXT, parse(self.TEXT)
            for _ in range(30):
                device = dice.choice(("sda", "md0", "/dev/disk/by-id/a=b"))
                name = dice.choice(("read_ahead_kb", "wbt_lat_usec", "ctxra_max_kb"))
                value = dice.choice(("", "1", "65536"))
                text = changed(text, device, {name: value})
                wanted.setdefault(device, {}).pop(name, None)
                if value:
                    wanted[device][name] = value
                got = {key: values for key, values in parse(text).items() if values}
                self.assertEqual(got, {key: values for key, values in wanted.items() if values}, text)

    def test_damaged(self) -> None:
        for text, said in (
            ("x = 1\n", "line 1: neither"),
            ("[sda]\nx\n", "line 2: neither"),
            ("[sda]\nx = 1\n", "line 2: a device has no setting x"),
            ("[sda]\nread_ahead_kb = y\n", "line 2: read_ahead_kb=y"),
            ("[sda\n", "line 1: neither"),
            ("[sda]\nctxra = no\n", "line 2: ctxra=no"),
        ):
            with self.subTest(text=text), self.assertRaisesRegex(SeqkeepError, said):
                parse(text)

    def test_own_files(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            host = Host(Path(folder))
            self.assertIsNone(read_own(host, "/a/b"))
            write_own(host, "/a/b", "text\n")
            self.assertEqual(read_own(host, "/a/b"), "text\n")
            # A link that somebody put at the name of the new file is not followed.
            (Path(folder) / "a/b.seqkeep-new").symlink_to(Path(folder) / "victim")
            write_own(host, "/a/b", "more\n")
            self.assertFalse((Path(folder) / "victim").exists())
            self.assertEqual([path.name for path in (Path(folder) / "a").iterdir()], ["b"])

    def test_a_write_that_fails_leaves_nothing(self) -> None:
        """The disk is full, or a signal comes."""
        with tempfile.TemporaryDirectory() as folder:
            host = Host(Path(folder))
            write_own(host, "/a/b", "text\n")
            for name, error in (
                ("os.fsync", OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))),
                ("os.fchmod", StoppedBySignal(signal.SIGTERM)),
                ("pathlib.Path.rename", OSError(errno.EROFS, os.strerror(errno.EROFS))),
            ):
                expected = StoppedBySignal if name == "os.fchmod" else SeqkeepError
                with mock.patch(name, side_effect=error), self.assertRaises(expected):
                    write_own(host, "/a/b", "more\n")
                self.assertEqual(read_own(host, "/a/b"), "text\n")
                self.assertEqual([path.name for path in (Path(folder) / "a").iterdir()], ["b"], name)

    def test_a_link_and_a_mode_stay(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            host, kept = Host(Path(folder)), Path(folder) / "kept"
            kept.write_text("# mine\n")
            kept.chmod(0o640)
            (Path(folder) / "etc").mkdir()
            (Path(folder) / "etc/seqkeep.conf").symlink_to("../kept")
            device_conf.write_settings(host, "sdb", {"read_ahead_kb": "1"})
            self.assertTrue((Path(folder) / "etc/seqkeep.conf").is_symlink())
            self.assertEqual(kept.read_text(), "# mine\n\n[sdb]\nread_ahead_kb = 1\n")
            self.assertEqual(kept.stat().st_mode & 0o777, 0o640)
            # As /dev/null, which masks a file.
            kept.unlink()
            os.mkfifo(kept)
            with self.assertRaisesRegex(SeqkeepError, "no regular file"):
                replace(host, "/etc/seqkeep.conf", "")
            self.assertTrue(kept.is_fifo())
            write_own(host, "/etc/new", "text\n")
            self.assertEqual((Path(folder) / "etc/new").stat().st_mode & 0o777, 0o644)


class Killed(Switches):
    """SIGKILL at any moment leaves nothing on that was not asked for."""

    def kill_at(self, moment: float, *words: str) -> None:
        process = subprocess.Popen(self.command(*words), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(moment)
        process.send_signal(signal.SIGKILL)
        process.wait()

    def check(self) -> None:
        """Each file is whole; enable=1 is in none before the rest is there, and the module is on last."""
        for module in (CTXRA, RA_TRACE):
            loads, options = (read_own(self.host, file(module)) for file in (load_file, options_file))
            self.assertIn(loads, (None, f"{module.name}\n"))
            if options is not None:
                self.assertRegex(options, rf"\Aoptions {module.name} enable=[01][^\n]*\n")
                self.assertIsNotNone(loads)
        device_conf.read_settings(self.host)

    def kill_before(self, step: int, *words: str, interrupt: bool = False) -> bool:
        """Kill or interrupt a command before its step that changes something. Return whether it got that far."""
        steps = 0

        def count(event: str, args: tuple[object, ...]) -> None:
            nonlocal steps
            writes = event == "open" and isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR)
            if writes or event in ("os.rename", "os.remove", "subprocess.Popen"):
                steps += 1
                if steps == step and interrupt:
                    raise KeyboardInterrupt
                if steps == step:
                    os.kill(os.getpid(), signal.SIGKILL)

        child = os.fork()
        if not child:
            with Path(os.devnull).open("w") as nothing, contextlib.redirect_stdout(nothing):
                sys.addaudithook(count)
                try:
                    with mock.patch("sys.argv", self.command(*words)[1:]):
                        os._exit(cli.main())
                except KeyboardInterrupt:
                    os._exit(130)
        _, status = os.waitpid(child, 0)
        code = os.waitstatus_to_exitcode(status)
        self.assertIn(code, (0, 130 if interrupt else -signal.SIGKILL))
        return code != 0

    def test_before_each_step(self) -> None:
        """The module is on only when its files are there, and off before they go."""
        seen = set()
        for step in range(1, 1000):
            killed = self.kill_before(step, "enable", "--now", "ctxra", "devices=sdb", "max_kb=512")
            self.check()
            seen.add(self.is_on())
            if self.is_on():
                self.assertTrue(read_boot(self.host, CTXRA))
            self.run_ok("disable", "--now", "ctxra")
            shutil.rmtree(self.root / "sys/module/ctxra", ignore_errors=True)
            if not killed:
                break
        self.assertGreater(step, 10)
        self.assertEqual(seen, {False, True})
        for step in range(1, 1000):
            self.run_ok("enable", "--now", "ctxra", "devices=sdb", "max_kb=512")
            killed = self.kill_before(step, "disable", "--now", "ctxra")
            self.check()
            if read_boot(self.host, CTXRA) is None:
                self.assertFalse(self.is_on())
            if not killed:
                break
        self.assertGreater(step, 5)

    def test_an_interrupt_is_undone(self) -> None:
        for step in range(1, 1000):
            interrupted = self.kill_before(step, "enable", "--now", "ctxra", "devices=sdb", interrupt=True)
            if not interrupted:
                break
            self.assertFalse(self.is_on())
            self.assertEqual([name for name in self.boot_files() if name.endswith(".conf")], [])
            self.assertEqual({k: v for k, v in device_conf.read_settings(self.host).items() if v}, {})
        self.assertGreater(step, 10)
        self.assertTrue(self.is_on())

    def test_a_signal_is_undone(self) -> None:
        """SIGTERM and SIGHUP while it loads the module, before it is on, and after."""
        for number in (signal.SIGTERM, signal.SIGHUP):

            def stop(*args: object, number: int = number) -> None:
                os.kill(os.getpid(), number)

            for what in ("load", "start", "check_with_doctor"):
                child = os.fork()
                if not child:
                    # nohup ignores one, and the command leaves that so.
                    signal.signal(number, signal.SIG_DFL)
                    with Path(os.devnull).open("w") as nothing, contextlib.redirect_stderr(nothing):
                        words = self.command("enable", "--now", "ctxra", "devices=sdb")[1:]
                        with (
                            mock.patch(f"seqkeep_lib.command_enable.{what}", side_effect=stop),
                            mock.patch("sys.argv", words),
                        ):
                            os._exit(cli.main())
                code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
                self.assertEqual(code, 128 + number, what)
                self.assertFalse(self.is_on())
                self.assertEqual(self.boot_files(), {})

    def test_at_random_moments(self) -> None:
        took = time.monotonic()
        self.run_ok("enable", "--now", "ctxra", "devices=sdb")
        took = time.monotonic() - took
        self.run_ok("disable", "--now", "ctxra")
        dice = random.Random(1)
        for _ in range(KILLS):
            self.kill_at(dice.uniform(took / 2, took * 1.1), "enable", "--now", "ctxra", "devices=sdb")
            self.check()
            if self.is_on():
                # The last step but the check, so the files are there.
                self.assertTrue(read_boot(self.host, CTXRA))
            self.kill_at(dice.uniform(took / 2, took * 1.1), "disable", "--now", "ctxra")
            self.check()
            self.run_ok("disable", "--now", "ctxra")
            self.assertFalse(self.is_on())
            self.assertEqual([name for name in self.boot_files() if name.endswith(".conf")], [])


if __name__ == "__main__":
    unittest.main()
