# shellcheck shell=bash disable=SC2153,SC2154
# SPDX-License-Identifier: GPL-2.0-only
# For the cases of this group: the server's export, files with known bytes, and loads by fio.

# For setup: export with "sync", and set the disk's target of write-back throttling, us: 0 turns it off, -1 is what the
# kernel chooses. set_server 0
set_server() {
	nfs_export_as sync
	echo "$1" > "/sys/block/$DISKS/queue/wbt_lat_usec"
}

# The byte by which blocks of this run differ from those of others: a number.
run_byte() {
	local arm=0
	[ "$ARM" = stock ] || arm=1
	echo $((100 + ROUND % 50 * 2 + arm))
}

# Write through the client by fio. Each block of BLOCK_KB is full of its own offset and of a byte of the run, for
# assert_writes. FILE (file) is in $DIR; OFFSET is that of its first block, in bytes. Reports fio's latencies.
# write_blocks BLOCK_KB DEPTH COUNT [ARGS...]
write_blocks() {
	local byte job=${JOB:-write}
	printf -v byte '%02x' "$(run_byte)"
	fio --output-format=json "--output=/run/fio-$job.json" --name="$job" "--filename=${FILE:-$DIR/file}" --randseed=5 \
		--ioengine=libaio --direct=1 --rw=randwrite --bs="$1k" --iodepth="$2" --number_ios="$3" \
		"--offset=${OFFSET:-512}" --size="${SIZE_MB:-32}m" --allow_file_create=0 --fallocate=none \
		--verify=pattern --verify_pattern="%o0x$byte$byte$byte$byte$byte$byte$byte$byte" --do_verify=0 "${@:4}"
	fio_figures "/run/fio-$job.json" "${JOB:+${JOB}_}"
}

# For setup: a file with room for write_blocks, all of it on the disk. make_room FILE [BLOCK_KB]
make_room() {
	dd if=/dev/zero "of=$1" bs=1M "count=$((${SIZE_MB:-32} + 2))" conv=fsync,notrunc status=none
}

# For check: the file holds the blocks of write_blocks, COUNT of them of this round, at the client and on the server's disk.
# assert_writes BLOCK_KB COUNT
assert_writes() {
	local file
	for file in "${FILE:-$DIR/file}" "${SERVER_FILE:-$SERVER_DIR/file}"; do
		python3 - "$file" "${OFFSET:-512}" "${SIZE_MB:-32}" "$@" "$(run_byte)" <<- 'END' || fail "$file"
			import os, sys
			name, (at, size, block, count, byte) = sys.argv[1], (int(word) for word in sys.argv[2:])
			step, found = block << 10, 0
			with open(name, "rb", buffering=0) as file:
			    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
			    if any(file.read(at)):
			        sys.exit("the bytes before the first block were written")
			    for offset in range(at, at + (size << 20) - step + 1, step):
			        data = file.read(step)
			        tag = data[8:16]
			        if any(data) and data != (offset.to_bytes(8, "little") + tag) * (step // 16):
			            sys.exit(f"the block at {offset} has {data[:16]!r}, or is torn")
			        found += tag == bytes([byte]) * 8
			    if any(file.read(4096)):
			        sys.exit("the bytes behind the last block were written")
			if found != count:
			    sys.exit(f"{found} blocks of this run, expected {count}")
		END
	done
}

# Run a command, and report its time. timed NAME COMMAND...
timed() {
	local begin=$EPOCHREALTIME
	"${@:2}"
	figure "$1_ms" "$(((${EPOCHREALTIME/./} - ${begin/./}) / 1000))"
}
