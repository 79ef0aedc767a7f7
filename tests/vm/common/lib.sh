# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# Shared by the tests of the hook library: calls of the function that the module hooktest redirects.

# Print the position that seq_lseek() returns. hooktest redirects that function.
lseek() {
	python3 -c 'import os; print(os.lseek(os.open("/proc/version", os.O_RDONLY), 7, os.SEEK_SET))'
}

# Print how many calls hooktest redirected.
redirected() {
	cat /sys/module/hooktest/parameters/redirected
}

# Whether the log says why hooktest stays in memory.
logs_that_it_stays() {
	dmesg | grep -q "cannot unhook seq_lseek(): ftrace stopped after an error"
}
