# shellcheck shell=bash disable=SC2153,SC2154
# SPDX-License-Identifier: GPL-2.0-only
# The functions that cases call, beside those of tests/vm/guest/lib.sh.

STATE=/run/gauntlet

# Pass a variable on to the later steps. keep NAME VALUE
keep() {
	printf 'export %s=%q\n' "$1" "$2" >> "$STATE/env"
	export "$1=$2"
}

# Report a figure of the load's own; less is better, and it judges the case like the others. figure NAME VALUE
figure() {
	echo "$1 $2" >> "$STATE/figures"
}

# Report the latencies of fio's requests, and of its fsync: PREFIXp50_us, PREFIXp99_us, PREFIXfsync_p99_us.
# fio_figures FILE.json [PREFIX [JOB]]
fio_figures() {
	python3 - "$1" "${2:-}" "${3:-}" <<- 'END' >> "$STATE/figures"
		import json, sys
		text = open(sys.argv[1]).read()
		for job in json.loads(text[text.index("{"):])["jobs"]:
		    if sys.argv[3] and job["jobname"] != sys.argv[3]:
		        continue
		    for kind, what in (("read", ""), ("write", ""), ("sync", "fsync_")):
		        found = job.get(kind, {})
		        lat = found.get("clat_ns" if kind != "sync" else "lat_ns", {}).get("percentile")
		        if lat and (kind == "sync" or found["total_ios"]):
		            if kind != "sync" and job["read"]["total_ios"] and job["write"]["total_ios"]:
		                what = kind + "_"
		            print(f"{sys.argv[2]}{what}p50_us", lat["50.000000"] / 1e3)
		            print(f"{sys.argv[2]}{what}p99_us", lat["99.000000"] / 1e3)
	END
}

# How fio fills a file with its blocks' offsets, and checks them when it reads.
FIO_CHECKED=(--verify=pattern --verify_pattern=%o --verify_state_save=0)

# For setup: a file for fio_read with the same blocks. make_fio_file FILE SIZE_MB BLOCK_KB
make_fio_file() {
	fio --name=fill "--filename=$1" "--size=$2m" "--bs=$3k" --rw=write --fallocate=none --output=/dev/null \
		"${FIO_CHECKED[@]}" --do_verify=0
}

# Read a file by fio, which fails if a block is wrong, and report its latencies. fio_read FILE BLOCK_KB ARGS...
fio_read() {
	fio --name=read "--filename=$1" "--bs=$2k" --allow_file_create=0 --group_reporting --output-format=json \
		"--output=$STATE/fio" "${FIO_CHECKED[@]}" "${@:3}"
	fio_figures "$STATE/fio"
}

# For setup: keep what the load prints when it reads data that is still cached. For check: compare what it printed now.
golden() {
	load > "$STATE/golden"
}

same_as_golden() {
	cmp "$OUT" "$STATE/golden"
}

# For check of a case with seeds: compare what the load printed under both arms, whichever came first.
same_for_seed() {
	local other=$STATE/seed-${CASE//\//-}-$SEED
	[ -e "$other" ] || cp "$OUT" "$other"
	cmp "$OUT" "$other"
}

# Make a file of bytes that differ in every block, quickly. make_file FILE SIZE_MB
make_file() {
	reader make "$1" "$2"
}

# Make a file of lines of text, which can be compressed. make_text FILE SIZE_MB
make_text() {
	python3 - "$2" <<- 'END' > "$1"
		import sys
		size = int(sys.argv[1]) << 20
		# A line has 28 bytes or more on average.
		text = "".join(f"{i * 7919 % 1000003} {'word' * (i % 9)} {i}\n" for i in range(size // 28))
		sys.stdout.write(text[:size])
	END
	assert_equal "bytes of the file" "$(stat -c %s "$1")" $(($2 << 20))
}

# Make a disk of one of the models, of $DISK_MB, and print its name.
make_disk() {
	local number=0
	case $DISK_MODEL in
	2ms) make_null_blk "$DISK_MB" 2000000 8192 ;;
	50us) make_null_blk "$DISK_MB" 50000 8192 ;;
	5ms) make_null_blk "$DISK_MB" 5000000 8192 ;;
	1ms) make_null_blk "$DISK_MB" 1000000 8192 ;;
	spindle)
		modprobe nbd nbds_max=16 || fail "no nbd"
		while [ "$(cat "/sys/block/nbd$number/size")" != 0 ]; do
			number=$((number + 1))
			[ -e "/sys/block/nbd$number" ] || fail "no free nbd"
		done
		# Started by setsid, because it outlives this step.
		setsid python3 /mnt/seqkeep/iostune/spindle "/dev/nbd$number" "$DISK_MB" 100 8 "$STATE/spindle$number" \
			< /dev/null > "$STATE/spindle$number.log" 2>&1 &
		for _ in $(seq 100); do
			[ "$(cat "/sys/block/nbd$number/size")" = 0 ] || break
			sleep 0.1
		done
		[ "$(cat "/sys/block/nbd$number/size")" != 0 ] || fail "no spindle: $(cat "$STATE/spindle$number.log")"
		echo "nbd$number"
		;;
	*) fail "no disk $DISK_MODEL" ;;
	esac
}

# Make the members and the array of the variant, and wait for nothing: it is clean. Sets $ARRAY and $DISKS.
make_array() {
	local number members=()
	for ((number = 0; number < MEMBERS; number++)); do
		members+=("$(make_disk)")
	done
	modprobe raid456 || fail "no raid456"
	mdadm --create /dev/md0 --run --quiet --level="$LEVEL" --raid-devices="$MEMBERS" --chunk="$CHUNK" \
		--assume-clean --bitmap=none --metadata=1.2 "${members[@]/#//dev/}" || fail "mdadm --create"
	keep ARRAY /dev/md0
	keep DISKS "${members[*]}"
}

