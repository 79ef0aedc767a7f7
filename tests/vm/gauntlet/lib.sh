# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# Sourced by the tests of the gauntlet.

GAUNTLET=/mnt/gauntlet

# Measure cases in this boot, with two pairs of runs each: fail if a program's result is wrong, or if a case is not what
# its BAR says. The verdicts are in the output. measure_cases NAME AXES...
measure_cases() {
	PYTHONDONTWRITEBYTECODE=1 $GAUNTLET/guest/measure /run/gauntlet.jsonl 2 check "$@"
}
