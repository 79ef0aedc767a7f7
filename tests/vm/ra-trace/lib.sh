# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# Functions of the tests of ra-trace, in addition to guest/lib.sh.

READAHEAD=/sys/kernel/debug/readahead
TRACING=/sys/kernel/tracing

# A disk with a file system and a file of 8 MiB on it, 128 KiB of readahead: sets $disk, $devno and $file.
make_traced_file() {
	disk=$(make_null_blk 512 0 8192)
	make_fs ext4 "$disk" /mnt/test
	echo 128 > "/sys/block/$disk/queue/read_ahead_kb"
	devno=$(cat "/sys/block/$disk/dev")
	file=/mnt/test/file
	head -c 8M /dev/urandom > "$file"
	sync
	# Read the file's metadata now, before blocks are counted.
	dd "if=$file" of=/dev/null bs=1M iflag=direct status=none
	# khugepaged reads ahead in mapped files at any time; on 7.3 on any file system with large folios.
	echo never > /sys/kernel/mm/transparent_hugepage/enabled
	reads evict
}

reads() {
	/mnt/seqkeep/ra-trace/reads "$file" "$@"
}

# Wait first, because pages under I/O cannot be evicted.
evict() {
	sleep 0.2
	reads evict
}

reset_stats() {
	echo > $READAHEAD/stats
}

# rows_of DEVICE: its rows that are not 0: pattern, count, sync_count, eof_count, size, async_size, actual.
rows_of() {
	awk -v dev="$1" '$1 == "dev" { on = $2 == dev }
		on && NF == 10 && $1 != "pattern" && $1 != "all" && $2 > 0 { print $1, $2, $3, $4, $5, $6, $7 }' \
		$READAHEAD/stats_by_dev
}

# A number of a device's table: cell_of 253:0 trail actual
cell_of() {
	awk -v dev="$1" -v row="$2" -v col="$3" '$1 == "dev" { on = $2 == dev; next }
		on && $1 == "pattern" { for (i = 2; i <= NF; i++) if ($i == col) n = i }
		on && $1 == row { print $n; found = 1 } END { if (!found) print 0 }' $READAHEAD/stats_by_dev
}

# A line "name value" of a table: line_of stats_raw pages_entered
line_of() {
	awk -v name="$2" '$1 == name { print $2; found = 1 } END { exit !found }' "$READAHEAD/$1" ||
		fail "$1 has no $2"
}

# Fail unless the numbers agree with one another, in every table.
assert_checked() {
	local table
	for table in stats stats_raw stats_by_dev why waste top; do
		assert_equal "head of $table" "$(head -n 1 "$READAHEAD/$table")" "# check: ok"
	done
}

# The number of ra-trace's hooks in the kernel's list of kprobes.
count_hooks() {
	grep -c -E ' (page_cache|force_page_cache|filemap|generic_file)_' /sys/kernel/debug/kprobes/list || :
}
