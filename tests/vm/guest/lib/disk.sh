# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# Part of guest/lib.sh: disks in memory, and what is read from them.

# Make a disk in memory, and print its name (nullb0 and so on).
# make_null_blk SIZE_MB [completion_nsec] [max_sectors]
# Every request takes completion_nsec (default 0), so a test knows what a request costs. SECTOR is its sector size (512),
# CACHE_MB the volatile cache that it has for writes (none).
# Memory is used for what is written only: be generous with the size.
make_null_blk() {
	local name dir
	modprobe null_blk nr_devices=0 || fail "no null_blk"
	name=nullb$(find /sys/kernel/config/nullb -mindepth 1 -maxdepth 1 -type d | wc -l)
	dir=/sys/kernel/config/nullb/$name
	mkdir "$dir" || fail "cannot make $name"
	echo "$1" > "$dir/size"
	echo 1 > "$dir/memory_backed"
	echo "${SECTOR:-512}" > "$dir/blocksize"
	echo "${CACHE_MB:-0}" > "$dir/cache_size"
	echo 2 > "$dir/irqmode"
	echo "${2:-0}" > "$dir/completion_nsec"
	if [ -n "${3:-}" ]; then
		echo "$3" > "$dir/max_sectors"
	fi
	echo 1 > "$dir/power" || fail "cannot start $name"
	if [ -n "${3:-}" ]; then
		echo $(($3 / 2)) > "/sys/block/$name/queue/max_sectors_kb"
	fi
	echo "$name"
}

# What a request is to cost, ns, for it to be the disk that readers wait for: ten times as much where the CPU is slow.
# disk_bound_ns NS
disk_bound_ns() {
	if has_kasan; then echo "${1}0"; else echo "$1"; fi
}

# Counts of a disk's read requests, and of the 512-byte sectors they read. disk_reads nullb0
disk_reads() {
	awk '{ print $1 }' "/sys/block/${1#/dev/}/stat"
}

disk_read_sectors() {
	awk '{ print $3 }' "/sys/block/${1#/dev/}/stat"
}

# Run a command, and set what it had a disk read: $ios requests, $sectors, and $kib in the average request. Not to be followed
# by ||, nor in a condition: there bash lets a command fail. count_reads nullb0 COMMAND...
count_reads() {
	local disk=$1
	shift
	ios=$(disk_reads "$disk")
	sectors=$(disk_read_sectors "$disk")
	"$@"
	ios=$(($(disk_reads "$disk") - ios))
	sectors=$(($(disk_read_sectors "$disk") - sectors))
	kib=$((ios ? sectors / 2 / ios : 0))
}
