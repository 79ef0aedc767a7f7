# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# What the tests of the hook library share: calls of what the module hooktest redirects.

# The position that seq_lseek() tells, which hooktest redirects.
lseek() {
	python3 -c 'import os; print(os.lseek(os.open("/proc/version", os.O_RDONLY), 7, os.SEEK_SET))'
}

# Calls of it that went through hooktest.
redirected() {
	cat /sys/module/hooktest/parameters/redirected
}

# The log says why hooktest stays in memory.
says_that_it_stays() {
	dmesg | grep -q "cannot unhook seq_lseek(): ftrace has stopped after an error"
}
