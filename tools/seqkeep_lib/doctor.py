# SPDX-License-Identifier: GPL-2.0-only
"""All checks, and how their findings are shown."""

from __future__ import annotations

import errno
import json
import os
from dataclasses import asdict

from . import checks_kernel, checks_readahead
from .finding import ADVICE, PROBLEM, UNKNOWN, Finding
from .host import Host
from .modules import look_at_all

CHECKS = (
    checks_kernel.installed,
    checks_kernel.built,
    checks_kernel.headers,
    checks_kernel.kernels,
    checks_kernel.unbuilt,
    checks_kernel.types,
    checks_kernel.signatures,
    checks_kernel.wanted,
    checks_kernel.lockdown,
    checks_kernel.debugfs,
    checks_kernel.tracing,
    checks_kernel.hooks,
    checks_kernel.enabled,
    checks_readahead.server,
    checks_readahead.client,
    checks_readahead.overruled,
    checks_readahead.arrays,
    checks_readahead.lower,
    checks_readahead.off,
)

# Errors that keep others than root out.
OF_ROOT = tuple(os.strerror(number) for number in (errno.EACCES, errno.EPERM))


def examine(host: Host) -> list[Finding]:
    """What is wrong with a machine; problems first."""
    states = look_at_all(host)
    findings = [finding for check in CHECKS for finding in check(host, states)]
    findings += [
        Finding(
            UNKNOWN,
            "permission",
            f"{name} cannot be read: {why}",
            "run seqkeep as root" if why in OF_ROOT else "run seqkeep again",
        )
        for name, why in sorted(host.unread.items())
        # lockdown() has said so.
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
    lines.append(f"{len(CHECKS)} checks; problems: {counts[0]}, advice: {counts[1]}, not known: {counts[2]}")
    return "\n".join(lines)


def as_json(findings: list[Finding]) -> str:
    return json.dumps([asdict(finding) for finding in findings], indent=2)
