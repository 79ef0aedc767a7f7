# SPDX-License-Identifier: GPL-2.0-only
"""seqkeep status and doctor on machines that are temporary folders."""

from __future__ import annotations

import errno
import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from seqkeep_lib import doctor, output, status
from seqkeep_lib.boot import Boot, load_file, options_file, write_boot
from seqkeep_lib.checks_kernel import range_if_outside
from seqkeep_lib.finding import ADVICE, PROBLEM, UNKNOWN, Finding
from seqkeep_lib.host import Host, unescape
from seqkeep_lib.modules import MODULES, parse_counters, read_states
from seqkeep_lib.storage import mounts

from tools import machines

SOURCE = Path(__file__).parents[2]
RELEASE = "6.12.1-test"
CONFIG = """CONFIG_KRETPROBES=y
CONFIG_MD_RAID456=m
CONFIG_NFSD=m
CONFIG_DEBUG_INFO_BTF_MODULES=y
CONFIG_DYNAMIC_FTRACE_WITH_REGS=y
"""
# The line that packaging/stage fills in, and the one with the range in words.
RANGE = """BUILD_EXCLUSIVE_KERNEL="^(6[.](1|2|12)|7[.](0|1|2|3))[.]"
	skipped "it is made for kernels 6.1 to 7.3"
"""
READAHEAD = """# check: ok
pattern count sync_count used
initial0 1 1 0
all 5 5 n/a
calls_running 0
calls_missed 3
check_mismatches 1
"""


