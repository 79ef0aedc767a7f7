# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# Shared by the tests of raid5-deadline: arrays of disks in memory, and checks of their parity.

# A line for each counter of each array: md0 NAME VALUE.
COUNTERS=/sys/kernel/debug/raid5_deadline/arrays

# Is an array attached? is_attached md0
is_attached() {
	grep -q "^$1 " "$COUNTERS" 2> /dev/null
}

# Load the module, enabled unless a parameter says otherwise. load [PARAMETER=VALUE...]
load() {
	modprobe raid5-deadline enable=1 "$@" || fail "failed to load: $(dmesg | tail -n 3)"
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

# raid456's writes to the members are throttled as write-back, as soon as anything is read. Turn that off. A kernel
# without CONFIG_BLK_WBT throttles none, and has no such file.
unthrottle_members() {
	local disk file
	for disk in "${disks[@]}"; do
		file=/sys/block/$disk/queue/wbt_lat_usec
		if [ -e "$file" ]; then echo 0 > "$file"; fi
	done
}

# Direct writes to the array by fio. writes ARGS...; ARRAY is its name (md0).
writes() {
	fio --name=w --filename="/dev/${ARRAY:-md0}" --direct=1 --ioengine=libaio --rw=write --randseed=7 "$@" > /run/fio.out 2>&1 ||
		fail "fio $*: $(cat /run/fio.out)"
}

# Have the module attach the array, which it does a moment after the first write. attach_array MB: where to write a page;
# ARRAY is its name (md0).
attach_array() {
	local i
	for ((i = 0; i < 200; i++)); do
		writes --bs=4k --size=4k --offset="$1m"
		[ ! -e "/sys/block/${ARRAY:-md0}/md/stripe_deadline" ] || return 0
		sleep 0.1
	done
	fail "the array is not attached: $(dmesg | tail -n 3)"
}

# How often fill_cache has written, each time 2 MiB further, because what is in the cache is not held.
fill_turns=0

# Hold half of the cache of an array of RAID 5 that is attached, and write to more stripes: where a row has more than that
# half, the module raises the cache. Writes a page of each stripe, so none is filled. fill_cache MB: where a chunk
# begins; ARRAY is the array's name (md0).
fill_cache() {
	local i array=${ARRAY:-md0} own file size chunk skip left at
	file=/sys/block/$array/md/stripe_deadline
	size=$(cat "/sys/block/$array/md/stripe_cache_size")
	chunk=$(cat "/sys/block/$array/md/chunk_size")
	# The other chunks of a row would fill its stripes.
	skip=$((chunk * ($(cat "/sys/block/$array/md/raid_disks") - 2)))
	own=$(cat "$file")
	left=$(counter raid5_deadline left_pressure)
	echo 1000 > "$file"
	# None is held until the array is ready, which is a moment after it has the file.
	for ((i = 0; i < 8; i++)); do
		at=$(($1 + 2 * fill_turns++))
		writes --bs=4k --offset="${at}m" --zonemode=strided --zonesize="$chunk" --zonerange="$chunk" \
			--zoneskip="$skip" --io_size=$((size * 3))k --iodepth=$((size * 3 / 4))
		[ "$(counter raid5_deadline left_pressure)" = "$left" ] || break
	done
	echo "$own" > "$file"
	assert_at_least "stripes left for want of cache" "$(counter raid5_deadline left_pressure)" $((left + 1))
}

# Have md free the stripes above the cache's size, which it keeps for as long as it needs no memory.
free_stripes() {
	local size
	size=$(cat /sys/block/md0/md/stripe_cache_size)
	echo "$size" > /sys/block/md0/md/stripe_cache_size
}

# Wait until the module has raised the stripe cache of md0 to N stripes. wait_raised N
wait_raised() {
	wait_for grep -qx "md0 cache_set $1" "$COUNTERS"
	assert_equal "raised stripe cache" "$(cat /sys/block/md0/md/stripe_cache_size)" "$1"
}

# A counter of md0. array_counter NAME
array_counter() {
	awk -v name="$1" '$1 == "md0" && $2 == name { print $3; found = 1 } END { exit !found }' "$COUNTERS" ||
		fail "md0 has no counter $1"
}

# By how much a command raises a counter of md0. grows COUNTER COMMAND...
grows() {
	local before
	before=$(array_counter "$1")
	"${@:2}"
	echo $(($(array_counter "$1") - before))
}

# Assemble md0. Debian starts arrays read-only until the first write, and a resync begins only then. assemble MDADM_ARGS...
assemble() {
	mdadm --quiet --assemble "$@"
	case $(cat /sys/block/md0/md/array_state) in
	read-auto) mdadm --quiet --readwrite /dev/md0 ;;
	esac
}

# Wait until md neither rebuilds, checks nor reshapes md0, nor is about to: before a resync md says "idle" too.
wait_idle() {
	local i
	for ((i = 0; i < 3000; i++)); do
		[ "$(cat /sys/block/md0/md/{sync_action,resync_start} | xargs)" != "idle none" ] || return 0
		sleep 0.1
	done
	fail "md is still busy: $(cat /proc/mdstat)"
}

# All parity of md0 is right. The check must not begin before a resync has ended: md would only check what it has to
# resync, correct nothing, and call the array in sync.
assert_sound() {
	wait_idle
	echo check > /sys/block/md0/md/sync_action
	wait_idle
	assert_equal "md's last action" "$(cat /sys/block/md0/md/last_sync_action)" check
	assert_equal "mismatch_cnt" "$(cat /sys/block/md0/md/mismatch_cnt)" 0
}

# Write random bytes to the first MB of the array, and keep a copy. fill MB [BLOCK_SIZE]
fill() {
	make_random_file /run/expected "$1"
	dd if=/run/expected of=/dev/md0 bs="${2:-256k}" oflag=direct status=none
}

# The array reads the bytes that fill wrote.
assert_filled() {
	echo 3 > /proc/sys/vm/drop_caches
	cmp -n "$(stat -c %s /run/expected)" /run/expected /dev/md0 || fail "the array has other bytes"
}
