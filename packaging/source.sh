# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# debian/build, rpm/build, rpm/build-kmod and ppa source this file: it makes the tree for the source packages of all.
# The caller's working directory is the root of the repository.

# shellcheck disable=SC2034 # for the caller
name=$(packaging/meta Name)
# shellcheck disable=SC2034
version=$(packaging/meta Version)

# make_tree DEST PATH...: copy the files of a source package and of each PATH to DEST: those that git tracks or would
# track, and the META in force. Sets and exports SOURCE_DATE_EPOCH: the last commit to these paths dates the package and
# each of its files, so that the same input makes the same bytes.
make_tree() {
	tree=$1
	shift
	set -- META COPYING modules tools docs/man docs/NEWS.md packaging/meta packaging/stage packaging/completions "$@"
	SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct -- "$@")}
	export SOURCE_DATE_EPOCH
	mkdir -p "$tree"
	git ls-files -z --cached --others --exclude-standard -- "$@" | xargs -0 cp --parents -p -t "$tree"
	[ -z "${SEQKEEP_META:-}" ] || cp "$SEQKEEP_META" "$tree/META"
	unset SEQKEEP_META
}

# date_tree DIR: set the time of every file of DIR to the package's date.
date_tree() {
	find "$1" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
}

# pack_tree WORK: pack the tree WORK/NAME-VERSION as WORK/NAME-VERSION.tar.gz. The same tree makes the same bytes.
pack_tree() {
	tar -C "$1" --sort=name --owner=0 --group=0 --numeric-owner -cf - "$name-$version" |
		gzip -n9 >"$1/$name-$version.tar.gz"
}

# hash_tree DIR: print a hash of the names, modes and contents of all files.
hash_tree() {
	(cd "$1" && find . -type f -printf '%m %p\n' -exec sha256sum {} + | LC_ALL=C sort | sha256sum)
}
