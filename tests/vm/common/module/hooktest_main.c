// SPDX-License-Identifier: GPL-2.0-only
/*
 * A user of the hook library, for its tests:
 *
 * - seq_lseek(), which the files of /proc use, is redirected to a function that
 *   sleeps for hold_ms and then calls the real one;
 * - hooktarget_work() of the module hooktarget, which may come and go, has an
 *   entry hook that adds 1000 to its argument;
 * - with missing=1, a third hook is wanted that no kernel has; with
 *   missing=2, the same, but optional;
 * - writing to kill_ftrace has ftrace stop for good, as it does after an error of
 *   its own; with kill_while_hooking=1, amid putting the redirect in place.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/static_call.h>

#include "common/compat/regs.h"
#include "common/hook.h"
#include "common/hook_redirect.h"
#include "common/hook_symbol.h"

static int hold_ms;
module_param(hold_ms, int, 0644);
MODULE_PARM_DESC(hold_ms, "ms to sleep in the redirected function");

static int missing;
module_param(missing, int, 0444);
MODULE_PARM_DESC(missing, "1: want a function that does not exist; 2: optionally");

static atomic_t redirected, entered, returned;

static int counter_get(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%d\n", atomic_read((atomic_t *)kp->arg));
}

static const struct kernel_param_ops counter_ops = { .get = counter_get };
module_param_cb(redirected, &counter_ops, &redirected, 0444);
module_param_cb(entered, &counter_ops, &entered, 0444);
module_param_cb(returned, &counter_ops, &returned, 0444);

static void no_kill(void)
{
}

DEFINE_STATIC_CALL(ftrace_kill_call, no_kill);

static int find_ftrace_kill(void)
{
	unsigned long address;
	int err = hook_symbol_address("ftrace_kill", &address);

	if (!err)
		static_call_update(ftrace_kill_call, (void (*)(void))address);
	return err;
}

static int kill_ftrace_set(const char *val, const struct kernel_param *kp)
{
	int err = find_ftrace_kill();

	if (!err)
		static_call(ftrace_kill_call)();
	return err;
}

static const struct kernel_param_ops kill_ftrace_ops = { .set = kill_ftrace_set };
module_param_cb(kill_ftrace, &kill_ftrace_ops, NULL, 0200);

static bool kill_while_hooking;
module_param(kill_while_hooking, bool, 0444);
MODULE_PARM_DESC(kill_while_hooking, "have ftrace stop while it changes the code for a redirect");

static int kill_handler(struct kprobe *probe, struct pt_regs *regs)
{
	static_call(ftrace_kill_call)();
	return 0;
}

/* Not one that ftrace itself could be asked to hook. */
static struct kprobe kill_probe = {
	.symbol_name = "arch_ftrace_update_code",
	.pre_handler = kill_handler,
};

/* Taken out in the reverse order: WORK has to go also where SEQ_LSEEK cannot. */
enum { WORK, SEQ_LSEEK, MISSING, NR_HOOKS };
static struct hook hooks[NR_HOOKS];

static loff_t held_lseek(struct file *file, loff_t offset, int whence)
{
	loff_t ret;

	hook_call_begin(&hooks[SEQ_LSEEK]);
	atomic_inc(&redirected);
	if (hold_ms)
		msleep(hold_ms);
	ret = seq_lseek(file, offset, whence);
	hook_call_end(&hooks[SEQ_LSEEK]);
	return ret;
}

static bool work_entry(struct pt_regs *regs, void *data)
{
	atomic_inc(&entered);
	regs_set_kernel_argument(regs, 0, regs_get_kernel_argument(regs, 0) + 1000);
	return true;
}
NOKPROBE_SYMBOL(work_entry);

static void work_returned(struct pt_regs *regs, void *data)
{
	atomic_inc(&returned);
}
NOKPROBE_SYMBOL(work_returned);

static struct hook hooks[NR_HOOKS] = {
	[SEQ_LSEEK] = {
		.spec = { .symbol = "seq_lseek", .kind = HOOK_REDIRECT },
		.replacement = held_lseek,
	},
	[WORK] = {
		.spec = { .symbol = "hooktarget_work", .module = "hooktarget", .kind = HOOK_ENTRY },
		.entry = work_entry,
		.returned = work_returned,
		.max_calls = 16,
	},
	[MISSING] = {
		.spec = { .symbol = "no_such_function", .kind = HOOK_ENTRY },
		.entry = work_entry,
	},
};

static struct hook_set set = { .hooks = hooks, .nr = MISSING };

static int __init hooktest_init(void)
{
	int err;

	if (missing)
		set.nr = NR_HOOKS;
	hooks[MISSING].spec.optional = missing == 2;
	if (kill_while_hooking) {
		err = find_ftrace_kill() ?: register_kprobe(&kill_probe);
		if (err)
			return err;
	}
	err = hooks_register(&set);
	if (kill_while_hooking)
		unregister_kprobe(&kill_probe);
	if (err)
		hooks_block_unload_if_stuck();
	return err;
}

static void __exit hooktest_exit(void)
{
	hooks_unregister(&set);
	hooks_block_unload_if_stuck();
}

module_init(hooktest_init);
module_exit(hooktest_exit);
MODULE_DESCRIPTION("seqkeep test: a user of the hook library");
MODULE_LICENSE("GPL");
