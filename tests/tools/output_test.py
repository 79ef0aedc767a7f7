# SPDX-License-Identifier: GPL-2.0-only
"""Closed pipes, locales that cannot encode a character, and files that cannot be written."""

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


def run_with_closed_pipe(*words: str) -> tuple[int, str]:
    """Return the exit status and standard error of a command whose standard output is a closed pipe."""
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, str(TOOLS / words[0]), *words[1:]]
    # With PYTHONUNBUFFERED there would be nothing to flush at exit.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, env=environment, check=False)
    os.close(writer)
    return done.returncode, done.stderr


class Closed(unittest.TestCase):
    def test_help_and_version(self) -> None:
        for tool in ("iostune", "rastat", "seqkeep"):
            for option in ("--help", "--version"):
                self.assertEqual(run_with_closed_pipe(tool, option), (0, ""), (tool, option))

    def test_rastat(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "stats_by_dev").write_text("# check: ok\n")
            self.assertEqual(run_with_closed_pipe("rastat", "--directory", folder), (0, ""))
            self.assertEqual(run_with_closed_pipe("rastat", "--directory", folder, "0.01"), (0, ""))

    def test_the_doctor_keeps_its_exit_status(self) -> None:
        # The status depends on this machine, so compare with a run that has a reader.
        command = [sys.executable, str(TOOLS / "seqkeep"), "doctor"]
        read = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
        self.assertEqual(run_with_closed_pipe("seqkeep", "doctor"), (read.returncode, ""))

    def test_standard_error_cannot_be_written(self) -> None:
        # Each write to /dev/full fails, the flush at exit too.
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
        self.assertEqual((done.returncode, done.stderr), (1, "seqkeep: standard output: Bad file descriptor\n"))

    def test_no_standard_error(self) -> None:
        code = "import sys; from seqkeep_lib.output import show_error; sys.stderr = None; show_error('a')"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=TOOLS, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))


class Environment(unittest.TestCase):
    def test_modules_of_others(self) -> None:
        """Root runs the tools."""
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "json.py").write_text("raise SystemExit('not ours')\n")
            environment = {**os.environ, "PYTHONPATH": folder, "PYTHONSAFEPATH": "1"}
            for tool in ("iostune", "rastat", "seqkeep"):
                words = [str(TOOLS / tool), "--version"]
                done = subprocess.run(words, capture_output=True, text=True, env=environment, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ""), tool)

    def test_a_path_without_the_folder_of_the_script(self) -> None:
        for tool in ("iostune", "rastat", "seqkeep"):
            words = [sys.executable, str(TOOLS / tool), "--version"]
            environment = {**os.environ, "PYTHONSAFEPATH": "1"}
            environment.pop("PYTHONPATH", None)
            done = subprocess.run(words, capture_output=True, text=True, env=environment, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""), tool)


class Encodings(unittest.TestCase):
    def test_characters_that_the_locale_cannot_encode(self) -> None:
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
        # os.access() is always true for root.
        with mock.patch("os.access", return_value=False):
            self.assertIn("cannot write", output.reason_not_writable(file))

    def test_what_is_no_file_stays(self) -> None:
        for made in ("fifo", "link"):
            path = self.root / made
            if made == "fifo":
                os.mkfifo(path)
            else:
                path.symlink_to("/dev/null")
            said = output.reason_not_writable(path)
            self.assertIn("is not a regular file", said)
            words = [sys.executable, str(TOOLS / "seqkeep"), "--root", str(self.root), "status", "--output", str(path)]
            done = subprocess.run(words, capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (1, "", f"seqkeep: {said}\n"))
            self.assertFalse(path.is_file())
        for word in ("", ".", "/"):
            words = [sys.executable, str(TOOLS / "seqkeep"), "--root", str(self.root), "status", "--output", word]
            done = subprocess.run(words, capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1), done.stderr)
        words[-1] = "-"
        done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=self.root)
        self.assertEqual(done.returncode, 0)
        self.assertIn("ctxra", done.stdout)
        self.assertFalse((self.root / "-").exists())

    def test_a_link_in_place_of_the_new_file(self) -> None:
        victim, file = self.root / "victim", self.root / "file"
        victim.write_text("old")
        with mock.patch("secrets.token_hex", return_value="0"):
            (self.root / ".file.0").symlink_to(victim)
            self.assertRaises(FileExistsError, output.write_atomically, file, "new")
        self.assertEqual(victim.read_text(), "old")
        output.write_atomically(file, "new")
        self.assertEqual(file.read_text(), "new")
        self.assertEqual({path.name for path in self.root.iterdir()}, {"victim", "file"})

    def test_a_plot(self) -> None:
        library, bases = types.ModuleType("matplotlib"), types.ModuleType("matplotlib.backend_bases")
        library.__dict__["use"] = lambda backend: None
        kinds = mock.Mock()
        kinds.get_supported_filetypes.return_value = {"png": "", "svg": ""}
        bases.__dict__["FigureCanvasBase"] = kinds
        with mock.patch.dict(sys.modules, {"matplotlib": library, "matplotlib.backend_bases": bases}):
            for name in ("a.png", "a.SVG", "a"):
                self.assertEqual(output.why_no_plot(self.root / name), "")
            self.assertIn("cannot draw the format of a.txt", output.why_no_plot(self.root / "a.txt"))
            self.assertIn("there is no directory", output.why_no_plot(self.root / "none/a.png"))
        with mock.patch.dict(sys.modules, {"matplotlib": None}):
            self.assertIn("python3-matplotlib", output.why_no_plot(self.root / "a.png"))


if __name__ == "__main__":
    unittest.main()
