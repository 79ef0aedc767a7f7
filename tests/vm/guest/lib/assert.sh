# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# Part of guest/lib.sh: checks, and limits of time.

# Fail the test with a message, which is shown whatever has become of the standard output here. Within $(...) that ends no
# more than what is in there.
fail() {
	echo "FAILED: $*" >&"${test_output:-1}"
	exit 1
}

# Fail as fail does, but for the status, by which host/check.py knows that it was a bar.
miss() {
	echo "FAILED: $*" >&"${test_output:-1}"
	exit 75
}

# Fail unless two values are the same: assert_equal "blocks read" "$got" "$expected"
assert_equal() {
	[ "$2" = "$3" ] || fail "$1: $2, expected $3"
}

# What counts for a bar is a number: what failed within $(...) printed none, and has no second try.
assert_number() {
	[[ $2 =~ ^-?[0-9]+$ ]] || fail "$1: \"$2\" is not a number"
}

# Fail unless a number is at most, or at least, another: assert_at_most "I/Os" "$got" 530
# Where readers race for a stream, a count has a spread that ends nowhere: a test that fails here is run once more.
assert_at_most() {
	assert_number "$1" "$2"
	echo "$1: $2, at most $3"
	[ "$2" -le "$3" ] || miss "$1: $2, expected at most $3"
}

assert_at_least() {
	assert_number "$1" "$2"
	echo "$1: $2, at least $3"
	[ "$2" -ge "$3" ] || miss "$1: $2, expected at least $3"
}

# Run a command that must fail, and print nothing of it: assert_fails "what it is" COMMAND...
assert_fails() {
	if "${@:2}" > /dev/null 2>&1; then fail "$1 is accepted"; fi
}

# Run a command with a time limit in seconds, and fail the test when it is reached.
with_timeout() {
	local status=0
	timeout --kill-after=5 "$@" || status=$?
	case $status in
	124 | 137) fail "not done after $1 s: ${*:2}" ;;
	esac
	return "$status"
}

# Until a command succeeds, which it is to do soon: wait_for COMMAND...
wait_for() {
	local tries
	for ((tries = 0; tries < 1200; tries++)); do
		! "$@" 2> /dev/null || return 0
		sleep 0.1
	done
	fail "in vain: $*"
}

# pick WORD...: sets picked to one of them. Not printed: a subshell's RANDOM does not follow the seed.
pick() {
	local words=("$@")
	picked=${words[RANDOM % $#]}
}
