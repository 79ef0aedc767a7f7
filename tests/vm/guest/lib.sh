# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# What tests use in the guest. run-test sources it; a script of `vm run` may do so too.
# Every guest is thrown away after its test, so nothing here cleans up.

NFS_EXPORT=/srv/nfs
ISCSI_NAME=iqn.2026-01.example.seqkeep:disk

# Fail the test with a message, which is shown whatever has become of the standard output here. Within $(...) that ends no
# more than what is in there.
fail() {
	echo "FAILED: $*" >&"${test_output:-1}"
	exit 1
}

# For tests that make allocations fail, or thousands of refusals: stock's warnings of those would fail them, or fill the console.
# What the harness can no longer see there is looked for by run-test, in what the kernel has logged from here on. Another
# pattern may be added. quiet_console [PATTERN]
quiet_console() {
	also_forbidden=${1:+|$1}
	dmesg -n 1
	# Not a job of this shell's, for which a test that says wait would wait.
	(dmesg --follow --notime > /run/logged &)
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

# Until a command succeeds, which it is to do soon: wait_for COMMAND...
wait_for() {
	local tries
	for ((tries = 0; tries < 1200; tries++)); do
		! "$@" 2> /dev/null || return 0
		sleep 0.1
	done
	fail "in vain: $*"
}

# Make a cgroup, with a controller: make_cgroup memory small
make_cgroup() {
	echo "+$1" > /sys/fs/cgroup/cgroup.subtree_control
	mkdir "/sys/fs/cgroup/$2"
}

# Run a command or a function in a cgroup: in_cgroup small COMMAND...
in_cgroup() {
	(
		echo "$BASHPID" > "/sys/fs/cgroup/$1/cgroup.procs" && "${@:2}"
	)
}

# Start udev, for tests of what udev does. Devices appear in /dev without it.
start_udev() {
	/usr/lib/systemd/systemd-udevd --daemon
	udevadm trigger --action=add
	udevadm settle --timeout=120
}

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

# The kernel is slow with KASAN and lockdep: they are where kmemleak is.
has_kasan() {
	[ -e /sys/kernel/debug/kmemleak ]
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
	modprobe "$1" || fail "no $1"
	"mkfs.$1" "${options[@]}" "/dev/$2" > /dev/null || fail "mkfs.$1 $2"
	mkdir -p "$3"
	mount -t "$1" "/dev/$2" "$3" || fail "mount of $1 on $2"
}

# Set the readahead of the file system on a disk: that of the disk, but for btrfs. set_readahead_kb nullb0 128
set_readahead_kb() {
	local dir file=/sys/block/$1/queue/read_ahead_kb
	for dir in /sys/fs/btrfs/*/devices/"$1"; do
		[ ! -e "$dir" ] || file=${dir%/devices/*}/bdi/read_ahead_kb
	done
	echo "$2" > "$file"
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

# A file as an old, full file system gives one, in extents of a block or two. file_of_pieces FILE SIZE_MB
file_of_pieces() {
	# XFS keeps some blocks for itself, which are in one piece and are given to whoever asks for many.
	[ "$(stat -fc %T "${1%/*}")" != xfs ] || xfs_io -xc "resblks 0" "${1%/*}" > /dev/null
	python3 - "$1" "$2" <<- 'END'
		import ctypes, os, random, sys
		source = random.Random(21)
		name, blocks = sys.argv[1], int(sys.argv[2]) * 256
		# All that is free, and of that every second block given back: twice what is wanted, for the file system's own needs.
		filler = os.open(name + ".filler", os.O_RDWR | os.O_CREAT)
		end, step = 0, 64 << 20
		while step >= 4096:
		    try:
		        os.posix_fallocate(filler, end, step)
		        end += step
		    except OSError:
		        step //= 2
		libc, punch_hole = ctypes.CDLL(None), 3
		for block in range(2 * blocks):
		    if libc.fallocate(filler, punch_hole, ctypes.c_long(block * 8192), ctypes.c_long(4096)):
		        sys.exit("no hole punched")
		os.sync()
		out = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
		for block in range(blocks):
		    os.pwrite(out, source.randbytes(4096), block * 4096)
		os.fsync(out)
		os.unlink(name + ".filler")
		os.sync()
	END
	assert_at_least "extents of $1" "$(filefrag "$1" | sed 's/.*: \([0-9]*\) ext.*/\1/')" $(($2 * 64))
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
	# nfs-utils 3 leaves out version 4.0 unless it is told not to.
	mkdir -p /etc/nfs.conf.d
	printf '[nfsd]\nvers4.0=y\n' > /etc/nfs.conf.d/test.conf
	rpc.nfsd "$2" || fail "nfsd does not start"
	assert_equal "nfsd threads" "$(cat /proc/fs/nfsd/threads)" "$2"
}

# Export a mounted file system too, below the export of nfs_export, as NAME. nfs_export_also DIR NAME
nfs_export_also() {
	mkdir -p "$NFS_EXPORT/$2"
	mount --bind "$1" "$NFS_EXPORT/$2"
	exportfs -o rw,insecure,no_root_squash,no_subtree_check,async "*:$NFS_EXPORT/$2" || fail "exportfs of $2"
}

# Make a host of its own for an NFS client: a network namespace, clientN, with the server at 10.9.N.1. client_host N
client_host() {
	ip netns add "client$1" || fail "no network namespace"
	ip link add "client$1" type veth peer name eth0 netns "client$1" || fail "no veth"
	ip addr add "10.9.$1.1/24" dev "client$1"
	ip link set "client$1" up
	ip -n "client$1" addr add "10.9.$1.2/24" dev eth0
	ip -n "client$1" link set eth0 up
}

# Mount the export, or what is exported as NAME below it, over loopback, or from host N of client_host. What is mounted
# is seen everywhere. nfs_mount VERSION MOUNTPOINT [OPTIONS [NAME [N]]]
# nfs_mount 3 /mnt/client nconnect=8,rsize=32768
nfs_mount() {
	local server=127.0.0.1 path=$NFS_EXPORT${4:+/$4} how=vers=$1,proto=tcp${3:+,$3} where=()
	if [ -n "${5:-}" ]; then
		server=10.9.$5.1
		# The version 4 server knows a client by its host's name.
		# shellcheck disable=SC2016 # expanded by that shell
		where=(nsenter "--net=/run/netns/client$5" unshare --uts sh -c 'hostname "$0"; exec "$@"' "client$5")
	fi
	case $1 in
	3) how+=,nolock ;;
	# fsid=0 makes the export the root of the version 4 tree.
	4*) path=/${4:-} ;;
	esac
	mkdir -p "$2"
	with_timeout 120 "${where[@]}" mount -t nfs -o "$how" "$server:$path" "$2" || fail "NFS mount $how"
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

