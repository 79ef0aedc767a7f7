# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# What the tests of raid5-deadline share: arrays of disks in memory, and whether they are sound.

# Load the module, enabled unless told otherwise. load [PARAMETER=VALUE...]
load() {
	modprobe raid5-deadline enable=1 "$@" || fail "not loaded: $(dmesg | tail -n 3)"
}

# Make /dev/md0 of disks in memory, parity computed, and set disks to their names.
# make_array LEVEL DISKS CHUNK_KB [DISK_MB] [COST_NS] [MDADM_OPTION...]; SECTOR is their sector size (512).
make_array() {
	local i level=$1 nr=$2 chunk=$3 mb=${4:-64} cost=${5:-0}
	disks=()
	modprobe raid456
	for ((i = 0; i < nr; i++)); do disks+=("$(make_null_blk "$mb" "$cost")"); done
	# The disks are full of zeroes, for which all parity is right.
	mdadm --create /dev/md0 --run --assume-clean --level="$level" --raid-devices="$nr" --chunk="$chunk" \
		"${@:6}" "${disks[@]/#//dev/}" > /run/mdadm.out 2>&1 || fail "mdadm --create: $(cat /run/mdadm.out)"
}

# Sectors that the array's disks have read.
pre_read() {
	local disk sum=0
	for disk in "${disks[@]}"; do sum=$((sum + $(disk_read_sectors "$disk"))); done
	echo $sum
}

# Direct writes to the array, all as fio is told. writes ARGS...
writes() {
	fio --name=w --filename=/dev/md0 --direct=1 --ioengine=libaio --rw=write --randseed=7 "$@" > /run/fio.out 2>&1 ||
		fail "fio $*: $(cat /run/fio.out)"
}

# Have the module know md0, which it does a moment after the first write. meet MB: where to write a page.
meet() {
	local i
	for ((i = 0; i < 200; i++)); do
		writes --bs=4k --size=4k --offset="$1m"
		[ ! -e /sys/block/md0/md/stripe_deadline ] || return 0
		sleep 0.1
	done
	fail "the array is not met: $(dmesg | tail -n 3)"
}

# The module raises md0's stripe cache to N, in a moment: after it has met it. wait_raised N
wait_raised() {
	wait_for grep -qx "cache_set $1" /sys/kernel/debug/raid5_deadline/md0
	assert_equal "raised stripe cache" "$(cat /sys/block/md0/md/stripe_cache_size)" "$1"
}

# The array's own counter. array_counter NAME
array_counter() {
	awk -v name="$1" '$1 == name { print $2; found = 1 } END { exit !found }' /sys/kernel/debug/raid5_deadline/md0 ||
		fail "md0 has no counter $1"
}

# How much a counter of md0 grew while a command ran. grows COUNTER COMMAND...
grows() {
	local before
	before=$(array_counter "$1")
	"${@:2}"
	echo $(($(array_counter "$1") - before))
}

# Put md0 together again, with words for mdadm. Debian has md leave it as it is until something is written, and then resync.
assemble() {
	mdadm --quiet --assemble "$@"
	case $(cat /sys/block/md0/md/array_state) in
	read-auto) mdadm --quiet --readwrite /dev/md0 ;;
	esac
}

# Wait until nothing is being rebuilt, checked or reshaped, nor is about to be: before it resyncs md is "idle".
wait_idle() {
	local i
	for ((i = 0; i < 3000; i++)); do
		[ "$(cat /sys/block/md0/md/{sync_action,resync_start} | xargs)" != "idle none" ] || return 0
		sleep 0.1
	done
	fail "md is still busy: $(cat /proc/mdstat)"
}

# All parity is right. The check must not be asked for before a resync is over: md then takes what it has to resync for
# what it has to check, mends nothing, and calls it in sync.
assert_sound() {
	wait_idle
	echo check > /sys/block/md0/md/sync_action
	wait_idle
	assert_equal "md's last action" "$(cat /sys/block/md0/md/last_sync_action)" check
	assert_equal "mismatch_cnt" "$(cat /sys/block/md0/md/mismatch_cnt)" 0
}

# Fill the first MB of the array with bytes that are known, and remember them. fill MB
fill() {
	random_file /run/expected "$1"
	dd if=/run/expected of=/dev/md0 bs="${2:-256k}" oflag=direct status=none
}

# They are what the array reads. assert_filled
assert_filled() {
	echo 3 > /proc/sys/vm/drop_caches
	cmp -n "$(stat -c %s /run/expected)" /run/expected /dev/md0 || fail "the array has other bytes"
}
