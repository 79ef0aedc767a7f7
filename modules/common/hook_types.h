/* SPDX-License-Identifier: GPL-2.0-only */
/* What a hook table is made of. A module includes hook.h, which has the functions too. */
#ifndef SEQKEEP_HOOK_TYPES_H
#define SEQKEEP_HOOK_TYPES_H

#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/notifier.h>

#include "hook_table.h"

/* Size of the longest name "module:symbol". */
#define HOOK_NAME_LEN	128

/**
 * typedef hook_entry_fn - called before the hooked function
 * @regs: registers at the function's entry; compat/regs.h reads and sets arguments
 * @data: &hook.data_size bytes, not cleared, valid until the function returns; arguments may
 *	point to them
 *
 * Context: preemption disabled, the caller may hold any lock: must not sleep.
 * Return: true to keep @data and have &hook.returned called, false to forget this call.
 */
typedef bool (*hook_entry_fn)(struct pt_regs *regs, void *data);

/**
 * typedef hook_return_fn - called when the hooked function returns
 * @regs: registers at the return, read-only: on x86 the caller would get what is written to them
 * @data: as hook_entry_fn() left it
 *
 * Context: as for hook_entry_fn(). Not called for calls that still run when the hooks are
 *	unregistered, nor at any time after that.
 */
typedef void (*hook_return_fn)(struct pt_regs *regs, void *data);

/**
 * struct hook - one hooked function
 * @spec: which function is hooked and how; see hook_table.h
 * @entry: for HOOK_ENTRY
 * @returned: for HOOK_ENTRY, may be NULL
 * @data_size: bytes per call for HOOK_ENTRY, at most 4096
 * @max_calls: how many calls @entry can follow at the same time; hook_missed() counts the others
 * @replacement: for HOOK_REDIRECT: a function of the same type, which calls hook_call_begin()
 *	first and hook_call_end() last. A call that it makes to the hooked function is not
 *	redirected again.
 * @found: for HOOK_REDIRECT, may be NULL: gets the function's address before any call is
 *	redirected, for static_call_update(). May sleep. The address is that of the function's
 *	fentry, behind the ENDBR if the function begins with one.
 */
struct hook {
	struct hook_spec spec;
	hook_entry_fn entry;
	hook_return_fn returned;
	size_t data_size;
	int max_calls;
	void *replacement;
	void (*found)(unsigned long address);

	/* private: */
	char name[HOOK_NAME_LEN];	/* with the module, as kallsyms has it */
	bool active;
	struct kretprobe probe;
	struct ftrace_ops ops;
	/*
	 * &hook_spec.caller while it is loaded, read with preemption disabled. It is cleared when
	 * that module begins to go, an RCU grace period before its memory is freed.
	 */
	struct module *caller;
	unsigned long __percpu *calls;	/* begun less ended; only the sum means something */
};

/* False before hooks_register(), and for an optional hook that could not be registered. */
static inline bool hook_is_active(const struct hook *hook)
{
	return READ_ONCE(hook->active);
}

/* The first thing that a replacement does. */
static inline void hook_call_begin(struct hook *hook)
{
	this_cpu_inc(*hook->calls);
}

/* The last thing that a replacement does, perhaps on another CPU. */
static inline void hook_call_end(struct hook *hook)
{
	this_cpu_dec(*hook->calls);
}

#endif
