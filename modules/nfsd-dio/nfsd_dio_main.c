// SPDX-License-Identifier: GPL-2.0-only
/* nfsd-dio: misaligned NFS writes without read-modify-write. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/seq_file.h>

#include "caller.h"
#include "counters.h"
#include "device_stats.h"
#include "hooks.h"
#include "mtime.h"
#include "params.h"
#include "pool.h"
#include "version.h"

static const char *const counter_names[] = { ND_COUNTERS(STATS_NAME) };

struct stats nd_stats = {
	.names = counter_names,
	.nr = ND_C_NR,
};

static int nd_devices_show(struct seq_file *m, void *unused)
{
	nd_device_stats_show(m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(nd_devices);

/**
 * nd_enable - redirect nfsd's writes
 *
 * Context: may sleep; serialised by the kernel's parameter lock.
 * Return: 0, or a negative errno with nothing changed and a line in the log.
 */
int nd_enable(void)
{
	int err = nd_pool_create(nd_pool_kb());

	if (err) {
		pr_err("failed to allocate a pool of %u KiB (%d): set a smaller pool_kb\n",
		       nd_pool_kb(), err);
		return err;
	}
	err = nd_caller_watch();
	if (err)
		goto destroy_pool;
	err = nd_hooks_register();
	if (err) {
		pr_err("not enabled: a hook cannot be had (%d), see the line above\n", err);
		goto unwatch;
	}
	return 0;

unwatch:
	nd_caller_unwatch();
destroy_pool:
	nd_pool_destroy();
	return err;
}

/**
 * nd_disable - leave all writes to nfsd
 *
 * Context: may sleep; serialised by the kernel's parameter lock.
 */
void nd_disable(void)
{
	nd_hooks_unregister();
	nd_caller_unwatch();
	nd_pool_destroy();
}

static int __init nd_init(void)
{
	int err;

	nd_mtime_init();
	err = stats_create(&nd_stats, KBUILD_MODNAME);
	if (err)
		goto stop_params;
	if (!IS_ERR(nd_stats.dir))
		debugfs_create_file("devices", 0400, nd_stats.dir, NULL, &nd_devices_fops);
	err = nd_params_start();
	if (err)
		goto destroy_stats;
	return 0;

destroy_stats:
	stats_destroy(&nd_stats);
stop_params:
	nd_params_stop();
	return err;
}

static void __exit nd_exit(void)
{
	nd_params_stop();
	stats_destroy(&nd_stats);
}

module_init(nd_init);
module_exit(nd_exit);
MODULE_DESCRIPTION("NFS server: serve misaligned writes by direct I/O, without read-modify-write");
MODULE_AUTHOR("seqkeep maintainers");
MODULE_LICENSE("GPL");
MODULE_VERSION(SEQKEEP_VERSION);
