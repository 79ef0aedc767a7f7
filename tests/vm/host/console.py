# SPDX-License-Identifier: GPL-2.0-only
"""Reading a guest's console for signs that its kernel is unwell."""

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

# Stock lines that match and mean no harm, each with the reason. Only what was seen goes in here.
ALLOWED: tuple[tuple[str, str], ...] = ()


def faults(console: str) -> list[str]:
    """The lines of a console log that fail a test."""
    return [
        line.strip()
        for line in console.splitlines()
        if FORBIDDEN.search(line) and not any(re.search(allowed, line) for allowed, _ in ALLOWED)
    ]
