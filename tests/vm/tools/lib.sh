# shellcheck shell=bash disable=SC2154 # disk is set by make_slow_file
# SPDX-License-Identifier: GPL-2.0-only
# Functions for the tests of seqkeep, which source it after guest/lib.sh.

# Clients read a file that 16 nfsd serve out of order, again and again.
read_by_nfs() {
	while :; do
		echo 1 > /proc/sys/vm/drop_caches
		dd if=/mnt/nfs/file of=/dev/null bs=1M status=none || break
	done
}

# Make an NFS server and a client that reads from it: sets $load, its process.
start_nfs_load() {
	make_slow_file ext4 64
	nfs_export /mnt/test 16
	nfs_mount 4.2 /mnt/nfs nconnect=8,rsize=32768
	nfs_readahead_kb /mnt/nfs 4096
	(trap - ERR; read_by_nfs) > /dev/null 2>&1 &
	load=$!
}

# What a newcomer types once the packages are installed.
advise_try_enable() {
	local status=0
	# Is it for this machine?
	seqkeep advise --watch 5s > /run/advise
	cat /run/advise
	# Linux 6.1 keeps this stream whole enough that advise cannot tell, and says how to find out.
	grep -E "^ctxra: (would help|cannot tell)" /run/advise
	grep -F "seqkeep try ctxra" /run/advise

	# Does it help?
	seqkeep try ctxra --for 40s --period 2s --guard 1000 > /run/try || status=$?
	cat /run/try
	assert_equal "status of seqkeep try" "$status" 0
	# The truth is that of ctxra/005: 16 nfsd break the stream, and ctxra keeps it whole.
	grep -E "^ctxra (helps|changes) this load: disk reads per MiB served -[0-9]+ % \(-[0-9]+ % to -[0-9]+ %\)" /run/try
	[ ! -e /sys/module/ctxra ] || fail "ctxra is still loaded"

	# Keep it.
	seqkeep enable --now ctxra
	assert_equal "enabled" "$(cat /sys/module/ctxra/parameters/enable)" Y
}