class Machine(unittest.TestCase):
    """A machine without problems: ctxra and nfsd-dio are enabled, ra-trace is loaded, raid5-deadline is not."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.host = Host(self.root, RELEASE)
        self.write(f"boot/config-{RELEASE}", CONFIG)
        self.write(f"boot/vmlinuz-{RELEASE}")
        self.write(f"lib/modules/{RELEASE}/build/Makefile")
        self.write("sys/kernel/btf/vmlinux")
        self.write("proc/sys/kernel/ftrace_enabled", "1")
        self.write("sys/kernel/debug/kprobes/enabled", "1")
        for module in MODULES:
            self.write(f"usr/src/{module.name}-1.0/dkms.conf", f'needed="CONFIG_KRETPROBES"\n{RANGE}')
            self.write(f"lib/modules/{RELEASE}/updates/dkms/{module.name}.ko.xz")
        self.write(f"lib/modules/{RELEASE}/kernel/drivers/md/raid456.ko.xz")
        self.load("ctxra", "Y", "trail_windows 7\nleft 0\n")
        self.load("nfsd_dio", "Y", "direct 3\n")
        self.load("ra_trace", "N", READAHEAD)
        self.write("sys/module/ctxra/parameters/max_kb", "0\n")
        self.write("sys/module/ctxra/parameters/devices", "\n")
        self.hooked("page_cache_sync_ra", "page_cache_async_ra", "vfs_iter_write", "vfs_iocb_iter_write")

    def write(self, name: str, text: str = "") -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def load(self, name: str, enabled: str, counters: str) -> None:
        self.write(f"sys/module/{name}/initstate", "live\n")
        self.write(f"sys/module/{name}/version", "1.0\n")
        self.write(f"sys/module/{name}/parameters/enable", f"{enabled}\n")
        file = "readahead/stats_raw" if name == "ra_trace" else f"{name}/stats"
        self.write(f"sys/kernel/debug/{file}", counters)

    def hooked(self, *functions: str) -> None:
        lines = (f"{function} (1) R   tramp: 0x1 (f+0x0/0x1)->g+0x0/0x1\n" for function in functions)
        self.write("sys/kernel/tracing/enabled_functions", "".join(lines))

    def disk(self, name: str, kib: int) -> None:
        self.write(f"sys/block/{name}/queue/read_ahead_kb", f"{kib}\n")

    def findings(self, level: str = "") -> list[Finding]:
        return [finding for finding in doctor.run_checks(self.host) if level in ("", finding.level)]

    def assert_found(self, level: str, check: str, words: str) -> None:
        """Assert that there is one finding more than on the machine without problems, of this level and check."""
        found = [
            finding for finding in self.findings() if finding.what != "ra-trace is loaded and disabled: it does nothing"
        ]
        self.assertEqual([(finding.level, finding.check) for finding in found], [(level, check)], found)
        self.assertIn(words, found[0].what)

    def assert_pasted(self, check: str, *words: str) -> None:
        """Assert that a shell parses the remedy of a check, pasted as shown, into these words."""
        remedies = [finding.remedy for finding in self.findings() if finding.check == check]
        self.assertEqual([shlex.split(remedy, comments=True) for remedy in remedies], [list(words)])


class Status(Machine):
    def test_text(self) -> None:
        self.assertRegex(
            status.as_text(read_states(self.host)),
            r"ctxra +enabled +1\.0\n    devices= max_kb=0\n    7 windows of 0 KiB on average, for 100% of the reads",
        )
        text = status.as_text(read_states(self.host), verbose=True)
        self.assertIn("\n    hooks: page_cache_sync_ra, page_cache_async_ra\n", text)
        self.assertRegex(text, r"trail_windows +7\n")
        self.assertNotRegex(text, r"left +0")
        self.assertRegex(text, r"raid5-deadline +not loaded +1\.0\n")

    def test_summaries(self) -> None:
        for name, enabled, counters, text in (
            (
                "ctxra",
                "Y",
                "trail_windows 3\ntrail_pages 96\nleft_unsure 1\n",
                "3 windows of 128 KiB on average, for 75% of the reads",
            ),
            (
                "ra-trace",
                "Y",
                "pattern count actual used unused\nall 9 512 3 1\n",
                "9 readaheads of 2 MiB, 25% evicted",
            ),
            ("nfsd-dio", "Y", "direct 5\nfallback_eio 2\nfallback_short 1\n", "5 direct writes, 0 prefetched, 3 done"),
            ("raid5-deadline", "Y", "held 4\nfilled 3\nexpired 1\n", "4 stripes held: 75% filled, 25% expired"),
            ("nfs-ra", "Y", "set_mount 2\nset_apply 1\n", "3 mounts set"),
            ("nfs-ra", "Y", "set_mount 0\n", "nothing counted so far"),
            ("ctxra", "N", "would_trail_windows 3\nwould_x 0\n", "would have: trail_windows 3"),
        ):
            with self.subTest(counters=counters):
                file = "readahead/stats_raw" if name == "ra-trace" else f"{name.replace('-', '_')}/stats"
                self.load(name.replace("-", "_"), enabled, counters)
                self.write(f"sys/kernel/debug/{file}", counters)
                self.write(f"sys/module/{name.replace('-', '_')}/parameters/observe", "Y\n")
                self.assertIn(text, status.as_text(read_states(self.host)))

    def test_json(self) -> None:
        shown = json.loads(status.as_json(read_states(self.host)))
        self.assertEqual(shown["ctxra"]["counters"], {"trail_windows": 7, "left": 0})
        self.assertEqual(shown["ra-trace"]["state"], "disabled")
        self.assertEqual(shown["ra-trace"]["hooks"], [])
        self.assertIsNone(shown["raid5-deadline"]["counters"])

    def test_nothing_is_installed(self) -> None:
        states = read_states(Host(self.root / "none", RELEASE))
        self.assertEqual({status.state_name(state) for state in states}, {"not installed"})

    def test_newest_of_several_versions(self) -> None:
        for version in ("0.9.0", "0.10.0"):
            self.write(f"usr/src/ctxra-{version}/dkms.conf")
        (self.root / "usr/src/ctxra-1.0/dkms.conf").unlink()
        self.assertEqual(read_states(self.host)[0].installed, "0.10.0")

    def test_unknown_counters_are_omitted(self) -> None:
        counters = parse_counters(READAHEAD)
        self.assertEqual((counters["count"], counters["sync_count"]), (5, 5))
        self.assertNotIn("used", counters)

    def test_counters_below_the_table_of_ra_trace(self) -> None:
        states = read_states(self.host)
        text = status.as_text(states, verbose=True)
        shown = json.loads(status.as_json(states))["ra-trace"]["counters"]
        for name, value in (("calls_missed", 3), ("check_mismatches", 1)):
            self.assertRegex(text, rf"\n    {name} +{value}\n")
            self.assertEqual(shown[name], value)

    def test_no_debugfs(self) -> None:
        (self.root / "sys/kernel/debug/ctxra/stats").unlink()
        self.assertIn("counters: unknown", status.as_text(read_states(self.host)))


class Kernel(Machine):
    def test_no_problem(self) -> None:
        self.assertEqual([f.what for f in self.findings()], ["ra-trace is loaded and disabled: it does nothing"])
        self.assertFalse(doctor.has_problem(self.findings()))

    def test_nothing_is_installed(self) -> None:
        host = Host(self.root / "none", RELEASE)
        self.assertIn("no module of seqkeep is installed", doctor.as_text(doctor.examine(host)))
        # The tools alone are no problem, and the remedy is a command.
        self.assertFalse(doctor.has_problem(doctor.run_checks(host)))
        self.assertEqual([f.remedy.split("  #")[0] for f in doctor.run_checks(host)], ["seqkeep advise"])

    def test_a_killed_trial(self) -> None:
        self.write("run/seqkeep/try/state", "{}")
        self.assert_found(ADVICE, "trial", "has left a module changed")

    def test_not_built(self) -> None:
        (self.root / f"lib/modules/{RELEASE}/updates/dkms/raid5-deadline.ko.xz").unlink()
        self.assert_found(PROBLEM, "built", "raid5-deadline is not built")
        self.assert_pasted("built", "dkms", "autoinstall", "-k", RELEASE)

    def test_loaded_module_differs_from_the_installed_one(self) -> None:
        lost = "  # this loses parameters set in /sys/module"
        for name, enabled, apply, remedy in (
            ("ctxra", "Y", "", "modprobe -r ctxra && modprobe ctxra enable=1"),
            ("ra-trace", "N", "", "modprobe -r ra-trace && modprobe ra-trace"),
            ("nfs-ra", "Y", "0", "modprobe -r nfs-ra && modprobe nfs-ra enable=1"),
            # apply=1 sets the present mounts again, but only if it was set before: rmmod may wait for a dead server.
            ("nfs-ra", "Y", "1", "modprobe -r nfs-ra && modprobe nfs-ra enable=1 apply=1"),
        ):
            with self.subTest(name=name, apply=apply):
                self.setUp()
                directory = name.replace("-", "_")
                self.load(directory, enabled, "")
                if apply:
                    self.write(f"sys/module/{directory}/parameters/apply", f"{apply}\n")
                self.write(f"sys/module/{directory}/srcversion", "OLD\n")
                with mock.patch.object(self.host, "command", return_value="NEW"):
                    remedies = [finding.remedy for finding in self.findings() if finding.check == "built"]
                mounts = ", and what nfs-ra does for the present mounts" if apply == "0" else ""
                self.assertEqual(remedies, [remedy + lost + mounts])

    def test_a_module_that_seqkeep_enables_is_loaded_again_by_it(self) -> None:
        """modprobe would let ctxra act on all disks until udev has set its list; or enable what was switched off."""
        for enabled, observing, boot, remedy in (
            ("Y", "N", Boot(waits=True), "seqkeep enable --now ctxra"),
            ("Y", "N", Boot(enable=True), "seqkeep enable --now ctxra"),
            ("N", "Y", Boot(observe=True), "seqkeep enable --now --observe ctxra"),
            ("N", "N", Boot(enable=True), "modprobe ctxra enable=0"),
        ):
            with self.subTest(remedy=remedy):
                self.setUp()
                self.load("ctxra", enabled, "")
                self.write("sys/module/ctxra/parameters/observe", f"{observing}\n")
                self.write("sys/module/ctxra/srcversion", "OLD\n")
                write_boot(self.host, MODULES[0], boot)
                with mock.patch.object(self.host, "command", return_value="NEW"):
                    remedies = [finding.remedy for finding in self.findings() if finding.check == "built"]
                self.assertIn(f"modprobe -r ctxra && {remedy}  # this loses", remedies[0])

    def test_ctxra_that_waits_for_a_disk(self) -> None:
        self.load("ctxra", "N", "")
        write_boot(self.host, MODULES[0], Boot(waits=True))
        self.write("etc/seqkeep.conf", "[/dev/sdz]\nctxra = yes\n")
        self.assert_found(ADVICE, "enabled", "ctxra is off, because no disk of its list in /etc/seqkeep.conf is there")
        self.write("dev/sdz")
        self.write("sys/block/sdz/dev", "8:0\n")
        self.assert_found(ADVICE, "enabled", "ctxra is loaded and disabled: it does nothing")

    def test_kernel_lacks_an_option(self) -> None:
        (self.root / f"lib/modules/{RELEASE}/updates/dkms/raid5-deadline.ko.xz").unlink()
        self.write("usr/src/raid5-deadline-1.0/dkms.conf", 'needed="CONFIG_KRETPROBES CONFIG_OTHER"\n')
        self.assert_found(PROBLEM, "built", "the kernel lacks CONFIG_OTHER")
        self.assertIn("no kernel here can run it", self.findings(PROBLEM)[0].remedy)
        self.write("boot/vmlinuz-6.12.0-test")
        self.write("lib/modules/6.12.0-test/build/Makefile")
        self.write("lib/modules/6.12.0-test/updates/dkms/raid5-deadline.ko.xz")
        self.assertEqual(self.findings(PROBLEM)[0].remedy, "boot 6.12.0-test, for which it is built")
        self.write("boot/vmlinuz-6.9.0-test")
        self.write("lib/modules/6.9.0-test/build/Makefile")
        self.write("lib/modules/6.9.0-test/updates/dkms/raid5-deadline.ko.xz")
        # 6.12 is newer than 6.9.
        self.assertEqual(self.findings(PROBLEM)[0].remedy, "boot 6.12.0-test, for which it is built")

    def boot(self, release: str) -> None:
        """Run a kernel whose headers are installed, and that no module is built for."""
        self.host = Host(self.root, release)
        self.write(f"boot/config-{release}", CONFIG)
        self.write(f"boot/vmlinuz-{release}")
        self.write(f"lib/modules/{release}/build/Makefile")

    def test_the_kernel_is_out_of_range(self) -> None:
        self.boot("7.4.1-test")
        (self.root / "lib/modules/7.4.1-test/build/Makefile").unlink()
        found = [finding for finding in self.findings() if finding.level == PROBLEM]
        self.assertEqual({finding.check for finding in found}, {"built"})
        self.assertEqual(len(found), len(MODULES))
        self.assertIn("not built for kernel 7.4.1-test: it is made for kernels 6.1 to 7.3", found[0].what)
        # Another kernel has it.
        self.assertEqual(found[0].remedy, f"boot {RELEASE}, for which it is built")
        for module in MODULES:
            (self.root / f"lib/modules/{RELEASE}/updates/dkms/{module.name}.ko.xz").unlink()
        found = [finding for finding in self.findings() if finding.level == PROBLEM]
        self.assertEqual(found[0].remedy, "boot one of these kernels, or upgrade seqkeep")

    def test_the_range_is_that_of_the_packages(self) -> None:
        module = self.root / "staged"
        subprocess.run([SOURCE / "packaging/stage", "ctxra", module], check=True)
        self.write("usr/src/ctxra-1.0/dkms.conf", (module / "dkms.conf").read_text())
        ctxra = read_states(self.host)[0]
        meta = dict(re.findall(r"^Kernel-(\w+): (.*)$", (SOURCE / "META").read_text(), re.MULTILINE))
        said = f"{meta['Oldest']} to {meta['Newest']}, and {meta['Also']} or later"
        self.assertEqual(range_if_outside(self.host, ctxra, "5.9.0-test"), said)
        self.assertEqual(range_if_outside(self.host, ctxra, RELEASE), "")

    def test_the_kernel_has_no_raid456(self) -> None:
        (self.root / f"lib/modules/{RELEASE}/updates/dkms/raid5-deadline.ko.xz").unlink()
        (self.root / f"lib/modules/{RELEASE}/kernel/drivers/md/raid456.ko.xz").unlink()
        self.assert_found(PROBLEM, "built", "the kernel's raid456.ko")

    def test_the_kernel_has_large_pages(self) -> None:
        for option, size in (("CONFIG_ARM64_16K_PAGES", "16 KiB"), ("CONFIG_ARM64_64K_PAGES", "64 KiB")):
            self.write(f"boot/config-{RELEASE}", f"{CONFIG}{option}=y\n")
            (self.root / f"lib/modules/{RELEASE}/updates/dkms/raid5-deadline.ko.xz").unlink(missing_ok=True)
            self.assert_found(PROBLEM, "built", f"the kernel has pages of {size}, and it is made for pages of 4 KiB")
            self.assertIn("boot a kernel with pages of 4 KiB", self.findings(PROBLEM)[0].remedy)
        self.write(f"boot/config-{RELEASE}", CONFIG)
        self.assert_found(PROBLEM, "built", f"raid5-deadline is not built for kernel {RELEASE}")
        self.assertIn(f"dkms autoinstall -k {RELEASE}", self.findings(PROBLEM)[0].remedy)

    def test_another_kernel_has_large_pages(self) -> None:
        release = "6.12.2-test"
        self.write(f"boot/vmlinuz-{release}")
        self.write(f"lib/modules/{release}/build/Makefile")
        self.write(f"lib/modules/{release}/kernel/drivers/md/raid456.ko.xz")
        for module in MODULES:
            if module.name != "raid5-deadline":
                self.write(f"lib/modules/{release}/updates/dkms/{module.name}.ko.xz")
        self.write(f"boot/config-{release}", f"{CONFIG}CONFIG_ARM64_16K_PAGES=y\n")
        # DKMS skips it there, so nothing is missing.
        self.assertEqual([finding.check for finding in self.findings()], ["enabled"])
        self.write(f"boot/config-{release}", f"{CONFIG}CONFIG_ARM64_4K_PAGES=y\n")
        self.assert_found(ADVICE, "kernels", f"kernel {release} has no raid5-deadline")

    def test_the_kernel_is_of_an_unsupported_version(self) -> None:
        header = f"lib/modules/{RELEASE}/build/include/generated/uapi/linux/version.h"
        (self.root / f"lib/modules/{RELEASE}/updates/dkms/raid5-deadline.ko.xz").unlink()
        # 6.1.52 and 6.2.16, then 6.1.53 and 6.3.
        for code in (0x060134, 0x060210):
            self.write(header, f"#define LINUX_VERSION_CODE {code}\n#define LINUX_VERSION_MAJOR 6\n")
            self.assert_found(PROBLEM, "built", "it does not support 6.1 before 6.1.53 nor 6.2")
            self.assertEqual(self.findings(PROBLEM)[0].remedy, "install a newer kernel, or remove raid5-deadline-dkms")
        for code in (0x060135, 0x060300):
            self.write(header, f"#define LINUX_VERSION_CODE {code}\n")
            self.assertIn(f"dkms autoinstall -k {RELEASE}", self.findings(PROBLEM)[0].remedy)

    def test_another_kernel_is_of_an_unsupported_version(self) -> None:
        release = "6.2.0-39-test"
        self.write(f"boot/vmlinuz-{release}")
        self.write(f"boot/config-{release}", CONFIG)
        self.write(f"lib/modules/{release}/build/Makefile")
        self.write(f"lib/modules/{release}/kernel/drivers/md/raid456.ko.xz")
        for module in MODULES:
            if module.name != "raid5-deadline":
                self.write(f"lib/modules/{release}/updates/dkms/{module.name}.ko.xz")
        self.assert_found(ADVICE, "kernels", f"kernel {release} has no raid5-deadline")
        header = f"lib/modules/{release}/build/include/generated/uapi/linux/version.h"
        self.write(header, f"#define LINUX_VERSION_CODE {0x060210}\n")
        self.assertEqual([finding.check for finding in self.findings()], ["enabled"])

    def test_another_kernel_has_no_prebuilt_module(self) -> None:
        shutil.rmtree(self.root / "usr/src")
        self.write("boot/vmlinuz-6.12.2-test")
        self.write("lib/modules/6.12.2-test/modules.dep")
        self.assert_found(ADVICE, "kernels", "kernel 6.12.2-test has no ctxra, ra-trace")
        remedies = " ".join(finding.remedy for finding in self.findings(ADVICE))
        self.assertIn("install ctxra-modules-6.12.2-test", remedies)

    def test_another_kernel_is_out_of_range(self) -> None:
        self.write("boot/vmlinuz-7.4.1-test")
        self.write("lib/modules/7.4.1-test/modules.dep")
        self.assert_found(ADVICE, "kernels", "7.4.1-test is not one of 6.1 to 7.3, which ctxra, ra-trace")
        remedies = [finding.remedy for finding in self.findings() if finding.check == "kernels"]
        self.assertEqual(
            remedies, ["remove the package of that kernel, or boot another one by default; or upgrade seqkeep"]
        )
        # Only its modules are left: it cannot be booted.
        (self.root / "boot/vmlinuz-7.4.1-test").unlink()
        self.assertEqual(len(self.findings()), 1)

    def test_another_kernel_has_no_modules(self) -> None:
        release = "6.12.2-test"
        self.write(f"boot/vmlinuz-{release}")
        self.write(f"boot/config-{release}", CONFIG)
        self.write(f"lib/modules/{release}/build/Makefile")
        self.write(f"lib/modules/{release}/kernel/drivers/md/raid456.ko.xz")
        for module in MODULES[2:]:
            self.write(f"lib/modules/{release}/updates/dkms/{module.name}.ko.xz")
        self.assert_found(ADVICE, "kernels", f"kernel {release} has no ctxra, ra-trace: the modules will be missing")
        self.assertIn(f"dkms autoinstall -k {release}", [finding.remedy for finding in self.findings()])
        # DKMS would skip this kernel.
        self.write(f"boot/config-{release}", "CONFIG_OTHER=y\n")
        self.assertEqual(len(self.findings()), 1)
        self.write(f"boot/config-{release}", CONFIG)
        for name in ("kernel/drivers/md/raid456", "updates/dkms/raid5-deadline"):
            (self.root / f"lib/modules/{release}/{name}.ko.xz").unlink()
        self.assert_found(ADVICE, "kernels", f"kernel {release} has no ctxra, ra-trace: the")

    def test_no_headers(self) -> None:
        (self.root / f"lib/modules/{RELEASE}/build/Makefile").unlink()
        # The modules are built, so they work until the next version.
        self.assert_found(ADVICE, "headers", "DKMS cannot build")
        (self.root / f"lib/modules/{RELEASE}/updates/dkms/raid5-deadline.ko.xz").unlink()
        found = [finding.level for finding in self.findings() if finding.check == "headers"]
        self.assertEqual(found, [PROBLEM])

    def test_loaded_without_its_package(self) -> None:
        (self.root / "usr/src/nfsd-dio-1.0/dkms.conf").unlink()
        (self.root / f"lib/modules/{RELEASE}/updates/dkms/nfsd-dio.ko.xz").unlink()
        self.assert_found(ADVICE, "built", "nfsd-dio is loaded, and its package is not installed")
        self.assert_pasted("built", "rmmod", "nfsd_dio")

    def test_another_kernel_has_no_headers(self) -> None:
        self.write("boot/vmlinuz-6.12.2-test")
        self.write("lib/modules/6.12.2-test/modules.dep")
        self.assert_found(ADVICE, "headers", "kernel 6.12.2-test has no headers")

    def test_no_btf(self) -> None:
        (self.root / "sys/kernel/btf/vmlinux").unlink()
        self.assert_found(PROBLEM, "types", "BTF")

    def test_a_module_that_is_loaded_from_the_next_boot_on(self) -> None:
        raid5 = next(module for module in MODULES if module.name == "raid5-deadline")
        write_boot(self.host, raid5, Boot(enable=True))
        written = self.host.path(load_file(raid5)).stat().st_mtime
        self.write("proc/stat", f"cpu 1\nbtime {int(written) - 60}\n")
        self.assert_found(ADVICE, "wanted", "loads raid5-deadline from the next boot on")
        self.assert_pasted("wanted", "seqkeep", "enable", "--now", "raid5-deadline")
        self.write("proc/stat", f"btime {int(written) + 60}\n")
        self.assert_found(PROBLEM, "wanted", "loads raid5-deadline at boot, but raid5-deadline is not loaded")

    def test_a_module_that_is_to_be_loaded_and_was_removed(self) -> None:
        shutil.rmtree(self.root / "sys/module")
        shutil.rmtree(self.root / "usr/src")
        shutil.rmtree(self.root / f"lib/modules/{RELEASE}/updates")
        self.assert_found(ADVICE, "installed", "no module of seqkeep is installed")
        raid5 = next(module for module in MODULES if module.name == "raid5-deadline")
        write_boot(self.host, raid5, Boot(enable=True))
        said = f"loads raid5-deadline at boot, but raid5-deadline is not installed for kernel {RELEASE}"
        self.assert_found(PROBLEM, "wanted", said)
        self.assert_pasted("wanted", "apt", "install", "raid5-deadline-dkms")
        self.write("usr/bin/dnf")
        self.assert_pasted("wanted", "dnf", "install", "raid5-deadline-dkms")
        # Of the one that DKMS has and has not built the reason is told once.
        self.write("usr/src/raid5-deadline-1.0/dkms.conf", RANGE)
        self.assert_found(PROBLEM, "built", "raid5-deadline is not built")

    def test_a_module_that_was_not_loaded_at_boot(self) -> None:
        for file, text in (
            ("etc/modules", "loop\nraid5-deadline\n"),
            ("etc/modules-load.d/ours.conf", " # comment\n; other\n  raid5_deadline # why\n"),
            ("usr/lib/modules-load.d/ours.conf", "raid5-deadline"),
            ("usr/local/lib/modules-load.d/local.conf", "raid5-deadline"),
        ):
            with self.subTest(file=file):
                self.write(file, text)
                self.assert_found(PROBLEM, "wanted", f"/{file} loads raid5-deadline at boot")
                self.assert_pasted("wanted", "modprobe", "raid5-deadline")
                (self.root / file).unlink()
        self.write("etc/modules-load.d/ours.conf", "#raid5-deadline\n;nfs-ra\nctxra\n")
        self.write("usr/lib/modules-load.d/ours.conf", "raid5-deadline")
        self.write("etc/modules-load.d/README", "raid5-deadline")
        self.assertEqual(len(self.findings()), 1)

    def test_a_module_that_is_not_built_is_reported_once(self) -> None:
        self.write("etc/modules", "raid5-deadline\n")
        (self.root / f"lib/modules/{RELEASE}/updates/dkms/raid5-deadline.ko.xz").unlink()
        self.assert_found(PROBLEM, "built", "raid5-deadline is not built")

    def test_lockdown(self) -> None:
        self.write("sys/kernel/security/lockdown", "none [integrity] confidentiality\n")
        found = self.findings()
        self.assertIn("lockdown", [finding.check for finding in found if finding.level == ADVICE])
        # modinfo fails on the empty files here.
        self.assertEqual({f.check for f in found if f.level != ADVICE}, {"signatures"})

    def test_files_closed_by_lockdown_are_reported_once(self) -> None:
        self.host.unread["/sys/kernel/debug/ctxra/stats"] = "Operation not permitted"
        self.assert_found(UNKNOWN, "permission", "cannot read /sys/kernel/debug/ctxra/stats")
        self.write("sys/kernel/security/lockdown", "none [integrity] confidentiality\n")
        self.host.unread["/proc/keys"] = "Permission denied"
        found = self.findings()
        self.assertEqual(
            [f.what for f in found if f.check == "permission"], ["cannot read /proc/keys: Permission denied"]
        )
        self.assertIn("lockdown", [finding.check for finding in found])

    def test_debugfs_off(self) -> None:
        for path in sorted((self.root / "sys/kernel/debug").rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        self.write("proc/cmdline", "quiet debugfs=off\n")
        self.assert_found(ADVICE, "debugfs", "switched off")
        # Without a loaded module there is no counter to miss.
        for module in ("ctxra", "nfsd_dio", "ra_trace"):
            (self.root / f"sys/module/{module}/initstate").unlink()
        self.assertEqual([finding.check for finding in self.findings()], [])

    def test_ftrace_is_off(self) -> None:
        self.write("proc/sys/kernel/ftrace_enabled", "0\n")
        self.assert_found(PROBLEM, "tracing", "ftrace is switched off: it calls no hooks")
        self.write(f"boot/config-{RELEASE}", CONFIG + "CONFIG_ARM64=y\n")
        self.assert_found(PROBLEM, "tracing", "raid5-deadline and nfsd-dio cannot be enabled")

    def test_a_hook_is_missing(self) -> None:
        self.hooked("page_cache_sync_ra", "vfs_iter_write", "vfs_iocb_iter_write")
        self.assert_found(PROBLEM, "hooks", "ctxra is enabled, but page_cache_async_ra() is not hooked")
        self.assert_pasted("hooks", "dmesg", "|", "grep", "ctxra:")

    def test_a_livepatch_replaces_a_function(self) -> None:
        self.write("sys/kernel/livepatch/fix_md/raid456/raid5_free,1/patched", "1")
        self.assert_found(PROBLEM, "hooks", "livepatch fix_md replaces raid5_free()")

    def test_something_else_redirects_a_function(self) -> None:
        file = self.root / "sys/kernel/tracing/enabled_functions"
        file.write_text(file.read_text() + "do_release_stripe [raid456] (1) R I   tramp: 0x1 (f+0x0/0x1)->g\n")
        self.assert_found(PROBLEM, "hooks", "something else redirects do_release_stripe()")

    def test_hooks_are_read_once(self) -> None:
        with mock.patch.object(self.host, "text", wraps=self.host.text) as text:
            self.findings()
        read = [call.args[0] for call in text.call_args_list]
        self.assertEqual(read.count("/sys/kernel/tracing/enabled_functions"), 1)

    def test_unreadable_files_are_reported_as_unknown(self) -> None:
        for number, remedy in (
            (errno.EACCES, "run seqkeep as root"),
            (errno.EPERM, "run seqkeep as root"),
            # A file in sysfs of an array that is just being stopped.
            (errno.EBUSY, "run seqkeep again"),
        ):
            self.host.unread["/sys/kernel/debug"] = os.strerror(number)
            self.assert_found(UNKNOWN, "permission", "cannot read /sys/kernel/debug")
            self.assertIn(remedy, [finding.remedy for finding in self.findings(UNKNOWN)])


class Signatures(Machine):
    """A kernel that loads signed modules only."""

    def setUp(self) -> None:
        super().setUp()
        self.write("sys/module/module/parameters/sig_enforce", "Y\n")
        self.write("proc/keys", "1 I--- 1 perm 1f0b0000 0 0 keyring .builtin_trusted_keys: 1\n")
        for name in ("raid5-deadline", "nfs-ra"):
            (self.root / f"lib/modules/{RELEASE}/updates/dkms/{name}.ko.xz").unlink()
            (self.root / f"usr/src/{name}-1.0/dkms.conf").unlink()
        (self.root / "sys/module/ra_trace/initstate").unlink()

    def signed_by(self, signer: str) -> list[Finding]:
        with mock.patch.object(self.host, "command", return_value=signer):
            return self.findings()

    def test_a_known_key(self) -> None:
        self.write("proc/keys", ".builtin_trusted_keys: 1\nasymmetri Our key: 1234\n")
        self.assertEqual(self.signed_by("Our key"), [])

    def test_not_signed(self) -> None:
        found = {finding.what.split()[-4]: finding.remedy for finding in self.signed_by("")}
        self.assertEqual(set(found), {"ctxra", "ra-trace", "nfsd-dio"})
        which = f"ra-trace/1.0 -k {RELEASE}"
        self.assertIn(f"dkms build --force {which} && dkms install --force {which}", found["ra-trace"])

    def test_an_unknown_key(self) -> None:
        for files, named in (
            ((), "/var/lib/dkms/mok.pub"),
            (("/var/lib/shim-signed/mok/MOK.der",), "/var/lib/shim-signed/mok/MOK.der"),
            (("/var/lib/dkms/mok.pub",), "/var/lib/shim-signed/mok/MOK.der /var/lib/dkms/mok.pub"),
        ):
            for file in files:
                self.write(file.lstrip("/"))
            (found,) = self.signed_by("Our key")
            self.assertEqual(found.level, PROBLEM)
            self.assertIn('ra-trace is signed by "Our key", which this kernel does not know', found.what)
            self.assertEqual(found.remedy, f"mokutil --import {named}  # then reboot, and enrol the key when asked")

    def test_another_key_of_that_name(self) -> None:
        # The output of modinfo and openssl.
        certificate = "serial=0A03E8BE01\nX509v3 Subject Key Identifier: \n    F9:B7:CD:F5"
        said = {"signer": "DKMS key", "sig_key": "0A:03:E8:BE:01", "subjectKeyIdentifier": certificate}

        def command(*words: str) -> str | None:
            return said.get(words[-1], said.get(words[2]))

        with mock.patch.object(self.host, "command", side_effect=command):
            self.write("proc/keys", ".builtin_trusted_keys: 1\nasymmetri DKMS key: f9b7cdf5: X509.rsa f9b7cdf5 []\n")
            self.assertEqual(self.findings(), [])
            self.write("proc/keys", ".builtin_trusted_keys: 1\nasymmetri DKMS key: 11b7cdf5: X509.rsa 11b7cdf5 []\n")
            (found,) = self.findings()
            self.assertEqual(found.level, PROBLEM)
            self.assertIn('ra-trace is signed by "DKMS key", of which this kernel has another key', found.what)
            # No certificate here has signed it: unknown.
            said["sig_key"] = "01"
            self.assertEqual(self.findings(), [])

    def test_unreadable_keys(self) -> None:
        self.write("proc/keys", "")
        (found,) = self.signed_by("Our key")
        self.assertEqual((found.level, found.remedy), (UNKNOWN, "run seqkeep as root"))
        self.assertIn("not know those of ra-trace", found.what)


class Output(Machine):
    def test_each_check_says_what_it_is_for(self) -> None:
        text = doctor.as_text(doctor.examine(self.host), verbose=True)
        self.assertIn("ok: each installed module is built for the running kernel", text)
        self.assertIn("ok: an array of RAID 4, 5 or 6 has more than md's smallest stripe cache", text)
        self.assertEqual(text.count("ok: ") + 1, len(doctor.CHECKS) + 1)
        self.assertNotIn("ok: ", doctor.as_text(doctor.examine(self.host)))

    def test_colours(self) -> None:
        text = doctor.as_text(doctor.examine(self.host), coloured=True)
        self.assertIn("\033[33madvice:\033[0m ra-trace is loaded", text)
        terminal = mock.Mock()
        for tty, no_color, term, wanted in (
            (True, "", "xterm", True),
            (True, "1", "xterm", False),
            (True, "", "dumb", False),
            (False, "", "xterm", False),
        ):
            terminal.isatty.return_value = tty
            environment = {"NO_COLOR": no_color, "TERM": term}
            with mock.patch("sys.stdout", terminal), mock.patch.dict(os.environ, environment):
                self.assertEqual(output.is_coloured(), wanted)


class Files(Machine):
    """What seqkeep enable and set wrote."""

    def test_an_interrupted_enable(self) -> None:
        module = MODULES[0]
        write_boot(self.host, module, Boot(enable=True))
        self.assertEqual(len(self.findings()), 1)
        self.host.path(options_file(module)).unlink()
        self.assert_found(ADVICE, "files", "seqkeep enable ctxra was interrupted")
        self.assert_pasted("files", "seqkeep", "enable", "ctxra")

    def test_an_edited_file(self) -> None:
        write_boot(self.host, MODULES[0], Boot(enable=True))
        self.write(options_file(MODULES[0]).lstrip("/"), "options ctxra enable=1\n")
        self.assert_found(ADVICE, "files", "seqkeep did not write it")

    def test_a_damaged_configuration(self) -> None:
        self.write("etc/seqkeep.conf", "[sda]\nread_ahead_kb = much\n")
        self.assert_found(PROBLEM, "files", "/etc/seqkeep.conf, line 2: read_ahead_kb=much")


class Readahead(Machine):
    def export_sda(self) -> None:
        """Make nfsd export a directory on sda, 8:0, which reads ahead too little."""
        self.disk("sda", 128)
        self.write("sys/block/sda/dev", "8:0\n")
        (self.root / "sys/dev/block").mkdir(parents=True)
        (self.root / "sys/dev/block/8:0").symlink_to(self.root / "sys/block/sda")
        self.write("proc/self/mountinfo", "30 1 8:0 / / rw - ext4 /dev/sda rw\n")
        self.write("proc/fs/nfsd/threads", "8\n")
        self.write("proc/fs/nfsd/max_block_size", "1048576\n")
        self.write("var/lib/nfs/etab", "/\t*(rw)\n")

    def test_server(self) -> None:
        self.export_sda()
        self.assert_found(ADVICE, "readahead", "clients ask for up to 1024 KiB at once")
        self.assert_pasted("readahead", "echo", "1024", ">", "/sys/block/sda/queue/read_ahead_kb")
        for enough in ("2048", "64,sda=2048", "2048,sdb=64"):
            self.write("sys/module/ctxra/parameters/max_kb", f"{enough}\n")
            self.assertEqual(len(self.findings()), 1, enough)
        self.write("sys/module/ctxra/parameters/max_kb", "2048,sda=64\n")
        self.assertEqual(len(self.findings()), 2)
        # ctxra bypasses a disk whose readahead is 0, whatever max_kb says.
        self.write("sys/module/ctxra/parameters/max_kb", "2048\n")
        self.disk("sda", 0)
        self.assertEqual(len(self.findings()), 2)

    def test_an_export_of_btrfs(self) -> None:
        """Its device number is of no disk."""
        self.export_sda()
        (self.root / "sys/class/block").mkdir(parents=True)
        (self.root / "sys/class/block/sda").symlink_to(self.root / "sys/block/sda")
        self.write("proc/self/mountinfo", "30 1 0:40 / / rw - btrfs /dev/sda rw\n")
        self.assert_found(ADVICE, "readahead", "nfsd exports / from sda")

    def test_ctxra_serves_a_disk_by_its_number(self) -> None:
        self.export_sda()
        for devices, max_kb, found in (
            ("8:0", "2048", 1),
            ("sdb,8:0", "64,8:0=2048", 1),
            ("8:16", "2048", 2),
            ("", "2048,8:0=64", 2),
        ):
            self.write("sys/module/ctxra/parameters/devices", f"{devices}\n")
            self.write("sys/module/ctxra/parameters/max_kb", f"{max_kb}\n")
            self.assertEqual(len(self.findings()), found, (devices, max_kb))

    def test_an_export_with_a_blank(self) -> None:
        self.export_sda()
        (self.root / "srv/a b").mkdir(parents=True)
        self.write("var/lib/nfs/etab", "/srv/a\\040b\t*(rw)\n")
        self.assert_found(ADVICE, "readahead", "nfsd exports /srv/a b from sda")

    def test_client(self) -> None:
        self.write("sys/class/bdi/0:52/read_ahead_kb", "128\n")
        line = "30 1 0:52 / /mnt/a\\040b rw - nfs4 server:/ rw,vers=4.2,rsize=1048576,wsize=1048576\n"
        self.write("proc/self/mountinfo", line + line)
        self.assert_found(ADVICE, "readahead", "/mnt/a b reads ahead 128 KiB, less than one READ of 1024 KiB")
        self.assert_pasted("readahead", "echo", "4096", ">", "/sys/class/bdi/0:52/read_ahead_kb")
        self.write("sys/class/bdi/0:52/read_ahead_kb", "32768\n")
        self.assert_found(ADVICE, "readahead", "32 READs of 1024 KiB")
        self.write("sys/class/bdi/0:52/read_ahead_kb", "4096\n")
        self.assertEqual(len(self.findings()), 1)
        # Many small READs are useful on a slow network, and the kernel's default is no mistake.
        for rsize, kib in ((32768, 8192), (1024, 128)):
            self.write("proc/self/mountinfo", line.replace("rsize=1048576", f"rsize={rsize}"))
            self.write("sys/class/bdi/0:52/read_ahead_kb", f"{kib}\n")
            self.assertEqual(len(self.findings()), 1)
        self.write("sys/class/bdi/0:52/read_ahead_kb", "16384\n")
        self.assert_pasted("readahead", "echo", "128", ">", "/sys/class/bdi/0:52/read_ahead_kb")

    def enable_nfs_ra(self) -> None:
        self.load("nfs_ra", "Y", "set_mount 1\n")
        listed = self.root / "sys/kernel/tracing/enabled_functions"
        listed.write_text(listed.read_text() + "super_setup_bdi_name (1) R\nvfs_get_tree (1) R\n")

    def test_client_with_nfs_ra(self) -> None:
        self.enable_nfs_ra()
        self.write("sys/class/bdi/0:52/read_ahead_kb", "128\n")
        self.write("proc/self/mountinfo", "30 1 0:52 / /mnt/a rw - nfs4 server:/ rw,vers=4.2,rsize=1048576\n")
        self.assertEqual(len(self.findings()), 1)

    def test_nfsrahead(self) -> None:
        self.enable_nfs_ra()
        theirs = 'SUBSYSTEM=="bdi", ACTION=="add", PROGRAM="/usr/libexec/nfsrahead %k", ATTR{read_ahead_kb}="%c"\n'
        self.write("usr/lib/udev/rules.d/99-nfs.rules", theirs)
        self.assert_found(ADVICE, "readahead", "nfsrahead, which sets the readahead of each mount")
        for ours, overruled in (
            ((SOURCE / "modules/nfs-ra/99-nfs.rules").read_text(), False),
            # An empty file of the same name disables theirs.
            ("", False),
            ("# nfsrahead is not for us.\n", False),
            (f"# nfs_ra had a line here.\n{theirs}", True),
            (theirs, True),
        ):
            with self.subTest(ours=ours):
                self.write("etc/udev/rules.d/99-nfs.rules", ours)
                self.assertEqual(len(self.findings()), 1 + overruled)

    def test_array(self) -> None:
        self.disk("md0", 512)
        self.write("sys/block/md0/md/level", "raid5\n")
        self.write("sys/block/md0/md/chunk_size", "524288\n")
        self.write("sys/block/md0/md/raid_disks", "3\n")
        self.assert_found(ADVICE, "readahead", "less than a row of its chunks (1024 KiB)")
        self.assert_pasted("readahead", "echo", "2048", ">", "/sys/block/md0/queue/read_ahead_kb")

    def array(self, level: str, disks: int, **attributes: int) -> None:
        self.disk("md0", 128)
        for name, value in {"level": level, "chunk_size": 524288, "raid_disks": disks, **attributes}.items():
            self.write(f"sys/block/md0/md/{name}", f"{value}\n")

    def test_raid_10(self) -> None:
        self.array("raid10", 8)
        self.assert_found(ADVICE, "readahead", "less than a row of its chunks (2048 KiB)")

    def test_a_small_stripe_cache(self) -> None:
        self.array("raid5", 4, stripe_cache_size=256)
        self.disk("md0", 4096)
        self.assert_found(ADVICE, "stripes", "md0 has a stripe cache of 256")
        self.assert_pasted("stripes", "seqkeep", "set", "md0", "stripe_cache_size=8192")
        self.load("raid5_deadline", "Y", "held 1\n")
        self.assert_found(ADVICE, "stripes", "md0 has a stripe cache of 256")
        self.array("raid5", 4, stripe_cache_size=8192)
        self.disk("md0", 4096)
        self.assertEqual(len(self.findings()), 1)

    def test_nfs_conf_beside_nfs_ra(self) -> None:
        self.enable_nfs_ra()
        self.assertEqual(len(self.findings()), 1)
        self.write("etc/nfs.conf", "[nfsrahead]\nnfs4=1024\n")
        # Its value wins.
        self.assertEqual(len(self.findings()), 1)
        self.write("sys/module/nfs_ra/parameters/override", "1\n")
        self.assert_found(ADVICE, "readahead", "nfs.conf sets the readahead of NFS mounts (nfs4=1024)")
        self.assert_pasted("readahead", "seqkeep", "set", "nfs-ra", "override=0")

    def test_few_threads(self) -> None:
        self.write("proc/fs/nfsd/threads", "2\n")
        self.assert_found(ADVICE, "nfsd", "nfsd runs 2 threads")
        self.assert_pasted("nfsd", "rpc.nfsd", "16")

    def connect(self, *clients: str) -> None:
        """Write the connections to nfsd of clients, by address, and two that are none."""
        lines = [f"   0: 0100007F:0801 {client}:03E8 01 00000000:00000000 00:0 0 0 0\n" for client in clients]
        lines += ["   1: 00000000:0801 00000000:0000 0A 0\n", "   2: 0100007F:03E8 0200007F:0801 01 0\n"]
        self.write("proc/net/tcp6", "  sl  local_address rem_address   st tx_queue\n" + "".join(lines))

    def test_more_connections_than_threads(self) -> None:
        self.write("proc/fs/nfsd/threads", "8\n")
        self.connect(*["0200007F"] * 8, *["0300007F"] * 8)
        self.assertEqual(len(self.findings()), 1)
        self.connect(*["0200007F"] * 16)
        self.assert_found(ADVICE, "nfsd", "8 threads, fewer than the 16 connections of one address")
        self.assert_pasted("nfsd", "rpc.nfsd", "32")
        self.write("proc/fs/nfsd/threads", "2\n")
        self.assert_pasted("nfsd", "rpc.nfsd", "32")

    def test_connections_of_a_mount(self) -> None:
        self.write("sys/class/bdi/0:52/read_ahead_kb", "4096\n")
        self.write("etc/fstab", "# a\nserver:/ /mnt/a\\040b nfs4 rw,nconnect=8,rsize=32768 0 0\nx /y ext4 nconnect=9\n")
        line = "30 1 0:52 / /mnt/a\\040b rw - nfs4 server:/ rw,vers=4.2,rsize=1048576"
        self.write("proc/self/mountinfo", f"{line}\n")
        self.assert_found(ADVICE, "nfs", "/mnt/a b has nconnect=8 in fstab, but 1 in force")
        self.write("proc/self/mountinfo", f"{line},nconnect=4,sec=sys\n")
        self.assert_found(ADVICE, "nfs", "but 4 in force")
        self.write("proc/self/mountinfo", f"{line},nconnect=8\n")
        self.assertEqual(len(self.findings()), 1)

    def test_a_setting_without_a_value(self) -> None:
        """The kernel answers EINVAL for wbt_lat_usec of a disk that bfq serves: that is no failure to read it."""
        with mock.patch.object(Path, "read_bytes", side_effect=OSError(errno.EINVAL, "Invalid argument")):
            self.assertIsNone(self.host.number("/sys/block/sda/queue/wbt_lat_usec"))
            self.assertEqual(self.host.unread, {})
            self.assertIsNone(self.host.number("/proc/x"))
            self.assertEqual(self.host.unread, {"/proc/x": "Invalid argument"})

    def test_two_kinds_of_direct_writes(self) -> None:
        self.write("sys/kernel/debug/nfsd/io_cache_write", "2\n")
        self.assert_found(ADVICE, "nfsd", "nfsd's own io_cache_write is 2")
        self.write("sys/module/nfsd_dio/parameters/native", "Y\n")
        self.assertEqual([finding for finding in self.findings() if "io_cache_write" in finding.what], [])
        self.write("sys/kernel/debug/nfsd/io_cache_write", "1\n")
        self.assert_found(ADVICE, "nfsd", "nfsd's own io_cache_write is 1")

    def test_backstores(self) -> None:
        self.write("sys/kernel/config/target/core/iblock_0/lv/info", "iBlock device: dm-0\n")
        self.assert_found(ADVICE, "target", "1 iSCSI backstores (lv), which do not pass the page cache; that is all")
        self.write("sys/kernel/config/target/core/fileio_1/a/info", "File: /a  Size: 1  Mode: O_DSYNC Async: 0\n")
        self.assertNotIn("that is all", next(f.what for f in self.findings() if f.check == "target"))

    def test_readahead_of_a_lower_disk_has_no_effect(self) -> None:
        self.disk("dm-0", 128)
        self.disk("sdb", 4096)
        (self.root / "sys/block/dm-0/slaves").mkdir()
        (self.root / "sys/block/dm-0/slaves/sdb").symlink_to(self.root / "sys/block/sdb")
        self.assert_found(ADVICE, "readahead", "files on dm-0 get 128")

    def test_ctxra_on_a_disk_without_readahead(self) -> None:
        self.disk("sdc", 0)
        self.write("sys/module/ctxra/parameters/devices", "sdc\n")
        self.assert_found(ADVICE, "readahead", "ctxra's parameter devices names sdc, whose readahead is switched off")
        self.assert_pasted("readahead", "echo", "128", ">", "/sys/block/sdc/queue/read_ahead_kb")
        self.write("sys/block/sdc/dev", "8:32\n")
        self.write("sys/module/ctxra/parameters/devices", "8:32\n")
        self.assert_found(ADVICE, "readahead", "ctxra's parameter devices names sdc, whose readahead is switched off")
        self.write("sys/module/ctxra/parameters/max_kb", "512,sdc=1024\n")
        self.assert_found(ADVICE, "readahead", "ctxra's parameter devices names sdc, whose readahead is switched off")


class Source(unittest.TestCase):
    """The table of modules agrees with META and with the modules' sources."""

    def test_modules(self) -> None:
        meta = re.search(r"^Modules: (.*)$", (SOURCE / "META").read_text(), re.MULTILINE)
        assert meta
        self.assertEqual(sorted(meta[1].split()), sorted(module.name for module in MODULES))

    def test_hooks(self) -> None:
        for module in MODULES:
            source = "".join(path.read_text() for path in sorted((SOURCE / "modules" / module.name).glob("*.c")))
            for hook in module.hooks:
                with self.subTest(module=module.name, function=hook.function):
                    self.assertIn(f'"{hook.function}"', source)
            redirected = re.findall(r'\.symbol = "(\w+)",[^}]*HOOK_REDIRECT', source)
            self.assertEqual(redirected, [hook.function for hook in module.hooks if hook.exclusive])


class Paths(unittest.TestCase):
    def test_octal_escapes(self) -> None:
        for escaped, path in (
            (r"/a\040b", "/a b"),
            (r"/\303\274\134", "/ü\\"),
            (r"/\303x\777\4", "/\ufffdx\\777\\4"),
            ("/ü", "/ü"),
        ):
            self.assertEqual(unescape(escaped), path)

    def test_white_space_that_the_kernel_does_not_escape(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            fixture = machines.nfs_server(Path(folder))
            for n, blank in enumerate("\f\x1c\x85\xa0\u2028\u3000"):
                fixture.mount(f"0:{50 + n}", f"/mnt/a{blank}b", "nfs4", f"srv:/a{blank}", "rw,rsize=1048576")
            found = [mount for mount in mounts(Host(Path(folder))) if mount.fstype == "nfs4"]
            self.assertEqual([mount.path[6:7] for mount in found], list("\f\x1c\x85\xa0\u2028\u3000"))
            self.assertEqual({mount.options for mount in found}, {"rw,rsize=1048576"})


if __name__ == "__main__":
    unittest.main()
