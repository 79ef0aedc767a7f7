# shellcheck shell=bash disable=SC2153,SC2154
# SPDX-License-Identifier: GPL-2.0-only
# For the cases of this group: a client in a network namespace, delays, and a mount of its own for each run.

# The delays of the network, ms, there and back. A load is run with each.
DELAYS="0 2 20"

# For `place`: the disk, its export, and the client's mount, by $PLACE.
make_client_place() {
	local disk
	disk=$(make_disk)
	make_fs "$FS" "$disk" /mnt/disk
	mount -o remount,noatime /mnt/disk
	modprobe nfsd || fail "no nfsd"
	mount -t nfsd nfsd /proc/fs/nfsd
	# A server with little memory offers less.
	echo 1048576 > /proc/fs/nfsd/max_block_size
	make_client_host 1
	nfs_export /mnt/disk 8
	keep DISKS "$disk"
	keep SERVER_BASE /mnt/disk
	keep CLIENT_BASE /mnt/client
	mount_anew
}

# For `before`: mount, because the readahead follows from what the module is set to at that time.
mount_anew() {
	local version=4.2 rsize=1048576
	case $PLACE in nfs3-*) version=3 ;; esac
	case $PLACE in *-64k) rsize=65536 ;; esac
	cd /
	! mountpoint -q /mnt/client || umount /mnt/client
	set_delay 0
	nfs_mount "$version" /mnt/client "noatime,nosharecache,rsize=$rsize" "" 1
}

# Half of the delay at each end. set_delay MS
set_delay() {
	tc qdisc del dev client1 root 2> /dev/null || :
	ip netns exec client1 tc qdisc del dev eth0 root 2> /dev/null || :
	[ "$1" != 0 ] || return 0
	tc qdisc add dev client1 root netem delay $(($1 * 500))us limit 100000
	ip netns exec client1 tc qdisc add dev eth0 root netem delay $(($1 * 500))us limit 100000
}

# Print the bytes that READs have brought to the client.
received() {
	awk '$1 == "device" { mine = $5 == "/mnt/client" } mine && $1 == "bytes:" { print $6 }' /proc/self/mountstats
}

# For `load`: run a command with each delay, nothing cached at the client, and report its time and what it received.
# It prints the same each time, or the load fails. with_delays COMMAND...
with_delays() {
	local ms begin before
	for ms in $DELAYS; do
		set_delay "$ms"
		forget
		before=$(received)
		begin=$EPOCHREALTIME
		"$@" > "$STATE/printed-$ms"
		figure "delay${ms}_ms" $(((${EPOCHREALTIME/./} - ${begin/./}) / 1000))
		forget
		figure "delay${ms}_kib" $((($(received) - before) / 1024))
		cmp "$STATE/printed-0" "$STATE/printed-$ms"
	done
	set_delay 0
	cat "$STATE/printed-0"
}

# Drop what the client has cached of its files, once nothing is in flight.
forget() {
	local before=-1 now
	while now=$(received) && [ "$now" != "$before" ]; do
		before=$now
		sleep 0.2
	done
	python3 - "$DIR" <<- 'END'
		import os, sys
		for folder, _, names in os.walk(sys.argv[1]):
		    for name in names:
		        descriptor = os.open(os.path.join(folder, name), os.O_RDONLY)
		        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
		        os.close(descriptor)
	END
}

# For setup: 60 files of 1 to 60 KiB, and one of 8 MiB.
make_home() {
	local number
	mkdir home
	make_file home/film 8
	for ((number = 1; number <= 60; number++)); do
		head -c $((number * 1000)) home/film > "home/$number"
	done
}

# For setup: files by Pareto sizes, most of 3 to 20 KiB, the largest of 1 MiB. make_tree FILES
make_tree() {
	python3 - "$1" <<- 'END'
		import random, sys
		from pathlib import Path
		source = random.Random(7)
		for number in range(int(sys.argv[1])):
		    folder = Path("tree", f"d{number % 20}")
		    folder.mkdir(parents=True, exist_ok=True)
		    size = int(source.paretovariate(1.1) * 3000)
		    (folder / f"f{number}.c").write_bytes(source.randbytes(min(size, 1 << 20)))
	END
}
