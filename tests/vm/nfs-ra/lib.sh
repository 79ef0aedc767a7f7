# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# Shared by the tests of nfs-ra: an export with READs of up to 1 MiB, and the table of mounts.

TABLE=/sys/kernel/debug/nfs_ra/mounts

# Load the module. load_nfs_ra [PARAMETER=VALUE...]
load_nfs_ra() {
	modprobe nfs-ra "$@" || fail "not loaded: $(dmesg | tail -n 3)"
}

# Export /srv/data with a file of SIZE_MB in it. max_block_size is set because a server with little memory offers smaller
# READs. serve_file SIZE_MB
serve_file() {
	make_fs ext4 "$(make_null_blk 256)" /srv/data
	make_random_file /srv/data/file "$1"
	modprobe nfsd || fail "no nfsd"
	mount -t nfsd nfsd /proc/fs/nfsd
	echo 1048576 > /proc/fs/nfsd/max_block_size
	nfs_export /srv/data 4
}

# Assert that the table has N mounts, within 10 s, because an unmount may still wait for the server. assert_mounts N
assert_mounts() {
	local tries
	for ((tries = 0; tries < 100; tries++)); do
		[ $(($(wc -l < $TABLE) - 1)) -ne "$1" ] || return 0
		sleep 0.1
	done
	cat $TABLE
	fail "mounts in the table: $(($(wc -l < $TABLE) - 1)), expected $1"
}

# Print the columns rsize, before_kb, set_kb, now_kb and set_by of a mount in the table; nothing if it has no line.
# table_row MOUNTPOINT
table_row() {
	awk -v bdi="$(mountpoint -d "$1")" '$1 == bdi { print $2, $3, $4, $5, $6 }' $TABLE
}

# Assert that a mount has these columns in the table, and this readahead. assert_row MOUNTPOINT RSIZE BEFORE SET NOW BY
assert_row() {
	echo "$1: $(table_row "$1")"
	assert_equal "$1: rsize, before, set, now, by" "$(table_row "$1")" "${*:2}"
	assert_equal "$1: readahead" "$(nfs_readahead_kb "$1")" "$5"
}

# Print how many READs the client has sent for a mount so far. client_reads MOUNTPOINT
client_reads() {
	awk -v mount="$1" '$1 == "device" { mine = $5 == mount } mine && $1 == "READ:" { print $2 }' /proc/self/mountstats
}

# Print how many KiB these READs returned. client_read_kb MOUNTPOINT
client_read_kb() {
	awk -v mount="$1" '$1 == "device" { mine = $5 == mount } mine && $1 == "bytes:" { print int($6 / 1024) }' \
		/proc/self/mountstats
}

# Read MOUNTPOINT/file once, with nothing cached, and print how many READs that took. 64 KiB at a time, because a read(2) of
# more than the readahead is fetched in READs of up to rsize. An automount may be mounted by it. count_reads MOUNTPOINT
count_reads() {
	local before
	echo 3 > /proc/sys/vm/drop_caches
	before=$(client_reads "$1")
	dd "if=$1/file" bs=64K status=none | cmp - /srv/data/file || fail "$1/file has other bytes"
	echo $(($(client_reads "$1") - ${before:-0}))
}

# Whether a mount has this readahead. has_readahead MOUNTPOINT KB
has_readahead() { [ "$(nfs_readahead_kb "$1")" -eq "$2" ]; }
