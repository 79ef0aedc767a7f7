# SPDX-License-Identifier: GPL-2.0-only
"""Set the tunables for an arm, given their original values and the earlier decisions."""

from __future__ import annotations

from collections.abc import Mapping

from .journal import Journal
from .tunables import (
    AFTER_IOSCHED,
    BEFORE_IOSCHED,
    LOW_LATENCY,
    SCHEDULER,
    SLICE_IDLE,
    SLICE_IDLE_US,
    Tunables,
    belongs_to_scheduler,
    changes_with,
)


def target_state(original: Mapping[str, str], accepted: Mapping[str, str], arm: Mapping[str, str]) -> dict[str, str]:
    """Return all tunables for an arm, in the order of setting.

    They have their original values, except those that earlier stages have decided and those of the arm. Another
    scheduler than the original keeps the tunables that the kernel gives it, as it would for an administrator.
    """
    chosen = {**accepted, **arm}
    scheduler = original.get(SCHEDULER)
    is_found = chosen.get(SCHEDULER, scheduler) == scheduler
    state = {name: value for name, value in original.items() if is_found or not belongs_to_scheduler(name)}
    state.update(chosen)
    if SLICE_IDLE in chosen:
        state.pop(SLICE_IDLE_US, None)
    return {name: state[name] for name in sorted(state, key=setting_order)}


def changed_names(original: Mapping[str, str], accepted: Mapping[str, str]) -> set[str]:
    """Return the tunables whose decided value is not the original one, and those that the kernel changes with them."""
    changed = {name for name, value in accepted.items() if original.get(name) != value}
    found = changed | {name for name in original if any(changes_with(name, other) for other in changed)}
    if any(name.startswith("queue/iosched/") for name in changed):
        # A udev rule for a scheduler's own tunable must set that scheduler.
        found.add(SCHEDULER)
    return found


def recommended(original: Mapping[str, str], accepted: Mapping[str, str]) -> dict[str, str]:
    """Return the values to set, in order, for the state that was measured."""
    names = changed_names(original, accepted)
    return {name: value for name, value in target_state(original, accepted, {}).items() if name in names}


def previous_values(original: Mapping[str, str], accepted: Mapping[str, str]) -> dict[str, str]:
    """Return the original values of all that recommended() changes, in the order of setting them."""
    return {
        name: original.get(name, "not there") for name in sorted(changed_names(original, accepted), key=setting_order)
    }


def setting_order(name: str) -> tuple[int, str]:
    if name in BEFORE_IOSCHED:
        return BEFORE_IOSCHED.index(name), name
    if name in AFTER_IOSCHED:
        return len(BEFORE_IOSCHED) + 1 + AFTER_IOSCHED.index(name), name
    return len(BEFORE_IOSCHED), name


class Settings:
    """The settings of a disk, for one arm after another."""

    def __init__(self, tunables: Tunables, journal: Journal) -> None:
        self.tunables = tunables
        self.journal = journal
        self.accepted: dict[str, str] = {}
        self.in_force: tuple[tuple[str, str], ...] | None = None

    def apply(self, arm: tuple[tuple[str, str], ...]) -> None:
        """Set the disk for an arm. OSError: the kernel refuses a value."""
        key = (*self.accepted.items(), *arm)
        if key == self.in_force:
            return
        self.in_force = None
        state = target_state(self.journal.original, self.accepted, dict(arm))
        if self.must_recreate_scheduler(state):
            self.journal.put(SCHEDULER, "none")
        for name, value in state.items():
            if self.tunables.get(name) != value:
                self.journal.put(name, value)
        self.in_force = key

    def must_recreate_scheduler(self, state: Mapping[str, str]) -> bool:
        """Return whether other tunables of bfq's own change while bfq stays: it would keep state from the old ones.

        On 7.3, a bfq whose low_latency was set to 0 after a run read at 27 or 31 MB/s in two of five runs; a new one
        read at 50 MB/s in all five.
        """
        if self.tunables.get(SCHEDULER) != state.get(SCHEDULER):
            return False
        return any(name in state and self.tunables.get(name) != state[name] for name in (LOW_LATENCY, SLICE_IDLE))

    def accept(self, arm: tuple[tuple[str, str], ...]) -> None:
        """Keep the settings of an arm in all later ones."""
        self.accepted.update(arm)
