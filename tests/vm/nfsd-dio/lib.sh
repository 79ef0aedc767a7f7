# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# For the tests of nfsd-dio: an exported file of known bytes, and counted writes to it.

# Load the module. load [PARAMETER=VALUE...]
load() {
	modprobe nfsd-dio "$@" || fail "not loaded: $(dmesg | tail -n 3)"
}

# Make a file system and mount it on /mnt/test with the options in $MOUNT. format FS DISK [MKFS_OPTION...]
format() {
	modprobe "$1" || fail "no $1"
	"mkfs.$1" -q "${@:3}" "/dev/$2" > /run/mkfs.out 2>&1 || fail "mkfs.$1 $2: $(cat /run/mkfs.out)"
	mkdir -p /mnt/test
	mount -t "$1" ${MOUNT:+-o "$MOUNT"} "/dev/$2" /mnt/test || fail "mount of $1 on $2"
}

# Whether times are marked once they were seen.
has_marks() { kernel_at_least 6.13 > /dev/null; }

# Have nfsd itself write: 0 cached, 1 uncached, 2 direct. Returns 1 on a kernel that is too old. nfsd_writes VALUE
nfsd_writes() {
	local since=6.18
	[ "$1" != 2 ] || since=6.19
	kernel_at_least $since > /dev/null || return 1
	echo "$1" > /sys/kernel/debug/nfsd/io_cache_write || fail "nfsd does not take io_cache_write $1"
}

# Make a file of random bytes, all of them on the disk, and a copy in memory that gets the same writes.
# known_file NAME SIZE_MB
known_file() {
	make_random_file "/mnt/test/$1" "$2"
	cp "/mnt/test/$1" "/run/$1"
	drop_caches
}

# Export /mnt/test and mount it on /mnt/client. A write to a file that is open for direct I/O reaches the server as one
# request. serve VERSION sync|async
serve() {
	if [ -e /proc/fs/nfsd/threads ]; then
		mount --bind /mnt/test "$NFS_EXPORT"
		rpc.nfsd 8
	else
		nfs_export /mnt/test 8
	fi
	nfs_export_as "$2"
	nfs_mount "$1" /mnt/client
}

# Undo serve, and unmount what it exported.
unserve() {
	umount /mnt/client
	exportfs -ua
	rpc.nfsd 0
	# With NFS 3, nfsd keeps files open for a moment.
	for _ in {1..100}; do
		umount "$NFS_EXPORT" 2> /run/umount.out && break
		sleep 0.1
	done
	umount /mnt/test || fail "umount: $(cat /run/umount.out)"
}

# Write through the client and to the copy, each piece in one request. Offset and seed determine the bytes.
# writes [--together] FILE SEED OFFSET:LENGTH...
writes() {
	local how=()
	if [ "$1" = --together ]; then
		how=(--together)
		shift
	fi
	/mnt/seqkeep/nfsd-dio/writes "${how[@]}" "/mnt/client/$1" "$2" "${@:3}" || fail "writes to $1"
	/mnt/seqkeep/nfsd-dio/writes --cached "/run/$1" "$2" "${@:3}"
}

# Print pieces of 4 KiB, 512 bytes into every sixteenth block, so that no two are adjacent. pieces COUNT [FIRST]
pieces() {
	local i
	for ((i = ${2:-0}; i < ${2:-0} + $1; i++)); do echo $((i * 65536 + 512)):4096; done
}

# The file has the bytes of its copy at the client, in the server's cache and on the disk. assert_same NAME
assert_same() {
	cmp "/run/$1" "/mnt/client/$1" || fail "$1 has other bytes at the client"
	cmp "/run/$1" "/mnt/test/$1" || fail "$1 has other bytes in the server's cache"
	drop_caches
	cmp "/run/$1" "/mnt/test/$1" || fail "$1 has other bytes on the disk"
}

# Print what a command adds to a counter. added COUNTER COMMAND...
added() {
	local before
	before=$(counter nfsd_dio "$1")
	"${@:2}" > /run/added.out 2>&1 || fail "${*:2}: $(cat /run/added.out)"
	echo $(($(counter nfsd_dio "$1") - before))
}

# A command raises a counter by N. assert_added COUNTER N COMMAND...
assert_added() {
	local got
	got=$(added "$1" "${@:3}")
	echo "$1: $got"
	[ "$got" -eq "$2" ] || fail "$1 by ${*:3:4}: $got, expected $2; $(grep -v ' 0$' /sys/kernel/debug/nfsd_dio/stats)"
}

