# SPDX-License-Identifier: GPL-2.0-only
"""How iostune ends early."""


class IostuneError(Exception):
    """What is wrong and what to do, in one line for the user."""


class NothingReadError(IostuneError):
    """In the time there was, no reader got anything."""


class StoppedBySignal(Exception):
    """A signal asked for the end."""

    def __init__(self, number: int) -> None:
        super().__init__(f"stopped by signal {number}")
        self.number = number
