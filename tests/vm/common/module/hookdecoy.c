// SPDX-License-Identifier: GPL-2.0-only
/* A module with a function of the same name as hooktarget's, like a livepatch. */
#include <linux/module.h>

static noinline __used int hooktarget_work(int n)
{
	barrier();
	return n;
}

static int __init hookdecoy_init(void)
{
	return 0;
}

static void __exit hookdecoy_exit(void)
{
}

module_init(hookdecoy_init);
module_exit(hookdecoy_exit);
MODULE_DESCRIPTION("seqkeep test: a function with the same name as the hooked one");
MODULE_LICENSE("GPL");
