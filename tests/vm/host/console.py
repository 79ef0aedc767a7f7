# SPDX-License-Identifier: GPL-2.0-only
"""Search a guest's console for reports of kernel bugs."""

import re

FORBIDDEN = re.compile(
    r"""
      \bBUG: | \bkernel\ BUG\ at | \bWARNING: | \bOops\b | Kernel\ panic | Call\ Trace | \[\ cut\ here\ \]
    | hung\ task | blocked\ for\ more\ than | detected\ (expedited\ )?stalls? | self-detected\ stall
    | refcount_t | \b(KASAN|KFENCE|KCSAN|UBSAN)\b | (list_add|list_del)\ corruption
    | possible\ (circular|recursive|irq\ lock|deadlock) | inconsistent\ lock\ state | lock\ held\ when\ returning
    | lock\ freed! | suspicious\ RCU\ usage | bad\ unlock\ balance | invalid\ wait\ context
    | general\ protection | [Uu]nable\ to\ handle | \binvalid\ opcode\b | double\ fault | stack-protector
    """,
    re.VERBOSE,
)

# Harmless lines of stock kernels that match, each with the reason. Add only lines that a run has shown.
ALLOWED: tuple[tuple[str, str], ...] = ()


def faults(console: str) -> list[str]:
    """The lines of a console log for which a test fails."""
    return [
        line.strip()
        for line in console.splitlines()
        if FORBIDDEN.search(line) and not any(re.search(allowed, line) for allowed, _ in ALLOWED)
    ]
