# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# What tests use in the guest. run-test sources it; a script of `vm run` may do so too.
# Every guest is thrown away after its test, so nothing here cleans up.

NFS_EXPORT=/srv/nfs

# Fail the test with a message.
fail() {
	echo "FAILED: $*"
	exit 1
}

# Fail unless two values are the same: assert_equal "blocks read" "$got" "$expected"
assert_equal() {
	[ "$2" = "$3" ] || fail "$1: $2, expected $3"
}

# For requires(): the running kernel is at least that version. kernel_at_least 6.12
kernel_at_least() {
	local oldest
	oldest=$(printf '%s\n%s\n' "$1" "$(uname -r)" | sort -V | head -n 1)
	[ "$oldest" = "$1" ] || { echo "is for kernels from $1"; return 1; }
}

# Run a command with a time limit in seconds, and fail the test when it is reached.
with_timeout() {
	local status=0
	timeout --kill-after=5 "$@" || status=$?
	case $status in
	124 | 137) fail "not done after $1 s: ${*:2}" ;;
	esac
	return "$status"
}

# Start udev, for tests of what udev does. Devices appear in /dev without it.
start_udev() {
	/usr/lib/systemd/systemd-udevd --daemon
	udevadm trigger --action=add
	udevadm settle --timeout=120
}

# Make a disk in memory, and print its name (nullb0 and so on).
# make_null_blk SIZE_MB [completion_nsec] [max_sectors]
# Every request takes completion_nsec (default 0), so a test knows what a request costs.
# Memory is used for what is written only: be generous with the size.
make_null_blk() {
	local name dir
	modprobe null_blk nr_devices=0 || fail "no null_blk"
	name=nullb$(find /sys/kernel/config/nullb -mindepth 1 -maxdepth 1 -type d | wc -l)
	dir=/sys/kernel/config/nullb/$name
	mkdir "$dir" || fail "cannot make $name"
	echo "$1" > "$dir/size"
	echo 1 > "$dir/memory_backed"
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

# Counts of a disk's read requests, and of the 512-byte sectors they read. disk_reads nullb0
disk_reads() {
	awk '{ print $1 }' "/sys/block/${1#/dev/}/stat"
}

disk_read_sectors() {
	awk '{ print $3 }' "/sys/block/${1#/dev/}/stat"
}

# Empty the page cache, of dirty pages too.
drop_caches() {
	sync
	echo 3 > /proc/sys/vm/drop_caches
}

# Make a file system on a disk and mount it. xfs wants 300 MB at least. make_fs ext4|xfs|btrfs nullb0 /mnt/test
make_fs() {
	local options=()
	case $1 in
	ext4) options=(-q -E "lazy_itable_init=0,lazy_journal_init=0") ;;
	xfs | btrfs) options=(-q -f) ;;
	*) fail "make_fs: no file system $1" ;;
	esac
	"mkfs.$1" "${options[@]}" "/dev/$2" > /dev/null || fail "mkfs.$1 $2"
	mkdir -p "$3"
	mount -t "$1" "/dev/$2" "$3" || fail "mount of $1 on $2"
}

# Bytes that look random and are the same each time, anywhere. random_file FILE SIZE_MB
random_file() {
	python3 - "$1" "$2" <<- 'END'
		import random, sys
		source = random.Random(20)
		with open(sys.argv[1], "wb") as out:
		    for _ in range(int(sys.argv[2])):
		        out.write(source.randbytes(1 << 20))
	END
	sync
}

# Export a folder by the real NFS server with N threads, to be mounted by nfs_mount.
# nfs_export DIR THREADS
nfs_export() {
	mkdir -p "$NFS_EXPORT" /run/rpc_pipefs /var/lib/nfs/nfsdcld
	mount --bind "$1" "$NFS_EXPORT"
	modprobe nfsd || fail "no nfsd"
	mountpoint -q /proc/fs/nfsd || mount -t nfsd nfsd /proc/fs/nfsd
	mount -t rpc_pipefs rpc_pipefs /run/rpc_pipefs
	# It tells nfsd that no client has state to reclaim; without it every open waits for a grace period to end.
	nfsdcld || fail "nfsdcld does not start"
	rpcbind -w || fail "rpcbind does not start"
	rpc.mountd || fail "rpc.mountd does not start"
	exportfs -o rw,insecure,no_root_squash,no_subtree_check,fsid=0,async "*:$NFS_EXPORT" || fail "exportfs"
	rpc.nfsd "$2" || fail "nfsd does not start"
	assert_equal "nfsd threads" "$(cat /proc/fs/nfsd/threads)" "$2"
}

