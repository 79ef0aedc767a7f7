# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# Part of guest/lib.sh: an NFS server, and its clients.

NFS_EXPORT=/srv/nfs

# Export a folder by the real NFS server with N threads, to be mounted by nfs_mount.
# nfs_export DIR THREADS
nfs_export() {
	mkdir -p "$NFS_EXPORT" /run/rpc_pipefs /var/lib/nfs/nfsdcld
	mount --bind "$1" "$NFS_EXPORT"
	modprobe nfsd || fail "no nfsd"
	mountpoint -q /proc/fs/nfsd || mount -t nfsd nfsd /proc/fs/nfsd
	mount -t rpc_pipefs rpc_pipefs /run/rpc_pipefs
	# It tells nfsd that no client has state to reclaim; without it every open waits for a grace period to end.
	nfsdcld || fail "nfsdcld does not start"
	rpcbind -w || fail "rpcbind does not start"
	rpc.mountd || fail "rpc.mountd does not start"
	exportfs -o rw,insecure,no_root_squash,no_subtree_check,fsid=0,async "*:$NFS_EXPORT" || fail "exportfs"
	# nfs-utils 3 leaves out version 4.0 unless it is told not to.
	mkdir -p /etc/nfs.conf.d
	printf '[nfsd]\nvers4.0=y\n' > /etc/nfs.conf.d/test.conf
	rpc.nfsd "$2" || fail "nfsd does not start"
	assert_equal "nfsd threads" "$(cat /proc/fs/nfsd/threads)" "$2"
}

# Export a mounted file system too, below the export of nfs_export, as NAME. nfs_export_also DIR NAME
nfs_export_also() {
	mkdir -p "$NFS_EXPORT/$2"
	mount --bind "$1" "$NFS_EXPORT/$2"
	exportfs -o rw,insecure,no_root_squash,no_subtree_check,async "*:$NFS_EXPORT/$2" || fail "exportfs of $2"
}

# Make a host of its own for an NFS client: a network namespace, clientN, with the server at 10.9.N.1. client_host N
client_host() {
	ip netns add "client$1" || fail "no network namespace"
	ip link add "client$1" type veth peer name eth0 netns "client$1" || fail "no veth"
	ip addr add "10.9.$1.1/24" dev "client$1"
	ip link set "client$1" up
	ip -n "client$1" addr add "10.9.$1.2/24" dev eth0
	ip -n "client$1" link set eth0 up
}

# Mount the export, or what is exported as NAME below it, over loopback, or from host N of client_host. What is mounted
# is seen everywhere. nfs_mount VERSION MOUNTPOINT [OPTIONS [NAME [N]]]
# nfs_mount 3 /mnt/client nconnect=8,rsize=32768
nfs_mount() {
	local server=127.0.0.1 path=$NFS_EXPORT${4:+/$4} how=vers=$1,proto=tcp${3:+,$3} where=()
	if [ -n "${5:-}" ]; then
		server=10.9.$5.1
		# The version 4 server knows a client by its host's name.
		# shellcheck disable=SC2016 # expanded by that shell
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

# Export a folder and mount it again. nfs_export_and_mount DIR THREADS VERSION MOUNTPOINT [OPTIONS]
nfs_export_and_mount() {
	nfs_export "$1" "$2"
	nfs_mount "$3" "$4" "${5:-}"
}

# The client's readahead of an NFS mount. nfs_readahead_kb MOUNTPOINT [SET_TO_KB]
nfs_readahead_kb() {
	local file
	file=/sys/class/bdi/$(mountpoint -d "$1")/read_ahead_kb
	if [ -n "${2:-}" ]; then
		echo "$2" > "$file"
	else
		cat "$file"
	fi
}
