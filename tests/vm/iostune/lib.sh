# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# Functions for the tests of iostune, which source it after guest/lib.sh.

JOURNAL=/run/seqkeep/iostune/journal

# Print every tunable of a disk, also md's of an array, with its value, a line each. Of the schedulers print the present
# one only. tunables nullb0
tunables() {
	# Some cannot be read, and some have no value.
	(
		cd "/sys/block/$1" || exit 1
		grep -r . queue md 2> /dev/null || :
	) |
		sed -e 's/^\(queue\/scheduler:\).*\[\(.*\)\].*/\1\2/' -e '/^md\/stripe_cache_active:/d' | sort
}

# Fail unless a disk has the tunables in a file, and there is no journal. assert_restored nullb0 /run/before WHEN
assert_restored() {
	tunables "$1" | diff "$2" - || fail "tunables have changed after $3"
	[ ! -e $JOURNAL ] || fail "there is a journal after $3"
}

# Print the sum of the requests and sectors that a disk has written. disk_writes nullb0
disk_writes() {
	awk '{ print $5 + $7 }' "/sys/block/$1/stat"
}

# Print the value of a Python expression in which j is the JSON in /run/json. json 'j["kind"]["name"]'
json() {
	python3 -c 'import json, sys
j = json.load(open("/run/json"))
print(eval(sys.argv[1]))' "$1"
}

# Start iostune in the background, and send SIGSTOP when it has changed the disk's tunables and is not about to set one:
# sets $pid. stop_while_changed nullb0 /run/before
stop_while_changed() {
	local disk=$1 before=$2
	# Enough time for it to try every value, however slow the guest.
	iostune --time 100000 --max-readers 2 "/dev/$disk" > /run/out 2>&1 &
	pid=$!
	while :; do
		kill -STOP $pid || fail "iostune ended before it changed anything: $(cat /run/out)"
		if tail -n 1 $JOURNAL 2> /dev/null | grep -q '^{"got"' && ! tunables "$disk" | cmp -s "$before" -; then
			return 0
		fi
		kill -CONT $pid
		sleep 0.1
	done
}

# Fail unless a command ends with a status, and one of its lines contains the words. assert_ends STATUS WORDS COMMAND...
assert_ends() {
	local status=0
	"${@:3}" > /run/out 2>&1 || status=$?
	assert_equal "status of ${*:3}" "$status" "$1"
	grep -F -- "$2" /run/out || fail "${*:3} prints: $(cat /run/out)"
}
