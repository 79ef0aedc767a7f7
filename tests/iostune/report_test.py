# SPDX-License-Identifier: GPL-2.0-only
"""The report of a run, and the stages for a disk."""

import json
import tempfile
import unittest
from pathlib import Path

from iostune.simulated import Disk
from iostune_lib import plan, report, session, stages
from iostune_lib import tunables as t
from iostune_lib.measurement import Sample
from iostune_lib.plan import FULL, Stage
from iostune_lib.report import Result
from iostune_lib.session import Request
from iostune_lib.tunables import Tunables

SEEKS = {1: 63.0, 2: 19.0, 4: 22.0, 8: 30.0}
STAYS = {1: 63.0, 2: 55.0, 4: 50.0, 8: 43.0}


def result() -> Result:
    workloads = plan.all_workloads(("direct", "buffered"), plan.reader_counts(8))
    stage = Stage("scheduler", t.SCHEDULER, plan.scheduler_arms({t.SCHEDULER: "none"}), workloads, 1, has_kind=True)
    decisions = stages.run_all(Disk({"*": SEEKS, "bfq": STAYS}).context(FULL), [stage], 540)
    kind, label = stages.device_kind(decisions[0], FULL.confidence)
    device = {"path": "/dev/sda", "description": "a block device"}
    settings = {t.SCHEDULER: "bfq"}
    former = {t.SCHEDULER: "none", t.NR_REQUESTS: "60"}
    return Result(device, ["busy"], ["O_RDONLY"], 100.0, decisions, kind, label, settings, former)


class Shown(unittest.TestCase):
    def test_a_row_has_medians_and_shares_by_rank(self) -> None:
        samples = [Sample((1e6, 3e6), 5.0), Sample((4e6, 2e6), 7.0), Sample((3e6, 2e6), 6.0)]
        row = report.row(samples)
        self.assertEqual(row["total_mb_s"], 5.0)
        self.assertEqual(row["range_mb_s"], [4.0, 6.0])
        self.assertEqual(row["shares_mb_s"], [3.0, 2.0])
        self.assertEqual(row["wait_ms"], 6.0)

    def test_text(self) -> None:
        text = report.text(result())
        self.assertIn("\nnone, direct\nreaders ", text)
        self.assertIn("seek-bound", text)
        self.assertIn("\nRecommended:\n    queue/scheduler = bfq    (now none)\n", text)
        self.assertIn("\nThe kernel changes with it:\n    queue/nr_requests    (now 60)", text)
        self.assertIn("scheduler: kyber skipped: Invalid argument", text)

    def test_json(self) -> None:
        found = json.loads(json.dumps(report.as_json(result())))
        self.assertEqual(found["kind"]["name"], "seek-bound")
        self.assertEqual(found["recommendation"], {"queue/scheduler": {"value": "bfq", "now": "none"}})
        self.assertEqual(found["changed_with_it"], {"queue/nr_requests": "60"})
        decision = found["decisions"][0]
        self.assertEqual(decision["verdict"], "change")
        for name in ("throughput", "single", "several", "slowest", "waits"):
            self.assertLessEqual(decision[name]["low"], decision[name]["high"])
        # Four arms, two modes, four numbers of readers.
        self.assertEqual(len(decision["tables"]), 32)


class Planned(unittest.TestCase):
    def plan(self, files: dict[str, str], is_quick: bool = False) -> list[Stage]:
        with tempfile.TemporaryDirectory() as folder:
            disk = Path(folder)
            for name, value in files.items():
                (disk / name).parent.mkdir(parents=True, exist_ok=True)
                (disk / name).write_text(value)
            return session.plan_stages(Tunables(disk), Request(8, 540, is_quick), session.MODES)

    def stages_of(self, files: dict[str, str], is_quick: bool = False) -> dict[str, tuple[int, ...]]:
        return {stage.name: stage.values for stage in self.plan(files, is_quick)}

    def arms_of(self, files: dict[str, str]) -> list[str]:
        return [arm.label for arm in self.plan(files)[0].arms]

    def test_an_array_of_md(self) -> None:
        files = {t.READAHEAD: "512", t.STRIPE_CACHE: "256", t.GROUP_THREADS: "0", t.SCHEDULER: "none"}
        found = self.stages_of({**files, "md/array_state": "clean"})
        self.assertEqual(list(found), ["scheduler", "read_ahead_kb", "group_thread_cnt"])
        files["md/array_state"] = "readonly"
        found = self.stages_of(files)
        self.assertEqual(list(found), ["scheduler", "read_ahead_kb", "stripe_cache_size", "group_thread_cnt"])
        self.assertEqual(found["stripe_cache_size"], (256, 1024, 4096))
        self.assertEqual(found["read_ahead_kb"], (128, 512, 2048, 8192))
        self.assertEqual(list(self.stages_of(files, is_quick=True)), ["scheduler", "read_ahead_kb"])

    def test_max_sectors_kb_is_within_the_limit_of_the_disk(self) -> None:
        files = {t.MAX_SECTORS: "128", "queue/max_hw_sectors_kb": "256", t.SCHEDULER: "[none] bfq"}
        self.assertEqual(self.stages_of(files)["max_sectors_kb"], (64, 128, 256))

    def test_max_sectors_kb_of_a_multipath_device_is_not_tried(self) -> None:
        files = {t.MAX_SECTORS: "512", "queue/max_hw_sectors_kb": "1024", t.READAHEAD: "128", t.SCHEDULER: "[none] bfq"}
        self.assertEqual(list(self.stages_of({**files, "dm/uuid": "mpath-3600"})), ["scheduler", "read_ahead_kb"])
        # The limits of every other device of device mapper follow from its targets.
        self.assertNotIn("max_sectors_kb", self.stages_of({**files, "dm/uuid": "LVM-x"}))
        self.assertIn("max_sectors_kb", self.stages_of(files))

    def test_the_scheduler_of_a_zoned_disk_is_left_alone(self) -> None:
        files = {t.READAHEAD: "128", t.SCHEDULER: "none [mq-deadline] bfq"}
        arms = {zoned: self.arms_of({**files, "queue/zoned": zoned}) for zoned in ("none", "host-managed")}
        self.assertGreater(len(arms["none"]), 2)
        self.assertEqual(arms["host-managed"], ["mq-deadline"])

    def test_a_file_on_no_single_disk_is_measured_only(self) -> None:
        (stage,) = session.plan_stages(None, Request(4, 540, False), ("buffered",))
        self.assertEqual(len(stage.arms), 1)
        self.assertEqual([workload.readers for workload in stage.workloads], [1, 2, 4])


if __name__ == "__main__":
    unittest.main()
