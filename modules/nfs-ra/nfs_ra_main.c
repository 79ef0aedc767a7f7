// SPDX-License-Identifier: GPL-2.0-only
/* nfs-ra: readahead of NFS mounts. Load, unload, enable and disable. */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/seq_file.h>

#include "apply.h"
#include "common/module.h"
#include "counters.h"
#include "hooks.h"
#include "mounts.h"
#include "params.h"
#include "records.h"
#include "windows.h"

static const char *const counter_names[] = { NRA_COUNTERS(STATS_NAME) };

static void nra_show_missed(struct seq_file *m)
{
	seq_printf(m, "left_missed %lu\n", nra_hooks_missed());
}

struct stats nra_stats = {
	.names = counter_names,
	.nr = NRA_C_NR,
	.extra = nra_show_missed,
};

static int nra_table_show(struct seq_file *m, void *unused)
{
	nra_mounts_show(m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(nra_table);

int seqkeep_enable(void)
{
	int err = nra_records_fill();

	if (err)
		goto destroy_records;
	err = nra_window_hooks_register();
	if (err)
		goto destroy_records;
	err = nra_hooks_register();
	if (err)
		goto unregister_windows;
	if (nra_param_apply())
		nra_apply_start();
	return 0;

unregister_windows:
	nra_window_hooks_unregister();
destroy_records:
	nra_records_destroy();
	return err;
}

void seqkeep_disable(void)
{
	nra_apply_stop();
	nra_hooks_unregister_mount();
	nra_window_hooks_unregister();
	/* A write during this is still seen, so its value stays. */
	nra_mounts_restore();
	nra_hooks_unregister_store();
	nra_records_destroy();
}

int seqkeep_init(void)
{
	int err = stats_create(&nra_stats, KBUILD_MODNAME);

	if (err)
		return err;
	if (!IS_ERR(nra_stats.dir))
		debugfs_create_file("mounts", 0400, nra_stats.dir, NULL, &nra_table_fops);
	return 0;
}

void seqkeep_exit(void)
{
	nra_apply_wait();
	stats_destroy(&nra_stats);
}

MODULE_PARM_DESC(enable, "apply the rule to NFS mounts: 0 or 1 (default 0)");
MODULE_DESCRIPTION("NFS client: readahead windows that grow with use, or a multiple of rsize");
