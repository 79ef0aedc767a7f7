# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# Part of guest/lib.sh: the NFS server and its clients.

NFS_EXPORT=/srv/nfs

# Export a folder by the kernel's NFS server, for nfs_mount.
# nfs_export DIR THREADS
nfs_export() {
	mkdir -p "$NFS_EXPORT" /run/rpc_pipefs /var/lib/nfs/nfsdcld
	mount --bind "$1" "$NFS_EXPORT"
	modprobe nfsd || fail "no nfsd"
	mountpoint -q /proc/fs/nfsd || mount -t nfsd nfsd /proc/fs/nfsd
	mount -t rpc_pipefs rpc_pipefs /run/rpc_pipefs
	# nfsdcld tells nfsd that no client has state to reclaim. Without it every open waits for the end of the grace period.
	nfsdcld || fail "nfsdcld does not start"
	rpcbind -w || fail "rpcbind does not start"
	rpc.mountd || fail "rpc.mountd does not start"
	nfs_export_as async
	# nfs-utils 3 serves version 4.0 only if the configuration says so.
	mkdir -p /etc/nfs.conf.d
	printf '[nfsd]\nvers4.0=y\n' > /etc/nfs.conf.d/test.conf
	rpc.nfsd "$2" || fail "nfsd does not start"
	assert_equal "nfsd threads" "$(cat /proc/fs/nfsd/threads)" "$2"
}

# Export the folder of nfs_export anew, as sync or async. nfs_export_as sync|async
nfs_export_as() {
	exportfs -o "rw,insecure,no_root_squash,no_subtree_check,fsid=0,$1" "*:$NFS_EXPORT" || fail "exportfs"
}

# Export another mounted file system, as NAME below the export of nfs_export. nfs_export_also DIR NAME
nfs_export_also() {
	mkdir -p "$NFS_EXPORT/$2"
	mount --bind "$1" "$NFS_EXPORT/$2"
	exportfs -o rw,insecure,no_root_squash,no_subtree_check,async "*:$NFS_EXPORT/$2" || fail "exportfs of $2"
}

# Make a host for an NFS client: the network namespace clientN, which reaches the server at 10.9.N.1. make_client_host N
make_client_host() {
	ip netns add "client$1" || fail "no network namespace"
	ip link add "client$1" type veth peer name eth0 netns "client$1" || fail "no veth"
	ip addr add "10.9.$1.1/24" dev "client$1"
	ip link set "client$1" up
	ip -n "client$1" addr add "10.9.$1.2/24" dev eth0
	ip -n "client$1" link set eth0 up
}

# Mount the export, or its part NAME of nfs_export_also, over loopback, or from host N of make_client_host. All hosts see the
# mount. nfs_mount VERSION MOUNTPOINT [OPTIONS [NAME [N]]]
# nfs_mount 3 /mnt/client nconnect=8,rsize=32768
nfs_mount() {
	local server=127.0.0.1 path=$NFS_EXPORT${4:+/$4} how=vers=$1,proto=tcp${3:+,$3} where=()
	if [ -n "${5:-}" ]; then
		server=10.9.$5.1
		# The version 4 server tells clients apart by their host names.
		# shellcheck disable=SC2016 # the inner shell expands it
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

# Export a folder, and mount the export. nfs_export_and_mount DIR THREADS VERSION MOUNTPOINT [OPTIONS]
nfs_export_and_mount() {
	nfs_export "$1" "$2"
	nfs_mount "$3" "$4" "${5:-}"
}

# Print the client's readahead of an NFS mount in KiB, or set it. nfs_readahead_kb MOUNTPOINT [KB]
nfs_readahead_kb() {
	local file
	file=/sys/class/bdi/$(mountpoint -d "$1")/read_ahead_kb
	if [ -n "${2:-}" ]; then
		echo "$2" > "$file"
	else
		cat "$file"
	fi
}
