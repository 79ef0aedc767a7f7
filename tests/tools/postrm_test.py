# SPDX-License-Identifier: GPL-2.0-only
"""What the scripts of the packages remove; those of Debian run with a dpkg-query that says what we want."""

from __future__ import annotations

import itertools
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from seqkeep_lib.host import Host
from seqkeep_lib.own_files import write_own

SPEC = Path(__file__).parents[2] / "packaging/rpm/seqkeep.spec"
# The packages that bring modules, with their specs. Their scripts end with FORGET.
MODULES_OF = (("%1-dkms", SPEC), ("seqkeep-kmod-common", SPEC.with_name("seqkeep-kmod.spec")))
FORGET = "packaging/rpm-postun"
DEBIAN = Path(__file__).parents[2] / "packaging/debian"


class Postrm(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def program(self, name: str, lines: str) -> None:
        path = self.root / name
        path.write_text(f"#!/bin/sh\n{lines}\n")
        path.chmod(0o755)

    def run_script(self, template: str, action: str) -> str:
        """Run a script of a package of Debian. Return what it says."""
        text = (DEBIAN / template).read_text().replace("@MODULE@", "ctxra").replace("#DEBHELPER#", "")
        for directory in ("/etc/", "/var/", "/run/"):
            text = text.replace(f" {directory}", f" {self.root}{directory}")
        environment = {**os.environ, "PATH": f"{self.root}:{os.environ['PATH']}"}
        return subprocess.check_output(["sh", "-c", text, "script", action], env=environment, text=True)

    def left(self, template: str, action: str, file: str, states: str = "") -> bool:
        """Run a script. Return whether it has left a file."""
        path = self.root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        self.program("dpkg-query", f"for state in {states}; do echo $state; done")
        self.run_script(template, action)
        return path.exists()

    def test_a_module_that_is_loaded_at_boot_and_removed(self) -> None:
        self.program("dpkg-query", "echo config-files")
        said = "modules-load.d/seqkeep-ctxra.conf stays, and without ctxra systemd-modules-load.service fails"
        self.assertNotIn(said, self.run_script("templates/postrm", "remove"))
        (self.root / "etc/modules-load.d").mkdir(parents=True)
        (self.root / "etc/modules-load.d/seqkeep-ctxra.conf").touch()
        self.assertIn(said, self.run_script("templates/postrm", "remove"))
        self.assertNotIn(said, self.run_script("templates/postrm", "purge"))

    def test_the_timer(self) -> None:
        """It would start what is gone."""
        self.program("deb-systemd-invoke", f'echo "$@" >>{self.root}/told')
        self.run_script("seqkeep-tools.prerm", "remove")
        self.assertFalse((self.root / "told").exists())
        (self.root / "run/systemd/system").mkdir(parents=True)
        self.run_script("seqkeep-tools.prerm", "upgrade")
        self.assertFalse((self.root / "told").exists())
        self.run_script("seqkeep-tools.prerm", "remove")
        self.assertEqual((self.root / "told").read_text(), "stop seqkeep-metrics.timer\n")

    def test_the_file_of_enable(self) -> None:
        for file in ("etc/modprobe.d/seqkeep-ctxra.conf", "etc/modules-load.d/seqkeep-ctxra.conf"):
            for action, states, stays in (
                ("remove", "config-files", True),
                ("purge", "config-files", False),
                ("purge", "config-files not-installed", False),
                # The other package of the module has replaced it, and uses the file.
                ("purge", "config-files installed", True),
                ("purge", "config-files half-configured", True),
            ):
                with self.subTest(file=file, action=action, states=states):
                    self.assertEqual(self.left("templates/postrm", action, file, states), stays)

    def test_the_metrics(self) -> None:
        for action, stays in (("upgrade", True), ("remove", False), ("purge", False)):
            file = "var/lib/prometheus/node-exporter/seqkeep.prom"
            self.assertEqual(self.left("seqkeep-tools.postrm", action, file), stays)

    def test_the_settings(self) -> None:
        for action, stays in (("upgrade", True), ("remove", True), ("purge", False)):
            self.assertEqual(self.left("seqkeep-tools.postrm", action, "etc/seqkeep.conf"), stays)


class Postun(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def run_script(self, package: str, left: int, spec: Path = SPEC) -> str:
        """Run the script of a package, of which so many versions are left. Return what it says."""
        options, _, text = spec.read_text().partition(f"postun -n {package}")[2].partition("\n")
        text = text.partition("%files")[0].rstrip("%").replace(" \\\n", "\n")
        text = text.replace("%1", "ctxra").replace("%{modules}", "ra-trace ctxra")
        if f"-f {FORGET}" in options:
            text += (SPEC.parents[2] / FORGET).read_text()
        for directory, quote in itertools.product(("/etc/", "/sys/", "/var/"), (" ", ' "')):
            text = text.replace(f"{quote}{directory}", f"{quote}{self.root}{directory}")
        command = ["sh", "-c", text, "postun", str(left)]
        return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout

    def files(self) -> set[str]:
        return {str(path.relative_to(self.root / "etc")) for path in self.root.rglob("*") if path.is_file()}

    def test_the_files_of_enable(self) -> None:
        names = [f"{directory}/seqkeep-ctxra.conf" for directory in ("modprobe.d", "modules-load.d")]
        for text in ("options ctxra enable=1 max_kb=512\n", "ctxra\n", "", "a\udce9\n"):
            for package, spec in MODULES_OF:
                for name in names:
                    write_own(Host(self.root), f"/etc/{name}", text)
                self.run_script(package, 1, spec)
                self.assertEqual(self.files(), set(names))
                self.run_script(package, 0, spec)
                self.assertEqual(self.files(), set(), ascii(text))

    def test_an_edited_file_of_enable(self) -> None:
        for name in ("modprobe.d/seqkeep-ctxra.conf", "modules-load.d/seqkeep-ctxra.conf"):
            path = self.root / "etc" / name
            write_own(Host(self.root), f"/etc/{name}", "ctxra\n")
            edited = path.read_text() + "# mine\n"
            for text, (package, spec) in itertools.product((edited, "mine\n", ""), MODULES_OF):
                path.write_text(text)
                self.run_script(package, 0, spec)
                self.assertEqual(self.files(), {f"{name}.rpmsave"})
                saved = path.with_name(f"{path.name}.rpmsave")
                self.assertEqual(saved.read_text(), text)
                saved.unlink()

    def test_another_package_of_the_module(self) -> None:
        write_own(Host(self.root), "/etc/modprobe.d/seqkeep-ctxra.conf", "ctxra\n")
        (self.root / "etc/modprobe.d/ctxra.conf").touch()
        for package, spec in MODULES_OF:
            self.run_script(package, 0, spec)
            self.assertEqual(self.files(), {"modprobe.d/ctxra.conf", "modprobe.d/seqkeep-ctxra.conf"})

    def test_a_loaded_module(self) -> None:
        said = "ctxra is still loaded until the next boot"
        for package, spec in MODULES_OF:
            self.assertEqual(self.run_script(package, 0, spec), "")
        (self.root / "sys/module/ctxra").mkdir(parents=True)
        for package, spec in MODULES_OF:
            self.assertIn(said, self.run_script(package, 0, spec))
            self.assertEqual(self.run_script(package, 1, spec), "")

    def test_the_settings(self) -> None:
        (self.root / "etc").mkdir()
        (self.root / "etc/seqkeep.conf").write_text("[sda]\n")
        self.run_script("seqkeep-tools", 1)
        self.assertEqual(self.files(), {"seqkeep.conf"})
        self.run_script("seqkeep-tools", 0)
        self.assertEqual(self.files(), {"seqkeep.conf.rpmsave"})
        self.run_script("seqkeep-tools", 0)


if __name__ == "__main__":
    unittest.main()
