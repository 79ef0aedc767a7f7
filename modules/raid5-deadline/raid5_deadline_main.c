// SPDX-License-Identifier: GPL-2.0-only
/* raid5-deadline: hold partial stripes until they are full. Load, unload, enable and disable. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>

#include "array.h"
#include "attr.h"
#include "common/module.h"
#include "counters.h"
#include "hooks.h"
#include "identity.h"
#include "table.h"

const char *const r5d_counter_names[] = { R5D_COUNTERS(STATS_NAME) };

struct stats r5d_stats = {
	.names = r5d_counter_names,
	.nr = R5D_C_NR,
};

int seqkeep_init(void)
{
	int err = stats_create(&r5d_stats, KBUILD_MODNAME);

	if (!err)
		r5d_counters_create();
	return err;
}

void seqkeep_exit(void)
{
	stats_destroy(&r5d_stats);
}

int seqkeep_enable(void)
{
	int err = r5d_identity_check();

	if (err)
		return err;
	err = r5d_table_open();
	if (err)
		return err;
	err = r5d_hooks_register();
	if (err)
		r5d_arrays_stop();
	return err;
}

/* The hooks come last: see r5d_arrays_stop(). */
void seqkeep_disable(void)
{
	r5d_arrays_stop();
	r5d_hooks_unregister();
}

MODULE_DESCRIPTION("hold partial stripes of RAID 4, 5 and 6 until they are full, or a deadline");
MODULE_PARM_DESC(enable, "hold partial stripes: 0 or 1 (default 0)");
