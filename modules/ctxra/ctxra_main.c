// SPDX-License-Identifier: GPL-2.0-only
/* ctxra: context readahead. Load, unload, enable and disable. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/seq_file.h>

#include "counters.h"
#include "hooks.h"
#include "params.h"
#include "table.h"
#include "version.h"

static const char *const counter_names[CTXRA_C_NR] = {
	[CTXRA_C_TRAIL_WINDOWS] = "trail_windows",
	[CTXRA_C_TRAIL_PAGES] = "trail_pages",
	[CTXRA_C_REORDER_WINDOWS] = "reorder_windows",
	[CTXRA_C_REORDER_PAGES] = "reorder_pages",
	[CTXRA_C_REVERSE_WINDOWS] = "reverse_windows",
	[CTXRA_C_REVERSE_PAGES] = "reverse_pages",
	[CTXRA_C_STRIDE_WINDOWS] = "stride_windows",
	[CTXRA_C_STRIDE_PAGES] = "stride_pages",
	[CTXRA_C_THRASH_WINDOWS] = "thrash_windows",
	[CTXRA_C_THRASH_PAGES] = "thrash_pages",
	[CTXRA_C_MARKERS_SKIPPED] = "markers_skipped",
	[CTXRA_C_RESIZED] = "resized",
	[CTXRA_C_LEFT_IN_ORDER] = "left_in_order",
	[CTXRA_C_LEFT_UNSURE] = "left_unsure",
	[CTXRA_C_LEFT_CACHED] = "left_cached",
	[CTXRA_C_LEFT_NOT_A_FILE] = "left_not_a_file",
	[CTXRA_C_LEFT_DEVICE] = "left_device",
	[CTXRA_C_LEFT_RANDOM_HINT] = "left_random_hint",
	[CTXRA_C_LEFT_READAHEAD_OFF] = "left_readahead_off",
	[CTXRA_C_LEFT_OVERSIZE] = "left_oversize",
	[CTXRA_C_LEFT_CONGESTED] = "left_congested",
};

static void show_missed(struct seq_file *m)
{
	seq_printf(m, "left_missed %lu\n", ctxra_hooks_missed());
}

struct stats ctxra_stats = {
	.names = counter_names,
	.nr = CTXRA_C_NR,
	.extra = show_missed,
};

/**
 * ctxra_enable - make the table and hook the doors
 *
 * Context: may sleep; serialised by the kernel's parameter lock.
 * Return: 0, or a negative errno with nothing changed and a line in the log.
 */
int ctxra_enable(void)
{
	int err = ctxra_table_create();

	if (err) {
		pr_err("not enabled: no memory for the stream table (%d); free some and try again\n",
		       err);
		return err;
	}
	err = ctxra_hooks_register();
	if (err) {
		pr_err("not enabled: a hook cannot be had (%d), see the line above\n", err);
		ctxra_table_destroy();
	}
	return err;
}

/**
 * ctxra_disable - take the hooks out and free the table
 *
 * Context: may sleep; serialised by the kernel's parameter lock.
 */
void ctxra_disable(void)
{
	ctxra_hooks_unregister();
	ctxra_table_destroy();
}

static int __init ctxra_init(void)
{
	int err = stats_create(&ctxra_stats, KBUILD_MODNAME);

	if (err)
		goto stop_params;
	err = ctxra_params_start();
	if (err)
		goto destroy_stats;
	return 0;

destroy_stats:
	stats_destroy(&ctxra_stats);
stop_params:
	ctxra_params_stop();
	return err;
}

static void __exit ctxra_exit(void)
{
	ctxra_params_stop();
	stats_destroy(&ctxra_stats);
}

module_init(ctxra_init);
module_exit(ctxra_exit);
MODULE_DESCRIPTION("context readahead: keep shared sequential streams sequential");
MODULE_AUTHOR("seqkeep maintainers");
MODULE_LICENSE("GPL");
MODULE_VERSION(SEQKEEP_VERSION);
