# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# Part of guest/lib.sh: a module's counters and parameters.

# Print a counter of a module. counter ctxra trail_windows
counter() {
	awk -v name="$2" '$1 == name { print $2; found = 1 } END { exit !found }' "/sys/kernel/debug/$1/stats" ||
		fail "$1 has no counter $2"
}

# Write a module's parameter, and return the status of the write. set_param ctxra enable 1
set_param() {
	echo "$3" > "/sys/module/$1/parameters/$2"
}

# Fail unless a module refuses a value for a parameter, logs one line, and keeps the old value.
# assert_refused ctxra max_kb -1
assert_refused() {
	local before after lines what="$2: \"${3:0:60}\""
	before=$(cat "/sys/module/$1/parameters/$2")
	lines=$(dmesg | grep -c "$1: $2: .*-EINVAL" || :)
	# With a newline, as by hand; the log line must not have it.
	if printf '%s\n' "$3" > "/sys/module/$1/parameters/$2" 2> /run/error; then
		fail "$what was accepted"
	fi
	grep -q "Invalid argument" /run/error || fail "$what: $(cat /run/error)"
	after=$(cat "/sys/module/$1/parameters/$2")
	assert_equal "$what, after" "$after" "$before"
	assert_equal "$what, lines in the log" "$(dmesg | grep -c "$1: $2: .*-EINVAL")" $((lines + 1))
}

# Fail unless a module accepts a value for a parameter, and then shows the last argument.
# assert_accepted ctxra patterns " trail" trail
assert_accepted() {
	set_param "$1" "$2" "$3"
	assert_equal "$2 after \"$3\"" "$(cat "/sys/module/$1/parameters/$2")" "$4"
}
