// SPDX-License-Identifier: GPL-2.0-only
/* Load, unload, enable and disable. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>

#include "array.h"
#include "counters.h"
#include "hooks.h"
#include "identity.h"
#include "params.h"
#include "table.h"
#include "version.h"

const char *const r5d_counter_names[R5D_C_NR] = {
	[R5D_C_HELD] = "held",
	[R5D_C_FILLED] = "filled",
	[R5D_C_EXPIRED] = "expired",
	[R5D_C_RELEASED_PRESSURE] = "released_pressure",
	[R5D_C_RELEASED_DRAIN] = "released_drain",
	[R5D_C_RELEASED_OTHER] = "released_other",
	[R5D_C_PASSED_FULL] = "passed_full",
	[R5D_C_PASSED_UNLIKELY] = "passed_unlikely",
	[R5D_C_LEFT_OFF] = "left_off",
	[R5D_C_LEFT_JOURNAL] = "left_journal",
	[R5D_C_LEFT_DEGRADED] = "left_degraded",
	[R5D_C_LEFT_RESHAPE] = "left_reshape",
	[R5D_C_LEFT_SYNC] = "left_sync",
	[R5D_C_LEFT_DRAIN] = "left_drain",
	[R5D_C_LEFT_OVERLAP] = "left_overlap",
	[R5D_C_LEFT_URGENT] = "left_urgent",
	[R5D_C_LEFT_RECLAIM] = "left_reclaim",
	[R5D_C_LEFT_PRESSURE] = "left_pressure",
	[R5D_C_LEFT_UNKNOWN] = "left_unknown",
	[R5D_C_LEFT_DM] = "left_dm",
};

struct stats r5d_stats = {
	.names = r5d_counter_names,
	.nr = R5D_C_NR,
};

/**
 * r5d_enable - redirect raid456's functions, if it is the build that we were built for
 *
 * Context: may sleep; serialised by the kernel's parameter lock.
 * Return: 0, or a negative errno with nothing changed and a line in the log.
 */
int r5d_enable(void)
{
	int err = r5d_identity_check();

	if (err)
		return err;
	err = r5d_table_open();
	if (err) {
		pr_err("not enabled: no memory (%d); free some and try again\n", err);
		return err;
	}
	err = r5d_hooks_register();
	if (err) {
		pr_err("not enabled: a hook cannot be had (%d), see the line above\n", err);
		r5d_arrays_stop();
	}
	return err;
}

/**
 * r5d_disable - release all held stripes and unregister the hooks
 *
 * Context: may sleep; serialised by the kernel's parameter lock.
 */
void r5d_disable(void)
{
	r5d_arrays_stop();
	r5d_hooks_unregister();
}

static int __init r5d_init(void)
{
	int err = stats_create(&r5d_stats, KBUILD_MODNAME);

	if (err)
		goto stop_params;
	err = r5d_params_start();
	if (err)
		goto destroy_stats;
	return 0;

destroy_stats:
	stats_destroy(&r5d_stats);
stop_params:
	r5d_params_stop();
	return err;
}

static void __exit r5d_exit(void)
{
	r5d_params_stop();
	stats_destroy(&r5d_stats);
}

module_init(r5d_init);
module_exit(r5d_exit);
MODULE_DESCRIPTION("hold partial stripes of RAID 4, 5 and 6 until they are full, or a deadline");
MODULE_AUTHOR("seqkeep maintainers");
MODULE_LICENSE("GPL");
MODULE_VERSION(SEQKEEP_VERSION);
