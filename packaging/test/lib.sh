# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# What the tests share. The runner's environment has SUITE, KVER (its kernel), and of META: VERSION, OLDEST,
# NEWEST. /mnt/deb and /mnt/rpm hold the packages; -next those of the later version NEXT; -outside those
# of version OUTSIDE, for a range of kernels that ends before KVER.

# shellcheck disable=SC2034 # for the tests
CONF=/etc/modprobe.d/ctxra.conf

# show_logs: what the compiler said, if it said anything.
show_logs() {
	find /var/lib/dkms/ -name make.log -exec cat {} +
}

# fail TEXT...: end the test with a reason.
fail() {
	show_logs
	echo "FAILED: $*"
	trap - ERR
	exit 1
}

# apt ARGS...: apt-get that asks nothing, and installs from files.
apt() {
	apt-get -q -y --no-install-recommends -o Dpkg::Use-Pty=0 -o APT::Sandbox::User=root "$@"
}

# archive ARGS...: the same with the archive, whose lists and packages are kept from run to run.
archive() {
	flock /mnt/apt/lock apt-get -q -y --no-install-recommends -o Dpkg::Use-Pty=0 -o APT::Sandbox::User=root \
		-o Dir::State::lists=/mnt/apt/lists -o Dir::Cache::archives=/mnt/apt/archives \
		-o APT::Keep-Downloaded-Packages=true -o Acquire::Languages=none "$@"
}

# archive_reached: update the lists, or print why not.
archive_reached() {
	mkdir -p /mnt/apt/lists/partial /mnt/apt/archives/partial
	archive update >/tmp/update 2>&1 || { echo "the archive is out of reach: $(tail -n1 /tmp/update)"; return 1; }
}

# built_for VERSION [KVER]: ctxra VERSION, no other, is installed by DKMS for KVER, where modprobe finds it.
built_for() {
	local kver=${2:-$KVER} status found
	status=$(dkms status ctxra -k "$kver")
	[[ $status == "ctxra/$1, $kver, "*": installed" ]] || fail "dkms status for $kver: '$status'"
	found=$(modinfo -k "$kver" -F version ctxra)
	[[ $found == "$1" ]] || fail "modinfo finds version '$found' for $kver, not $1"
	[[ $(modinfo -k "$kver" -F vermagic ctxra) == "$kver "* ]] || fail "the module for $kver is of another kernel"
}

# not_built: DKMS knows ctxra but has no module of it for any kernel.
not_built() {
	local status
	status=$(dkms status ctxra)
	[[ $status == "ctxra/$1: added" ]] || fail "dkms status: '$status'"
	[[ -z $(find /lib/modules/ -name 'ctxra.ko*') ]] || fail "there is a ctxra.ko"
}

# snapshot FILE: list every file and modules.dep's lines, but what package managers and dkms keep for themselves.
snapshot() {
	find / -xdev \( -path /mnt -o -path /proc -o -path /dev -o -path /tmp -o -path /var/cache -o -path /var/log \
		-o -path /var/lib/dpkg -o -path /var/lib/apt -o -path /var/lib/rpm -o -path '/var/lib/dkms/mok.*' \
		-o -path /root -o -path /etc/dkms \) -prune -o -print | sort >"$1"
	sort /lib/modules/*/modules.dep >>"$1"
}

# no_trace BEFORE: the system has what it had at snapshot BEFORE, no more and no less.
no_trace() {
	snapshot /tmp/after
	diff "$1" /tmp/after || fail "traces are left: see the lines above"
}
