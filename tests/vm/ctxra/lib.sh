# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# What the tests of ctxra share: the disk's reads with ctxra and without it.

# Run a command without ctxra and with it in turn, ROUNDS times each, with none of the files cached, and print the disk's
# reads. Set $stock and $with to the fewest I/Os of each, $stock_sectors and $with_sectors to the fewest sectors. The
# fewest are closest to the truth, because other reads of the disk, and delays, only add to them.
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
		drop_data_pages "${files[@]}"
		count_reads "$disk" "$@"
		stock=$((stock < ios ? stock : ios))
		stock_sectors=$((stock_sectors < sectors ? stock_sectors : sectors))
		stock_log+=" $ios of $kib KiB"
		set_param ctxra enable 1
		drop_data_pages "${files[@]}"
		count_reads "$disk" "$@"
		with=$((with < ios ? with : ios))
		with_sectors=$((with_sectors < sectors ? with_sectors : sectors))
		with_log+=" $ios of $kib KiB"
	done
	[ "$stock" -gt 0 ] || fail "$*: nothing was read from the disk"
	echo "    stock:$stock_log; ctxra:$with_log; sectors $stock_sectors, $with_sectors"
}
