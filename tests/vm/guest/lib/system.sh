# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# Part of guest/lib.sh: the guest's kernel, its console, control groups and udev.

# For requires(): whether the running kernel has at least a version. kernel_at_least 6.12
kernel_at_least() {
	local oldest
	oldest=$(printf '%s\n%s\n' "$1" "$(uname -r)" | sort -V | head -n 1)
	[ "$oldest" = "$1" ] || { echo "is for kernels from $1"; return 1; }
}

# Whether the kernel has KASAN and lockdep, which make it slow. The kernels with these have kmemleak, too.
has_kasan() {
	[ -e /sys/kernel/debug/kmemleak ]
}

# Keep the kernel's log off the console, for tests that make allocations fail or cause thousands of refusals: stock's own
# warnings of those would fail the test, or fill the console. run-test searches the log from here on instead, also for
# PATTERN. quiet_console [PATTERN]
quiet_console() {
	also_forbidden=${1:+|$1}
	dmesg -n 1
	# In a subshell, because a test that calls `wait` waits for every job of its own shell.
	(dmesg --follow --notime > /run/logged &)
}

# Make a cgroup with a controller: make_cgroup memory small
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

# Start udev, for tests of its rules. Devices appear in /dev without it.
start_udev() {
	/usr/lib/systemd/systemd-udevd --daemon
	udevadm trigger --action=add
	udevadm settle --timeout=120
}
