# SPDX-License-Identifier: GPL-2.0-only
"""What raid5-deadline has counted of each array, for metrics.py: labels and value, by counter."""

from __future__ import annotations

from .host import Host
from .raid_view import COUNTED, array_counters, parity_arrays

Samples = list[tuple[dict[str, str], float]]


def array_samples(host: Host) -> dict[str, Samples]:
    found: dict[str, Samples] = {name: [] for name in COUNTED}
    for array in parity_arrays(host):
        counters = array_counters(host, array.name)
        for name, value in counters.items():
            found[name].append(({"array": array.name}, float(value)))
    return found
