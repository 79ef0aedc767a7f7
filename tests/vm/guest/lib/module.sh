# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# Part of guest/lib.sh: a module's counters and parameters.

# A counter of a module. counter ctxra trail_windows
counter() {
	awk -v name="$2" '$1 == name { print $2; found = 1 } END { exit !found }' "/sys/kernel/debug/$1/stats" ||
		fail "$1 has no counter $2"
}

# Set a module's parameter, and return what writing it returned. set_param ctxra enable 1
set_param() {
	echo "$3" > "/sys/module/$1/parameters/$2"
}

# A parameter does not take a value, says so in the log, and keeps the old one. assert_refused ctxra max_kb -1
assert_refused() {
	local before after lines what="$2: \"${3:0:60}\""
	before=$(cat "/sys/module/$1/parameters/$2")
	lines=$(dmesg | grep -c "$1: $2: .*-EINVAL" || :)
	# As one does by hand: with a newline, which is not to be in the line of the log.
	if printf '%s\n' "$3" > "/sys/module/$1/parameters/$2" 2> /run/error; then
		fail "$what is accepted"
	fi
	grep -q "Invalid argument" /run/error || fail "$what: $(cat /run/error)"
	after=$(cat "/sys/module/$1/parameters/$2")
	assert_equal "$what, after" "$after" "$before"
	assert_equal "$what, lines in the log" "$(dmesg | grep -c "$1: $2: .*-EINVAL")" $((lines + 1))
}

# A parameter takes a value, and shows it so: assert_accepted ctxra patterns " trail" trail
assert_accepted() {
	set_param "$1" "$2" "$3"
	assert_equal "$2 after \"$3\"" "$(cat "/sys/module/$1/parameters/$2")" "$4"
}
