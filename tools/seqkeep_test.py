# SPDX-License-Identifier: GPL-2.0-only
"""What seqkeep says of machines that are folders here."""

from __future__ import annotations

import json
import re
import tempfile
import unittest
from pathlib import Path

from seqkeep_lib import doctor, status
from seqkeep_lib.finding import ADVICE, PROBLEM, UNKNOWN, Finding
from seqkeep_lib.host import Host
from seqkeep_lib.modules import MODULES, look_at_all, parse_counters

SOURCE = Path(__file__).parent.parent
RELEASE = "6.12.1-test"
CONFIG = """CONFIG_KRETPROBES=y
CONFIG_MD_RAID456=m
CONFIG_NFSD=m
CONFIG_DEBUG_INFO_BTF_MODULES=y
CONFIG_DYNAMIC_FTRACE_WITH_REGS=y
"""
READAHEAD = """# check: ok
pattern count sync_count used
initial0 1 1 0
all 5 5 n/a
"""


class Machine(unittest.TestCase):
    """A machine where all is well: ctxra and nfsd-dio are enabled, ra-trace is loaded, raid5-deadline is not."""

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
            self.write(f"usr/src/{module.name}-1.0/dkms.conf", 'needed="CONFIG_KRETPROBES"\n')
            self.write(f"lib/modules/{RELEASE}/updates/dkms/{module.name}.ko.xz")
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
        return [finding for finding in doctor.examine(self.host) if level in ("", finding.level)]

    def assert_found(self, level: str, check: str, words: str) -> None:
        """One finding more than on the machine where all is well, of that kind."""
        found = [
            finding for finding in self.findings() if finding.what != "ra-trace is loaded and disabled: it does nothing"
        ]
        self.assertEqual([(finding.level, finding.check) for finding in found], [(level, check)], found)
        self.assertIn(words, found[0].what)


class Status(Machine):
    def test_text(self) -> None:
        text = status.as_text(look_at_all(self.host))
        self.assertRegex(
            text, r"ctxra +enabled +1\.0\n    devices= max_kb=0\n    hooks: page_cache_sync_ra, page_cache_async_ra\n"
        )
        self.assertRegex(text, r"trail_windows +7\n")
        self.assertNotRegex(text, r"left +0")
        self.assertRegex(text, r"raid5-deadline +not loaded +1\.0\n")

    def test_json(self) -> None:
        shown = json.loads(status.as_json(look_at_all(self.host)))
        self.assertEqual(shown["ctxra"]["counters"], {"trail_windows": 7, "left": 0})
        self.assertEqual(shown["ra-trace"]["state"], "disabled")
        self.assertEqual(shown["ra-trace"]["hooks"], [])
        self.assertIsNone(shown["raid5-deadline"]["counters"])

    def test_prometheus(self) -> None:
        lines = status.as_prometheus(look_at_all(self.host)).splitlines()
        self.assertIn('seqkeep_module_loaded{module="raid5-deadline"} 0', lines)
        self.assertIn('seqkeep_module_enabled{module="ctxra"} 1', lines)
        self.assertIn('seqkeep_counter{module="ra-trace",counter="count"} 5', lines)
        for line in lines:
            self.assertRegex(line, r'^(# (HELP|TYPE) \w+ .+|\w+\{\w+="[\w-]+"(,\w+="\w+")?\} -?\d+)$')

    def test_nothing_is_installed(self) -> None:
        states = look_at_all(Host(self.root / "none", RELEASE))
        self.assertEqual({status.word(state) for state in states}, {"not installed"})
        self.assertEqual(status.as_prometheus(states), "")

    def test_counters_that_are_not_known_are_left_out(self) -> None:
        self.assertEqual(parse_counters(READAHEAD), {"count": 5, "sync_count": 5})

    def test_no_debugfs(self) -> None:
        (self.root / "sys/kernel/debug/ctxra/stats").unlink()
        self.assertIn("counters: not to be seen", status.as_text(look_at_all(self.host)))


