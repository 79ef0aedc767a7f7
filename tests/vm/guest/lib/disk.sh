# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# Part of guest/lib.sh: disks in memory, and the requests they get.

# Make a disk in memory, and print its name, for instance nullb0.
# make_null_blk SIZE_MB [completion_nsec] [max_sectors]
# Every request takes completion_nsec (default 0), so a test knows its cost. $SECTOR is the sector size in bytes (512),
# $CACHE_MB the size of the volatile write cache (none).
# Only written blocks use memory, so be generous with the size.
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

# Print the cost of a request, in ns, with which readers wait for the disk and not for the CPU: ten times NS with KASAN.
# disk_bound_ns NS
disk_bound_ns() {
	if has_kasan; then echo "${1}0"; else echo "$1"; fi
}

# Print how many read requests a disk has completed. disk_reads nullb0
disk_reads() {
	awk '{ print $1 }' "/sys/block/${1#/dev/}/stat"
}

# Print how many sectors of 512 bytes these requests read. disk_read_sectors nullb0
disk_read_sectors() {
	awk '{ print $3 }' "/sys/block/${1#/dev/}/stat"
}

# Run a command, and set what the disk read meanwhile: $ios requests, $sectors of 512 bytes, and $kib, the KiB of the average
# request. Never call it before || or in a condition, because bash ignores a failing command there.
# count_reads nullb0 COMMAND...
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
