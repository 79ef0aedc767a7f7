# SPDX-License-Identifier: GPL-2.0-only
"""The exceptions that end iostune early."""


class IostuneError(Exception):
    """One line for the user: what is wrong, and the remedy."""


class NothingReadError(IostuneError):
    """No reader read anything in its time."""
