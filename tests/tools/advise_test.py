# SPDX-License-Identifier: GPL-2.0-only
"""seqkeep advise on whole machines: the verdict, the figures it is from, and the remedy without a module."""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from seqkeep_lib import command_advise
from seqkeep_lib.advice import HELPS, HELPS_NOT, UNCERTAIN, Advice, as_json, as_text
from seqkeep_lib.arguments import parse_duration
from seqkeep_lib.host import Host
from seqkeep_lib.machine import see
from seqkeep_lib.sample import difference, read_sample

from tools import machines

SEQKEEP = Path(__file__).parents[2] / "tools/seqkeep"
PATTERNS = """# check: ok
dev 8:16 entered 40 block 40
pattern count sync_count eof_count size async_size actual used unused unknown
subsequent {rest} 0 0 8 4 8 8 0 0
trail {trail} {trail} 0 0 0 0 0 0 0
random {random} {random} 0 4 0 4 n/a n/a n/a
all {all} 5 0 12 4 12 8 0 0
"""


class Machines(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def advices(self, before: machines.Fixture | None = None) -> dict[str, Advice]:
        """Return the advice by module: since boot, or over the time since before() was sampled."""
        host = Host(self.root)
        self.machine = see(host, read_sample(host), None)
        return {advice.module: advice for advice in command_advise.advise(self.machine)}

    def assert_advice(self, module: str, verdict: str, *words: str) -> Advice:
        advice = self.advices()[module]
        why = " ".join(reason.why for reason in advice.reasons)
        self.assertEqual(advice.verdict, verdict, why)
        for text in words:
            self.assertIn(text, why)
        return advice

    def first(self, advice: Advice) -> list[str]:
        return [remedy.command for reason in advice.reasons for remedy in reason.first]


class NfsServer(Machines):
    def test_broken_streams(self) -> None:
        machines.nfs_server(self.root)
        advice = self.assert_advice(
            "ctxra", HELPS, "16 threads", "/srv (ext4) from sdb", "40 KiB", "up to 128 KiB", "ask for 256 KiB"
        )
        self.assertEqual(self.first(advice), ["echo 1024 > /sys/block/sdb/queue/read_ahead_kb"])
        self.assertEqual([r.command for r in advice.then], ["apt install ctxra-dkms", "seqkeep try ctxra"])
        self.assert_advice("nfs-ra", HELPS_NOT, "No NFS file system is mounted")

    def test_full_reads(self) -> None:
        machines.nfs_server(self.root).io("sdb", reads=100000, read_kib=120)
        self.assert_advice("ctxra", HELPS_NOT, "as large as can be")

    def test_a_fast_disk(self) -> None:
        machines.nfs_server(self.root).io("sdb", reads=100000, read_kib=40, ms=0.1)
        self.assert_advice("ctxra", HELPS_NOT, "0.10 ms")

    def test_hardly_any_reads(self) -> None:
        machines.nfs_server(self.root).io("sdb", reads=10, read_kib=40)
        self.assert_advice("ctxra", UNCERTAIN, "only 10 reads since boot")

    def test_small_reads_by_clients(self) -> None:
        machines.nfs_server(self.root).serve(reads=16000, read_kib=4, writes=0, write_kib=0)
        self.assert_advice("ctxra", UNCERTAIN, "ask for 4 KiB")
        self.assert_advice("ra-trace", HELPS, "open above for ctxra")

    def test_readahead_off(self) -> None:
        machines.nfs_server(self.root).write("sys/block/sdb/queue/read_ahead_kb", "0\n")
        self.assert_advice("ctxra", HELPS_NOT, "switched off")

    def test_zfs_and_others(self) -> None:
        for fstype, verdict, words in (("zfs", HELPS_NOT, "cache of its own"), ("fuse", UNCERTAIN, "from fuse")):
            with self.subTest(fstype=fstype):
                self.setUp()
                machines.nfs_server(self.root, fstype)
                self.assert_advice("ctxra", verdict, words)
                self.assert_advice("nfsd-dio", HELPS_NOT, f"only {fstype}")

    def test_btrfs_names_its_disk_as_its_source(self) -> None:
        fixture = machines.nfs_server(self.root)
        fixture.mountinfo.pop()
        fixture.mount("0:33", "/srv", "btrfs", "/dev/sdb", "rw")
        self.assert_advice("ctxra", HELPS, "/srv (btrfs) from sdb")

    def test_one_thread(self) -> None:
        machines.nfs_server(self.root).serve(reads=16000, read_kib=256, writes=0, write_kib=0, threads=1)
        self.assert_advice("ctxra", HELPS_NOT, "by one thread")

    def test_without_root_the_threads_are_seen_elsewhere(self) -> None:
        machines.nfs_server(self.root)
        (self.root / "proc/fs/nfsd/threads").unlink()
        self.assert_advice("ctxra", HELPS, "16 threads")

    def test_patterns_of_ra_trace(self) -> None:
        for trail, random, verdict in ((5000, 5000, HELPS), (0, 9990, HELPS_NOT), (500, 5000, UNCERTAIN)):
            with self.subTest(trail=trail, random=random):
                self.setUp()
                fixture = machines.nfs_server(self.root)
                fixture.load("ra-trace", "", enable="Y")
                rest = 10000 - trail - random
                fixture.write(
                    "sys/kernel/debug/readahead/stats_by_dev",
                    PATTERNS.format(trail=trail, random=random, rest=rest, all=10000),
                )
                self.assert_advice("ctxra", verdict, f"readers wait for {trail / 10000:.0%}", f"{random / 10000:.0%}")

    def test_ctxra_observes(self) -> None:
        for windows, verdict in ((5000, HELPS), (10, HELPS_NOT)):
            with self.subTest(windows=windows):
                self.setUp()
                fixture = machines.nfs_server(self.root)
                fixture.load("ctxra", f"would_trail_windows {windows}\nleft_unsure 5000\n", observe="1")
                self.assert_advice("ctxra", verdict, f"would have opened {windows} windows")

    def test_ctxra_is_enabled(self) -> None:
        fixture = machines.nfs_server(self.root)
        fixture.load("ctxra", "trail_windows 9000\nleft_unsure 10\n", enable="Y")
        self.assert_advice("ctxra", HELPS, "ctxra opened 9000 windows")


class Writes(Machines):
    def server(self, disk_reads: int, reads: int = 0) -> machines.Fixture:
        fixture = machines.nfs_server(self.root)
        fixture.io("sdb", reads=disk_reads, read_kib=4)
        fixture.serve(reads=reads, read_kib=64, writes=10000, write_kib=4)
        return fixture

    def watched(self, fixture: machines.Fixture, disk_reads: int) -> Advice:
        """Return the advice over 60 s in which clients wrote 10000 times and the disk did so many reads."""
        host = Host(self.root)
        before = read_sample(host)
        fixture.io("sdb", reads=disk_reads * 2, read_kib=4)
        fixture.serve(reads=0, read_kib=64, writes=20000, write_kib=4)
        machine = see(host, difference(read_sample(host), before), 60)
        return next(advice for advice in command_advise.advise(machine) if advice.module == "nfsd-dio")

    def test_reads_that_no_client_asked_for(self) -> None:
        advice = self.watched(self.server(8000), 8000)
        self.assertEqual(advice.verdict, HELPS)
        self.assertIn("10000 WRITEs over 60 s", advice.reasons[0].why)
        self.assertIn("0.80 reads for each WRITE", advice.reasons[0].why)

    def test_no_reads(self) -> None:
        self.assertEqual(self.watched(self.server(10), 10).verdict, HELPS_NOT)

    def test_since_boot_nobody_knows(self) -> None:
        self.server(8000)
        self.assert_advice("nfsd-dio", UNCERTAIN, "--watch 60s")

    def test_the_kernel_has_a_switch_of_its_own(self) -> None:
        fixture = self.server(8000)
        switch = "sys/kernel/debug/nfsd/io_cache_write"
        fixture.write(switch, "0\n")
        # 6.18 has the switch, but not its value 2.
        fixture.write("proc/sys/kernel/osrelease", "6.18.15-test\n")
        self.assertEqual(self.first(self.assert_advice("nfsd-dio", UNCERTAIN)), [])
        fixture.write("proc/sys/kernel/osrelease", "6.19.0-test\n")
        advice = self.assert_advice("nfsd-dio", UNCERTAIN)
        self.assertEqual(self.first(advice), [f"echo 2 > /{switch}"])
        fixture.write(switch, "2\n")
        self.assert_advice("nfsd-dio", HELPS_NOT, "io_cache_write is 2", "native=1")
        fixture.load("nfsd-dio", "direct 0\n", enable="Y", native="Y")
        advice = self.assert_advice("nfsd-dio", HELPS, "native=1")
        self.assertEqual(advice.then, [], "a trial would take native=1 away")

    def test_nobody_writes(self) -> None:
        machines.nfs_server(self.root)
        self.assert_advice("nfsd-dio", HELPS_NOT, "No client wrote")

    def test_nfsd_dio_observes(self) -> None:
        self.server(8000).load("nfsd-dio", "would_direct 9000\n", observe="Y")
        self.assert_advice("nfsd-dio", HELPS, "would have made 9000 of them direct (90%)")


class Client(Machines):
    def test_a_network_with_a_delay(self) -> None:
        machines.nfs_client(self.root)
        advice = self.assert_advice(
            "nfs-ra", HELPS, "/mnt/a b: rsize 1024 KiB, readahead 128 KiB, round trip 5.00 ms", "1000 READs", "6.00 ms"
        )
        first = self.first(advice)
        self.assertIn("default=4096", first[0])
        self.assertEqual(first[1], "echo 4096 > /sys/class/bdi/0:52/read_ahead_kb")

    def test_without_nfsrahead(self) -> None:
        machines.nfs_client(self.root)
        (self.root / "usr/libexec/nfsrahead").unlink()
        self.assertEqual(len(self.first(self.assert_advice("nfs-ra", HELPS))), 1)

    def test_a_mount_that_is_set_already(self) -> None:
        fixture = machines.nfs_client(self.root, 4096)
        self.assert_advice("nfs-ra", HELPS_NOT, "4 READs already.")
        fixture.write(
            "etc/nfs.conf.d/a.conf", '[ nfsrahead ]\n# not default=1\ndefault = 4096\n[nfsd "x"]\ndefault=1\n'
        )
        self.assert_advice("nfs-ra", HELPS_NOT, "by nfs.conf, whose value nfs-ra would leave")

    def test_windows_that_grow_already(self) -> None:
        fixture = machines.nfs_client(self.root)
        fixture.load("nfs-ra", "auto_grown 7\n", enable="Y", multiple="auto")
        # Without apply=1 the module does nothing for a mount that was there before.
        self.assert_advice("nfs-ra", HELPS)
        table = "bdi           rsize before_kb    set_kb    now_kb set_by auto_kb server\n"
        row = "{}        1048576       128       128       128 kernel {} server\n"
        for bdi, limit, verdict in (("0:52", 8192, HELPS_NOT), ("0:52", 0, HELPS), ("0:5", 8192, HELPS)):
            fixture.write("sys/kernel/debug/nfs_ra/mounts", table + row.format(bdi, limit))
            self.assert_advice("nfs-ra", verdict, "readahead 128 KiB")
        fixture.write("sys/kernel/debug/nfs_ra/mounts", table + row.format("0:52", 8192))
        self.assert_advice("nfs-ra", HELPS_NOT, "windows of its files grow already")

    def test_pieces(self) -> None:
        machines.client_stats(machines.nfs_client(self.root), 1000, 4)
        self.assert_advice("nfs-ra", HELPS_NOT, "in pieces")

    def test_an_idle_mount(self) -> None:
        machines.client_stats(machines.nfs_client(self.root), 0, 4, 0)
        self.assert_advice("nfs-ra", UNCERTAIN, "Only 0 READs")


class Target(Machines):
    def test_fileio_beside_block(self) -> None:
        machines.iscsi_target(self.root)
        self.assert_advice(
            "ctxra",
            UNCERTAIN,
            "backstore disk by fileio from sdb",
            "Of 2 backstores of the iSCSI target, 1 of type block",
        )

    def test_block_alone(self) -> None:
        machines.iscsi_target(self.root)
        (self.root / "sys/kernel/config/target/core/fileio_0/disk/info").unlink()
        self.assert_advice("ctxra", HELPS_NOT, "It works for fileio")

    def test_direct_io(self) -> None:
        fixture = machines.iscsi_target(self.root)
        file = "sys/kernel/config/target/core/fileio_0/disk/info"
        fixture.write(file, (self.root / file).read_text().replace("Async: 0", "Async: 1"))
        self.assert_advice("ctxra", HELPS_NOT, "2 of type block, fileio with direct I/O")

    def test_scst(self) -> None:
        fixture = machines.Fixture(self.root)
        fixture.disk("sdb", "8:16")
        fixture.write("sys/kernel/scst_tgt/handlers/vdisk_blockio/a/filename", "/dev/sdb\n[key]\n")
        self.assert_advice("ctxra", HELPS_NOT, "of type block")
        fixture.write("sys/kernel/scst_tgt/handlers/vdisk_fileio/b/filename", "/dev/sdb\n[key]\n")
        self.assert_advice("ctxra", UNCERTAIN, "backstore b by fileio from sdb")


class Arrays(Machines):
    def test_partial_stripes(self) -> None:
        machines.md_host(self.root)
        advice = self.assert_advice(
            "raid5-deadline", HELPS, "md0: raid5, 3 members, 512 KiB chunks, a stripe cache of 256 (3 MiB)", "625 MiB"
        )
        self.assertEqual(
            self.first(advice),
            ["echo 8192 > /sys/block/md0/md/stripe_cache_size"]
            + [f"echo 0 > /sys/block/sd{letter}/queue/wbt_lat_usec" for letter in "abc"],
        )

    def test_full_stripes(self) -> None:
        fixture = machines.md_host(self.root)
        for letter in "abc":
            fixture.io(f"sd{letter}", reads=10, read_kib=64, writes=5000, write_kib=64)
        self.assert_advice("raid5-deadline", HELPS_NOT, "its stripes are full")

    def test_random_writes(self) -> None:
        machines.md_host(self.root).io("md0", writes=100000, write_kib=4)
        self.assert_advice("raid5-deadline", HELPS_NOT, "random, most likely")

    def test_reads_of_the_array_are_no_pre_reads(self) -> None:
        machines.md_host(self.root).io("md0", reads=9000, read_kib=64, writes=2500, write_kib=256)
        self.assert_advice("raid5-deadline", HELPS_NOT, "its stripes are full")

    def test_what_the_module_leaves(self) -> None:
        for file, value, words in (
            ("degraded", "1", "It is degraded"),
            ("consistency_policy", "journal", "It has a journal"),
            ("consistency_policy", "ppl", "It has a partial parity log"),
        ):
            with self.subTest(value=value):
                self.setUp()
                machines.md_host(self.root).write(f"sys/block/md0/md/{file}", f"{value}\n")
                self.assert_advice("raid5-deadline", HELPS_NOT, words)

    def test_other_levels(self) -> None:
        machines.md_host(self.root, "raid10")
        self.assert_advice("raid5-deadline", HELPS_NOT, "Arrays without parity: md0 (raid10).")

    def test_the_module_observes(self) -> None:
        for filled, verdict in ((900, HELPS), (100, HELPS_NOT)):
            with self.subTest(filled=filled):
                self.setUp()
                fixture = machines.md_host(self.root)
                for letter in "abc":
                    fixture.io(f"sd{letter}", reads=10, read_kib=64, writes=5000, write_kib=64)
                fixture.load("raid5-deadline", f"would_hold 1000\nwould_fill {filled}\n", observe="Y")
                self.assert_advice("raid5-deadline", verdict, "would have held 1000 stripes", f"{filled // 10}% were")

    def test_alignment(self) -> None:
        fixture = machines.md_host(self.root)
        fixture.partition("md0", "md0p1", "259:7", 2048 + 64)
        fixture.mount("259:7", "/data", "ext4", "/dev/md0p1", "rw,stripe=100")
        self.assert_advice(
            "raid5-deadline", HELPS, "md0p1 begins 32 KiB within a row of 1024 KiB", "rows of 400 KiB, not 1024 KiB"
        )
        fixture.mount("9:0", "/x", "xfs", "/dev/md0", "rw,sunit=1024,swidth=2048")
        fixture.mount("9:0", "/y", "xfs", "/dev/md0", "rw")
        advice = self.assert_advice("raid5-deadline", HELPS, "xfs on /y does not know the array's rows")
        self.assertNotIn("/x", advice.reasons[0].why)

    def test_lvm(self) -> None:
        fixture = machines.Fixture(self.root)
        for n in range(3):
            fixture.disk(f"dm-{n}", f"253:{n}")
            fixture.write(f"sys/block/dm-{n}/dm/name", f"vg-lv_rimage_{n}\n")
        fixture.disk("dm-3", "253:3", below=("dm-0", "dm-1", "dm-2"))
        fixture.write("sys/block/dm-3/dm/name", "vg-lv\n")
        self.assert_advice("raid5-deadline", HELPS_NOT, "vg-lv: a RAID of LVM, 3 members.", "dm-raid")
        self.assertIn("the level of vg-lv: dmsetup needs root", command_advise.unseen(self.machine, False))
        dmsetup = self.root / "usr/bin/dmsetup"
        fixture.write(
            "usr/bin/dmsetup", "#!/bin/sh\necho 'vg-lv: 0 16384 raid raid5_ls 3 128 stripe_cache 512 3 - -'\n"
        )
        dmsetup.chmod(0o755)
        advice = self.assert_advice(
            "raid5-deadline", HELPS_NOT, "vg-lv: raid5, 3 members, 64 KiB chunks, a stripe cache of 512"
        )
        self.assertEqual(self.first(advice), ["dmsetup table vg-lv"])


class Nothing(Machines):
    def test_a_container_and_a_laptop(self) -> None:
        for make in (machines.Fixture, machines.laptop):
            with self.subTest(machine=make):
                self.setUp()
                make(self.root)
                self.assertEqual({advice.verdict for advice in self.advices().values()}, {HELPS_NOT})

    def test_an_empty_root(self) -> None:
        self.assertEqual({advice.verdict for advice in self.advices().values()}, {HELPS_NOT})


class Output(Machines):
    def test_text(self) -> None:
        machines.nfs_server(self.root)
        with (
            mock.patch("shutil.get_terminal_size", return_value=mock.Mock(columns=60)),
            mock.patch("sys.stdout") as tty,
        ):
            tty.isatty.return_value = True
            text = as_text(list(self.advices().values()), ["/a: Permission denied"], "since boot")
        for line in text.splitlines():
            if not line.startswith("        "):
                self.assertLessEqual(len(line), 60)
            else:
                # A remedy can be pasted.
                self.assertTrue(shlex.split(line, comments=True))
        self.assertIn("Without a module, first:", text)
        self.assertIn("Not seen: /a: Permission denied", text)

    def test_json(self) -> None:
        machines.nfs_server(self.root)
        shown = json.loads(as_json(list(self.advices().values()), [], "since boot", None))
        self.assertEqual(shown["modules"]["ctxra"]["verdict"], HELPS)
        self.assertEqual(shown["modules"]["nfs-ra"]["then"], [])

    def test_the_command(self) -> None:
        machines.nfs_server(self.root)
        for words in ((), ("--json",), ("--watch", "0.1s"), ("--watch", "0.1", "--json")):
            done = subprocess.run(
                [sys.executable, str(SEQKEEP), "--root", str(self.root), "advise", *words],
                capture_output=True,
                text=True,
                check=False,
            )
            self.assertEqual((done.returncode, done.stderr), (0, ""), words)
            self.assertIn("over 0 s" if "--watch" in words else "since boot", done.stdout)

    def test_durations(self) -> None:
        for text, seconds in (("60", 60), ("60s", 60), ("1.5m", 90), ("2h", 7200)):
            self.assertEqual(parse_duration(text), seconds)
        for text in ("0", "-1", "nan", "inf", "1e7", "9999d", "", "10 m", "\u0663s"):
            with self.assertRaises(argparse.ArgumentTypeError, msg=text):
                parse_duration(text)


class Samples(Machines):
    def test_damaged_files(self) -> None:
        fixture = machines.nfs_server(self.root)
        for text in ("", "\n", "8 0\n", "a b c d e f g h i j k l m n o\n", "io x\nproc3\nth\n", "\0\xff"):
            for file in ("proc/diskstats", "proc/net/rpc/nfsd", "proc/self/mountstats", "proc/self/mountinfo"):
                fixture.write(file, text)
            self.advices()

    def test_read_plus(self) -> None:
        fixture = machines.nfs_client(self.root)
        host = Host(self.root)
        reads = read_sample(host).mounts["/mnt/a b"]
        text = (self.root / "proc/self/mountstats").read_text()
        fixture.write("proc/self/mountstats", text.replace("READ:", "READ_PLUS:"))
        self.assertEqual(read_sample(host).mounts["/mnt/a b"], reads)
        operations = ["0"] * 72
        operations[68] = "5"
        fixture.write("proc/net/rpc/nfsd", f"io 1 1\nproc4ops 72 {' '.join(operations)}\n")
        self.assertEqual(read_sample(host).server["reads"], 5)

    def test_counters_that_were_reset(self) -> None:
        fixture = machines.nfs_server(self.root)
        host = Host(self.root)
        before = read_sample(host)
        fixture.io("sdb", reads=5, read_kib=4)
        self.assertEqual(difference(read_sample(host), before).disks["sdb"]["reads"], 5)


if __name__ == "__main__":
    unittest.main()
