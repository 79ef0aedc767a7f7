# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Sourced by the stages. A stage is run from the root of the repository; what it prints is what is
# wrong, and its status is the verdict. Its second comment line says what it checks.
set -euo pipefail

# Where Python tools of exact versions are; see tests/install-deps.
PATH=$PWD/build/cache/venv/bin:$PATH
export PYTHONDONTWRITEBYTECODE=1

# Without a list of files every stage would pass.
git ls-files --error-unmatch META >/dev/null || { echo "git cannot list the files of this checkout: see above"; exit 1; }

# need TOOL...: a tool that is missing is a failure: what was not checked did not pass.
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

# search GREP-OPTION... [-- PATHSPEC...]: grep through them; finding nothing is no error.
search() { git grep --untracked -nI "$@" || [ $? -eq 1 ]; }

# scripts REGEX [PATHSPEC...]: those of them whose first line is #! and matches REGEX.
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

# fail_if_any TITLE: print what comes in, and fail if there is any.
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

# built_module MODULE: build a module with W=1 and sparse, unless that was done with this very input,
# and print its directory. The compiler's and sparse's words are in make.log there. Stages that run at the same time
# wait for each other here.
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
		# Types for a module that wants those of a kernel's own: here there are only headers.
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

# cocci RULE FILE...: what a coccinelle rule finds, one line each. What spatch says of the rule
# itself is shown only if it fails.
cocci() {
	local rule=$1 said
	shift
	said=$(mktemp)
	spatch -D report --no-show-diff --very-quiet --no-includes --cocci-file "$rule" "$@" 2>"$said" ||
		{ cat "$said"; echo "spatch failed on $rule"; }
	rm "$said"
}
