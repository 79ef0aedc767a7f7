// SPDX-License-Identifier: GPL-2.0-only
/* HOOK_REDIRECT: ftrace with IPMODIFY. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>

#include "compat/redirect.h"
#include "hook_redirect.h"
#include "hook_symbol.h"
#include "hook_types.h"

/* How often hook_redirect_disarm() checks for calls that still sleep, ms. */
#define CALLS_POLL_MS		10
/* How often it logs that it still waits, in polls: every 10 s. */
#define CALLS_REPORT_POLLS	1000

/* How often to try while a BPF trampoline is being attached. The kernel sleeps 1 ms each time. */
#define BPF_TRIES		100

/* The kernel keeps using our memory, because a hook could not be taken out. */
static bool hook_stuck;

/* Preemption is disabled while the caller's memory is read: see struct hook. */
static bool notrace is_from_caller(const struct hook *hook, unsigned long ip,
				   unsigned long from)
{
	const struct module *caller;
	bool is_from;
	int bit = ftrace_test_recursion_trylock(ip, from);

	if (bit < 0)
		return false;
	caller = READ_ONCE(hook->caller);
	is_from = caller && compat_within_text(from, caller);
	ftrace_test_recursion_unlock(bit);
	return is_from;
}

static void notrace hook_redirect_callback(unsigned long ip, unsigned long parent_ip,
					   struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct hook *hook = container_of(ops, struct hook, ops);
	unsigned long from = compat_caller(fregs, parent_ip);

	/* The replacement calls the function itself. */
	if (compat_within_text(from, THIS_MODULE))
		return;
	/* The hook is not in place yet, or ftrace failed to take it out. */
	if (!hook_is_active(hook))
		return;
	/* Without a caller nothing is called from here, so there is no recursion to test for. */
	if (!hook->spec.caller || is_from_caller(hook, ip, from))
		compat_redirect(fregs, (unsigned long)hook->replacement);
}

/* -EAGAIN: a BPF program is being attached to this function, or on 7.3 to any function. */
static int register_with_retry(struct ftrace_ops *ops)
{
	unsigned int tries = 0;
	int err;

	do {
		err = register_ftrace_function(ops);
	} while (err == -EAGAIN && ++tries < BPF_TRIES);
	return err;
}

/*
 * After an error of its own ftrace stops for good and takes nothing out any more. The reference
 * keeps a module that is only disabled in memory. hooks_block_unload_if_stuck() keeps one that is
 * being unloaded, or whose init fails.
 */
static void hook_pin_module(const struct hook *hook)
{
	pr_emerg("cannot unhook %s(): ftrace stopped after an error, see the log; the module does nothing more and stays in memory until the next boot\n",
		 hook->spec.symbol);
	WRITE_ONCE(hook_stuck, true);
	__module_get(THIS_MODULE);
}

static int register_ops(struct hook *hook, unsigned long address)
{
	int err;

	memset(&hook->ops, 0, sizeof(hook->ops));
	hook->ops.func = hook_redirect_callback;
	/*
	 * PERMANENT: kernels that still let sysctl kernel.ftrace_enabled be 0 (not 7.3) refuse it
	 * with -EBUSY. Otherwise it would silently take the redirect away from a module that
	 * relies on it.
	 */
	hook->ops.flags = COMPAT_REDIRECT_FLAGS | FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_PERMANENT;
	if (hook->found)
		hook->found(address);
	err = ftrace_set_filter_ip(&hook->ops, address, 0, 0);
	if (!err)
		err = register_with_retry(&hook->ops);
	if (!err)
		return 0;
	/*
	 * ftrace stopped during the call. The function does not call us, but the trampoline stays
	 * on a list in our memory that /proc/kallsyms walks (ftrace_startup()).
	 */
	if (hook->ops.flags & FTRACE_OPS_FL_ENABLED) {
		hook_pin_module(hook);
		return err;
	}
	/* ftrace listed the ops for a moment, and may still read them. */
	synchronize_rcu();
	ftrace_free_filter(&hook->ops);
	return err;
}

/**
 * hook_redirect_arm - put a redirect in place
 * @hook: the hook
 * @symbol: the function's name, MODULE:NAME for a module's
 *
 * Context: may sleep.
 * Return: 0, -ENODEV if ftrace failed to take this hook out before, or another negative errno.
 */
int hook_redirect_arm(struct hook *hook, const char *symbol)
{
	unsigned long address;
	int err;

	if (hook->ops.flags & FTRACE_OPS_FL_ENABLED)
		return -ENODEV;
	hook->calls = alloc_percpu(unsigned long);
	if (!hook->calls)
		return -ENOMEM;
	err = hook_symbol_address(symbol, &address);
	if (!err)
		err = register_ops(hook, address);
	/* A hook that is stuck keeps its memory. */
	if (err && !(hook->ops.flags & FTRACE_OPS_FL_ENABLED)) {
		free_percpu(hook->calls);
		hook->calls = NULL;
	}
	return err;
}

static unsigned long count_calls(const struct hook *hook)
{
	unsigned long sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(*per_cpu_ptr(hook->calls, cpu));
	return sum;
}

/* Take a redirect out. Waits for calls that sleep in the replacement, and logs so every 10 s. */
void hook_redirect_disarm(struct hook *hook)
{
	int err = unregister_ftrace_function(&hook->ops);
	unsigned int polls = 0;

	/* Not ftrace_set_filter_ip(), which needs memory to remove an address. */
	if (!err)
		ftrace_free_filter(&hook->ops);
	/*
	 * A call that was redirected and has not reached hook_call_begin(), or has passed
	 * hook_call_end(), does not sleep there: one tasks grace period before and one after the
	 * wait cover it. Neither covers a call that sleeps in the replacement; the count does.
	 */
	synchronize_rcu_tasks();
	while (count_calls(hook)) {
		if (++polls % CALLS_REPORT_POLLS == 0)
			pr_info("waiting for %lu calls of %s() to return\n", count_calls(hook),
				hook->spec.symbol);
		msleep(CALLS_POLL_MS);
	}
	synchronize_rcu_tasks();
	if (err) {
		hook_pin_module(hook);
		return;
	}
	free_percpu(hook->calls);
	hook->calls = NULL;
}

/**
 * hooks_block_unload_if_stuck - never return if a hook could not be taken out
 *
 * An rmmod or modprobe that never ends is better than a call into freed memory. A reference does
 * not help here: the kernel frees a module whose init fails, or that is forced out, in spite of it.
 *
 * Context: may sleep, no locks held; after hooks_unregister(), at exit or where init fails.
 */
void hooks_block_unload_if_stuck(void)
{
	while (READ_ONCE(hook_stuck))
		msleep(CALLS_POLL_MS * CALLS_REPORT_POLLS);
}
