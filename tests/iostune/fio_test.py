# SPDX-License-Identifier: GPL-2.0-only
"""fio's command line, and the parsing of the JSON of several versions of fio.

The recordings lack the parts that iostune does not read (writes, trims, CPU usage).
"""

import contextlib
import io
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

from iostune_lib import fio
from iostune_lib.errors import IostuneError
from iostune_lib.layout import Area
from seqkeep_lib.signals import StopSignals

RECORDED = sorted((Path(__file__).parent / "fio").glob("two-readers-*.json"))


class Parse(unittest.TestCase):
    def test_recordings(self) -> None:
        self.assertGreaterEqual(len(RECORDED), 2)
        for path in RECORDED:
            with self.subTest(path.name):
                text = path.read_text()
                reads = [job["read"] for job in json.loads(text)["jobs"]]
                sample = fio.parse(text, 2)
                elapsed = max(read["runtime"] for read in reads) / 1000
                self.assertAlmostEqual(sample.total * elapsed, sum(read["io_bytes"] for read in reads), delta=1)
                self.assertEqual(len(sample.shares), 2)
                slowest = max(read["clat_ns"]["percentile"]["99.000000"] for read in reads)
                self.assertAlmostEqual(sample.wait_ms, slowest / 1e6)

    def changed(self, **read: Any) -> str:
        output = json.loads(RECORDED[0].read_text())
        output["jobs"][1]["read"].update(read)
        return json.dumps(output)

    def test_a_warning_before_the_json(self) -> None:
        text = RECORDED[0].read_text()
        self.assertEqual(fio.parse(f"fio: a warning\n{text}", 2), fio.parse(text, 2))

    def test_readers_that_finished_at_different_times(self) -> None:
        output = json.loads(RECORDED[0].read_text())
        for job, runtime in zip(output["jobs"], (100, 200)):  # noqa: B905
            job["read"].update(io_bytes=30_000_000, runtime=runtime)
        sample = fio.parse(json.dumps(output), 2)
        self.assertAlmostEqual(sample.total, 60e6 / 0.2)
        self.assertAlmostEqual(sample.shares[0], 2 * sample.shares[1])

    def test_a_reader_that_read_nothing(self) -> None:
        sample = fio.parse(self.changed(io_bytes=0, clat_ns={"max": 0}), 2)
        self.assertGreater(sample.slowest, 0)
        self.assertLess(sample.slowest, sample.total / 1000)
        self.assertGreater(sample.wait_ms, 1)

    def test_output_that_is_no_measurement(self) -> None:
        output = json.loads(RECORDED[0].read_text())
        for job in output["jobs"]:
            job["error"] = 5
        for text in ("", "fio: no", "{}", json.dumps(output)):
            with self.assertRaises(IostuneError):
                fio.parse(text, 2)
        with self.assertRaises(IostuneError):
            fio.parse(RECORDED[0].read_text(), 3)


class Command(unittest.TestCase):
    def test_it_only_reads(self) -> None:
        for mode in ("direct", "buffered"):
            words = fio.command(Path("/dev/sda"), mode, [Area(0, 1 << 20), Area(1 << 30, 1 << 20)], 0.5)
            self.assertIn("--readonly", words)
            self.assertEqual([word for word in words if word.startswith("--rw")], ["--rw=read"])
            self.assertIn(f"--direct={int(mode == 'direct')}", words)
            # fio would flush and drop the cache of the whole device.
            self.assertIn("--invalidate=0", words)
            self.assertIn("--runtime=500ms", words)
            self.assertIn(f"--offset={1 << 30}", words)

    def test_a_colon_in_a_file_name_is_escaped(self) -> None:
        words = fio.command(Path("/dev/disk/by-path/pci-0:1"), "direct", [Area(0, 1 << 20)], 1)
        self.assertIn("--filename=/dev/disk/by-path/pci-0\\:1", words)


class Names(unittest.TestCase):
    def test_a_file_name_that_is_no_utf_8(self) -> None:
        text = RECORDED[0].read_bytes()
        with (
            tempfile.NamedTemporaryFile() as said,
            mock.patch("shutil.which", return_value="fio"),
            mock.patch.object(fio, "command", return_value=["cat", said.name]),
        ):
            said.write(text.replace(b"{", b'{ "global options": { "filename": "/srv/\xff" },', 1))
            said.flush()
            runner = fio.Fio(Path(said.name), StopSignals())
            self.addCleanup(os.close, runner.fd)
            areas = [Area(0, 1 << 20), Area(1 << 20, 1 << 20)]
            self.assertEqual(runner.run("direct", areas, 1), fio.parse(text.decode(), 2))


class Hung(unittest.TestCase):
    def test_a_hung_disk(self) -> None:
        # A fio in an uninterruptible sleep does not die when killed.
        child = mock.Mock()
        child.communicate.side_effect = subprocess.TimeoutExpired("fio", 1)
        said = io.StringIO()
        with (
            tempfile.NamedTemporaryFile() as file,
            mock.patch("shutil.which", return_value="fio"),
            mock.patch("subprocess.Popen", return_value=child),
            contextlib.redirect_stderr(said),
        ):
            runner = fio.Fio(Path(file.name), StopSignals())
            self.addCleanup(os.close, runner.fd)
            with self.assertRaisesRegex(IostuneError, "fio has hung"):
                runner.run("direct", [Area(0, 1 << 20)], 1)
        child.kill.assert_called_once()
        limits = [call.kwargs.get("timeout") for call in child.communicate.call_args_list]
        self.assertEqual(limits, [1 + fio.HANG_TIMEOUT_S, fio.KILL_TIMEOUT_S])
        # Before the tunables are restored, which may hang too.
        self.assertIn("fio has hung", said.getvalue())


if __name__ == "__main__":
    unittest.main()
