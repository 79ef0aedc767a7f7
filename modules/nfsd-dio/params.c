// SPDX-License-Identifier: GPL-2.0-only
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "common/param.h"
#include "params.h"

/*
 * Twice what 64 writes of 64 KiB need with pages of 4 KiB, each with its nd_bounce.vec, because
 * aligned writes leave half of the pool to the others.
 */
#define POOL_KB_DEFAULT	8704
/* One write of ND_BOUNCE_MAX, and its nd_bounce.vec. */
#define POOL_KB_MIN	1056
#define POOL_KB_MAX	(1024 * 1024)

static const char *const mode_names[] = {
	[ND_UNCACHED] = "uncached",
	[ND_UNALIGNED] = "unaligned",
	[ND_AUTO] = "auto",
};

static int mode = ND_UNCACHED;

static int nd_mode_set(const char *val, const struct kernel_param *kp)
{
	int i = __sysfs_match_string(mode_names, ND_NR_MODES, val);

	if (i < 0) {
		pr_warn("mode: \"%.*s\" is none of uncached, unaligned and auto (-EINVAL)\n",
			param_shown(val), val);
		return -EINVAL;
	}
	WRITE_ONCE(mode, i);
	return 0;
}

static int nd_mode_get(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%s\n", mode_names[mode]);
}

static const struct kernel_param_ops mode_ops = {
	.set = nd_mode_set,
	.get = nd_mode_get,
};
module_param_cb(mode, &mode_ops, NULL, 0644);
MODULE_PARM_DESC(mode, "which writes are direct: uncached: misaligned ones for which the kernel would read from the disk, unaligned: all misaligned ones, auto: as uncached, and aligned ones where that is measured to be faster (default uncached)");

static struct param_range pool_kb = {
	.value = POOL_KB_DEFAULT,
	.min = POOL_KB_MIN,
	.max = POOL_KB_MAX,
	.unit = " KiB",
};
module_param_cb(pool_kb, &param_range_ops, &pool_kb, 0644);
MODULE_PARM_DESC(pool_kb, "memory to copy writes to, KiB, 1056..1048576; allocated when enable is set to 1 (default 8704)");

static bool native;

static int nd_native_set(const char *val, const struct kernel_param *kp)
{
	bool on;

	if (param_parse_bool(val, kp, &on))
		return -EINVAL;
	WRITE_ONCE(native, on);
	return 0;
}

static const struct kernel_param_ops native_ops = {
	.set = nd_native_set,
	.get = param_get_bool,
};
module_param_cb(native, &native_ops, &native, 0644);
MODULE_PARM_DESC(native, "keep other clients' caches right beside nfsd's own direct writes, io_cache_write 2: 0 or 1 (default 0)");

enum nd_mode nd_mode(void)
{
	return READ_ONCE(mode);
}

bool nd_native(void)
{
	return READ_ONCE(native);
}

unsigned int nd_pool_kb(void)
{
	return READ_ONCE(pool_kb.value);
}
