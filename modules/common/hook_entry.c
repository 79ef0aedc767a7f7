// SPDX-License-Identifier: GPL-2.0-only
/* HOOK_ENTRY: a kretprobe. */
#include <linux/string.h>

#include "hook_entry.h"
#include "hook_types.h"

/* The kretprobe is a member of the hook, so its handlers find the hook by it. */
static struct hook *instance_hook(struct kretprobe_instance *ri)
{
	struct kretprobe *probe = get_kretprobe(ri);

	return probe ? container_of(probe, struct hook, probe) : NULL;
}

static int hook_entry_handler(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct hook *hook = instance_hook(ri);

	return hook && hook->entry(regs, ri->data) ? 0 : 1;
}
NOKPROBE_SYMBOL(hook_entry_handler);

static int hook_return_handler(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct hook *hook = instance_hook(ri);

	if (hook && hook->returned)
		hook->returned(regs, ri->data);
	return 0;
}
NOKPROBE_SYMBOL(hook_return_handler);

/**
 * hook_entry_arm - put an entry hook in place
 * @hook: the hook
 * @symbol: the function's name, MODULE:NAME for a module's
 *
 * Context: may sleep.
 * Return: 0 or a negative errno of register_kretprobe(); -EIO if the kernel did not arm the probe.
 */
int hook_entry_arm(struct hook *hook, const char *symbol)
{
	int err;

	memset(&hook->probe, 0, sizeof(hook->probe));
	hook->probe.kp.symbol_name = symbol;
	hook->probe.entry_handler = hook_entry_handler;
	hook->probe.handler = hook_return_handler;
	hook->probe.data_size = hook->data_size;
	hook->probe.maxactive = hook->max_calls;
	err = register_kretprobe(&hook->probe);
	if (err)
		return err;
	/*
	 * 7.3 also returns 0 if it failed to arm the probe and removed the probe from its list.
	 * enable_kretprobe() fails then, and does nothing to a probe that is in place.
	 */
	if (!enable_kretprobe(&hook->probe))
		return 0;
	unregister_kretprobe(&hook->probe);
	return -EIO;
}

/* Take an entry hook out. Waits for running handlers. */
void hook_entry_disarm(struct hook *hook)
{
	/*
	 * Unlike unregister_kretprobe(), disable_kretprobe() reports a failure: no memory, or on
	 * 6.1 an ftrace that stopped after an error. The kernel then still calls its probes for
	 * this function. Mark ours disabled, so that the kernel does not find ours: otherwise
	 * unregister_kretprobe() disarms again, which after -ENOMEM drops the count of another
	 * probe (__disarm_kprobe_ftrace()), and with a stopped ftrace leaves ours to be found.
	 */
	if (disable_kretprobe(&hook->probe))
		hook->probe.kp.flags |= KPROBE_FLAG_DISABLED;
	/* Calls that still run keep their memory, which the kernel frees when they return. */
	unregister_kretprobe(&hook->probe);
}
