# SPDX-License-Identifier: GPL-2.0-only
"""Does modules/common/features.sh tell what headers declare, whichever gcc asks, and end where they do not compile?"""

import re
import subprocess
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[1] / "modules/common/features.sh"
# As much of a kernel's headers as the script includes, of one that has none of the features.
HEADERS = {
    "hrtimer.h": "#define NULL ((void *)0)\nstruct hrtimer;\nenum { CLOCK_MONOTONIC, HRTIMER_MODE_REL };",
    "fs.h": "struct file_ra_state { int size; };\nstruct timespec64;\nstruct file;\ntypedef _Bool bool;\n"
    "struct inode;\nenum fs_update_time { FS_UPD_ATIME };\n"
    "struct inode_operations { int (*update_time)(UPDATE_TIME); };\n"
    "struct inode { const struct inode_operations *i_op; };",
    "fileattr.h": "struct fileattr;",
    "ftrace.h": "struct ftrace_regs;",
    "mm_types.h": "struct folio { unsigned long flags; };",
}
UPDATE_TIME = "struct inode *, int"


def run(
    headers: dict[str, str], update_time: str = UPDATE_TIME, compiler: tuple[str, ...] = ("gcc",)
) -> subprocess.CompletedProcess[str]:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "linux").mkdir()
        for name, text in headers.items():
            (Path(folder) / "linux" / name).write_text(text.replace("UPDATE_TIME", update_time) + "\n")
        # Without -Werror=implicit-function-declaration and the like, which a kernel's own flags may lack.
        return subprocess.run(
            ["sh", SCRIPT, *compiler, "-std=gnu11", "-I", folder], capture_output=True, text=True, check=False
        )


def found(headers: dict[str, str], update_time: str = UPDATE_TIME) -> dict[str, str]:
    return dict(re.findall(r"#define SEQKEEP_HAVE_(\w+) ([01])", run(headers, update_time).stdout))


class Features(unittest.TestCase):
    def test_none(self) -> None:
        self.assertEqual(set(found(HEADERS).values()), {"0"})

    def test_a_function_and_a_member(self) -> None:
        has = HEADERS | {
            "hrtimer.h": HEADERS["hrtimer.h"] + "\nvoid hrtimer_setup(struct hrtimer *, void *, int, int);",
            "mm_types.h": "typedef struct { int f; } memdesc_flags_t;\nstruct folio { memdesc_flags_t flags; };",
        }
        answers = found(has)
        self.assertEqual([name for name in answers if answers[name] == "1"], ["HRTIMER_SETUP", "MEMDESC_FLAGS"])

    def test_arguments_of_another_type(self) -> None:
        """update_time() took a time up to v6.5; from v7.0 on it takes three arguments again, of which none is one."""
        self.assertEqual(found(HEADERS, "struct inode *, struct timespec64 *, int")["UPDATE_TIME_GIVEN"], "1")
        for second in ("enum fs_update_time", "int", "struct file *"):
            with self.subTest(second):
                self.assertEqual(found(HEADERS, f"struct inode *, {second}, unsigned")["UPDATE_TIME_GIVEN"], "0")

    def test_headers_that_do_not_compile(self) -> None:
        result = run(HEADERS | {"ftrace.h": "#include <asm/ftrace.h>"})
        self.assertEqual(result.returncode, 1)
        self.assertIn("cannot compile <linux/ftrace.h>", result.stderr)

    def test_no_compiler(self) -> None:
        result = run(HEADERS, compiler=("no-such-compiler",))
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("no-such-compiler", result.stderr)

    def test_flags_that_hide_errors(self) -> None:
        """A limit on errors is lifted. What cannot be undone ends the build."""
        for flag in ("-Wfatal-errors", "-fmax-errors=1", "-fdiagnostics-color=always", "-w"):
            with self.subTest(flag):
                result = run(HEADERS, compiler=("gcc", flag))
                answers = set(re.findall(r"#define SEQKEEP_HAVE_\w+ ([01])", result.stdout))
                self.assertIn((result.returncode, answers), ((0, {"0"}), (1, set())))

    def test_flags_that_make_errors(self) -> None:
        """With this one each function here is an error, also of a feature that the headers have."""
        result = run(HEADERS, compiler=("gcc", "-Werror=missing-prototypes"))
        self.assertEqual((result.returncode, result.stdout), (1, ""))

    def test_an_error_outside_the_features(self) -> None:
        """A macro of a header that does not compile where a feature uses it."""
        result = run(HEADERS | {"hrtimer.h": HEADERS["hrtimer.h"].replace("((void *)0)", ")")})
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("cannot tell what this kernel has", result.stderr)


if __name__ == "__main__":
    unittest.main()
