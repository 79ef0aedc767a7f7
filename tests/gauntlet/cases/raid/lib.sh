# shellcheck shell=bash disable=SC2153,SC2154
# SPDX-License-Identifier: GPL-2.0-only
# For the cases of this group: the array's settings, a stream beside other writes, and checks of data and parity.

# Set the target of the members' write-back throttling, us: 0 turns it off, -1 is what the kernel chooses. set_members 0
set_members() {
	local disk
	for disk in $DISKS; do
		echo "$1" > "/sys/block/$disk/queue/wbt_lat_usec"
	done
	# Otherwise md might check slowly for want of idle time.
	echo 1000000 > "/sys/block/${ARRAY#/dev/}/md/sync_speed_min"
	echo 1000000 > "/sys/block/${ARRAY#/dev/}/md/sync_speed_max"
}

# For `before`: have the module attach the array, which it does a moment after a first write. The last page is nobody's.
attach_array() {
	if mountpoint -q /mnt/disk; then
		dd if=/dev/zero of=/mnt/disk/attach bs=4k count=1 oflag=direct conv=notrunc status=none
	else
		dd if=/dev/zero "of=$ARRAY" bs=4k count=1 seek=$(($(blockdev --getsz "$ARRAY") / 8 - 1)) oflag=direct status=none
	fi
	sleep 0.5
}

# The byte by which blocks of this run differ from those of others: a number.
run_byte() {
	local arm=1
	[ "$ARM" != stock ] || arm=0
	echo "${FILL:-$((100 + ROUND % 50 * 2 + arm))}"
}

# Run fio, with its report in $FIO_REPORT (/run/fio.json). Each block that it writes is full of its own offset and of a
# byte of the run, for assert_blocks. run_fio ARGS...
run_fio() {
	local byte
	printf -v byte '%02x' "$(run_byte)"
	fio --output-format=json "--output=${FIO_REPORT:-/run/fio.json}" --randseed=5 --ioengine=libaio --direct=1 \
		--verify=pattern --verify_pattern="%o0x$byte$byte$byte$byte$byte$byte$byte$byte" --do_verify=0 "$@"
}

# The places of a stream and of other writes: MiB.
STREAM_AT=0 STREAM_MB=128 OTHER_AT=128 OTHER_MB=64

# For setup: write all places once.
fill_places() {
	FILL=99 run_fio --name=fill "--filename=$ARRAY" --rw=write --bs=1m "--size=$((STREAM_MB + OTHER_MB))m"
}

# Write a stream of LAPS times its place, and beside it COUNT random blocks. The stream should last longer than these.
# $RATE: bytes per second of the stream, by fio's units. stream_beside BLOCK_KB DEPTH COUNT LAPS
stream_beside() {
	run_fio "--filename=$ARRAY" \
		--name=stream --rw=write --bs=256k --iodepth=16 --offset=${STREAM_AT}m --size=${STREAM_MB}m "--loops=$4" \
		${RATE:+"--rate=$RATE"} \
		--name=other --rw=randwrite --bs="$1k" --iodepth="$2" --offset=${OTHER_AT}m --size=${OTHER_MB}m "--number_ios=$3"
	fio_figures /run/fio.json other_ other
	stream_figure
}

# Report what a stream of fio took per MiB. stream_figure [JOB]
stream_figure() {
	local figure
	figure=$(python3 - "${1:-stream}" <<- 'END'
		import json, sys
		with open("/run/fio.json") as file:
		    job = next(job["write"] for job in json.load(file)["jobs"] if job["jobname"] == sys.argv[1])
		print(job["runtime"] * 1000 / (job["io_bytes"] / (1 << 20)))
	END
	)
	figure "${1:-stream}_mib_us" "$figure"
}

