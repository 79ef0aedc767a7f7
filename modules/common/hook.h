/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hooks on kernel functions, by table: all of a table or none.
 *
 * A module declares its hooks in an array and registers the array. There are two kinds:
 *
 * HOOK_ENTRY	sees a call before the function runs, may change its arguments, and may see it
 *		return. Not exclusive: any number of entry hooks and a livepatch may share a
 *		function. It is a kretprobe: on x86 ftrace without IPMODIFY, on arm64 a breakpoint,
 *		which calls us even while sysctl kernel.ftrace_enabled is 0. The memory of
 *		each call belongs to the kernel, so after hooks_unregister() nothing refers to
 *		ours, even if the call still sleeps.
 * HOOK_REDIRECT calls another function instead. Exclusive (ftrace IPMODIFY): the kernel refuses
 *		it on a livepatched function with -EBUSY. The replacement is our code and may
 *		sleep, so hooks_unregister() waits for it.
 */
#ifndef SEQKEEP_HOOK_H
#define SEQKEEP_HOOK_H

#include "hook_types.h"

/**
 * struct hook_set - a module's hooks
 * @hooks: the table
 * @nr: entries in @hooks
 */
struct hook_set {
	struct hook *hooks;
	unsigned int nr;

	/* private: */
	struct notifier_block modules;
	bool closing;		/* put no more hooks in place */
	const void *last_coming;	/* compared, never dereferenced */
};

int hooks_register(struct hook_set *set);
void hooks_unregister(struct hook_set *set);
unsigned long hook_missed(const struct hook *hook);
unsigned long hooks_missed(const struct hook_set *set);
bool hook_module_is_loaded(const char *name);

#endif
