# SPDX-License-Identifier: GPL-2.0-only
"""seqkeep report has no names and no addresses; seqkeep top has the rates."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from seqkeep_lib import top
from seqkeep_lib.host import Host
from seqkeep_lib.redact import Redactor

from tools import machines

SEQKEEP = Path(__file__).parents[2] / "tools/seqkeep"


class Machine(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name) / "root"

    def run_command(self, *words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, str(SEQKEEP), "--root", str(self.root), *words]
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=self.root.parent)


class Redaction(unittest.TestCase):
    def test_addresses(self) -> None:
        redactor = Redactor([])
        for text, wanted in (
            (
                "nfs: server 10.0.0.5 and 10.0.0.5, 10.0.0.6:2049",
                "nfs: server <address-1> and <address-1>, <address-2>:2049",
            ),
            ("fe80::1 [2001:db8::5]:2049 ::1", "<address-3> [<address-4>]:2049 <address-5>"),
            ("2001:db8:0:1:2:3:4:5", "<address-6>"),
            ("52:54:00:12:34:56", "<mac-1>"),
            ("a@example.org", "<mail-1>"),
            ("iqn.2026-01.example.org:disk", "<iqn-1>"),
            ("UUID 0f3e4d5c-aaaa-bbbb-cccc-0123456789ab", "UUID <uuid-1>"),
            ("/dev/disk/by-id/wwn-0x5000c500 /dev/mapper/vg-lv", "<path-1> <path-2>"),
            ("/home/ada/x.img no", "<path-3> no"),
        ):
            with self.subTest(text=text):
                self.assertEqual(redactor.redact(text), wanted)

    def test_what_is_no_name(self) -> None:
        redactor = Redactor([("host", "(none)"), ("path", "/"), ("path", "/srv"), ("device", "md0"), ("host", "")])
        for text in (
            "12:34:56 8:16 0:52",
            "kernel 6.12.117+deb13-amd64, seqkeep 0.1.0",
            "[    3.123456] ctxra: enabled",
            "/sys/block/md0/md/stripe_cache_size",
            "/etc/seqkeep.conf, line 2",
            "std::string",
        ):
            self.assertEqual(redactor.redact(text), text)

    def test_names_like_those_of_devices(self) -> None:
        hosts = [("host", name) for name in ("srv1", "srvdb", "hdfs01", "ramses", "sdnas")]
        redactor = Redactor([*hosts, ("device", "md_payroll"), ("device", "md127"), ("volume", "vdata")])
        for _, name in [*hosts, ("", "md_payroll"), ("", "vdata")]:
            self.assertNotIn(name, redactor.redact(f"on {name}:"))
        self.assertEqual(redactor.redact("md127 sda dm-0"), "md127 sda dm-0")

    def test_what_is_below_a_path(self) -> None:
        redactor = Redactor([("path", "/vol1"), ("server", "zeus")])
        self.assertEqual(redactor.redact("/vol1/acme-payroll, /vol1"), "<path-1>, <path-2>")
        self.assertEqual(redactor.redact("/vol1/acme-payroll zeus/1"), "<path-1> <server-1>/1")

    def test_names_without_a_list(self) -> None:
        redactor = Redactor([])
        for text in (
            "/dev/vg_acme/lv_payroll",
            "::ffff:10.1.2.3",
            "5000c500a1b2c3d4",
            "0x5000c500a1b2c3d4",
            "6001405a1b2c3d4e5f60718293a4b5c6",
            "3aaf5d1c:0e1f2a3b:4c5d6e7f:8091a2b3",
            "nqn.2014-08.org.nvmexpress:uuid:zeus",
            "exports=/tank/acme-payroll,/tank/b",
            "servers=srv1:8",
            'servers="a b:1"',
        ):
            shown = redactor.redact(text).replace("exports=", "").replace("servers=", "")
            self.assertRegex(shown, r"^<\w+-\d+>$", text)
        for text in (
            "/dev/pts/0 /dev/sda1",
            "RSP: 0018:ffffc9000012be20",
            "ffffffff81a2b3c4",
            "00:11:22",
            "RAX: 5f3759df00000001",
            "R12: 6b6b6b6b6b6b6b6b",
            "6b6b6b6b6b6b6b6b",
            "waited_ns: 5184000123456789,",
            "/sys/dev/block/8:0/queue",
        ):
            self.assertEqual(redactor.redact(text), text)

    def test_a_name_within_another(self) -> None:
        redactor = Redactor([("path", "/srv/a"), ("path", "/srv/a/b"), ("host", "mail")])
        self.assertEqual(redactor.redact("/srv/a/b /srv/a mail emails"), "<path-1> <path-2> <host-1> emails")


class Report(Machine):
    SECRETS = (
        "zeus",
        "zeus.example.org",
        "10.1.2.3",
        "/secret/dir",
        "vg-payroll",
        "client.example.org",
        "0123456789abcdef" * 2,
    )

    def make(self) -> None:
        fixture = machines.nfs_server(self.root)
        fixture.write("proc/sys/kernel/hostname", "zeus.example.org\n")
        fixture.write("etc/machine-id", "0123456789abcdef" * 2 + "\n")
        fixture.write("etc/os-release", 'ID=debian\nVERSION_ID="13"\n')
        fixture.mount("8:16", "/secret/dir", "ext4", "/dev/sdb", "rw")
        fixture.mount("0:52", "/mnt/x", "nfs4", "10.1.2.3:/pool", "rw,vers=4.2,rsize=1048576")
        fixture.write("sys/class/bdi/0:52/read_ahead_kb", "128\n")
        fixture.write("var/lib/nfs/etab", "/secret/dir\tclient.example.org(rw)\n")
        fixture.disk("dm-0", "253:0", below=("sdb",))
        fixture.write("sys/block/dm-0/dm/name", "vg-payroll\n")
        fixture.write("sys/block/dm-0/size", "2048\n")
        fixture.write("etc/seqkeep.conf", "[/dev/mapper/vg-payroll]\nread_ahead_kb = 1\n")
        log = "[1.0] nfs: server 10.1.2.3 OK\n[2.0] ctxra: zeus /secret/dir: failed to enable (-EBUSY)\n"
        fixture.write("usr/bin/dmesg", f"#!/bin/sh\nprintf '%s' '{log}'\n")
        (self.root / "usr/bin/dmesg").chmod(0o755)

    def test_nothing_of_this_machine_is_in_it(self) -> None:
        self.make()
        done = self.run_command("report")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        text = (self.root.parent / "seqkeep-report.txt").read_text()
        for secret in self.SECRETS:
            self.assertNotIn(secret, text)
        # What matters is there.
        self.assertIn("ctxra: <host-", text)
        self.assertIn("failed to enable (-EBUSY)", text)
        self.assertIn("kernel 6.12.1-test", text)
        self.assertIn("dm-0 1 MiB rotational=1", text)
        for title in ("machine", "seqkeep doctor -v", "seqkeep advise --json", "configuration"):
            self.assertIn(f"lines: {title}\n", done.stdout)

    def test_a_file_is_never_overwritten(self) -> None:
        self.make()
        self.assertEqual(self.run_command("report").returncode, 0)
        done = self.run_command("report")
        self.assertEqual(done.returncode, 1)
        self.assertIn("seqkeep-report.txt exists already", done.stderr)
        self.assertIn("== machine", self.run_command("report", "--output", "-").stdout)


class Top(Machine):
    FILES = "dev ino count sync_count size async_size actual\n 8:16 {inode} 1 1 1 1 {pages}\n"

    def test_rates(self) -> None:
        fixture = machines.nfs_server(self.root)
        fixture.io("sdb", reads=100, read_kib=40)
        fixture.load("ctxra", "trail_windows 10\nleft_unsure 5\n", enable="Y")
        fixture.load("ra-trace", "calls_running 1\n", enable="Y")
        fixture.write("sys/kernel/debug/readahead/top", self.FILES.format(inode=7, pages=100))
        fixture.load("nfsd-dio", "", enable="Y")
        fixture.write("sys/kernel/debug/nfsd_dio/devices", "device direct bytes left fallback\n8:16 1 1 1 0\n")
        host = Host(self.root)
        old = top.read_moment(host)
        fixture.io("sdb", reads=300, read_kib=40)
        fixture.load("ctxra", "trail_windows 30\nleft_unsure 5\n", enable="Y")
        fixture.write("sys/kernel/debug/readahead/top", self.FILES.format(inode=7, pages=300))
        fixture.write("sys/kernel/debug/nfsd_dio/devices", "device direct bytes left fallback\n8:16 9 1 1 0\n")
        new = top.read_moment(host)
        new.sample.clock = old.sample.clock + 2
        shown = top.rates(host, old, new)
        sdb = shown["devices"]["sdb"]
        self.assertEqual((sdb["reads"], sdb["read_size_kib"], sdb["read_ms"], sdb["direct"]), (100, 40, 5, 4))
        self.assertEqual(shown["modules"]["ctxra"], {"trail_windows": 10})
        self.assertEqual(shown["modules"]["ra-trace"], {})
        self.assertEqual(shown["files"], [{"device": "sdb", "inode": 7, "name": None, "kib": 100 * top.PAGE_KIB}])
        text = top.as_text(shown)
        self.assertIn("ctxra: trail_windows 10.0/s", text)
        self.assertIn("inode 7 on sdb", text)

    def test_names_of_open_files(self) -> None:
        # Of this process, on the real machine.
        with tempfile.NamedTemporaryFile() as file:
            status = Path(file.name).stat()
            key = (f"{os.major(status.st_dev)}:{os.minor(status.st_dev)}", status.st_ino)
            self.assertEqual(top.file_names(Host(), {key}), {key: file.name})

    def test_names_without_asking_the_file_system(self) -> None:
        """A file of a server that does not answer cannot be asked: the link of this one leads nowhere."""
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for handle, text in (("3", "pos:\t0\nflags:\t02\nmnt_id:\t30\nino:\t7\n"), ("4", "pos:\t0\n")):
                path = root / f"proc/42/fdinfo/{handle}"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            (root / "proc/42/mountinfo").write_text("30 1 0:52 / /mnt rw - nfs4 srv:/ rw\n")
            (root / "proc/42/fd").mkdir()
            (root / "proc/42/fd/3").symlink_to("/mnt/a b")
            wanted = {("0:52", 7), ("8:0", 7)}
            self.assertEqual(top.file_names(Host(root), wanted), {("0:52", 7): "/mnt/a b"})

    def test_the_command(self) -> None:
        machines.nfs_server(self.root)
        done = self.run_command("top", "0.01", "2", "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(len([json.loads(line) for line in done.stdout.splitlines()]), 2)
        done = self.run_command("top", "0.01", "1")
        self.assertIn("KiB/read", done.stdout)
        self.assertEqual(self.run_command("top", "1", "0").returncode, 2)

    def test_columns_stay_apart(self) -> None:
        rows = [["a", "b"], ["x" * 20, "9" * 30]]
        for line, row in zip(top.table(rows, [3, 3]), rows, strict=True):
            self.assertEqual(line.split(), row)


if __name__ == "__main__":
    unittest.main()
