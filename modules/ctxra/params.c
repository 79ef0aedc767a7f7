// SPDX-License-Identifier: GPL-2.0-only
/*
 * Module parameters. Every value is checked before it takes effect: a bad one
 * is refused with -EINVAL and a line in the log, and the old one stays.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/backing-dev.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>

#include "common/device_list.h"
#include "common/list_parse.h"
#include "common/param.h"
#include "ctxra.h"
#include "params.h"

static const char *const pattern_names[] = {
	[CTXRA_TRAIL] = "trail",
	[CTXRA_REORDER] = "reorder",
	[CTXRA_REVERSE] = "reverse",
	[CTXRA_STRIDE] = "stride",
	[CTXRA_THRASH] = "thrash",
};

static unsigned long patterns = BIT(CTXRA_NR_PATTERNS) - 1;

static int ctxra_patterns_set(const char *val, const struct kernel_param *kp)
{
	unsigned long mask;

	if (list_to_mask(val, pattern_names, ARRAY_SIZE(pattern_names), &mask)) {
		pr_warn("patterns: \"%.*s\" is not a list of trail,reorder,reverse,stride,thrash (-EINVAL)\n",
			param_shown(val), val);
		return -EINVAL;
	}
	WRITE_ONCE(patterns, mask);
	return 0;
}

static int ctxra_patterns_get(char *buf, const struct kernel_param *kp)
{
	int len = mask_to_list(patterns, pattern_names, ARRAY_SIZE(pattern_names), buf,
			       PAGE_SIZE - 1);

	buf[len++] = '\n';
	buf[len] = '\0';
	return len;
}

static const struct kernel_param_ops patterns_ops = {
	.set = ctxra_patterns_set,
	.get = ctxra_patterns_get,
};
module_param_cb(patterns, &patterns_ops, NULL, 0644);
MODULE_PARM_DESC(patterns,
		 "list of patterns to act on: trail,reorder,reverse,stride,thrash (default all)");

static struct param_range pipeline_kb = { .max = DEVICE_KB_MAX, .unit = " KiB" };
module_param_cb(pipeline_kb, &param_range_ops, &pipeline_kb, 0644);
MODULE_PARM_DESC(pipeline_kb, "largest single readahead submission, KiB, 0..65536; 0: do not split (default 0)");

/* NULL: all devices, at their own window. RCU protects readers, the parameter lock writers. */
static struct device_list __rcu *devices;
static struct device_list __rcu *max_kb;

module_param_cb(devices, &device_names_ops, &devices, 0644);
MODULE_PARM_DESC(devices, "list of disks or bdis to act on (sda,md0,8:0,0:52); empty: all (default)");

static int ctxra_max_kb_set(const char *val, const struct kernel_param *kp)
{
	return device_list_set(kp, val, true);
}

static int ctxra_max_kb_get(char *buf, const struct kernel_param *kp)
{
	const struct device_list *list = rcu_dereference_protected(max_kb, true);

	return list ? device_list_print(list, buf, PAGE_SIZE) : sysfs_emit(buf, "0\n");
}

static const struct kernel_param_ops max_kb_ops = {
	.set = ctxra_max_kb_set,
	.get = ctxra_max_kb_get,
	.free = device_list_free,
};
module_param_cb(max_kb, &max_kb_ops, &max_kb, 0644);
MODULE_PARM_DESC(max_kb,
		 "readahead window, KiB, 0..65536, or auto, or a list such as sda=1024,sdb=auto; 0: the device's read_ahead_kb (default)");

/* The patterns to act on, a bit set of enum ctxra_pattern. */
unsigned long ctxra_patterns(void)
{
	return READ_ONCE(patterns);
}

static unsigned long kb_to_pages(unsigned int kb)
{
	return max(1UL, (kb * 1024UL) >> PAGE_SHIFT);
}

/**
 * ctxra_device_settings - what the user has set for a device
 * @inode: a file on it, or the block device itself
 * @bdi: its backing device
 *
 * The hooks ask at each call, so that a change reaches files that are already open.
 *
 * Context: any.
 */
struct ctxra_settings ctxra_device_settings(struct inode *inode,
					    const struct backing_dev_info *bdi)
{
	unsigned long ra_pages = READ_ONCE(bdi->ra_pages);
	const struct device_list *list;
	const struct device_item *device;
	struct ctxra_settings settings;
	unsigned int kb = 0;

	rcu_read_lock();
	list = rcu_dereference(devices);
	settings.chosen = !list || device_list_find(list, inode, bdi);
	list = rcu_dereference(max_kb);
	if (list) {
		device = device_list_find(list, inode, bdi);
		kb = device ? device->kb : list->other_kb;
	}
	rcu_read_unlock();
	settings.auto_window = kb == DEVICE_KB_AUTO;
	if (ra_pages && kb && !settings.auto_window)
		settings.win_pages = kb_to_pages(kb);
	else
		settings.win_pages = min(ra_pages, kb_to_pages(DEVICE_KB_MAX));
	return settings;
}

/* The largest part of a window to submit at once, pages; 0 if windows are not split. */
unsigned long ctxra_submission_pages(void)
{
	unsigned int kb = READ_ONCE(pipeline_kb.value);

	return kb ? kb_to_pages(kb) : 0;
}
