# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# What the tests of iostune share. They source it, guest/lib.sh is there already.

JOURNAL=/run/seqkeep/iostune/journal

# Every tunable of a disk, of an array also what md has, and its value, a line each, with the scheduler in force for the
# list of them. tunables nullb0
tunables() {
	# Some cannot be read, and some have no value now.
	(
		cd "/sys/block/$1" || exit 1
		grep -r . queue md 2> /dev/null || :
	) |
		sed -e 's/^\(queue\/scheduler:\).*\[\(.*\)\].*/\1\2/' -e '/^md\/stripe_cache_active:/d' | sort
}

# Fail unless a disk has the tunables of a file. assert_put_back nullb0 /run/before WHEN
assert_put_back() {
	tunables "$1" | diff "$2" - || fail "tunables have changed after $3"
	[ ! -e $JOURNAL ] || fail "there is a journal after $3"
}

# Requests and sectors that a disk has written. disk_writes nullb0
disk_writes() {
	awk '{ print $5 + $7 }' "/sys/block/$1/stat"
}

# What a Python expression makes of the JSON in /run/json, as j. json 'j["kind"]["name"]'
json() {
	python3 -c 'import json, sys
j = json.load(open("/run/json"))
print(eval(sys.argv[1]))' "$1"
}

# Start iostune in the background, and stop it (as SIGSTOP does) at a moment when the disk's tunables are not what they
# were, and it is not about to set one: sets $pid. stop_amid_changes nullb0 /run/before
stop_amid_changes() {
	local disk=$1 before=$2
	# So much time that it tries all there is, however slow the guest.
	iostune --time 100000 --max-readers 2 "/dev/$disk" > /run/out 2>&1 &
	pid=$!
	while :; do
		kill -STOP $pid || fail "it ended before it changed anything: $(cat /run/out)"
		if tail -n 1 $JOURNAL 2> /dev/null | grep -q '^{"got"' && ! tunables "$disk" | cmp -s "$before" -; then
			return 0
		fi
		kill -CONT $pid
		sleep 0.1
	done
}

# It ends with a status, after saying something on one of its lines. assert_ends STATUS WORDS COMMAND...
assert_ends() {
	local status=0
	"${@:3}" > /run/out 2>&1 || status=$?
	assert_equal "status of ${*:3}" "$status" "$1"
	grep -F -- "$2" /run/out || fail "${*:3} says: $(cat /run/out)"
}
