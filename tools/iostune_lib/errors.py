# SPDX-License-Identifier: GPL-2.0-only
"""The exceptions that end iostune early."""


class IostuneError(Exception):
    """One line for the user: what is wrong, and the remedy."""


class NothingReadError(IostuneError):
    """No reader read anything in its time."""


class StoppedBySignal(Exception):
    """A signal asked iostune to stop."""

    def __init__(self, number: int) -> None:
        super().__init__(f"stopped by signal {number}")
        self.number = number
