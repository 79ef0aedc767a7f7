# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Functions and variables that the tests share. The runner sets SUITE, KVER (the suite's kernel), and from META: VERSION,
# MODULES, OLDEST, NEWEST, ALSO. /mnt/deb and /mnt/rpm hold the packages, /mnt/deb-next and so on those of the later version
# NEXT, and /mnt/deb-outside and so on those of version OUTSIDE, whose range of kernels ends before KVER.

# Two modules stand for all in most tests, because each builds for half a minute and their scripts are alike.
# raid5-deadline is one of them, because its build has a step of its own. The VM tests' roots have all modules, installed
# by apt, and 007 installs all by dnf.
# shellcheck disable=SC2034 # for the tests
ALL_MODULES=$MODULES
# shellcheck disable=SC2034
ALL_PACKAGES="seqkeep seqkeep-tools ${MODULES// /-dkms }-dkms"
MODULES="ctxra raid5-deadline"
# shellcheck disable=SC2034 # for the tests
PACKAGES="seqkeep-tools ${MODULES// /-dkms }-dkms"
# The configuration file that the tests edit.
# shellcheck disable=SC2034
CONF=/etc/modprobe.d/ctxra.conf
EDITED=/tmp/edited.conf

# show_logs: print the logs of all builds.
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

# files DIR: print the files of PACKAGES in a folder.
files() {
	local package
	for package in $PACKAGES; do
		compgen -G "$1/${package}_*.deb" || compgen -G "$1/$package-[0-9]*.noarch.rpm" || fail "$1 has no $package"
	done
}

# apt ARGS...: run apt-get without questions.
apt() {
	apt-get -q -y --no-install-recommends -o Dpkg::Use-Pty=0 -o APT::Sandbox::User=root "$@"
}

# archive ARGS...: the same with the archive's lists and packages, which stay from run to run.
archive() {
	flock /mnt/apt/lock apt-get -q -y --no-install-recommends -o Dpkg::Use-Pty=0 -o APT::Sandbox::User=root \
		-o Dir::State::lists=/mnt/apt/lists -o Dir::Cache::archives=/mnt/apt/archives \
		-o APT::Keep-Downloaded-Packages=true -o Acquire::Languages=none "$@"
}

# archive_reached: update the lists, or print why not.
archive_reached() {
	mkdir -p /mnt/apt/lists/partial /mnt/apt/archives/partial
	archive update >/tmp/update 2>&1 || { echo "cannot reach the archive: $(tail -n1 /tmp/update)"; return 1; }
}

# built_for VERSION [KVER]: fail unless DKMS installed VERSION, and no other, of every module for KVER.
built_for() {
	local kver=${2:-$KVER} module status found
	for module in $MODULES; do
		status=$(dkms status "$module" -k "$kver")
		[[ $status == "$module/$1, $kver, "*": installed" ]] || fail "dkms status of $module for $kver: '$status'"
		found=$(modinfo -k "$kver" -F version "$module")
		[[ $found == "$1" ]] || fail "modinfo finds version '$found' of $module for $kver, not $1"
		[[ $(modinfo -k "$kver" -F vermagic "$module") == "$kver "* ]] ||
			fail "$module for $kver is for another kernel"
	done
}

# not_built VERSION: fail unless DKMS knows every module and has built none.
not_built() {
	local module status
	for module in $MODULES; do
		status=$(dkms status "$module")
		[[ $status == "$module/$1: added" ]] || fail "dkms status: '$status'"
	done
	no_module_left
}

# only_version VERSION OLD: fail unless DKMS and /usr/src have VERSION of every module, and nothing of OLD.
only_version() {
	local module
	for module in $MODULES; do
		[[ $(dkms status "$module" | wc -l) -eq 1 && $(dkms status "$module") == "$module/$1, "* ]] ||
			fail "dkms status: $(dkms status "$module")"
		[[ ! -e /usr/src/$module-$2 ]] || fail "/usr/src still has $module-$2"
	done
}

# no_module_left: fail if a kernel has a module of ours, or depmod lists one.
no_module_left() {
	local module
	for module in $MODULES; do
		[[ -z $(find /lib/modules/ -name "$module.ko*") ]] || fail "/lib/modules still has a $module.ko"
		if grep "/$module.ko" /lib/modules/*/modules.dep; then fail "modules.dep still lists $module"; fi
	done
}

# as_shipped: fail if a module's configuration sets an option.
as_shipped() {
	local module
	for module in $MODULES; do
		if grep -v -e '^#' -e '^$' "/etc/modprobe.d/$module.conf"; then fail "$module.conf sets an option as shipped"; fi
	done
}

# edit_conf: edit CONF as an administrator would, and copy the result to EDITED.
edit_conf() {
	sed -i 's/^#\(options ctxra max_kb=\).*/\1512/' "$CONF"
	cp "$CONF" "$EDITED"
}

# tell_rpm RPM...: tell rpm's database that it has what these packages need of others, which dpkg has installed.
tell_rpm() {
	local needs
	needs=$(rpm -qp --requires "$@" | grep -v -e '^rpmlib(' -e ' = ' -e '^seqkeep' | sort -u)
	{
		printf '%s\n' "Name: of-dpkg" "Version: 1" "Release: 1" "Summary: Packages that dpkg has installed" "License: none" \
			"BuildArch: noarch"
		sed 's/>=/=/; s/^/Provides: /' <<< "$needs"
		printf '%s\n' %description "A stand-in." %files
	} > /tmp/of-dpkg.spec
	rpmbuild -bb --quiet --define "_rpmdir /tmp/of-dpkg" /tmp/of-dpkg.spec
	rpm -i --nodeps /tmp/of-dpkg/noarch/*.rpm
}

# snapshot FILE: list every file and modules.dep's lines, without the private files of package managers and dkms.
snapshot() {
	find / -xdev \( -path /mnt -o -path /proc -o -path /dev -o -path /tmp -o -path /var/cache -o -path /var/log \
		-o -path /var/lib/dpkg -o -path /var/lib/apt -o -path /var/lib/rpm -o -path /var/lib/dnf \
		-o -path '/var/lib/dkms/mok.*' -o -path /root -o -path /etc/dkms \) -prune -o -print | sort >"$1"
	sort /lib/modules/*/modules.dep >>"$1"
}

# no_trace BEFORE: fail unless the system has exactly the files of snapshot BEFORE.
no_trace() {
	snapshot /tmp/after
	diff "$1" /tmp/after || fail "files differ from before: see the lines above"
}
