# SPDX-License-Identifier: GPL-2.0-only
"""Whether ra-trace would help. It changes nothing, so the question is only what it would tell."""

from __future__ import annotations

from .advice import HELPS, HELPS_NOT, UNCERTAIN, Advice, Reason, Remedy
from .machine import Machine, install_command


def advise(machine: Machine, others: list[Advice]) -> Advice:
    open_ = [advice.module for advice in others if advice.verdict == UNCERTAIN and advice.module == "ctxra"]
    if machine.is_enabled("ra-trace"):
        why = "It is enabled, and the figures above are also from its tables. rastat(8) shows them."
        reason = Reason(HELPS if open_ else HELPS_NOT, why)
    elif open_:
        reason = Reason(
            HELPS, "It changes nothing, and its counts by pattern would answer what is open above for ctxra."
        )
    else:
        reason = Reason(HELPS_NOT, "It changes nothing, and no question above needs its counts.")
    enable = Remedy("seqkeep enable --now ra-trace", "then run advise again")
    then = [] if machine.is_enabled("ra-trace") else [*install_command(machine, "ra-trace"), enable]
    return Advice("ra-trace", [reason], then)
