# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# Part of guest/lib.sh: file systems, files, and the page cache.

# Make a file system on a disk and mount it. xfs needs at least 300 MB. make_fs ext4|xfs|btrfs nullb0 /mnt/test
make_fs() {
	local options=() mount=()
	case $1 in
	# Nothing later in the background: tests count reads, and ext4 begins to read the bitmaps of all groups at a random moment
	# within 5 s of the mount.
	ext4) options=(-q -E "lazy_itable_init=0,lazy_journal_init=0") mount=(-o no_prefetch_block_bitmaps) ;;
	xfs | btrfs) options=(-q -f) ;;
	*) fail "make_fs: no file system $1" ;;
	esac
	modprobe "$1" || fail "no $1"
	"mkfs.$1" "${options[@]}" "/dev/$2" > /dev/null || fail "mkfs.$1 $2"
	mkdir -p "$3"
	mount -t "$1" "${mount[@]}" "/dev/$2" "$3" || fail "mount of $1 on $2"
}

# Set the readahead of the file system on a disk: the disk's own, except for btrfs. set_readahead_kb nullb0 128
set_readahead_kb() {
	local dir file=/sys/block/$1/queue/read_ahead_kb
	for dir in /sys/fs/btrfs/*/devices/"$1"; do
		[ ! -e "$dir" ] || file=${dir%/devices/*}/bdi/read_ahead_kb
	done
	echo "$2" > "$file"
}

# Make a file of pseudo-random bytes, the same on every machine. make_random_file FILE SIZE_MB
make_random_file() {
	python3 - "$1" "$2" <<- 'END'
		import random, sys
		source = random.Random(20)
		with open(sys.argv[1], "wb") as out:
		    for _ in range(int(sys.argv[2])):
		        out.write(source.randbytes(1 << 20))
	END
	sync
}

# Make a file in extents of one or two blocks, as on an old, full file system. make_fragmented_file FILE SIZE_MB
make_fragmented_file() {
	# XFS reserves some contiguous blocks, and would use them for a large file.
	[ "$(stat -fc %T "${1%/*}")" != xfs ] || xfs_io -xc "resblks 0" "${1%/*}" > /dev/null
	python3 - "$1" "$2" <<- 'END'
		import ctypes, os, random, sys
		source = random.Random(21)
		name, blocks = sys.argv[1], int(sys.argv[2]) * 256
		# What was deleted before is free only now.
		os.sync()
		# Fill the file system, then free every second block: twice the file's size, because the file system needs some.
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
		        sys.exit("cannot punch a hole")
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

# Write back dirty pages, and empty the page cache.
drop_caches() {
	sync
	echo 3 > /proc/sys/vm/drop_caches
}
