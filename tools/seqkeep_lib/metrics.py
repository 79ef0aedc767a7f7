# SPDX-License-Identifier: GPL-2.0-only
"""
Format the states of the modules and the doctor's findings for Prometheus.

One metric per counter, seqkeep_MODULE_COUNTER_total; what rises and falls is a gauge without _total. A counter begins
at 0 again when the module is loaded again or somebody writes to its file, as those of Prometheus may.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from .checks_kernel import boot_or_none
from .device_conf import has_listed_disk
from .doctor import count_levels
from .finding import Finding
from .host import Host
from .metrics_arrays import array_samples
from .modules import State
from .version import version

# What counters() of a module returns and is a level, not a counter.
GAUGES = {"ra-trace": ("calls_running", "pages_unread")}
# Counters of nfsd-dio that are a histogram: writes below a time, from that of the one before on.
BUCKET = re.compile(r"below_(\d+)_(us|ms|s)$")
UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0}
LAST_BUCKET = "above_2_s"
HISTOGRAM = "seqkeep_nfsd_dio_write_seconds"


@dataclass
class Metric:
    name: str
    kind: str
    help: str
    # Labels and value.
    samples: list[tuple[dict[str, str], float]] = field(default_factory=list)

    def lines(self) -> list[str]:
        if not self.samples:
            return []
        head = [f"# HELP {self.name} {self.help}", f"# TYPE {self.name} {self.kind}"]
        return head + [line(self.name, labels, value) for labels, value in self.samples]


def escape(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


def line(name: str, labels: dict[str, str], value: float) -> str:
    shown = ",".join(f'{label}="{escape(text)}"' for label, text in labels.items())
    return f"{name}{{{shown}}} {value:g}" if shown and value != int(value) else f"{name}{braces(shown)} {int(value)}"


def braces(shown: str) -> str:
    return f"{{{shown}}}" if shown else ""


def as_prometheus(host: Host, states: list[State], findings: list[Finding]) -> str:
    """Format everything. There is always seqkeep_info, so that nothing to tell is not taken for a broken tool."""
    metrics = [
        Metric("seqkeep_info", "gauge", "The tools and the kernel.", [(info_labels(host), 1)]),
        *module_metrics(host, states),
        Metric(
            "seqkeep_doctor_findings",
            "gauge",
            "What seqkeep doctor finds, by level.",
            [({"level": level}, n) for level, n in count_levels(findings).items()],
        ),
    ]
    for state in states:
        metrics += counter_metrics(state)
        metrics += pattern_metrics(state)
    for name, samples in array_samples(host).items():
        text = f"{name} of an array, see raid5-deadline(4)."
        metrics.append(Metric(f"seqkeep_raid5_deadline_array_{name}_total", "counter", text, samples))
    lines = [text for metric in metrics for text in metric.lines()]
    for state in states:
        lines += histogram_lines(state.counters or {})
    return "\n".join(lines)


def info_labels(host: Host) -> dict[str, str]:
    return {"version": version(), "kernel": host.release}


def is_wanted(host: Host, state: State) -> bool:
    """Return whether seqkeep enable wants the module to be enabled, and ctxra does not wait for an absent disk."""
    boot = boot_or_none(host, state)
    return boot is not None and (boot.enable or (boot.waits and has_listed_disk(host)))


def module_metrics(host: Host, states: list[State]) -> Iterable[Metric]:
    # Also one whose package was removed while it is wanted: an alert needs to see that it is not enabled.
    shown = [state for state in states if state.installed or state.file or state.loaded or is_wanted(host, state)]
    for name, text, value in (
        ("loaded", "Whether the module is loaded.", lambda state: state.loaded),
        ("enabled", "Whether the module is enabled.", lambda state: state.enabled),
        ("observing", "Whether the module only counts what it would do.", lambda state: state.observing),
        ("wanted", "Whether seqkeep enable wants the module enabled.", lambda state: is_wanted(host, state)),
    ):
        samples = [({"module": state.module.name}, float(value(state))) for state in shown]
        yield Metric(f"seqkeep_module_{name}", "gauge", text, samples)


def counter_metrics(state: State) -> Iterable[Metric]:
    columns = {column for row in state.patterns.values() for column in row}
    for name, value in (state.counters or {}).items():
        if BUCKET.match(name) or name == LAST_BUCKET or name in columns:
            continue
        gauge = name in GAUGES.get(state.module.name, ())
        text = f"{name} of {state.module.name}(4)."
        yield Metric(metric_name(state, name, gauge), "gauge" if gauge else "counter", text, [({}, value)])


def metric_name(state: State, counter: str, gauge: bool = False) -> str:
    # promtool wants "sum" and "count" for summaries and histograms only.
    name = "readaheads" if counter == "count" else counter.replace("_count", "_readaheads")
    return f"seqkeep_{state.module.directory}_{name}" + ("" if gauge else "_total")


def pattern_metrics(state: State) -> Iterable[Metric]:
    for column in dict.fromkeys(column for row in state.patterns.values() for column in row):
        samples = [({"pattern": name}, float(row[column])) for name, row in state.patterns.items() if column in row]
        text = f"{column} of {state.module.name}(4), by pattern."
        yield Metric(metric_name(state, column), "counter", text, samples)


def histogram_lines(counters: dict[str, int]) -> list[str]:
    buckets = [(name, match) for name in counters for match in [BUCKET.match(name)] if match]
    if not buckets:
        return []
    lines = [f"# HELP {HISTOGRAM} Time of a direct write of nfsd-dio(4).", f"# TYPE {HISTOGRAM} histogram"]
    total = 0
    for name, match in buckets:
        total += counters[name]
        lines.append(f'{HISTOGRAM}_bucket{{le="{int(match[1]) * UNITS[match[2]]:g}"}} {total}')
    total += counters.get(LAST_BUCKET, 0)
    # The module does not add up the times.
    return [*lines, f'{HISTOGRAM}_bucket{{le="+Inf"}} {total}', f"{HISTOGRAM}_sum NaN", f"{HISTOGRAM}_count {total}"]