class Kernel(Machine):
    def test_all_is_well(self) -> None:
        self.assertEqual([f.what for f in self.findings()], ["ra-trace is loaded and disabled: it does nothing"])
        self.assertFalse(doctor.has_problem(self.findings()))

    def test_nothing_is_installed(self) -> None:
        host = Host(self.root / "none", RELEASE)
        self.assertIn("no module of seqkeep is installed", doctor.as_text(doctor.examine(host)))
        self.assertTrue(doctor.has_problem(doctor.examine(host)))

    def test_not_built(self) -> None:
        (self.root / f"lib/modules/{RELEASE}/updates/dkms/raid5-deadline.ko.xz").unlink()
        self.assert_found(PROBLEM, "built", "raid5-deadline is not built")

    def test_kernel_lacks_an_option(self) -> None:
        (self.root / f"lib/modules/{RELEASE}/updates/dkms/raid5-deadline.ko.xz").unlink()
        self.write("usr/src/raid5-deadline-1.0/dkms.conf", 'needed="CONFIG_KRETPROBES CONFIG_OTHER"\n')
        self.assert_found(PROBLEM, "built", "it has no CONFIG_OTHER")

    def test_no_headers(self) -> None:
        (self.root / f"lib/modules/{RELEASE}/build/Makefile").unlink()
        self.assert_found(PROBLEM, "headers", "cannot be built")

    def test_another_kernel_has_no_headers(self) -> None:
        self.write("boot/vmlinuz-6.12.2-test")
        self.write("lib/modules/6.12.2-test/modules.dep")
        self.assert_found(ADVICE, "headers", "kernel 6.12.2-test has no headers")

    def test_no_types(self) -> None:
        (self.root / "sys/kernel/btf/vmlinux").unlink()
        self.assert_found(PROBLEM, "types", "BTF")

    def test_lockdown(self) -> None:
        self.write("sys/kernel/security/lockdown", "none [integrity] confidentiality\n")
        found = self.findings()
        self.assertIn("lockdown", [finding.check for finding in found if finding.level == ADVICE])
        # modinfo knows nothing of the empty files here.
        self.assertEqual({f.check for f in found if f.level != ADVICE}, {"signatures"})

    def test_debugfs_off(self) -> None:
        for path in sorted((self.root / "sys/kernel/debug").rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        self.write("proc/cmdline", "quiet debugfs=off\n")
        self.assert_found(ADVICE, "debugfs", "switched off")

    def test_ftrace_is_off(self) -> None:
        self.write("proc/sys/kernel/ftrace_enabled", "0\n")
        self.assert_found(PROBLEM, "tracing", "ftrace")

    def test_a_hook_is_missing(self) -> None:
        self.hooked("page_cache_sync_ra", "vfs_iter_write", "vfs_iocb_iter_write")
        self.assert_found(PROBLEM, "hooks", "ctxra is enabled, but page_cache_async_ra() is not hooked")

    def test_a_livepatch_holds_a_hook(self) -> None:
        self.write("sys/kernel/livepatch/fix_md/raid456/raid5_free,1/patched", "1")
        self.assert_found(PROBLEM, "hooks", "livepatch fix_md replaces raid5_free()")

    def test_something_else_holds_a_hook(self) -> None:
        file = self.root / "sys/kernel/tracing/enabled_functions"
        file.write_text(file.read_text() + "do_release_stripe [raid456] (1) R I   tramp: 0x1 (f+0x0/0x1)->g\n")
        self.assert_found(PROBLEM, "hooks", "something else has taken the place of do_release_stripe()")

    def test_what_cannot_be_read_is_not_well(self) -> None:
        self.host.unread["/sys/kernel/debug"] = "Permission denied"
        self.assert_found(UNKNOWN, "permission", "/sys/kernel/debug cannot be read")


class Readahead(Machine):
    def test_server(self) -> None:
        device = self.host.device_of("/") or ""
        self.disk("sda", 128)
        (self.root / "sys/dev/block").mkdir(parents=True)
        (self.root / f"sys/dev/block/{device}").symlink_to(self.root / "sys/block/sda")
        self.write("proc/fs/nfsd/threads", "8\n")
        self.write("proc/fs/nfsd/max_block_size", "1048576\n")
        self.write("var/lib/nfs/etab", "/\t*(rw)\n")
        self.assert_found(ADVICE, "readahead", "clients ask for up to 1024 KiB at once")
        for enough in ("2048", "64,sda=2048", "2048,sdb=64"):
            self.write("sys/module/ctxra/parameters/max_kb", f"{enough}\n")
            self.assertEqual(len(self.findings()), 1, enough)
        self.write("sys/module/ctxra/parameters/max_kb", "2048,sda=64\n")
        self.assertEqual(len(self.findings()), 2)

    def test_client(self) -> None:
        self.write("sys/class/bdi/0:52/read_ahead_kb", "128\n")
        line = "30 1 0:52 / /mnt/a\\040b rw - nfs4 server:/ rw,vers=4.2,rsize=1048576,wsize=1048576\n"
        self.write("proc/self/mountinfo", line + line)
        self.assert_found(ADVICE, "readahead", "/mnt/a b reads ahead 128 KiB, less than one READ of 1024 KiB")
        self.write("sys/class/bdi/0:52/read_ahead_kb", "32768\n")
        self.assert_found(ADVICE, "readahead", "32 READs of 1024 KiB")
        self.write("sys/class/bdi/0:52/read_ahead_kb", "4096\n")
        self.assertEqual(len(self.findings()), 1)

    def enable_nfs_ra(self) -> None:
        self.load("nfs_ra", "Y", "set_mount 1\n")
        listed = self.root / "sys/kernel/tracing/enabled_functions"
        listed.write_text(listed.read_text() + "super_setup_bdi_name (1) R\n")

    def test_client_of_nfs_ra(self) -> None:
        self.enable_nfs_ra()
        self.write("sys/class/bdi/0:52/read_ahead_kb", "128\n")
        self.write("proc/self/mountinfo", "30 1 0:52 / /mnt/a rw - nfs4 server:/ rw,vers=4.2,rsize=1048576\n")
        self.assertEqual(len(self.findings()), 1)

    def test_nfsrahead(self) -> None:
        self.enable_nfs_ra()
        self.write("usr/lib/udev/rules.d/99-nfs.rules", "")
        self.assert_found(ADVICE, "readahead", "nfsrahead overwrite")
        self.write("etc/udev/rules.d/99-nfs.rules", 'ATTR{[module/nfs_ra]parameters/enable}=="Y", GOTO="end"\n')
        self.assertEqual(len(self.findings()), 1)

    def test_array(self) -> None:
        self.disk("md0", 512)
        self.write("sys/block/md0/md/level", "raid5\n")
        self.write("sys/block/md0/md/chunk_size", "524288\n")
        self.write("sys/block/md0/md/raid_disks", "3\n")
        self.assert_found(ADVICE, "readahead", "less than a row of its chunks (1024 KiB)")

    def test_what_is_set_below_does_nothing(self) -> None:
        self.disk("dm-0", 128)
        self.disk("sdb", 4096)
        (self.root / "sys/block/dm-0/slaves").mkdir()
        (self.root / "sys/block/dm-0/slaves/sdb").symlink_to(self.root / "sys/block/sdb")
        self.assert_found(ADVICE, "readahead", "files on dm-0 get 128")

    def test_ctxra_on_a_disk_without_readahead(self) -> None:
        self.disk("sdc", 0)
        self.write("sys/module/ctxra/parameters/devices", "sdc\n")
        self.assert_found(ADVICE, "readahead", "switched off")


class Source(unittest.TestCase):
    """The table of modules is that of the source."""

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


if __name__ == "__main__":
    unittest.main()
