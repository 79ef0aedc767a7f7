# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# Part of guest/lib.sh: the guest's kernel, its console, control groups and udev.

# For requires(): the running kernel is at least that version. kernel_at_least 6.12
kernel_at_least() {
	local oldest
	oldest=$(printf '%s\n%s\n' "$1" "$(uname -r)" | sort -V | head -n 1)
	[ "$oldest" = "$1" ] || { echo "is for kernels from $1"; return 1; }
}

# The kernel is slow with KASAN and lockdep: they are where kmemleak is.
has_kasan() {
	[ -e /sys/kernel/debug/kmemleak ]
}

# For tests that make allocations fail, or thousands of refusals: stock's warnings of those would fail them, or fill the console.
# What the harness can no longer see there is looked for by run-test, in what the kernel has logged from here on. Another
# pattern may be added. quiet_console [PATTERN]
quiet_console() {
	also_forbidden=${1:+|$1}
	dmesg -n 1
	# Not a job of this shell's, for which a test that says wait would wait.
	(dmesg --follow --notime > /run/logged &)
}

# Make a cgroup, with a controller: make_cgroup memory small
make_cgroup() {
	echo "+$1" > /sys/fs/cgroup/cgroup.subtree_control
	mkdir "/sys/fs/cgroup/$2"
}

# Run a command or a function in a cgroup: in_cgroup small COMMAND...
in_cgroup() {
	(
		echo "$BASHPID" > "/sys/fs/cgroup/$1/cgroup.procs" && "${@:2}"
	)
}

# Start udev, for tests of what udev does. Devices appear in /dev without it.
start_udev() {
	/usr/lib/systemd/systemd-udevd --daemon
	udevadm trigger --action=add
	udevadm settle --timeout=120
}
