// SPDX-License-Identifier: GPL-2.0-only
/* nfs-ra: readahead of NFS mounts by their rsize. Load, unload, enable and disable. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/seq_file.h>

#include "apply.h"
#include "auto.h"
#include "counters.h"
#include "hooks.h"
#include "mounts.h"
#include "params.h"
#include "records.h"
#include "version.h"

static const char *const counter_names[NRA_C_NR] = {
	[NRA_C_SET_MOUNT] = "set_mount",
	[NRA_C_SET_APPLY] = "set_apply",
	[NRA_C_LEFT_SAME] = "left_same",
	[NRA_C_LEFT_BY_HAND] = "left_by_hand",
	[NRA_C_LEFT_MEMORY] = "left_memory",
	[NRA_C_LEFT_FOREIGN] = "left_foreign",
	[NRA_C_OVERRIDDEN] = "overridden",
	[NRA_C_RESTORED] = "restored",
	[NRA_C_NOT_RESTORED] = "not_restored",
	[NRA_C_AUTO_GROWN] = "auto_grown",
	[NRA_C_AUTO_FULL] = "auto_full",
	[NRA_C_AUTO_UNPROVEN] = "auto_unproven",
};

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

/**
 * nra_enable - set the readahead of mounts from now on, with apply=1 also of existing ones
 *
 * Context: may sleep; serialised by the kernel's parameter lock.
 * Return: 0, or a negative errno with nothing changed and a line in the log.
 */
int nra_enable(void)
{
	int err = nra_records_fill();

	if (err) {
		pr_err("failed to allocate records of mounts (%d): free memory and enable again\n",
		       err);
		goto destroy_records;
	}
	err = nra_param_is_auto() ? nra_auto_hooks_register() : 0;
	if (err)
		goto refuse;
	err = nra_hooks_register();
	if (err)
		goto unregister_auto;
	if (nra_param_apply())
		nra_apply_start();
	return 0;

unregister_auto:
	nra_auto_hooks_unregister();
refuse:
	pr_err("not enabled: a hook cannot be had (%d), see the line above\n", err);
destroy_records:
	nra_records_destroy();
	return err;
}

/**
 * nra_disable - set no further readahead, and restore what nobody else has changed
 *
 * Context: may sleep; serialised by the kernel's parameter lock.
 */
void nra_disable(void)
{
	nra_apply_stop();
	nra_hooks_unregister_setup_bdi();
	nra_auto_hooks_unregister();
	/* A write during this is still seen, so its value stays. */
	nra_mounts_restore();
	nra_hooks_unregister_store();
	nra_records_destroy();
}

static int __init nra_init(void)
{
	int err = stats_create(&nra_stats, KBUILD_MODNAME);

	if (err)
		goto stop_params;
	if (!IS_ERR(nra_stats.dir))
		debugfs_create_file("mounts", 0400, nra_stats.dir, NULL, &nra_table_fops);
	err = nra_params_start();
	if (err)
		goto destroy_stats;
	return 0;

destroy_stats:
	stats_destroy(&nra_stats);
stop_params:
	nra_params_stop();
	nra_apply_wait();
	return err;
}

static void __exit nra_exit(void)
{
	nra_params_stop();
	nra_apply_wait();
	stats_destroy(&nra_stats);
}

module_init(nra_init);
module_exit(nra_exit);
MODULE_DESCRIPTION("NFS client: readahead of several times rsize, set at mount");
MODULE_AUTHOR("seqkeep maintainers");
MODULE_LICENSE("GPL");
MODULE_VERSION(SEQKEEP_VERSION);
