# SPDX-License-Identifier: GPL-2.0-only
"""The console scan must find every kind of splat, and nothing in a clean boot."""

import unittest

from . import console

# As kernels 6.1 to 7.x print them.
SPLATS = (
    "BUG: kernel NULL pointer dereference, address: 0000000000000008",
    "BUG: sleeping function called from invalid context at mm/slab.h:300",
    "BUG: Bad page state in process reader  pfn:12345",
    "BUG: KASAN: slab-use-after-free in cell_find+0x12/0x40 [ctxra]",
    "BUG: KFENCE: out-of-bounds read in ctxra_steer+0x1f/0x90 [ctxra]",
    "UBSAN: array-index-out-of-bounds in stream.c:30:4",
    "kernel BUG at mm/readahead.c:300!",
    "------------[ cut here ]------------",
    "WARNING: CPU: 1 PID: 300 at kernel/trace/ftrace.c:2000 ftrace_bug+0x1f/0x90",
    "WARNING: possible circular locking dependency detected",
    "WARNING: suspicious RCU usage",
    "WARNING: inconsistent lock state",
    "Oops: 0000 [#1] PREEMPT SMP PTI",
    "Oops: general protection fault, probably for non-canonical address 0xdead000000000100: 0000 [#1]",
    "Call Trace:",
    "INFO: task nfsd:300 blocked for more than 120 seconds.",
    "khungtaskd: hung task: blocked tasks",
    "watchdog: BUG: soft lockup - CPU#1 stuck for 130s! [reader:300]",
    "rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:",
    "rcu: INFO: rcu_preempt self-detected stall on CPU",
    "refcount_t: underflow; use-after-free.",
    "list_del corruption. prev->next should be ffff888000000000, but was dead000000000122",
    "general protection fault, probably for non-canonical address 0xdead000000000100: 0000 [#1]",
    "unable to handle page fault for address: ffffffffc0200000",
    "Unable to handle kernel paging request at virtual address ffff800000000000",
    "invalid opcode: 0000 [#1] PREEMPT SMP",
    "Kernel panic - not syncing: Fatal exception",
)

CLEAN = """\
[    0.000000] Linux version 6.12.107+deb13-amd64 (debian-kernel@lists.debian.org)
[    0.000000] Command line: console=ttyS0 loglevel=8 panic=-1 oops=panic watchdog_thresh=60
[    0.100000] NMI watchdog: Perf NMI watchdog permanently disabled
[    0.200000] x86/mm: Checked W+X mappings: passed, no W+X pages found.
[    0.300000] evm: HMAC attrs: 0x1
[    5.150489] EXT4-fs (vda): mounted filesystem r/w without journal. Quota mode: none.
[    6.000000] ctxra: loading out-of-tree module taints kernel.
[    6.100000] ctxra: module verification failed: signature and/or required key missing - tainting kernel
[    7.000000] workqueue: drain_vmap_area_work hogged CPU for >10000us 4 times, consider switching to WQ_UNBOUND
[    9.541642] reboot: Restarting system
"""


class ConsoleScan(unittest.TestCase):
    def test_clean_console_passes(self) -> None:
        self.assertEqual(console.faults(CLEAN), [])

    def test_each_splat_fails(self) -> None:
        for splat in SPLATS:
            with self.subTest(splat=splat):
                line = f"[    8.000000] {splat}"
                self.assertEqual(console.faults(f"{CLEAN}{line}\n{CLEAN}"), [line])

    def test_splat_without_timestamp_fails(self) -> None:
        self.assertEqual(console.faults("BUG: unwell\r\n"), ["BUG: unwell"])


if __name__ == "__main__":
    unittest.main()
