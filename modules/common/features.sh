#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# features.sh COMPILER FLAG...: print a header that says what the kernel being built for has.
#
# A kernel's version does not tell what it has, because distributions take changes from later kernels and keep the
# number. So each feature is tried by compiling a few lines. Kbuild runs this once per build, with the flags of the
# module's own files (features.mk).
set -u

# compiles HEADER CODE COMPILER FLAG...: whether the code compiles after the header.
compiles() {
	lines=$(printf '#include <%s>\n%s\n' "$1" "$2")
	shift 2
	# A warning is no answer, whatever the kernel's configuration makes of it. A missing function is, and an argument of
	# another type: before gcc 14 both are warnings.
	echo "$lines" | "$@" -Wno-error -Werror=implicit-function-declaration -Werror=int-conversion \
		-Werror=incompatible-pointer-types -fsyntax-only -x c - 2>/dev/null
}

# feature NAME HEADER CODE COMPILER FLAG...: print whether CODE compiles. A header that does not compile alone says
# nothing about the feature, so that ends the build.
feature() {
	name=$1 header=$2 code=$3
	shift 3
	compiles "$header" "" "$@" || {
		echo "features.sh: cannot compile <$header> of this kernel, so cannot tell whether it has $name: are its headers complete?" >&2
		exit 1
	}
	if compiles "$header" "$code" "$@"; then
		echo "#define SEQKEEP_HAVE_$name 1"
	else
		echo "#define SEQKEEP_HAVE_$name 0"
	fi
}

echo "/* SPDX-License-Identifier: GPL-2.0-only */"
echo "/* Made by common/features.sh: what this kernel has. */"

# 908a1d775422 ("hrtimers: Introduce hrtimer_setup() to replace hrtimer_init()"), v6.13; in RHEL 10.2's 6.12, too.
feature HRTIMER_SETUP linux/hrtimer.h \
	'void f(struct hrtimer *t) { hrtimer_setup(t, NULL, CLOCK_MONOTONIC, HRTIMER_MODE_REL); }' "$@"

# c4602f9fa77f ("mm/readahead: store folio order in struct file_ra_state"), v6.17.
feature RA_ORDER linux/fs.h \
	'unsigned int f(struct file_ra_state *ra) { return ra->order; }' "$@"

# ca115d7e7546 ("tree-wide: s/struct fileattr/struct file_kattr/g"), v6.17.
# linux/fileattr.h does not compile alone.
feature FILE_KATTR linux/fs.h \
	'#include <linux/fileattr.h>
	unsigned int f(const struct file_kattr *fa) { return fa->fsx_nextents; }' "$@"

# 913e99287b98 ("fs: drop the timespec64 argument from update_time"), v6.6.
feature UPDATE_TIME_GIVEN linux/fs.h \
	'int f(struct inode *i, struct timespec64 *now) { return i->i_op->update_time(i, now, 0); }' "$@"

# 269aed7014b3 ("fs: move file_start_write() into vfs_iter_write()"), v6.8, changes no declaration. 21b32e6a0ab5 ("fs:
# create {sb,file}_write_not_started() helpers") is of the same series, which has no use without it.
feature WRITE_NOT_STARTED linux/fs.h \
	'bool f(const struct file *file) { return file_write_not_started(file); }' "$@"

# 0ef86097f127 ("ftrace: rename ftrace_instruction_pointer_set() -> ftrace_regs_set_instruction_pointer()"), v6.2.
feature FTRACE_REGS_SET_IP linux/ftrace.h \
	'void f(struct ftrace_regs *fregs) { ftrace_regs_set_instruction_pointer(fregs, 0); }' "$@"

# 53fbef56e07d ("mm: introduce memdesc_flags_t"), v6.18.
feature MEMDESC_FLAGS linux/mm_types.h \
	'memdesc_flags_t f(const struct folio *folio) { return folio->flags; }' "$@"