# Serve a file as an iSCSI disk by the kernel's target (LIO), buffered, at the addresses 127.0.0.1 to 127.0.0.N.
# lio_target FILE N
lio_target() {
	local target=/sys/kernel/config/target group address
	modprobe -a target_core_mod target_core_file iscsi_target_mod || fail "no iSCSI target"
	mkdir -p "$target/core/fileio_0/disk" "$target/iscsi" || fail "no fileio"
	echo "fd_dev_name=$1,fd_dev_size=$(stat -c %s "$1"),fd_buffered_io=1" > "$target/core/fileio_0/disk/control"
	echo 1 > "$target/core/fileio_0/disk/enable"
	group=$target/iscsi/$ISCSI_NAME/tpgt_1
	mkdir -p "$group/lun/lun_0"
	ln -s "$target/core/fileio_0/disk" "$group/lun/lun_0/disk"
	for ((address = 1; address <= $2; address++)); do
		mkdir "$group/np/127.0.0.$address:3260" || fail "the target does not listen"
	done
	# No log-in names: whoever comes may read and write.
	echo 0 > "$group/attrib/authentication"
	echo 1 > "$group/attrib/generate_node_acls"
	echo 1 > "$group/attrib/cache_dynamic_acls"
	echo 0 > "$group/attrib/demo_mode_write_protect"
	echo 1 > "$group/enable"
}

