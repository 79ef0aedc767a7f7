# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# Part of guest/lib.sh: a file on a slow disk, and the disk's reads of it.

# Make a disk that takes 2 ms per I/O, or NS, with 128 KiB of readahead, and a checked file of SIZE_MB on it,
# /mnt/test/file. Sets $disk. make_slow_file FS SIZE_MB [NS]
make_slow_file() {
	disk=$(make_null_blk $(($2 * 2 + 320)) "${3:-2000000}" 8192)
	make_fs "$1" "$disk" /mnt/test
	reader make /mnt/test/file "$2"
	echo 128 > "/sys/block/$disk/queue/read_ahead_kb"
}

# Empty the page cache but for the metadata of some files, because reads of metadata would be counted too.
# drop_data_pages FILE...
drop_data_pages() {
	local file
	drop_caches
	for file; do
		dd "if=$file" of=/dev/null bs=4096 count=1 iflag=direct status=none
	done
}

# Read the file of make_slow_file with none of it cached, check every byte, and print the disk's I/Os. read_ios ARGS...
read_ios() {
	local before
	drop_data_pages /mnt/test/file
	before=$(disk_reads "$disk")
	reader read /mnt/test/file verify=full "$@" > /run/reader.out || fail "reader $*: $(cat /run/reader.out)"
	echo $(($(disk_reads "$disk") - before))
}
