# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# Part of guest/lib.sh: ctxra's own.

# A disk of 2 ms an I/O, or NS, with a checked file of SIZE_MB on it, read through /mnt/test/file, 128 KiB of readahead.
# slow_file FS SIZE_MB [NS]: sets $disk
slow_file() {
	disk=$(make_null_blk $(($2 * 2 + 320)) "${3:-2000000}" 8192)
	make_fs "$1" "$disk" /mnt/test
	reader make /mnt/test/file "$2"
	echo 128 > "/sys/block/$disk/queue/read_ahead_kb"
}

# Empty the page cache, but for the metadata of some files, whose reads would be counted too. cool FILE...
cool() {
	local file
	drop_caches
	for file; do
		dd "if=$file" of=/dev/null bs=4096 count=1 iflag=direct status=none
	done
}

# Run a command without ctxra and with it in turn, ROUNDS times each, with nothing of some files cached, and print what
# the disk needed. Set $stock and $with to the least I/Os of each, $stock_sectors and $with_sectors to the least
# sectors: what else reads the disk, or happens to a run, only adds to them.
# compare_reads ROUNDS nullb0 FILE... -- COMMAND...
compare_reads() {
	local rounds=$1 disk=$2 round files=() stock_log="" with_log="" ios sectors kib
	shift 2
	while [ "$1" != -- ]; do
		files+=("$1")
		shift
	done
	shift
	stock=$((1 << 60)) with=$((1 << 60)) stock_sectors=$((1 << 60)) with_sectors=$((1 << 60))
	for ((round = 0; round < rounds; round++)); do
		set_param ctxra enable 0
		cool "${files[@]}"
		count_reads "$disk" "$@"
		stock=$((stock < ios ? stock : ios))
		stock_sectors=$((stock_sectors < sectors ? stock_sectors : sectors))
		stock_log+=" $ios of $kib KiB"
		set_param ctxra enable 1
		cool "${files[@]}"
		count_reads "$disk" "$@"
		with=$((with < ios ? with : ios))
		with_sectors=$((with_sectors < sectors ? with_sectors : sectors))
		with_log+=" $ios of $kib KiB"
	done
	[ "$stock" -gt 0 ] || fail "$*: nothing was read from the disk"
	echo "    stock:$stock_log; ctxra:$with_log; sectors $stock_sectors, $with_sectors"
}

# Read the file of slow_file with nothing of it cached, every byte checked; print the disk's I/Os. read_ios ARGS...
read_ios() {
	local before
	cool /mnt/test/file
	before=$(disk_reads "$disk")
	reader read /mnt/test/file verify=full "$@" > /run/reader.out || fail "reader $*: $(cat /run/reader.out)"
	echo $(($(disk_reads "$disk") - before))
}
