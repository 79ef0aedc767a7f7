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

static const char *const counter_names[ND_C_NR] = {
	[ND_DIRECT] = "direct",
	[ND_PREFETCHED] = "prefetched",
	[ND_LEFT_ALIGNED] = "left_aligned",
	[ND_LEFT_IO_CACHE] = "left_io_cache_write",
	[ND_LEFT_FLAGS] = "left_flags",
	[ND_LEFT_FS] = "left_fs",
	[ND_LEFT_FILE] = "left_file",
	[ND_LEFT_MAPPED] = "left_mapped",
	[ND_LEFT_NO_DIRECT] = "left_no_direct",
	[ND_LEFT_SECTOR] = "left_sector",
	[ND_LEFT_EOF] = "left_eof",
	[ND_LEFT_LARGE] = "left_large",
	[ND_LEFT_CACHED] = "left_cached",
	[ND_LEFT_HOLE] = "left_hole",
	[ND_LEFT_POOL] = "left_pool",
	[ND_C_BOUNCED_BYTES] = "bounced_bytes",
	[ND_C_FALLBACK_EINVAL] = "fallback_einval",
	[ND_C_FALLBACK_ENOTBLK] = "fallback_enotblk",
	[ND_C_FALLBACK_EBUSY] = "fallback_ebusy",
	[ND_C_FALLBACK_EIO] = "fallback_eio",
	[ND_C_FALLBACK_ENOSPC] = "fallback_enospc",
	[ND_C_FALLBACK_OTHER] = "fallback_other",
	[ND_C_FALLBACK_SHORT] = "fallback_short",
	[ND_C_FALLBACK_CACHED] = "fallback_cached",
	[ND_C_SYNC_ERRORS] = "sync_errors",
	[ND_C_LATENCY] = "below_64_us",
	"below_128_us", "below_256_us", "below_512_us", "below_1_ms", "below_2_ms", "below_4_ms",
	"below_8_ms", "below_16_ms", "below_33_ms", "below_66_ms", "below_131_ms",
	"below_262_ms", "below_524_ms", "below_1_s", "below_2_s", "above_2_s",
};

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
