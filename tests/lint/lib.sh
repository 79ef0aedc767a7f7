# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Sourced by the stages. tests/lint/run runs a stage in the root of the repository. The stage prints what is
# wrong, and its exit status is the verdict. Its third line says what it checks.
set -euo pipefail

# tests/install-deps puts Python tools of exact versions there.
PATH=$PWD/build/cache/venv/bin:$PATH
export PYTHONDONTWRITEBYTECODE=1

# Without a list of files every stage would pass.
git ls-files --error-unmatch META >/dev/null || { echo "git cannot list the files of this checkout: see above"; exit 1; }

# need TOOL...: fail if a tool is missing, because nothing would be checked.
need() {
	local tool
	for tool; do
		command -v "$tool" >/dev/null || { echo "$tool is not installed: run make deps"; exit 1; }
	done
}

# sources [PATHSPEC...]: the files that git tracks or would take, one per line.
sources() {
	git ls-files --cached --others --exclude-standard --deduplicate -- "$@" |
		while read -r file; do [ ! -f "$file" ] || echo "$file"; done
}

# search GREP-OPTION... [-- PATHSPEC...]: grep through those files. No match is not an error.
search() { git grep --untracked -nI "$@" || [ $? -eq 1 ]; }

# scripts REGEX [PATHSPEC...]: those files whose first line is #! and matches REGEX.
scripts() {
	local regex=$1 file line
	shift
	sources "$@" | while read -r file; do
		IFS= read -r line <"$file" 2>/dev/null || continue
		[[ ! $line =~ ^#!.*$regex ]] || echo "$file"
	done
}

# python_files: modules and scripts.
python_files() { { sources '*.py'; scripts python; } | sort -u; }

# listed FILE: the lines of a configuration without comments and blank lines.
listed() { sed -e 's/[[:space:]]*#.*//' -e '/^[[:space:]]*$/d' "$1"; }

# fail_if_any TITLE: print the input below TITLE, and fail if there is any.
fail_if_any() {
	local found
	found=$(cat)
	[ -z "$found" ] || { printf '%s:\n%s\n' "$1" "$found"; return 1; }
}

# header_version: the newest kernel whose headers are installed.
header_version() {
	local newest
	newest=$(printf '%s\n' /lib/modules/*/build | sort -V | tail -n 1)
	newest=${newest#/lib/modules/}
	[ "$newest" != '*/build' ] || { echo "no kernel headers are installed: run make deps" >&2; return 1; }
	echo "${newest%/build}"
}

# built_module MODULE: build a module with W=1 and sparse, unless it was built from the same input before, and print
# its directory. make.log in it has the messages of the compiler and of sparse. A lock lets one stage build at a time.
built_module() {
	local module=$1 kver stage input dir lock
	kver=$(header_version)
	mkdir -p build/lint
	exec {lock}> "build/lint/$module.lock"
	flock "$lock"
	stage=build/lint/$module.new
	packaging/stage "$module" "$stage"
	input=$({ echo "$kver"; gcc --version; sparse --version; find "$stage" -type f -exec sha256sum {} + | sort; } |
		sha256sum | cut -c 1-16)
	dir=$PWD/build/lint/$module-$input
	if [ ! -d "$dir" ]; then
		rm -rf "build/lint/$module"-*
		# raid5-deadline reads the types of a kernel image. Only headers are installed here, so take recorded types.
		if ! make -C "/lib/modules/$kver/build" M="$PWD/$stage" W=1 C=2 CHECK=sparse \
			BTF_JSON="$PWD/tests/btf/6.1.json" \
			-j"$(nproc)" modules >"$stage.log" 2>&1; then
			cat "$stage.log" >&2
			return 1
		fi
		mv "$stage.log" "$stage/make.log"
		mv "$stage" "$dir"
	fi
	rm -rf "$stage"
	exec {lock}>&-
	echo "$dir"
}

# modules: the name of every module.
modules() { sources 'modules/*/Kbuild' | cut -d / -f 2; }

# cocci RULE FILE...: print what a coccinelle rule finds, one line each, and if spatch fails also its messages
# about the rule.
cocci() {
	local rule=$1 said
	shift
	said=$(mktemp)
	spatch -D report --no-show-diff --very-quiet --no-includes --cocci-file "$rule" "$@" 2>"$said" ||
		{ cat "$said"; echo "spatch failed on $rule"; }
	rm "$said"
}