# Mount the export over loopback. nfs_mount VERSION MOUNTPOINT [OPTIONS]
# nfs_mount 3 /mnt/client nconnect=8,rsize=32768
nfs_mount() {
	local source=127.0.0.1:$NFS_EXPORT how=vers=$1,proto=tcp${3:+,$3}
	case $1 in
	3) how+=,nolock ;;
	# fsid=0 makes the export the root of the version 4 tree.
	4*) source=127.0.0.1:/ ;;
	esac
	mkdir -p "$2"
	with_timeout 120 mount -t nfs -o "$how" "$source" "$2" || fail "NFS mount $how"
}

# Export a folder and mount it again. nfs_export_and_mount DIR THREADS VERSION MOUNTPOINT [OPTIONS]
nfs_export_and_mount() {
	nfs_export "$1" "$2"
	nfs_mount "$3" "$4" "${5:-}"
}

# The client's readahead of an NFS mount. nfs_readahead_kb MOUNTPOINT [SET_TO_KB]
nfs_readahead_kb() {
	local file
	file=/sys/class/bdi/$(mountpoint -d "$1")/read_ahead_kb
	if [ -n "${2:-}" ]; then
		echo "$2" > "$file"
	else
		cat "$file"
	fi
}

# A counter of a module. counter ctxra trail_windows
counter() {
	awk -v name="$2" '$1 == name { print $2; found = 1 } END { exit !found }' "/sys/kernel/debug/$1/stats" ||
		fail "$1 has no counter $2"
}

# Set a module's parameter, and return what writing it returned. set_param ctxra enable 1
set_param() {
	echo "$3" > "/sys/module/$1/parameters/$2"
}

# A parameter does not take a value, says so in the log, and keeps the old one. assert_refused ctxra max_kb -1
assert_refused() {
	local before after lines what="$2: \"${3:0:60}\""
	before=$(cat "/sys/module/$1/parameters/$2")
	lines=$(dmesg | grep -c "$1: $2:" || :)
	if printf '%s' "$3" > "/sys/module/$1/parameters/$2" 2> /run/error; then
		fail "$what is accepted"
	fi
	grep -q "Invalid argument" /run/error || fail "$what: $(cat /run/error)"
	after=$(cat "/sys/module/$1/parameters/$2")
	assert_equal "$what, after" "$after" "$before"
	assert_equal "$what, lines in the log" "$(dmesg | grep -c "$1: $2:")" $((lines + 1))
}

# A parameter takes a value, and shows it so: assert_accepted ctxra patterns " trail" trail
assert_accepted() {
	set_param "$1" "$2" "$3"
	assert_equal "$2 after \"$3\"" "$(cat "/sys/module/$1/parameters/$2")" "$4"
}

# Fail unless a number is at most, or at least, another: assert_at_most "I/Os" "$got" 530
assert_at_most() {
	echo "$1: $2"
	[ "$2" -le "$3" ] || fail "$1: $2, expected at most $3"
}

assert_at_least() {
	echo "$1: $2"
	[ "$2" -ge "$3" ] || fail "$1: $2, expected at least $3"
}

# Run a command that must fail, and print nothing of it: assert_fails "what it is" COMMAND...
assert_fails() {
	if "${@:2}" > /dev/null 2>&1; then fail "$1 is accepted"; fi
}

# A disk of 2 ms an I/O with a checked file of SIZE_MB on it, read through /mnt/test/file, 128 KiB of readahead.
# slow_file FS SIZE_MB: sets $disk
slow_file() {
	disk=$(make_null_blk $(($2 * 2 + 320)) 2000000 8192)
	make_fs "$1" "$disk" /mnt/test
	reader make /mnt/test/file "$2"
	echo 128 > "/sys/block/$disk/queue/read_ahead_kb"
}

# Empty the page cache, but for a file's metadata, whose reads would be counted too. cool FILE
cool() {
	drop_caches
	dd "if=$1" of=/dev/null bs=4096 count=1 iflag=direct status=none
}

# Read the file of slow_file with nothing of it cached, every byte checked; print the disk's I/Os. read_ios ARGS...
read_ios() {
	local before
	cool /mnt/test/file
	before=$(disk_reads "$disk")
	reader read /mnt/test/file verify=full "$@" > /run/reader.out || fail "reader $*: $(cat /run/reader.out)"
	echo $(($(disk_reads "$disk") - before))
}
