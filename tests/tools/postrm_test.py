# SPDX-License-Identifier: GPL-2.0-only
"""What the scripts of the Debian packages remove, run with a dpkg-query that says what we want."""

from __future__ import annotations

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

DEBIAN = Path(__file__).parents[2] / "packaging/debian"


class Postrm(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def left(self, template: str, action: str, file: str, states: str = "") -> bool:
        """Run a script. Return whether it has left a file."""
        path = self.root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        query = self.root / "dpkg-query"
        query.write_text(f"#!/bin/sh\nfor state in {states}; do echo $state; done\n")
        query.chmod(0o755)
        text = (DEBIAN / template).read_text().replace("@MODULE@", "ctxra").replace("#DEBHELPER#", "")
        for directory in ("/etc/", "/var/"):
            text = text.replace(f" {directory}", f" {self.root}{directory}")
        environment = {**os.environ, "PATH": f"{self.root}:{os.environ['PATH']}"}
        subprocess.run(["sh", "-c", text, "postrm", action], check=True, env=environment, stdout=subprocess.DEVNULL)
        return path.exists()

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


if __name__ == "__main__":
    unittest.main()
