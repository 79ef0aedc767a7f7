// SPDX-License-Identifier: GPL-2.0-only
/* nfsd-dio: misaligned NFS writes without read-modify-write. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/seq_file.h>

#include "common/module.h"
#include "auto.h"
#include "counters.h"
#include "device_stats.h"
#include "hooks.h"
#include "mtime.h"
#include "params.h"
#include "pool.h"

static const char *const counter_names[] = { ND_COUNTERS(STATS_NAME) };

struct stats nd_stats = {
	.names = counter_names,
	.nr = ND_C_NR,
};

DEFINE_SHOW_ATTRIBUTE(nd_device_stats);
DEFINE_SHOW_ATTRIBUTE(nd_auto);

int seqkeep_init(void)
{
	int err;

	nd_mtime_init();
	err = stats_create(&nd_stats, KBUILD_MODNAME);
	if (!err && !IS_ERR(nd_stats.dir)) {
		debugfs_create_file("devices", 0400, nd_stats.dir, NULL, &nd_device_stats_fops);
		debugfs_create_file("auto", 0400, nd_stats.dir, NULL, &nd_auto_fops);
	}
	return err;
}

void seqkeep_exit(void)
{
	stats_destroy(&nd_stats);
}

int seqkeep_enable(void)
{
	/* A module that only observes copies nothing. */
	int err = seqkeep_is_observing() ? 0 : nd_pool_create(nd_pool_kb());

	if (err) {
		pr_err("failed to allocate a pool of %u KiB (%d): set a smaller pool_kb\n",
		       nd_pool_kb(), err);
		return err;
	}
	err = nd_hooks_register();
	if (err)
		nd_pool_destroy();
	return err;
}

void seqkeep_disable(void)
{
	nd_hooks_unregister();
	nd_pool_destroy();
}

MODULE_PARM_DESC(enable, "serve writes of NFS clients by direct I/O, see mode: 0 or 1 (default 0)");
MODULE_DESCRIPTION("NFS server: serve misaligned writes by direct I/O, without read-modify-write");
