# SPDX-License-Identifier: GPL-2.0-only
"""Errors that a command ends with: a line that says what, why and the remedy."""

from __future__ import annotations


class SeqkeepError(Exception):
    """The command could not do it."""

    status = 1


class BusyError(SeqkeepError):
    """Another command is at it, or was killed and its change is not undone yet: later it will be possible."""


class UsageError(SeqkeepError):
    """The arguments are wrong."""

    status = 2
