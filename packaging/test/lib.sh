# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# What the tests share. The runner's environment has SUITE, KVER (its kernel), and of META: VERSION, MODULES,
# OLDEST, NEWEST. /mnt/deb and /mnt/rpm hold the packages; -next those of the later version NEXT; -outside those
# of version OUTSIDE, for a range of kernels that ends before KVER.

# Where packages come and go two modules stand for all, as each builds for half a minute and their scripts are alike; one
# has a step of its own in its build. The VM tests' roots have all of them, by apt, and 007 by dnf.
# shellcheck disable=SC2034 # for the tests
ALL_MODULES=$MODULES
MODULES="ctxra raid5-deadline"
# shellcheck disable=SC2034 # for the tests
PACKAGES="seqkeep-tools ${MODULES// /-dkms }-dkms"
# The file that the tests edit, of one module for all.
# shellcheck disable=SC2034
CONF=/etc/modprobe.d/ctxra.conf
EDITED=/tmp/edited.conf

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

# files DIR: the files of PACKAGES in a folder.
files() {
	local package
	for package in $PACKAGES; do
		compgen -G "$1/${package}_*.deb" || compgen -G "$1/$package-[0-9]*.noarch.rpm" || fail "$1 has no $package"
	done
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

# built_for VERSION [KVER]: every module, in VERSION and no other, is installed by DKMS for KVER, where modprobe finds it.
built_for() {
	local kver=${2:-$KVER} module status found
	for module in $MODULES; do
		status=$(dkms status "$module" -k "$kver")
		[[ $status == "$module/$1, $kver, "*": installed" ]] || fail "dkms status of $module for $kver: '$status'"
		found=$(modinfo -k "$kver" -F version "$module")
		[[ $found == "$1" ]] || fail "modinfo finds version '$found' of $module for $kver, not $1"
		[[ $(modinfo -k "$kver" -F vermagic "$module") == "$kver "* ]] ||
			fail "$module for $kver is of another kernel"
	done
}

# not_built VERSION: DKMS knows every module but has built none of them for any kernel.
not_built() {
	local module status
	for module in $MODULES; do
		status=$(dkms status "$module")
		[[ $status == "$module/$1: added" ]] || fail "dkms status: '$status'"
	done
	no_module_left
}

# only_version VERSION OLD: DKMS and /usr/src have VERSION of every module, and nothing of OLD.
only_version() {
	local module
	for module in $MODULES; do
		[[ $(dkms status "$module" | wc -l) -eq 1 && $(dkms status "$module") == "$module/$1, "* ]] ||
			fail "dkms status: $(dkms status "$module")"
		[[ ! -e /usr/src/$module-$2 ]] || fail "/usr/src still has $module-$2"
	done
}

# no_module_left: no kernel has a module of ours, and depmod knows none.
no_module_left() {
	local module
	for module in $MODULES; do
		[[ -z $(find /lib/modules/ -name "$module.ko*") ]] || fail "there is a $module.ko"
		if grep "/$module.ko" /lib/modules/*/modules.dep; then fail "modules.dep still has it"; fi
	done
}

# as_shipped: no module's configuration sets an option.
as_shipped() {
	local module
	for module in $MODULES; do
		if grep -v -e '^#' -e '^$' "/etc/modprobe.d/$module.conf"; then fail "$module.conf sets an option as shipped"; fi
	done
}

# edit_conf: edit CONF as an administrator would, and keep what it is then as EDITED.
edit_conf() {
	sed -i 's/^#\(options ctxra max_kb=\).*/\1512/' "$CONF"
	cp "$CONF" "$EDITED"
}

# snapshot FILE: list every file and modules.dep's lines, but what package managers and dkms keep for themselves.
snapshot() {
	find / -xdev \( -path /mnt -o -path /proc -o -path /dev -o -path /tmp -o -path /var/cache -o -path /var/log \
		-o -path /var/lib/dpkg -o -path /var/lib/apt -o -path /var/lib/rpm -o -path /var/lib/dnf \
		-o -path '/var/lib/dkms/mok.*' -o -path /root -o -path /etc/dkms \) -prune -o -print | sort >"$1"
	sort /lib/modules/*/modules.dep >>"$1"
}

# no_trace BEFORE: the system has what it had at snapshot BEFORE, no more and no less.
no_trace() {
	snapshot /tmp/after
	diff "$1" /tmp/after || fail "traces are left: see the lines above"
}
