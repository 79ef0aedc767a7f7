// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module with a function to hook.
 *
 * Writing N to the parameter "call" calls hooktarget_work(N). "result" is the value that the last
 * call returned: N unless a hook changed the argument.
 */
#include <linux/module.h>

static int result = -1;
module_param(result, int, 0444);

int hooktarget_work(int n);

noinline int hooktarget_work(int n)
{
	barrier();
	return n;
}

static int call_set(const char *val, const struct kernel_param *kp)
{
	int n, err = kstrtoint(val, 0, &n);

	if (!err)
		result = hooktarget_work(n);
	return err;
}

static const struct kernel_param_ops call_ops = { .set = call_set };
module_param_cb(call, &call_ops, NULL, 0200);

static int __init hooktarget_init(void)
{
	return 0;
}

static void __exit hooktarget_exit(void)
{
}

module_init(hooktarget_init);
module_exit(hooktarget_exit);
MODULE_DESCRIPTION("seqkeep test: a function to hook");
MODULE_LICENSE("GPL");
