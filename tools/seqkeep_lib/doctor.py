# SPDX-License-Identifier: GPL-2.0-only
"""Run all checks, and format what they found."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass

from . import (
    checks_kernel,
    checks_nfs,
    checks_nfs_link,
    checks_nfs_queue,
    checks_raid,
    checks_readahead,
    checks_throttle,
)
from .finding import ADVICE, PROBLEM, UNKNOWN, Finding
from .host import Host
from .modules import State, read_states

CHECKS = (
    checks_kernel.check_installed,
    checks_kernel.check_built,
    checks_kernel.check_headers,
    checks_kernel.check_kernel_range,
    checks_kernel.check_other_kernels,
    checks_kernel.check_btf,
    checks_kernel.check_signatures,
    checks_kernel.check_boot_list,
    checks_kernel.check_lockdown,
    checks_kernel.check_debugfs,
    checks_kernel.check_tracing,
    checks_kernel.check_hooks,
    checks_kernel.check_enabled,
    checks_kernel.check_own_files,
    checks_kernel.check_trial,
    checks_readahead.check_nfs_exports,
    checks_readahead.check_nfs_mounts,
    checks_readahead.check_nfs_udev_rule,
    checks_readahead.check_nfs_conf,
    checks_nfs_queue.check_nfs_queues,
    checks_nfs_link.check_nfs_windows,
    checks_throttle.check_exported_disks,
    checks_readahead.check_backstores,
    checks_readahead.check_stacked_disks,
    checks_readahead.check_readahead_off,
    checks_nfs.check_nfs_threads,
    checks_nfs.check_nfs_connections,
    checks_nfs.check_io_cache_write,
    checks_raid.check_md_arrays,
    checks_raid.check_stripe_cache,
    checks_raid.check_raid_members,
)

# Errors that root would not get.
ERRORS_OF_NON_ROOT = tuple(os.strerror(number) for number in (errno.EACCES, errno.EPERM))


Check = Callable[[Host, list[State]], Iterator[Finding]]
ORDER = (PROBLEM, ADVICE, UNKNOWN)
# Red, yellow and none.
COLOURS = {PROBLEM: "\033[31m", ADVICE: "\033[33m", UNKNOWN: ""}


@dataclass(frozen=True)
class Result:
    """What one check found."""

    # What it is for, as a clause: "each installed module is built".
    looked_at: str
    findings: list[Finding]


def clause(check: Check) -> str:
    """Return what a check checks, from its first line: "Check that X." is "X"."""
    line = (check.__doc__ or "").strip().splitlines()[0].rstrip(".")
    return line.removeprefix("Check that ").split(": ")[0].split("; check_")[0].replace(", and that ", ", and ")


def examine(host: Host) -> list[Result]:
    """Run all checks."""
    states = read_states(host)
    results = [Result(clause(check), list(check(host, states))) for check in CHECKS]
    unread = [
        Finding(
            UNKNOWN,
            "permission",
            f"cannot read {name}: {why}",
            "run seqkeep as root" if why in ERRORS_OF_NON_ROOT else "run seqkeep again",
        )
        for name, why in sorted(host.unread.items())
        # check_lockdown() has reported these.
        if not checks_kernel.is_locked_down(host, name)
    ]
    return [*results, Result("all files can be read", unread)]


def findings_of(results: list[Result]) -> list[Finding]:
    """Return the findings, problems first."""
    findings = [finding for result in results for finding in result.findings]
    return sorted(findings, key=lambda finding: ORDER.index(finding.level))


def run_checks(host: Host) -> list[Finding]:
    return findings_of(examine(host))


def has_problem(findings: list[Finding]) -> bool:
    return any(finding.level == PROBLEM for finding in findings)


def as_text(results: list[Result], verbose: bool = False, coloured: bool = False) -> str:
    lines = [f"ok: {result.looked_at}" for result in results if verbose and not result.findings]
    findings = findings_of(results)
    for finding in findings:
        colour = COLOURS[finding.level] if coloured else ""
        lines.append(f"{colour}{finding.level}:{chr(27) + '[0m' if colour else ''} {finding.what}")
        if finding.remedy:
            lines.append(f"    {finding.remedy}")
    counts = ", ".join(f"{level}: {n}" for level, n in count_levels(findings).items())
    lines.append(f"{len(results)} checks; {counts.replace('problem', 'problems')}")
    return "\n".join(lines)


def count_levels(findings: list[Finding]) -> dict[str, int]:
    return {level: sum(finding.level == level for finding in findings) for level in ORDER}


def as_json(findings: list[Finding]) -> str:
    return json.dumps([asdict(finding) for finding in findings], indent=2)
