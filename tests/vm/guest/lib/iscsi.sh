# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# Part of guest/lib.sh: the iSCSI target and its initiator.

ISCSI_NAME=iqn.2026-01.example.seqkeep:disk

# Serve a file as an iSCSI disk by the kernel's target (LIO) through the page cache, at 127.0.0.1 to 127.0.0.N.
# make_lio_target FILE N
make_lio_target() {
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
	# Every initiator may read and write without a password.
	echo 0 > "$group/attrib/authentication"
	echo 1 > "$group/attrib/generate_node_acls"
	echo 1 > "$group/attrib/cache_dynamic_acls"
	echo 0 > "$group/attrib/demo_mode_write_protect"
	echo 1 > "$group/enable"
}

# Log in to each address of make_lio_target by open-iscsi, and set the array $paths to the disks, one per address.
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
	# iscsid scans for the disks after the login.
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
