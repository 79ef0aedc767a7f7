// SPDX-License-Identifier: GPL-2.0-only
/*
 * blk_cgroup_congested() is not exported, and from v6.5 on no public header has what it reads. In
 * v7.3 it is inline, and tests a count before it calls __blk_cgroup_congested(), which gives the
 * same answer alone. A static call is a direct call, so the function needs no ENDBR on hardware
 * with IBT.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/static_call.h>

#include "../hook_symbol.h"
#include "blk-cgroup.h"

static bool never_congested(void)
{
	return false;
}

DEFINE_STATIC_CALL(blk_cgroup_congested_call, never_congested);

/**
 * compat_blk_cgroup_congested - whether the current task's cgroup is throttled
 *
 * Context: any.
 * Return: what blk_cgroup_congested() says; false where the kernel has none.
 */
bool compat_blk_cgroup_congested(void)
{
	return static_call(blk_cgroup_congested_call)();
}

/* Find blk_cgroup_congested(). May sleep. */
void compat_blk_cgroup_init(void)
{
	unsigned long address;

	if (!hook_symbol_address("__blk_cgroup_congested", &address) ||
	    !hook_symbol_address("blk_cgroup_congested", &address))
		static_call_update(blk_cgroup_congested_call, (bool (*)(void))address);
	else if (IS_ENABLED(CONFIG_BLK_CGROUP))
		pr_warn("cannot find blk_cgroup_congested() in this kernel: a reader whose cgroup is throttled is treated as any other\n");
}
