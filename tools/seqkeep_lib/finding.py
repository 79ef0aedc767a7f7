# SPDX-License-Identifier: GPL-2.0-only
"""One finding of the doctor."""

from __future__ import annotations

from dataclasses import dataclass

# A module does not work, or will not.
PROBLEM = "problem"
# The modules work; the user may want to know or change something.
ADVICE = "advice"
# A check could not read something.
UNKNOWN = "unknown"


@dataclass(frozen=True)
class Finding:
    """What a check found, and what the user can do about it."""

    level: str
    check: str
    what: str
    remedy: str = ""