# Fail unless a range holds blocks of run_fio, COUNT of them of this round. assert_blocks FILE AT_MB SIZE_MB BLOCK_KB COUNT
assert_blocks() {
	python3 - "$@" "$(run_byte)" <<- 'END' || fail "$1 has wrong bytes"
		import sys
		name, (at, size, block, count, byte) = sys.argv[1], (int(word) for word in sys.argv[2:])
		step, found = block << 10, 0
		with open(name, "rb", buffering=0) as file:
		    file.seek(at << 20)
		    for offset in range(at << 20, (at + size) << 20, step):
		        data = file.read(step)
		        start = data[:4096]
		        if data != start * (step // 4096):
		            sys.exit(f"{name}: the block at {offset} is torn")
		        tag = bytes(start[8:9] * 8)
		        if start != (offset.to_bytes(8, "little") + tag) * 256:
		            # Written with larger blocks by fill_places.
		            tag = bytes(8)
		            if start[8:16] != bytes([99]) * 8:
		                sys.exit(f"{name}: the block at {offset} has {start[:16]!r}")
		        found += tag == bytes([byte]) * 8
		if found != count:
		    sys.exit(f"{name}: {found} blocks of this run, expected {count}")
	END
}

# For check, after stream_beside with the same arguments.
assert_beside() {
	assert_blocks "$ARRAY" $STREAM_AT $STREAM_MB 256 $((STREAM_MB * 4))
	assert_blocks "$ARRAY" $OTHER_AT $OTHER_MB "$1" "$3"
	assert_sound
}

# Wait until md neither rebuilds nor checks an array. wait_idle
wait_idle() {
	local i md=/sys/block/${ARRAY#/dev/}/md
	for ((i = 0; i < 6000; i++)); do
		[ "$(cat "$md"/{sync_action,resync_start} | xargs)" != "idle none" ] || return 0
		sleep 0.1
	done
	fail "md is still busy: $(cat /proc/mdstat)"
}

# Fail unless all parity is right. Only with the module, and not in each round, because wrong parity stays wrong, and
# the emulator takes long for a check.
assert_sound() {
	local md=/sys/block/${ARRAY#/dev/}/md
	[ "$ARM" != stock ] && ((ROUND == 1 || ROUND % 3 == 0)) || return 0
	wait_idle
	echo check > "$md/sync_action"
	wait_idle
	assert_equal "mismatch_cnt" "$(cat "$md/mismatch_cnt")" 0
}

# For setup of a case with a file system: the array's settings, and as little dirty memory as beside a copy that is many
# times larger than memory. set_file_system WBT
set_file_system() {
	set_members "$1"
	echo $((16 << 20)) > /proc/sys/vm/dirty_background_bytes
	echo $((64 << 20)) > /proc/sys/vm/dirty_bytes
}

# Copy COPY_MB to a file through the page cache, and report what it took per MiB. Run it in the background.
COPY_MB=192
copy() {
	run_fio "--filename=$1" --direct=0 --name=copy --rw=write --bs=128k "--size=${COPY_MB}m" --end_fsync=1 \
		${RATE:+"--rate=$RATE"}
	stream_figure copy
}

# For check: the copy has its bytes, and the parity is right.
assert_copy() {
	assert_blocks "$1" 0 "$COPY_MB" 128 $((COPY_MB * 8))
	assert_sound
}

# Run pgbench's update transactions, and report the latencies of the commits. pgbench_figures CLIENTS TRANSACTIONS
pgbench_figures() {
	rm -f /run/postgresql/latency.*
	as_user postgres pgbench -h /run/postgresql -n -N -M prepared -c "$1" -t "$2" -l --log-prefix=/run/postgresql/latency \
		postgres > /dev/null
	cat /run/postgresql/latency.* | figures_of_us 3 commit
}

# For check: the accounts have what the history says.
assert_pgbench() {
	local difference
	difference=$(pg "SELECT (SELECT sum(abalance) FROM pgbench_accounts)
		- (SELECT coalesce(sum(delta), 0) FROM pgbench_history)")
	assert_equal "accounts without history" "$difference" 0
}

# Report the median and the 99th percentile of a column, us. figures_of_us COLUMN NAME
figures_of_us() {
	awk -v column="$1" '{ print $column }' | sort -n | awk -v name="$2" '{ us[NR] = $1 }
		END { print name "_p50_us", us[int((NR + 1) / 2)]; print name "_p99_us", us[int((NR * 99 + 99) / 100)] }' \
		>> "$STATE/figures"
}

# Run a command, and report its time. timed NAME COMMAND...
timed() {
	local begin=$EPOCHREALTIME
	"${@:2}"
	figure "$1_ms" "$(((${EPOCHREALTIME/./} - ${begin/./}) / 1000))"
}

# Make an LVM group of the array. There is no udev.
make_group() {
	mkdir -p /etc/lvm
	cat > /etc/lvm/lvm.conf <<- 'END'
		activation { udev_sync = 0 udev_rules = 0 monitoring = 0 }
		devices { obtain_device_list_from_udev = 0 use_devicesfile = 0 }
		backup { backup = 0 archive = 0 }
	END
	modprobe -a dm-mod dm-snapshot dm-thin-pool || fail "no device mapper"
	lvm vgcreate -q -y group "$ARRAY"
}
