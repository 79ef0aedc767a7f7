# SPDX-License-Identifier: GPL-2.0-only
"""Test tools/seqkeep_lib/checks_nfs_queue.py on made-up machines."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

from seqkeep_lib.checks_nfs_queue import check_nfs_queues
from seqkeep_lib.host import Host

MOUNT = """\
device proc mounted on /proc with fstype proc
device server:/srv mounted on /mnt/a\\040b with fstype {fstype} statvers=1.1
\topts:\trw,vers=4.2,rsize=1048576,{options}
\tper-op statistics
\t        READ: {ops} {ops} 0 100 100 {queue} {rtt} {rtt} 0
\t       WRITE: 10 10 0 100 100 90000 10 90010 0
"""


class NfsQueues(unittest.TestCase):
    def setUp(self) -> None:
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.root = Path(made.name)
        (self.root / "proc/self").mkdir(parents=True)
        (self.root / "sys/module/nfs/parameters").mkdir(parents=True)
        (self.root / "sys/module/nfs/parameters/max_session_slots").write_text("64\n")

    def found(
        self, fstype: str = "nfs4", ops: int = 2000, queue: int = 40000, rtt: int = 20000, options: str = ""
    ) -> str:
        text = MOUNT.format(fstype=fstype, ops=ops, queue=queue, rtt=rtt, options=options)
        (self.root / "proc/self/mountstats").write_text(text)
        return "".join(f"{found.what}: {found.remedy}" for found in check_nfs_queues(Host(self.root), []))

    def test_requests_that_wait(self) -> None:
        found = self.found()
        self.assertIn("READs of /mnt/a b waited 20.0 ms to be sent, and 10.0 ms for the server", found)
        self.assertIn("nconnect=4", found)
        self.assertIn("max_session_slots of the module nfs, which is 64", found)
        self.assertNotIn("WRITE", found)

    def test_what_is_set_is_not_advised(self) -> None:
        (self.root / "sys/module/nfs/parameters/max_session_slots").write_text("180\n")
        found = self.found(options="nconnect=8")
        self.assertNotIn("nconnect", found)
        self.assertNotIn("max_session_slots", found)
        self.assertIn("threads of nfsd", found)

    def test_no_advice(self) -> None:
        self.assertEqual(self.found(ops=999, queue=90000), "")
        self.assertEqual(self.found(queue=20000, rtt=20000), "")
        self.assertEqual(self.found(queue=3000, rtt=1000), "")
        self.assertEqual(self.found(fstype="xfs"), "")

    def test_broken_file(self) -> None:
        (self.root / "proc/self/mountstats").write_text(
            "device x mounted on /a with fstype nfs\nREAD: 5000 x 0\nREAD:\n"
        )
        self.assertEqual(list(check_nfs_queues(Host(self.root), [])), [])


if __name__ == "__main__":
    unittest.main()