# Log in to each address of lio_target N by open-iscsi: sets the array $paths to the disks, one for each address.
# iscsi_login N
iscsi_login() {
	local address dir tries
	modprobe -a iscsi_tcp sd_mod || fail "no iSCSI initiator"
	iscsid || fail "iscsid does not start"
	for ((address = 1; address <= $1; address++)); do
		iscsiadm -m node -o new -T "$ISCSI_NAME" -p "127.0.0.$address:3260,1" > /dev/null
		with_timeout 120 iscsiadm -m node -T "$ISCSI_NAME" -p "127.0.0.$address:3260" --login > /dev/null ||
			fail "iSCSI login to 127.0.0.$address"
	done
	# iscsid has the disks looked for after the log-in.
	for ((tries = 0; tries < 300; tries++)); do
		paths=()
		for dir in /sys/class/iscsi_session/*/device/target*/*/block/*; do
			[ ! -e "$dir" ] || paths+=("${dir##*/}")
		done
		[ ${#paths[@]} -lt "$1" ] || return 0
		sleep 0.2
	done
	fail "${#paths[@]} iSCSI disks, expected $1"
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
	lines=$(dmesg | grep -c "$1: $2: .*-EINVAL" || :)
	# As one does by hand: with a newline, which is not to be in the line of the log.
	if printf '%s\n' "$3" > "/sys/module/$1/parameters/$2" 2> /run/error; then
		fail "$what is accepted"
	fi
	grep -q "Invalid argument" /run/error || fail "$what: $(cat /run/error)"
	after=$(cat "/sys/module/$1/parameters/$2")
	assert_equal "$what, after" "$after" "$before"
	assert_equal "$what, lines in the log" "$(dmesg | grep -c "$1: $2: .*-EINVAL")" $((lines + 1))
}

# A parameter takes a value, and shows it so: assert_accepted ctxra patterns " trail" trail
assert_accepted() {
	set_param "$1" "$2" "$3"
	assert_equal "$2 after \"$3\"" "$(cat "/sys/module/$1/parameters/$2")" "$4"
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

# Fail unless a number is at most, or at least, another: assert_at_most "I/Os" "$got" 530
# Where readers race for a stream, a count has a spread that ends nowhere: a test that fails here is run once more.
assert_at_most() {
	assert_number "$1" "$2"
	echo "$1: $2, at most $3"
	[ "$2" -le "$3" ] || miss "$1: $2, expected at most $3"
}

assert_at_least() {
	assert_number "$1" "$2"
	echo "$1: $2, at least $3"
	[ "$2" -ge "$3" ] || miss "$1: $2, expected at least $3"
}

# What counts for a bar is a number: what failed within $(...) printed none, and has no second try.
assert_number() {
	[[ $2 =~ ^-?[0-9]+$ ]] || fail "$1: \"$2\" is not a number"
}

# Fail as fail does, but for the status, by which host/check.py knows that it was a bar.
miss() {
	echo "FAILED: $*" >&"${test_output:-1}"
	exit 75
}

# pick WORD...: sets picked to one of them. Not printed: a subshell's RANDOM does not follow the seed.
pick() {
	local words=("$@")
	picked=${words[RANDOM % $#]}
}

# Run a command that must fail, and print nothing of it: assert_fails "what it is" COMMAND...
assert_fails() {
	if "${@:2}" > /dev/null 2>&1; then fail "$1 is accepted"; fi
}

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
