/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hooks on kernel functions, by table, all or none.
 *
 * A module declares its hooks in an array and registers the array. Two kinds:
 *
 * HOOK_ENTRY	sees a call before the function runs, may change its arguments,
 *		and may see it return. Not exclusive: any number of entry hooks,
 *		and a livepatch, may share a function. Made of a kretprobe, which
 *		sits on ftrace without IPMODIFY and brings memory that lives as
 *		long as the call and is the kernel's: nothing of ours is
 *		referenced once hooks_unregister() returned, even if the call is
 *		still asleep.
 * HOOK_REDIRECT calls another function instead. Exclusive (ftrace IPMODIFY): on
 *		a livepatched function it is refused with -EBUSY. The replacement
 *		is our code and may sleep, so hooks_unregister() waits for it.
 */
#ifndef SEQKEEP_HOOK_H
#define SEQKEEP_HOOK_H

#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/notifier.h>

#include "hook_table.h"

/* Of the longest name "module:symbol". */
#define HOOK_NAME_LEN	128

struct hook;

/**
 * typedef hook_entry_fn - called before the hooked function
 * @regs: registers at the function's entry; see compat/regs.h for arguments
 * @data: &hook.data_size bytes, not cleared, that live until the function
 *	returned; may be pointed to from the arguments
 *
 * Context: preemption disabled, any lock may be held: may not sleep.
 * Return: true to keep @data and have &hook.returned called, false if this
 *	call is of no more interest.
 */
typedef bool (*hook_entry_fn)(struct pt_regs *regs, void *data);

/**
 * typedef hook_return_fn - called when the hooked function returns
 * @regs: registers at the return, not to be changed: on x86 the caller would get what is in them
 * @data: as hook_entry_fn() left it
 *
 * Context: as for hook_entry_fn. Not called for calls that are still running
 * when hooks are unregistered, nor any more after that.
 */
typedef void (*hook_return_fn)(struct pt_regs *regs, void *data);

/**
 * struct hook - one hooked function
 * @spec: what is hooked and how; see hook_table.h
 * @entry: for HOOK_ENTRY
 * @returned: for HOOK_ENTRY, may be NULL
 * @data_size: bytes per call for HOOK_ENTRY, at most 4096
 * @max_calls: calls at a time that @entry can follow; more are not seen, and
 *	counted (hook_missed())
 * @replacement: for HOOK_REDIRECT: a function of the same type, which brackets
 *	all it does with hook_call_begin() and hook_call_end(). A call that it
 *	makes to the function itself is not redirected again.
 * @found: for HOOK_REDIRECT, may be NULL: given the function's address before any
 *	call is redirected, to be called back by static_call_update(). May sleep.
 *	It is that of the function's fentry, behind the ENDBR if it has one.
 * @redirect_if: for HOOK_REDIRECT, may be NULL: whether to redirect this call,
 *	given the address that it will return to. Called with preemption disabled.
 */
struct hook {
	struct hook_spec spec;
	hook_entry_fn entry;
	hook_return_fn returned;
	size_t data_size;
	int max_calls;
	void *replacement;
	void (*found)(unsigned long address);
	bool (*redirect_if)(unsigned long parent_ip);

	/* private: */
	char name[HOOK_NAME_LEN];	/* with the module, as kallsyms has it */
	bool active;
	struct kretprobe probe;
	struct ftrace_ops ops;
	unsigned long __percpu *calls;	/* begun less ended; only the sum means something */
};

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
	const void *last_coming;	/* compared, never followed */
};

int hooks_register(struct hook_set *set);
void hooks_unregister(struct hook_set *set);
void hooks_stay(void);
unsigned long hook_missed(const struct hook *hook);
unsigned long hooks_missed(const struct hook_set *set);
int hook_symbol_address(const char *symbol, unsigned long *address);
bool hook_module_is_loaded(const char *name);

/**
 * hook_is_active - whether a hook is in place
 * @hook: the hook
 *
 * Return: false before hooks_register(), and if it is optional and could not be had.
 */
static inline bool hook_is_active(const struct hook *hook)
{
	return READ_ONCE(hook->active);
}

/**
 * hook_call_begin - the first thing that a replacement does
 * @hook: its hook
 */
static inline void hook_call_begin(struct hook *hook)
{
	this_cpu_inc(*hook->calls);
}

/**
 * hook_call_end - the last thing that a replacement does
 * @hook: its hook
 *
 * May run on another CPU than hook_call_begin().
 */
static inline void hook_call_end(struct hook *hook)
{
	this_cpu_dec(*hook->calls);
}

#endif
