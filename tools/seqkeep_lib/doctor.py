# SPDX-License-Identifier: GPL-2.0-only
"""Run all checks, and format their findings."""

from __future__ import annotations

import errno
import json
import os
from dataclasses import asdict

from . import checks_kernel, checks_readahead
from .finding import ADVICE, PROBLEM, UNKNOWN, Finding
from .host import Host
from .modules import read_states

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
    checks_readahead.check_nfs_exports,
    checks_readahead.check_nfs_mounts,
    checks_readahead.check_nfs_udev_rule,
    checks_readahead.check_md_arrays,
    checks_readahead.check_stacked_disks,
    checks_readahead.check_readahead_off,
)

# Errors that root would not get.
ERRORS_OF_NON_ROOT = tuple(os.strerror(number) for number in (errno.EACCES, errno.EPERM))


def run_checks(host: Host) -> list[Finding]:
    """Return the findings of all checks, problems first."""
    states = read_states(host)
    findings = [finding for check in CHECKS for finding in check(host, states)]
    findings += [
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
    order = (PROBLEM, ADVICE, UNKNOWN)
    return sorted(findings, key=lambda finding: order.index(finding.level))


def has_problem(findings: list[Finding]) -> bool:
    return any(finding.level == PROBLEM for finding in findings)


def as_text(findings: list[Finding]) -> str:
    lines = []
    for finding in findings:
        lines.append(f"{finding.level}: {finding.what}")
        if finding.remedy:
            lines.append(f"    {finding.remedy}")
    counts = [sum(finding.level == level for finding in findings) for level in (PROBLEM, ADVICE, UNKNOWN)]
    lines.append(f"{len(CHECKS)} checks; problems: {counts[0]}, advice: {counts[1]}, unknown: {counts[2]}")
    return "\n".join(lines)


def as_json(findings: list[Finding]) -> str:
    return json.dumps([asdict(finding) for finding in findings], indent=2)
