# SPDX-License-Identifier: GPL-2.0-only
"""seqkeep status --prometheus: promtool accepts it, and rules and dashboard name only metrics that exist."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from seqkeep_lib import doctor, metrics
from seqkeep_lib.boot import Boot, write_boot
from seqkeep_lib.host import Host
from seqkeep_lib.modules import MODULES, read_states

from tools import machines

SOURCE = Path(__file__).parents[2]
SYSTEM = SOURCE / "tools/system"
SEQKEEP = SOURCE / "tools/seqkeep"
# tests/install-deps unpacks it there.
PROMTOOL = shutil.which("promtool") or str(SOURCE / "build/cache/promtool/promtool")
HAS_PROMTOOL = Path(PROMTOOL).exists()
COLUMNS = "count sync_count eof_count size async_size actual used unused unknown"
READAHEAD = f"""# check: ok
pattern {COLUMNS}
initial0 1 1 0 8 4 8 8 0 0
random 4 4 0 4 0 4 n/a n/a n/a
all 5 5 0 12 4 12 8 0 0
calls_running 0
calls_missed 0
pages_unread 7
check_mismatches 0
"""
SAMPLE = re.compile(r'\w+(\{\w+="[^"]*"(,\w+="[^"]*")*\})? (-?[\d.e+-]+|NaN)')


def counters(module: str) -> list[str]:
    """Return the names of all counters of a module, in the order of its file."""
    headers = "".join(path.read_text() for path in sorted((SOURCE / "modules" / module).glob("counters.h")))
    return re.findall(r'\bC\(\w+, "(\w+)"\)', headers)


class Machine(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.fixture = machines.nfs_server(self.root)
        for module in MODULES:
            text = "".join(f"{name} {n}\n" for n, name in enumerate(counters(module.name)))
            self.fixture.load(module.name, READAHEAD if module.name == "ra-trace" else text, enable="Y")

    def shown(self) -> str:
        host = Host(self.root)
        return metrics.as_prometheus(host, read_states(host), doctor.run_checks(host))

    def names(self) -> set[str]:
        return {re.split(r"[{ ]", line)[0] for line in self.shown().splitlines() if not line.startswith("#")}


class Metrics(Machine):
    def test_form(self) -> None:
        lines = self.shown().splitlines()
        for line in lines:
            if not line.startswith("#"):
                self.assertRegex(line, rf"\A{SAMPLE.pattern}\Z")
        for line in (
            'seqkeep_info{version="0.1.0",kernel="6.12.1-test"} 1',
            'seqkeep_module_enabled{module="ctxra"} 1',
            'seqkeep_module_wanted{module="ctxra"} 0',
            "seqkeep_ctxra_trail_pages_total 1",
            "# TYPE seqkeep_ctxra_trail_pages_total counter",
            "seqkeep_ra_trace_pages_unread 7",
            "# TYPE seqkeep_ra_trace_pages_unread gauge",
            'seqkeep_ra_trace_readaheads_total{pattern="random"} 4',
            'seqkeep_ra_trace_sync_readaheads_total{pattern="initial0"} 1',
            'seqkeep_doctor_findings{level="problem"} 0',
        ):
            self.assertIn(line, [re.sub(r'version="[^"]*"', 'version="0.1.0"', each) for each in lines])
        # What is not known is not 0.
        self.assertNotIn('used_total{pattern="random"}', self.shown())

    def test_a_module_that_is_wanted_and_was_removed(self) -> None:
        for path in ("sys/module", "usr/src", "lib/modules"):
            shutil.rmtree(self.root / path, ignore_errors=True)
        self.assertNotIn("seqkeep_module_wanted", self.shown())
        write_boot(Host(self.root), MODULES[0], Boot(enable=True))
        for line in ('seqkeep_module_wanted{module="ctxra"} 1', 'seqkeep_module_enabled{module="ctxra"} 0'):
            self.assertIn(line, self.shown().splitlines())

    def test_ctxra_that_waits_for_a_disk(self) -> None:
        """The alert is for a module that is off and should not be."""
        write_boot(Host(self.root), MODULES[0], Boot(waits=True))
        for text, wanted in (("", 0), ("[/dev/sdz]\nctxra = yes\n", 0), ("[/dev/sdb]\nctxra = yes\n", 1), ("x", 0)):
            (self.root / "etc/seqkeep.conf").write_text(text)
            for name in ("dev/sdb", "sys/block/sdb/dev"):
                (self.root / name).parent.mkdir(parents=True, exist_ok=True)
                (self.root / name).touch()
            self.assertIn(f'seqkeep_module_wanted{{module="ctxra"}} {wanted}', self.shown().splitlines(), text)

    def test_a_counter_is_named_once(self) -> None:
        heads = [line for line in self.shown().splitlines() if line.startswith("# TYPE")]
        self.assertEqual(len(heads), len(set(heads)))
        for module in MODULES:
            for name in counters(module.name):
                if not re.match(r"(below|above)_", name):
                    self.assertIn(f"seqkeep_{module.directory}_{name}_total", self.names())

    def test_histogram(self) -> None:
        buckets = [line for line in self.shown().splitlines() if line.startswith(f"{metrics.HISTOGRAM}_bucket")]
        values = [int(line.split()[-1]) for line in buckets]
        self.assertEqual(values, sorted(values))
        self.assertEqual(len(buckets), sum(1 for name in counters("nfsd-dio") if re.match(r"(below|above)_", name)))
        self.assertIn('le="0.000512"', buckets[3])
        self.assertIn('le="+Inf"', buckets[-1])

    def test_there_is_always_something(self) -> None:
        host = Host(self.root / "none")
        shown = metrics.as_prometheus(host, read_states(host), doctor.run_checks(host))
        self.assertIn("seqkeep_info{", shown)
        self.assertIn('seqkeep_doctor_findings{level="advice"} 1', shown)
        self.assertNotIn("seqkeep_module_", shown)

    def test_labels(self) -> None:
        self.assertEqual(metrics.line("a", {"b": 'x"\\\n'}, 1), 'a{b="x\\"\\\\\\n"} 1')

    def test_output(self) -> None:
        file = self.root / "seqkeep.prom"
        words = [
            sys.executable,
            str(SEQKEEP),
            "--root",
            str(self.root),
            "status",
            "--prometheus",
            "--output",
            str(file),
        ]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertEqual(file.read_text(), self.shown() + "\n")
        done = subprocess.run([*words[:-1], "/nonexistent/a.prom"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "seqkeep: there is no directory /nonexistent\n")
        full = self.root / "full"
        full.mkdir()
        self.assertEqual([path.name for path in full.iterdir()], [])

    @unittest.skipUnless(HAS_PROMTOOL, "no promtool: run tests/install-deps")
    def test_promtool(self) -> None:
        done = subprocess.run([PROMTOOL, "check", "metrics"], input=self.shown() + "\n", capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))


class Shipped(Machine):
    """The alert rules and the dashboard."""

    def assert_known(self, text: str) -> None:
        names = set(re.findall(r"\bseqkeep_\w+", text)) - {"seqkeep_textfile"}
        self.assertTrue(names)
        known = self.names() | {metrics.HISTOGRAM}
        self.assertEqual(names - known, set())

    def test_rules(self) -> None:
        self.assert_known((SYSTEM / "seqkeep.rules.yml").read_text())

    def test_dashboard(self) -> None:
        dashboard = json.loads((SYSTEM / "seqkeep-dashboard.json").read_text())
        panels = [panel for panel in dashboard["panels"] if panel["type"] != "row"]
        self.assertEqual(len({panel["id"] for panel in dashboard["panels"]}), len(dashboard["panels"]))
        for panel in panels:
            self.assertTrue(panel["title"])
            self.assertTrue(panel["targets"])
            for target in panel["targets"]:
                self.assert_known(target["expr"])
                # Each panel shows one machine.
                self.assertIn('instance=~"$instance"', target["expr"])
        # No two panels are at one place.
        places = [(p["gridPos"]["x"], p["gridPos"]["y"]) for p in dashboard["panels"]]
        self.assertEqual(len(places), len(set(places)))

    @unittest.skipUnless(importlib.util.find_spec("grafana_foundation_sdk"), "no grafana-foundation-sdk")
    def test_grafana_knows_all_fields(self) -> None:
        """Grafana's own types take the dashboard in, and lose nothing of it."""
        from grafana_foundation_sdk.cog import plugins
        from grafana_foundation_sdk.cog.encoder import JSONEncoder
        from grafana_foundation_sdk.models.dashboard import Dashboard

        plugins.register_default_plugins()
        written = json.loads((SYSTEM / "seqkeep-dashboard.json").read_text())
        self.assert_within(written, json.loads(JSONEncoder().encode(Dashboard.from_json(written))))

    def assert_within(self, part: object, whole: object) -> None:
        """Assert that all members of nested tables and lists are in another one too."""
        if isinstance(part, dict) and isinstance(whole, dict):
            for name, value in part.items():
                self.assertIn(name, whole)
                self.assert_within(value, whole[name])
        elif isinstance(part, list) and isinstance(whole, list):
            self.assertEqual(len(part), len(whole))
            for one, other in zip(part, whole, strict=True):
                self.assert_within(one, other)
        else:
            self.assertEqual(part, whole)

    @unittest.skipUnless(HAS_PROMTOOL, "no promtool: run tests/install-deps")
    def test_promtool_parses_the_dashboard(self) -> None:
        dashboard = json.loads((SYSTEM / "seqkeep-dashboard.json").read_text())
        queries = [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", [])]
        rules = [{"record": f"a:{n}", "expr": q.replace("$__rate_interval", "5m")} for n, q in enumerate(queries)]
        file = self.root / "rules.yml"
        # JSON is YAML.
        file.write_text(json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}))
        done = subprocess.run([PROMTOOL, "check", "rules", str(file)], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    @unittest.skipUnless(HAS_PROMTOOL, "no promtool: run tests/install-deps")
    def test_each_query_of_the_dashboard_finds_series(self) -> None:
        """Prometheus' own engine evaluates the queries on what seqkeep status prints, with counters that rise."""
        series = []
        for number, sample in enumerate(line for line in self.shown().splitlines() if not line.startswith("#")):
            series_name, value = sample.rsplit(" ", 1)
            name, _, labels = series_name.rstrip("}").partition("{")
            # The sum of the histogram is not known.
            if value != "NaN":
                values = f"0+{number + 1}x60" if name.endswith(("_total", "_bucket")) else f"{value}x60"
                series.append({"series": f'{name}{{instance="a",{labels}}}', "values": values})
        dashboard = json.loads((SYSTEM / "seqkeep-dashboard.json").read_text())
        queries = [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", [])]
        self.assertGreater(len(queries), 40)
        tests = [
            {
                # Not a number would be an empty panel, too.
                "expr": f"count(({query}) >= 0) > bool 0".replace("$__rate_interval", "5m").replace("$instance", ".*"),
                "eval_time": "30m",
                "exp_samples": [{"labels": "{}", "value": 1}],
            }
            for query in queries
        ]
        file = self.root / "queries.yml"
        file.write_text(json.dumps({"tests": [{"interval": "1m", "input_series": series, "promql_expr_test": tests}]}))
        done = subprocess.run([PROMTOOL, "test", "rules", str(file)], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    @unittest.skipUnless(HAS_PROMTOOL, "no promtool: run tests/install-deps")
    def test_promtool_accepts_the_rules(self) -> None:
        done = subprocess.run(
            [PROMTOOL, "check", "rules", str(SYSTEM / "seqkeep.rules.yml")], capture_output=True, text=True
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        done = subprocess.run(
            [PROMTOOL, "test", "rules", str(Path(__file__).parent / "seqkeep.rules.test.yml")],
            capture_output=True,
            text=True,
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
