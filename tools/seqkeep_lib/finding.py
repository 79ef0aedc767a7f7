# SPDX-License-Identifier: GPL-2.0-only
"""What the doctor says."""

from __future__ import annotations

from dataclasses import dataclass

# A module does not do, or will not do, what it is there for.
PROBLEM = "problem"
# It works; this would be better, or is worth knowing.
ADVICE = "advice"
# Not looked at, and so not known to be well.
UNKNOWN = "unknown"


@dataclass(frozen=True)
class Finding:
    """One thing that was found, and what to do about it."""

    level: str
    check: str
    what: str
    remedy: str = ""
