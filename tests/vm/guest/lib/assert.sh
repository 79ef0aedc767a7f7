# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# Part of guest/lib.sh: assertions, time limits, and choices by the seed.

# Fail the test with a message. It goes to the test's output even where standard output is redirected.
# Within $(...) only that subshell ends.
fail() {
	echo "FAILED: $*" >&"${test_output:-1}"
	exit 1
}

# Fail with the status by which host/check.py knows that a count missed its bar.
fail_bar() {
	echo "FAILED: $*" >&"${test_output:-1}"
	exit 75
}

# Fail unless two values are the same: assert_equal "blocks read" "$got" "$expected"
assert_equal() {
	[ "$2" = "$3" ] || fail "$1: $2, expected $3"
}

# Fail unless a bar gets a number: a command that failed within $(...) printed none, and must not have a second try.
assert_number() {
	[[ $2 =~ ^-?[0-9]+$ ]] || fail "$1: \"$2\" is not a number"
}

# Fail unless a number is at most another: assert_at_most "I/Os" "$got" 530
# Readers that race for a stream give counts whose spread has no end, so the harness runs a test that fails here once more.
assert_at_most() {
	assert_number "$1" "$2"
	echo "$1: $2, at most $3"
	[ "$2" -le "$3" ] || fail_bar "$1: $2, expected at most $3"
}

assert_at_least() {
	assert_number "$1" "$2"
	echo "$1: $2, at least $3"
	[ "$2" -ge "$3" ] || fail_bar "$1: $2, expected at least $3"
}

# Run a command that must fail, without its output: assert_fails "what it is" COMMAND...
assert_fails() {
	if "${@:2}" > /dev/null 2>&1; then fail "$1 was accepted"; fi
}

# Run a command with a time limit, and fail the test when it takes longer. with_timeout SECONDS COMMAND...
with_timeout() {
	local status=0
	timeout --kill-after=5 "$@" || status=$?
	case $status in
	124 | 137) fail "not done after $1 s: ${*:2}" ;;
	esac
	return "$status"
}

# Repeat a command until it succeeds, for at most two minutes. wait_for COMMAND...
wait_for() {
	local tries
	for ((tries = 0; tries < 1200; tries++)); do
		! "$@" 2> /dev/null || return 0
		sleep 0.1
	done
	fail "does not succeed within two minutes: $*"
}

# Set $picked to one of some words. pick_word WORD...
# It does not print the word, because RANDOM does not follow the seed in a subshell.
pick_word() {
	local words=("$@")
	picked=${words[RANDOM % $#]}
}
