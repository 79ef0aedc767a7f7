# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# What the tests of nfs-ra share: an export with READs of up to 1 MiB, and the table of mounts.

TABLE=/sys/kernel/debug/nfs_ra/mounts

# Load the module. load [PARAMETER=VALUE...]
load() {
	modprobe nfs-ra "$@" || fail "not loaded: $(dmesg | tail -n 3)"
}

# Export /srv/data, with a file of SIZE_MB in it; a server with little memory would offer smaller READs. serve SIZE_MB
serve() {
	make_fs ext4 "$(make_null_blk 256)" /srv/data
	random_file /srv/data/file "$1"
	modprobe nfsd || fail "no nfsd"
	mount -t nfsd nfsd /proc/fs/nfsd
	echo 1048576 > /proc/fs/nfsd/max_block_size
	nfs_export /srv/data 4
}

# The table has that many mounts: soon, as what is unmounted may still wait for an answer of the server. assert_mounts N
assert_mounts() {
	local tries
	for ((tries = 0; tries < 100; tries++)); do
		[ $(($(wc -l < $TABLE) - 1)) -ne "$1" ] || return 0
		sleep 0.1
	done
	cat $TABLE
	fail "mounts in the table: $(($(wc -l < $TABLE) - 1)), expected $1"
}

# The line of a mount in the table, but for the bdi and the server, or nothing: rsize before set now set_by.
# row MOUNTPOINT
row() {
	awk -v bdi="$(mountpoint -d "$1")" '$1 == bdi { print $2, $3, $4, $5, $6 }' $TABLE
}

# A mount is in the table as a line says, and reads ahead so: assert_row MOUNTPOINT RSIZE BEFORE SET NOW BY
assert_row() {
	echo "$1: $(row "$1")"
	assert_equal "$1: rsize, before, set, now, by" "$(row "$1")" "${*:2}"
	assert_equal "$1: readahead" "$(nfs_readahead_kb "$1")" "$5"
}

# READs that the client has sent so far. client_reads MOUNTPOINT
client_reads() {
	awk -v mount="$1" '$1 == "device" { mine = $5 == mount } mine && $1 == "READ:" { print $2 }' /proc/self/mountstats
}

# KiB that they brought. client_read_kb MOUNTPOINT
client_read_kb() {
	awk -v mount="$1" '$1 == "device" { mine = $5 == mount } mine && $1 == "bytes:" { print int($6 / 1024) }' \
		/proc/self/mountstats
}

# READs that it takes to read MOUNTPOINT/file once, with nothing of it cached, 64 KiB at a time: who asks for more than
# the readahead gets up to an rsize at once by asking. It may be the reading that has it mounted. reads MOUNTPOINT
reads() {
	local before
	echo 3 > /proc/sys/vm/drop_caches
	before=$(client_reads "$1")
	dd "if=$1/file" bs=64K status=none | cmp - /srv/data/file || fail "$1/file has other bytes"
	echo $(($(client_reads "$1") - ${before:-0}))
}

# A mount reads ahead so far: reads_ahead MOUNTPOINT KB
reads_ahead() { [ "$(nfs_readahead_kb "$1")" -eq "$2" ]; }
