# SPDX-License-Identifier: GPL-2.0-only
"""Readers that have gone, locales that lack a letter, and files that cannot be written."""

import io
import os
import subprocess
import sys
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

from seqkeep_lib import output

TOOLS = Path(__file__).parents[2] / "tools"


def run(*words: str) -> tuple[int, str]:
    """The status and the errors of a command whose reader has gone before it writes."""
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, str(TOOLS / words[0]), *words[1:]]
    # Without a buffer there would be nothing left to write at the end.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, env=environment, check=False)
    os.close(writer)
    return done.returncode, done.stderr


class Gone(unittest.TestCase):
    def test_what_argparse_prints(self) -> None:
        for tool in ("iostune", "rastat", "seqkeep"):
            for option in ("--help", "--version"):
                self.assertEqual(run(tool, option), (0, ""), (tool, option))

    def test_a_sum(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "stats_by_dev").write_text("# check: ok\n")
            self.assertEqual(run("rastat", "--directory", folder), (0, ""))
            self.assertEqual(run("rastat", "--directory", folder, "0.01"), (0, ""))

    def test_the_doctor_ends_as_it_would(self) -> None:
        # Whatever is wrong with this machine: what is seen is what can be read.
        command = [sys.executable, str(TOOLS / "seqkeep"), "doctor"]
        read = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
        self.assertEqual(run("seqkeep", "doctor"), (read.returncode, ""))

    def test_what_is_said_to_nobody(self) -> None:
        # A device that has this error, whoever writes to it: also what is left at the end.
        code = "import sys; from seqkeep_lib.output import show_error; show_error('a'); show_error('b'); sys.exit(3)"
        with Path("/dev/full").open("w") as full:
            done = subprocess.run([sys.executable, "-c", code], stderr=full, cwd=TOOLS, check=False)
        self.assertEqual(done.returncode, 3)

    def test_a_full_disk(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "stats_by_dev").write_text("# check: ok\n")
            for words in (("seqkeep", "status"), ("rastat", "--directory", folder, "0.01")):
                with Path("/dev/full").open("w") as full:
                    command = [sys.executable, str(TOOLS / words[0]), *words[1:]]
                    done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
                said = f"{words[0]}: standard output: No space left on device\n"
                self.assertEqual((done.returncode, done.stderr), (1, said), words)

    def test_an_interrupt(self) -> None:
        def interrupted() -> int:
            raise KeyboardInterrupt

        with self.assertRaises(SystemExit) as ended:
            output.run("test", interrupted)
        self.assertEqual(ended.exception.code, 130)

    def test_no_output_at_all(self) -> None:
        words = ["sh", "-c", '"$@" >&-', "sh", sys.executable, str(TOOLS / "seqkeep"), "status"]
        done = subprocess.run(words, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


class Letters(unittest.TestCase):
    def test_what_the_locale_cannot_show(self) -> None:
        for encoding, shown in (("latin-1", b"/srv/\\u0142 \\udcff\n"), ("utf-8", b"/srv/\xc5\x82 \\udcff\n")):
            written = io.BytesIO()
            with mock.patch.object(sys, "stdout", io.TextIOWrapper(written, encoding=encoding)):
                output.show("/srv/\u0142 \udcff")
                self.assertEqual(written.getvalue(), shown)


class Files(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def test_a_file(self) -> None:
        file = self.root / "file"
        self.assertEqual(output.reason_not_writable(file), "")
        self.assertFalse(file.exists())
        file.write_text("old")
        self.assertEqual(output.reason_not_writable(file), "")
        self.assertIn("is a directory", output.reason_not_writable(self.root))
        self.assertIn("there is no directory", output.reason_not_writable(self.root / "none/file"))
        self.assertIn("there is no directory", output.reason_not_writable(file / "file"))
        # Root may write wherever the file system lets anybody.
        with mock.patch("os.access", return_value=False):
            self.assertIn("cannot be written", output.reason_not_writable(file))

    def test_a_plot(self) -> None:
        library, bases = types.ModuleType("matplotlib"), types.ModuleType("matplotlib.backend_bases")
        library.__dict__["use"] = lambda backend: None
        kinds = mock.Mock()
        kinds.get_supported_filetypes.return_value = {"png": "", "svg": ""}
        bases.__dict__["FigureCanvasBase"] = kinds
        with mock.patch.dict(sys.modules, {"matplotlib": library, "matplotlib.backend_bases": bases}):
            for name in ("a.png", "a.SVG", "a"):
                self.assertEqual(output.why_no_plot(self.root / name), "")
            self.assertIn("a.txt ends with none", output.why_no_plot(self.root / "a.txt"))
            self.assertIn("there is no directory", output.why_no_plot(self.root / "none/a.png"))
        with mock.patch.dict(sys.modules, {"matplotlib": None}):
            self.assertIn("python3-matplotlib", output.why_no_plot(self.root / "a.png"))


if __name__ == "__main__":
    unittest.main()
