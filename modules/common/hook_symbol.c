// SPDX-License-Identifier: GPL-2.0-only
#include <linux/kprobes.h>

#include "hook_symbol.h"

/**
 * hook_symbol_address - find a function, exported or not
 * @symbol: its name; MODULE:NAME for a module's
 * @address: set to the function's address, behind the ENDBR if it begins with one
 *
 * Call the function through a static call: on hardware with IBT a plain pointer is fatal for a
 * function that has no ENDBR because the kernel never takes its address.
 *
 * Context: may sleep.
 * Return: 0, -ENOENT if the kernel has no such function, or another error of register_kprobe().
 */
int hook_symbol_address(const char *symbol, unsigned long *address)
{
	/*
	 * Disabled, because unregister_kprobe() needs memory to disarm a probe, and silently leaves
	 * the probe in place if there is none.
	 */
	struct kprobe probe = { .symbol_name = symbol, .flags = KPROBE_FLAG_DISABLED };
	int err = register_kprobe(&probe);

	if (err)
		return err;
	*address = (unsigned long)probe.addr;
	unregister_kprobe(&probe);
	return 0;
}
