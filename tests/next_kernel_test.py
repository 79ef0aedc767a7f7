# SPDX-License-Identifier: GPL-2.0-only
"""Does next_kernel.py name what broke, and by whom it is used, from the lines that gcc, modpost and we print?"""

import tempfile
import unittest
from pathlib import Path

import next_kernel

# As gcc 14 and modpost printed them, on headers of 6.18 whose version said 6.12, and on an older kernel.
LOG = """
error: implicit declaration of function \u2018hrtimer_init\u2019; did you mean \u2018hrtimers_init\u2019?
common/compat/hrtimer.h:26:9: error: implicit declaration of function 'hrtimer_init'; did you mean 'hrtimers_init'?
hooks.c:77:20: error: \u2018struct file_ra_state\u2019 has no member named \u2018order\u2019
hooks.c:9:9: error: conflicting types for \u2018page_cache_async_ra\u2019; have \u2018void(int)\u2019
stream.c:3:1: error: too many arguments to function \u2018filemap_get_folio\u2019; expected 2, have 3
ERROR: modpost: "kallsyms_gone" [/tmp/ctxra/ctxra.ko] undefined!
features.sh: cannot compile <linux/fs.h> of this kernel, so cannot tell what it has: are its headers complete?
[   12.3] ra_trace: cannot hook page_cache_sync_ra(): not in this kernel (-2); enable it elsewhere
make: *** [Makefile:1: all] Error 2
"""


class Faults(unittest.TestCase):
    def test_each_once_in_order(self) -> None:
        self.assertEqual(
            next_kernel.faults(LOG),
            [
                ("hrtimer_init", "is not declared"),
                ("order", "is not a member any more"),
                ("page_cache_async_ra", "has another type"),
                ("filemap_get_folio", "takes other arguments"),
                ("kallsyms_gone", "is not exported"),
                ("linux/fs.h", "does not compile"),
                ("page_cache_sync_ra", "cannot be hooked"),
            ],
        )

    def test_a_good_log(self) -> None:
        self.assertEqual(next_kernel.faults("  CC [M] hooks.o\n  LD [M] ctxra.ko\n"), [])


class Sources(unittest.TestCase):
    def test_hooks_come_first(self) -> None:
        used = next_kernel.users("page_cache_async_ra")
        self.assertIn("the hook of ctxra", used)
        self.assertIn("the hook of nfs-ra", used)
        self.assertTrue(used[0].startswith("the hook of "))

    def test_the_hook_macro_of_ra_trace(self) -> None:
        self.assertIn("the hook of ra-trace", next_kernel.users("page_cache_sync_ra"))

    def test_commit_from_our_comment(self) -> None:
        self.assertTrue(any(text.startswith("908a1d775422") for text in next_kernel.commits("hrtimer_init")))
        self.assertEqual(next_kernel.commits("no_such_name"), [])


class Explain(unittest.TestCase):
    def test_versions_of_the_sources(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            trees = {series: Path(folder) / series for series in ("6.1", "7.4")}
            for tree in trees.values():
                for name in ("include", "mm", "fs/nfsd", "drivers/md"):
                    (tree / name).mkdir(parents=True)
            (trees["6.1"] / "include" / "hrtimer.h").write_text("void hrtimer_init(void);\n")
            (line,) = next_kernel.explain("error: implicit declaration of function 'hrtimer_init'", trees)
        self.assertIn("hrtimer_init is not declared", line)
        self.assertIn("modules/common/compat/hrtimer.h", line)
        self.assertIn("908a1d775422", line)
        self.assertIn("in 6.1; not in 7.4", line)


class Range(unittest.TestCase):
    META = "Kernel-Oldest: 6.1\nKernel-Newest: 7.3\nModules: ctxra\n"

    def test_within(self) -> None:
        for kernel in ("7.3~rc7-1~exp1", "7.3-amd64", "7.2.13-1", "6.12.1-1"):
            self.assertIsNone(next_kernel.widened_meta(self.META, kernel), kernel)

    def test_beyond(self) -> None:
        for kernel, newest in (("7.4~rc2-1~exp1", "7.4"), ("7.10-amd64", "7.10"), ("8.0.1-1", "8.0")):
            self.assertIn(f"Kernel-Newest: {newest}\n", next_kernel.widened_meta(self.META, kernel) or "")

    def test_no_version(self) -> None:
        with self.assertRaises(ValueError):
            next_kernel.widened_meta(self.META, "unknown")


if __name__ == "__main__":
    unittest.main()
