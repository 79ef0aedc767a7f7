#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# features.sh COMPILER FLAG...: print a header that says what the kernel being built for has.
#
# A kernel's version does not tell what it has, because distributions take changes from later kernels and keep the
# number. So a function for each feature is compiled. Kbuild runs this once per build, with the flags of the module's
# own files (features.mk). All are compiled at once, because the headers take far longer than the functions.
set -u

# Each is compiled after those before it: linux/fileattr.h needs linux/fs.h.
headers="linux/hrtimer.h linux/mm_types.h linux/fs.h linux/fileattr.h linux/ftrace.h"

# The #line before a function makes its feature's name the file that the compiler's errors name.
functions() {
	cat <<-'END'
		/* 908a1d775422 ("hrtimers: Introduce hrtimer_setup() to replace hrtimer_init()"), v6.13; in RHEL 10.2's 6.12, too. */
		#line 1 "HRTIMER_SETUP"
		void try_hrtimer_setup(struct hrtimer *t) { hrtimer_setup(t, NULL, CLOCK_MONOTONIC, HRTIMER_MODE_REL); }

		/* c4602f9fa77f ("mm/readahead: store folio order in struct file_ra_state"), v6.17. */
		#line 1 "RA_ORDER"
		unsigned int try_ra_order(struct file_ra_state *ra) { return ra->order; }

		/* ca115d7e7546 ("tree-wide: s/struct fileattr/struct file_kattr/g"), v6.17. */
		#line 1 "FILE_KATTR"
		unsigned int try_file_kattr(const struct file_kattr *fa) { return fa->fsx_nextents; }

		/* 913e99287b98 ("fs: drop the timespec64 argument from update_time"), v6.6. */
		#line 1 "UPDATE_TIME_GIVEN"
		int try_update_time(struct inode *i, struct timespec64 *now) { return i->i_op->update_time(i, now, 0); }

		/*
		 * 269aed7014b3 ("fs: move file_start_write() into vfs_iter_write()"), v6.8, changes no declaration.
		 * 21b32e6a0ab5 ("fs: create {sb,file}_write_not_started() helpers") is of the same series, which has no
		 * use without it.
		 */
		#line 1 "WRITE_NOT_STARTED"
		bool try_write_not_started(const struct file *file) { return file_write_not_started(file); }

		/*
		 * 0ef86097f127 ("ftrace: rename ftrace_instruction_pointer_set() ->
		 * ftrace_regs_set_instruction_pointer()"), v6.2.
		 */
		#line 1 "FTRACE_REGS_SET_IP"
		void try_set_ip(struct ftrace_regs *fregs) { ftrace_regs_set_instruction_pointer(fregs, 0); }

		/* 53fbef56e07d ("mm: introduce memdesc_flags_t"), v6.18. */
		#line 1 "MEMDESC_FLAGS"
		memdesc_flags_t try_memdesc_flags(const struct folio *folio) { return folio->flags; }

		/* Two whose answers are known, the last of all that the compiler comes to. */
		#line 1 "EVERY_KERNEL"
		void try_every_kernel(void) { }
		#line 1 "NO_KERNEL"
		void try_no_kernel(void) { seqkeep_no_such_function(); }
	END
}

# includes HEADER...: print the lines that include them.
includes() {
	printf '#include <%s>\n' "$@"
}

# compile COMPILER FLAG...: compile what is on the input. Prints what the compiler says.
compile() {
	# A warning is no answer, whatever the kernel's configuration makes of it. A missing function is, and an argument of
	# another type: before gcc 14 both are warnings. Each error counts, and is read below.
	LC_ALL=C "$@" -Wno-error -Werror=implicit-function-declaration -Werror=int-conversion \
		-Werror=incompatible-pointer-types -Wno-fatal-errors -fmax-errors=0 -fdiagnostics-color=never \
		-fsyntax-only -x c - 2>&1
}

# cannot_tell COMPILER FLAG...: end, because what does not compile says nothing about a feature; name the first such header.
cannot_tell() {
	before=
	for header in $headers; do
		# shellcheck disable=SC2086 # words
		if ! includes $before "$header" | compile "$@" >/dev/null; then
			echo "features.sh: cannot compile <$header> of this kernel, so cannot tell what it has: are its headers complete?" >&2
			exit 1
		fi
		before="$before $header"
	done
	echo "features.sh: cannot read what the compiler says, so cannot tell what this kernel has: do KCFLAGS hide its errors?" >&2
	exit 1
}

# without NAME: whether the name's function has an error.
without() {
	printf '%s\n' "$output" | grep -q "^$1:.*error: "
}

names=$(functions | sed -n 's/^#line 1 "\(.*\)"$/\1/p')
# shellcheck disable=SC2086 # words
output=$({ includes $headers && functions; } | compile "$@")
# shellcheck disable=SC2086 # words
others=$(printf '%s\n' "$output" | grep -v -E "^($(echo $names | tr ' ' '|')):")
if without EVERY_KERNEL || ! without NO_KERNEL || printf '%s\n' "$others" | grep -q 'error: '; then
	printf '%s\n' "$others" >&2
	cannot_tell "$@"
fi

echo "/* SPDX-License-Identifier: GPL-2.0-only */"
echo "/* Made by common/features.sh: what this kernel has. */"
for name in $names; do
	case $name in *_KERNEL) continue ;; esac
	without "$name"
	echo "#define SEQKEEP_HAVE_$name $?"
done
