# SPDX-License-Identifier: GPL-2.0-only
"""Traces: written and read again, parsed from the kernel's lines, and replayed on real files."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import scripts

from gauntlet import trace
from gauntlet.trace import BadTrace, Read, Trace

HERE = Path(__file__).resolve().parent
TWO = Trace(
    [1 << 20, 4096 * 3],
    [0, 1, 0],
    [
        Read(0, 0, "r", 0, 65536, 0),
        Read(0, 0, "r", 65536, 65536, 100),
        Read(1, 1, "m", 4096, 4096, 100),
        Read(0, 0, "r", 131072, 65536, 100),
        Read(1, 2, "s", 4096, 8192, 7),
        Read(1, 2, "r", 500000, 1000, 7),
    ],
)
# In the kernel's columns.
LINES = """\
psql-70 (     69) [000] ..... 100.000001: sys_pread64(fd: 5, buf: 7f00, pos: 0)
psql-70 (     69) [000] ..... 100.000002: read: read(pid=70(psql), dev=8:1, ino=12(a b), pos=0, count=8192)
x y-71 (     71) [001] ..... 100.000005: sys_read(fd: 3, buf: 7f00, count: 2000)
x y-71 (     71) [001] ..... 100.000009: read: read(pid=71(x y), dev=8:1, ino=12(a b), pos=8192, count=8192)
x y-71 (     71) [001] ..... 100.000010: read: read(pid=71(x y), dev=8:2, ino=12(other), pos=0, count=8192)
x y-71 (     71) [001] ..... 100.000011: read: fault(pid=71(x y), dev=8:1, ino=13(b), pos=4096, count=4096)
"""


class Format(unittest.TestCase):
    def test_round_trip(self) -> None:
        self.assertEqual(trace.parse(trace.lines(TWO)), TWO)

    def test_compact(self) -> None:
        self.assertEqual(list(trace.lines(TWO))[3:6], [". . . + . 100", "1 1:1 m 4096 4096 .", "0 0 r + 65536 ."])

    def test_wrong_traces(self) -> None:
        for text in (["x"], [trace.MAGIC, "4096", "0 0:1 r 0 1 0"], [trace.MAGIC, "4096", "0 1:0 r 0 1 0"]):
            with self.assertRaises(BadTrace):
                trace.parse(text)


class Record(unittest.TestCase):
    def test_lines_of_the_kernel(self) -> None:
        parser = scripts.load(HERE / "record").Parser("8:1", {12: 12288})
        for line in LINES.splitlines():
            parser.add(line)
        self.assertEqual(parser.trace.sizes, [12288, 8192])
        self.assertEqual(parser.trace.files, [0, 0, 1])
        # The second read ends at the end of the file.
        wanted = [Read(0, 0, "r", 0, 8192, 0), Read(1, 1, "r", 8192, 4096, 7), Read(1, 2, "m", 4096, 4096, 2)]
        self.assertEqual(parser.trace.reads, wanted)

    def test_a_command_that_does_not_exist(self) -> None:
        command = [sys.executable, str(HERE / "record"), "-o", "x.gz", "--dir", "/", "--", "no-such-command"]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (1, "record: no command no-such-command\n"))


class Replay(unittest.TestCase):
    def test_replay(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "x.gz")
            trace.write(file, TWO)
            command = [sys.executable, str(HERE / "replay"), str(file), folder]
            subprocess.run([*command, "--make"], check=True)
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            self.assertEqual(done.stdout, f"6 reads, {3 * 65536 + 4096 + 8192 + 1000} bytes\n")
            for broken, said in (
                (bytes(1 << 20), "wrong data at 0 of trace-0"),
                (Path(folder, "trace-0").read_bytes()[:500500], "read 500 of 1000 bytes at 500000 of trace-0"),
            ):
                Path(folder, "trace-0").write_bytes(broken)
                done = subprocess.run(command, check=False, capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stdout), (1, f"replay: {said}\n"))

    def test_sendfile_is_checked(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "x.gz")
            trace.write(file, Trace([12288], [0], [Read(0, 0, "s", 4096, 8192, 0)]))
            Path(folder, "trace-0").write_bytes(bytes(12288))
            command = [sys.executable, str(HERE / "replay"), str(file), folder]
            done = subprocess.run(command, check=False, capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout), (1, "replay: wrong data at 4096 of trace-0\n"))


if __name__ == "__main__":
    unittest.main()