# Make where the data of a variant is, by $PLACE, and set DISKS (which are counted), SERVER_BASE and CLIENT_BASE. A case
# may define its own function `place` instead.
make_place() {
	local disk
	case $PLACE in
	array) make_array; keep SERVER_BASE "$STATE/scratch"; keep CLIENT_BASE "$STATE/scratch"; mkdir -p "$STATE/scratch" ;;
	array-*)
		make_array
		make_fs "${PLACE#array-}" md0 /mnt/disk
		mount -o remount,noatime /mnt/disk
		keep SERVER_BASE /mnt/disk
		keep CLIENT_BASE /mnt/disk
		;;
	*)
		disk=$(make_disk)
		keep DISKS "$disk"
		make_fs "$FS" "$disk" /mnt/disk
		# Updates of access times would be counted as writes.
		mount -o remount,noatime /mnt/disk
		keep SERVER_BASE /mnt/disk
		keep CLIENT_BASE /mnt/disk
		;;
	esac
	case $PLACE in
	local | array*) ;;
	disk) keep SERVER_BASE "$STATE/scratch"; keep CLIENT_BASE "$STATE/scratch"; umount /mnt/disk; mkdir -p "$STATE/scratch" ;;
	nfs3-* | nfs42-*) place_nfs ;;
	iscsi) place_iscsi ;;
	*) fail "no place $PLACE" ;;
	esac
}

# Mount the disk's file system by NFS, with the version and rsize that $PLACE names. The client reads ahead four times
# rsize, as with nfs-ra's multiple=4, under both arms: the client is another machine, and what differs is the server.
place_nfs() {
	local version=${PLACE#nfs} rsize
	case $version in
	3-*) version=3 ;;
	42-*) version=4.2 ;;
	esac
	case $PLACE in
	*-64k) rsize=65536 ;;
	*-1m) rsize=1048576 ;;
	esac
	nfs_export_and_mount /mnt/disk 16 "$version" /mnt/client "nconnect=4,noatime,rsize=$rsize,wsize=$rsize"
	nfs_readahead_kb /mnt/client $((rsize / 256))
	keep CLIENT_BASE /mnt/client
}

# Serve a file of the disk by iSCSI, with a file system of the initiator's in it.
place_iscsi() {
	local lun
	fallocate -l $((DISK_MB * 3 / 4))M /mnt/disk/lun
	make_lio_target /mnt/disk/lun 1
	iscsi_login 1
	lun=${paths[0]}
	make_fs "$FS" "$lun" /mnt/lun
	mount -o remount,noatime /mnt/lun
	keep SERVER_BASE /mnt/lun
	keep CLIENT_BASE /mnt/lun
	keep EVICT /mnt/disk/lun
	keep INITIATOR "$lun"
}

# Start Debian's PostgreSQL on the data of prepare(), and stop it. The buffers are small, so that queries read the disk.
pg_start() {
	mkdir -p /run/postgresql
	chown postgres: /run/postgresql
	chmod 755 "$DIR" "${DIR%/*}"
	rm -f "$DIR/pg/postmaster.pid"
	as_user postgres "$(echo /usr/lib/postgresql/*/bin)/pg_ctl" -D "$DIR/pg" -w -s -l /run/postgresql/log start ||
		fail "PostgreSQL does not start: $(tail -n 5 /run/postgresql/log)"
}

pg_stop() {
	as_user postgres "$(echo /usr/lib/postgresql/*/bin)/pg_ctl" -D "$DIR/pg" -w -s -m fast stop
}

# Print the answer of the last of some statements. pg STATEMENT...
pg() {
	local options=() statement
	for statement; do options+=(-c "$statement"); done
	psql -h /run/postgresql -U postgres -qAt "${options[@]}"
}

as_user() {
	setpriv "--reuid=$1" "--regid=$1" --init-groups "${@:2}"
}

mariadb_start() {
	chmod 755 "$DIR" "${DIR%/*}"
	mariadbd --no-defaults --user=mysql "--datadir=$DIR/base" --socket=/run/mysqld.sock --pid-file=/run/mysqld.pid --skip-networking \
		--innodb-buffer-pool-size=8M --innodb-flush-method=fsync --innodb-buffer-pool-load-at-startup=0 \
		--innodb-buffer-pool-dump-at-shutdown=0 > /run/mariadb.log 2>&1 < /dev/null &
	wait_for mariadb -S /run/mysqld.sock -e "SELECT 1" > /dev/null
}

mariadb_stop() {
	mariadb-admin -S /run/mysqld.sock shutdown
	wait_for test ! -e /run/mysqld.pid
}

# Serve $DIR by nginx with sendfile.
nginx_start() {
	cat > "$STATE/nginx/nginx.conf" <<- END
		user root;
		worker_processes 2;
		pid $STATE/nginx/pid;
		error_log $STATE/nginx/error.log;
		events { worker_connections 256; }
		http {
		    access_log off;
		    sendfile on;
		    server { listen 127.0.0.1:80; root $DIR; }
		}
	END
	nginx -c "$STATE/nginx/nginx.conf" -p "$STATE/nginx" < /dev/null > /dev/null 2>&1
}

nginx_stop() {
	nginx -c "$STATE/nginx/nginx.conf" -p "$STATE/nginx" -s quit 2> /dev/null
	wait_for test ! -e "$STATE/nginx/pid"
}
