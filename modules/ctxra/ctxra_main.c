// SPDX-License-Identifier: GPL-2.0-only
/* ctxra: context readahead. Load, unload, enable and disable. */
#include <linux/module.h>
#include <linux/seq_file.h>

#include "common/module.h"
#include "counters.h"
#include "disks.h"
#include "hooks.h"
#include "table.h"

static const char *const counter_names[] = { CTXRA_COUNTERS(STATS_NAME) };

static void ctxra_show_missed(struct seq_file *m)
{
	seq_printf(m, "left_missed %lu\n", ctxra_hooks_missed());
}

struct stats ctxra_stats = {
	.names = counter_names,
	.nr = CTXRA_C_NR,
	.extra = ctxra_show_missed,
};

int seqkeep_init(void)
{
	int err = stats_create(&ctxra_stats, KBUILD_MODNAME);

	if (!err)
		ctxra_disks_create_file(ctxra_stats.dir);
	return err;
}

void seqkeep_exit(void)
{
	stats_destroy(&ctxra_stats);
}

int seqkeep_enable(void)
{
	int err = ctxra_table_create();

	if (err)
		return err;
	ctxra_disks_clear();
	err = ctxra_hooks_register();
	if (err)
		ctxra_table_destroy();
	return err;
}

void seqkeep_disable(void)
{
	ctxra_hooks_unregister();
	ctxra_table_destroy();
}

MODULE_PARM_DESC(enable, "steer readahead: 0 or 1 (default 0)");
MODULE_DESCRIPTION("context readahead: keep shared sequential streams sequential");
