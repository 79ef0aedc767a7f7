# SPDX-License-Identifier: GPL-2.0-only
"""What `seqkeep advise` knows of a machine: its parts, and what they did over a time."""

from __future__ import annotations

from dataclasses import dataclass, field

from .advice import Remedy
from .arrays import Array, arrays
from .host import Host
from .modules import State, read_states
from .nfs import NfsMount, exported_directories, nfs_mounts, server_threads
from .sample import Numbers, Sample
from .storage import Mount, mount_of
from .targets import Backstore, backstores


@dataclass
class Machine:
    host: Host
    # The counts over the time of --watch, or since boot.
    sample: Sample
    # Of --watch; None: since boot.
    seconds: float | None
    states: list[State] = field(default_factory=list)
    threads: int = 0
    # Exported directories, and the mount that each is on.
    exports: dict[str, Mount | None] = field(default_factory=dict)
    mounts: list[NfsMount] = field(default_factory=list)
    arrays: list[Array] = field(default_factory=list)
    backstores: list[Backstore] = field(default_factory=list)

    def state(self, name: str) -> State:
        return next(state for state in self.states if state.module.name == name)

    def is_enabled(self, name: str) -> bool:
        return self.state(name).enabled

    def is_observing(self, name: str) -> bool:
        """Return whether a module counts what it would do, and does nothing."""
        return self.state(name).observing

    def disk(self, name: str) -> Numbers:
        return self.sample.disks.get(name, {})

    def patterns(self, disk: str) -> Numbers:
        """Return what ra-trace counted on a disk and its partitions, by PATTERN.COLUMN."""
        total: Numbers = {}
        for file in ("", *(name for name in self.host.names(f"/sys/block/{disk}") if name.startswith(disk))):
            device = self.host.text(f"/sys/block/{disk}/{file}/dev" if file else f"/sys/block/{disk}/dev")
            for name, value in self.sample.patterns.get(device or "", {}).items():
                total[name] = total.get(name, 0) + value
        return total

    def would(self, name: str) -> Numbers:
        """Return the counters would_* of a module that observes."""
        counters = self.sample.counters.get(name, {})
        return {counter: value for counter, value in counters.items() if counter.startswith("would_")}

    def over(self) -> str:
        """Return the time that the counts are of, as it ends a sentence."""
        return "since boot" if self.seconds is None else f"over {self.seconds:.0f} s"


def see(host: Host, sample: Sample, seconds: float | None) -> Machine:
    return Machine(
        host,
        sample,
        seconds,
        states=read_states(host),
        threads=server_threads(host),
        exports={path: mount_of(host, path) for path in exported_directories(host)},
        mounts=nfs_mounts(host),
        arrays=arrays(host),
        backstores=backstores(host),
    )


def install_command(machine: Machine, module: str) -> list[Remedy]:
    """Return how to install a module that is not."""
    state = machine.state(module)
    if state.installed or state.file or state.loaded:
        return []
    installer = "dnf" if machine.host.exists("/usr/bin/dnf") else "apt"
    return [Remedy(f"{installer} install {module}-dkms", "from where you got seqkeep-tools; it is off until enabled")]


def trial(machine: Machine, module: str) -> list[Remedy]:
    """Return how to find out on the live load whether a module helps."""
    compare = Remedy(f"seqkeep try {module}", "compares the load with and without it, and leaves it as it was")
    return [*install_command(machine, module), compare]