# A write of the client fails with TEXT in the message. assert_error TEXT FILE OFFSET:LENGTH
assert_error() {
	if /mnt/seqkeep/nfsd-dio/writes "/mnt/client/$2" 1 "$3" > /run/error.out 2>&1; then fail "$2 at $3: no error"; fi
	echo "$(cat /sys/module/nfsd_dio/parameters/enable): $(cat /run/error.out)"
	grep -q "$1" /run/error.out || fail "$2 at $3: $(cat /run/error.out), expected $1"
}

# Give the device-mapper disk "disk" the table on standard input. I/O in flight still goes by the old one.
change_table() {
	dmsetup suspend --nolockfs disk
	dmsetup load disk
	dmsetup resume disk
}

# Wait until a task waits for direct I/O, which is one of nfsd. wait_for_direct_io PID_OF_WRITER
wait_for_direct_io() {
	local i
	for ((i = 0; i < 600; i++)); do
		# Ignore the status: grep fails if a process ends meanwhile.
		grep -ls iomap_dio_rw /proc/[0-9]*/stack > /run/waits || :
		[ ! -s /run/waits ] || return 0
		kill -0 "$1" 2> /dev/null || fail "the write ended too early: $(grep -v ' 0$' /sys/kernel/debug/nfsd_dio/stats)"
		sleep 0.1
	done
	fail "no write is direct: $(grep -v ' 0$' /sys/kernel/debug/nfsd_dio/stats)"
}

# Hold writes to the device-mapper disk "disk" back from DISK, or let them through. Held ones reach the disk when the table
# is replaced, at the latest when the test ends, because unmounting waits for them. hold_writes DISK SECTORS
hold_writes() {
	# shellcheck disable=SC2064
	trap "let_writes $1 $2" EXIT
	change_table <<< "0 $2 delay /dev/$1 0 0 /dev/$1 0 3600000"
}
let_writes() { change_table <<< "0 $2 linear /dev/$1 0"; }

# Empty the page cache until nothing of the first half of the server's FILE is in it. A page stays for a moment if readahead is
# to fill it. On an idle guest the last 256 KiB once stayed for ten seconds. Perhaps the network had put off freeing an answer
# of nfsd (net.core.skb_defer_max): it must not, and the other client makes traffic. drop_half_of FILE
drop_half_of() {
	local i cached
	[ ! -e /proc/sys/net/core/skb_defer_max ] || echo 0 > /proc/sys/net/core/skb_defer_max
	for ((i = 0; i < 100; i++)); do
		: < "/mnt/other/${1##*/}"
		drop_caches
		cached=$(xfs_io -r -c "mmap -r 0 $(($(stat --format=%s "$1") / 2))" -c mincore "$1") || fail "no mincore of $1"
		[ -n "$cached" ] || return 0
		sleep 0.1
	done
	fail "these pages of $1 stay in the cache: $cached"
}

# The other client reads the bytes of FILE. assert_read WHEN FILE
assert_read() {
	with_timeout 120 cmp "$2" /mnt/other/file || fail "the other client's bytes are wrong $1"
}

# Make a disk of DISK on which each request takes as long as MS, with the throttling of write-back that null_blk has.
# Print its name. make_slow_disk DISK MS
make_slow_disk() {
	modprobe -a dm-delay loop || fail "no dm-delay or no loop"
	DM_DISABLE_UDEV=1 dmsetup create slow <<< "0 $(cat "/sys/block/$1/size") delay /dev/$1 0 $2" || fail "dmsetup"
	losetup --direct-io=on --find --show /dev/mapper/slow | sed 's|/dev/||'
}

# Have writes through the cache pass one at a time while anything reads. throttle_writes DISK
throttle_writes() {
	echo 0 > "/sys/block/$1/queue/rotational"
	# All reads take longer.
	echo 1 > "/sys/block/$1/queue/wbt_lat_usec"
}

# Read /mnt/test/other, past the cache, until stop_load PID.
read_other() {
	exec fio --name=r --filename=/mnt/test/other --direct=1 --ioengine=libaio --rw=randread --bs=4k --iodepth=8 --time_based \
		--runtime=86400 --output=/run/reader.out
}

stop_load() {
	kill "$1"
	wait "$1" || :
}
