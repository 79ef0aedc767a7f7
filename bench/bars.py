# SPDX-License-Identifier: GPL-2.0-only
"""Print ctxra's figures, and whether they reach the goals of the project."""

from collections.abc import Callable
from typing import Any

Json = dict[str, Any]

# The goals of the project's first milestone. Other cases have none.
Bar = tuple[str, Callable[[Json, Json], bool]]


def most_ios(limit: int) -> Bar:
    return f"at most {limit} I/Os", lambda stock, ctxra: ctxra["ios"]["median"] <= limit


def least_kib(limit: int) -> Bar:
    return f"at least {limit} KiB", lambda stock, ctxra: ctxra["kib"]["median"] >= limit


def least_mb_s(limit: int) -> Bar:
    return f"at least {limit} MB/s", lambda stock, ctxra: ctxra["mb_s"]["median"] >= limit


def within(key: str, name: str, percent: int) -> Bar:
    def check(stock: Json, ctxra: Json) -> bool:
        return bool(abs(ctxra[key]["median"] / stock[key]["median"] - 1) <= percent / 100)

    return f"same {name} ({percent} %)", check


BARS: dict[str, list[Bar]] = {
    "in-order-128K": [within("ios", "I/Os", 1), within("mb_s", "speed", 2)],
    "in-order-1M": [within("ios", "I/Os", 1), within("mb_s", "speed", 2)],
    "turn-4": [most_ios(530)],
    "free-4": [most_ios(540)],
    "swap-4": [most_ios(530), least_mb_s(45)],
    "shuffle-8": [most_ios(600)],
    "streams-2": [most_ios(540)],
    "nfs-16": [least_kib(110)],
    "random-4K": [within("sectors", "sectors", 1)],
}


def print_table(found: Json) -> None:
    """Print one suite's medians, the range of ctxra's runs, the ratio of throughputs, and whether goals are reached."""
    print(f"\nLinux {found['kernel']}, stock -> ctxra, medians of {found['results'][0]['rounds']}, [min..max] of ctxra")
    print(f"{'case':14} {'I/Os':>23} {'KiB per I/O':>16} {'MB/s':>30} {'ratio':>6}")
    for result in found["results"]:
        stock, ctxra = result["stock"], result["ctxra"]
        name = result["case"]["name"]
        ios, kib, speed = ctxra["ios"], ctxra["kib"], ctxra["mb_s"]
        verdicts = [f"{text}: {'yes' if check(stock, ctxra) else 'NO'}" for text, check in BARS.get(name, [])]
        print(
            f"{name:14} {stock['ios']['median']:5.0f} -> {ios['median']:5.0f} [{ios['min']:.0f}..{ios['max']:.0f}]"
            f" {stock['kib']['median']:7.1f} -> {kib['median']:5.1f}"
            f" {stock['mb_s']['median']:7.1f} -> {speed['median']:5.1f} [{speed['min']:.1f}..{speed['max']:.1f}]"
            f" {speed['median'] / stock['mb_s']['median']:6.2f}  {'; '.join(verdicts)}"
        )
    print(flush=True)
