// SPDX-License-Identifier: GPL-2.0-only
/*
 * Module parameters. Every value is checked before it takes effect: a bad one
 * is refused with -EINVAL and a line in the log, and the old one stays.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/backing-dev.h>
#include <linux/blkdev.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/namei.h>
#include <linux/slab.h>

#include "common/listparse.h"
#include "common/param.h"
#include "params.h"
#include "stream.h"

#define MAX_KB		65536
#define MAX_DEVICES	64
#define DEVICE_NAME_MAX	32

static struct param_switch enable = {
	.on = ctxra_enable,
	.off = ctxra_disable,
};
module_param_cb(enable, &param_switch_ops, &enable, 0644);
MODULE_PARM_DESC(enable, "steer readahead: 0 or 1 (default 0)");

static const char *const pattern_names[] = {
	[CTXRA_TRAIL] = "trail",
	[CTXRA_REORDER] = "reorder",
	[CTXRA_REVERSE] = "reverse",
	[CTXRA_STRIDE] = "stride",
	[CTXRA_THRASH] = "thrash",
};

static unsigned long patterns = BIT(CTXRA_NR_PATTERNS) - 1;

static int patterns_set(const char *val, const struct kernel_param *kp)
{
	unsigned long mask;

	if (list_to_mask(val, pattern_names, ARRAY_SIZE(pattern_names), &mask)) {
		pr_warn("patterns: \"%.64s\" is not a list of trail,reorder,reverse,stride,thrash (-EINVAL)\n",
			val);
		return -EINVAL;
	}
	WRITE_ONCE(patterns, mask);
	return 0;
}

static int patterns_get(char *buf, const struct kernel_param *kp)
{
	int len = mask_to_list(patterns, pattern_names, ARRAY_SIZE(pattern_names), buf,
			       PAGE_SIZE - 1);

	buf[len++] = '\n';
	buf[len] = '\0';
	return len;
}

static const struct kernel_param_ops patterns_ops = {
	.set = patterns_set,
	.get = patterns_get,
};
module_param_cb(patterns, &patterns_ops, NULL, 0644);
MODULE_PARM_DESC(patterns,
		 "list of patterns to act on: trail,reorder (now), reverse,stride,thrash (not yet); default all");

static struct param_range max_kb = { .max = MAX_KB, .unit = " KiB" };
module_param_cb(max_kb, &param_range_ops, &max_kb, 0644);
MODULE_PARM_DESC(max_kb, "window of recognised streams, KiB, 0..65536; 0: the device's read_ahead_kb (default 0)");

static struct param_range pipeline_kb = { .max = MAX_KB, .unit = " KiB" };
module_param_cb(pipeline_kb, &param_range_ops, &pipeline_kb, 0644);
MODULE_PARM_DESC(pipeline_kb, "largest single submission, KiB, 0..65536; 0: do not split (default 0); not yet acted on");

/**
 * struct device_list - the devices parameter
 * @rcu: for kfree_rcu()
 * @nr: entries in @names; at least 1
 * @names: disk names ("sda") or bdi names ("8:0", "0:52")
 */
struct device_list {
	struct rcu_head rcu;
	unsigned int nr;
	char names[MAX_DEVICES][DEVICE_NAME_MAX];
};

/* NULL: all devices. Readers are under RCU, writers under the kernel's parameter lock. */
static struct device_list __rcu *devices;

static bool sysfs_has(const char *directory, const char *name)
{
	char file[64];
	struct path path;

	/* A name with a slash would be looked for elsewhere. */
	if (strchr(name, '/') || name[0] == '.')
		return false;
	snprintf(file, sizeof(file), "/sys/%s/%s", directory, name);
	if (kern_path(file, LOOKUP_FOLLOW, &path))
		return false;
	path_put(&path);
	return true;
}

static struct device_list *devices_parse(const char *val)
{
	struct device_list *list;
	const char *reason;
	int ret = 0;

	if (strnlen(val, LIST_MAX + 1) > LIST_MAX) {
		pr_warn("devices: longer than %d characters (-EINVAL)\n", LIST_MAX);
		return ERR_PTR(-EINVAL);
	}
	list = kzalloc(sizeof(*list), GFP_KERNEL);
	if (!list)
		return ERR_PTR(-ENOMEM);
	for (;; list->nr++) {
		char item[DEVICE_NAME_MAX] = "";

		ret = list_next(&val, item, sizeof(item));
		if (!ret)
			return list;
		if (ret < 0) {
			reason = "empty or longer than 31 characters";
		} else if (list->nr == MAX_DEVICES) {
			reason = "more than 64 devices";
		} else if (!sysfs_has("block", item) && !sysfs_has("class/bdi", item)) {
			reason = "neither a disk in /sys/block nor a bdi in /sys/class/bdi";
		} else {
			strscpy(list->names[list->nr], item, DEVICE_NAME_MAX);
			continue;
		}
		pr_warn("devices: item %u, \"%s\": %s (-EINVAL)\n", list->nr + 1, item, reason);
		kfree(list);
		return ERR_PTR(-EINVAL);
	}
}

static int devices_set(const char *val, const struct kernel_param *kp)
{
	struct device_list *list = NULL, *old;

	if (enable.closed)
		return -ENODEV;
	if (*skip_spaces(val)) {
		list = devices_parse(val);
		if (IS_ERR(list))
			return PTR_ERR(list);
	}
	old = rcu_replace_pointer(devices, list, true);
	if (old)
		kfree_rcu(old, rcu);
	return 0;
}

static int devices_get(char *buf, const struct kernel_param *kp)
{
	const struct device_list *list = rcu_dereference_protected(devices, true);
	unsigned int i;
	int len = 0;

	for (i = 0; list && i < list->nr; i++)
		len += scnprintf(buf + len, PAGE_SIZE - len, "%s%s", i ? "," : "", list->names[i]);
	return len + scnprintf(buf + len, PAGE_SIZE - len, "\n");
}

static const struct kernel_param_ops devices_ops = {
	.set = devices_set,
	.get = devices_get,
};
module_param_cb(devices, &devices_ops, NULL, 0644);
MODULE_PARM_DESC(devices, "list of disks or bdis to act on (sda,md0,8:0,0:52); empty: all (default)");

static const char *disk_name(struct inode *inode)
{
	struct block_device *bdev = S_ISBLK(inode->i_mode) ? I_BDEV(inode) : inode->i_sb->s_bdev;

	return bdev ? bdev->bd_disk->disk_name : NULL;
}

/**
 * ctxra_device_chosen - whether the user wants this device's files looked after
 * @inode: the file, or the block device itself
 * @bdi: its backing device
 *
 * Context: any.
 * Return: true if there is no list, or the device is in it.
 */
bool ctxra_device_chosen(struct inode *inode, const struct backing_dev_info *bdi)
{
	const struct device_list *list;
	bool chosen = true;
	unsigned int i;

	rcu_read_lock();
	list = rcu_dereference(devices);
	if (list) {
		const char *disk = disk_name(inode);

		chosen = false;
		for (i = 0; i < list->nr && !chosen; i++)
			chosen = (disk && !strcmp(disk, list->names[i])) ||
				 !strcmp(bdi->dev_name, list->names[i]);
	}
	rcu_read_unlock();
	return chosen;
}

/**
 * ctxra_patterns - the patterns to act on
 *
 * Return: bit set of enum ctxra_pattern.
 */
unsigned long ctxra_patterns(void)
{
	return READ_ONCE(patterns);
}

/**
 * ctxra_window_pages - the largest window for a device's files, now
 * @bdi: the device
 *
 * Read at each call, so that a change is seen by files that are already open.
 *
 * Return: pages; 0 if readahead is off on the device.
 */
unsigned long ctxra_window_pages(const struct backing_dev_info *bdi)
{
	unsigned long ra_pages = READ_ONCE(bdi->ra_pages);
	unsigned int kb = READ_ONCE(max_kb.value);

	if (!ra_pages || !kb)
		return min(ra_pages, (MAX_KB * 1024UL) >> PAGE_SHIFT);
	return max(1UL, (kb * 1024UL) >> PAGE_SHIFT);
}

/**
 * ctxra_params_start - act on enable, at load and from now on
 *
 * Context: may sleep.
 * Return: 0, or the error of ctxra_enable().
 */
int ctxra_params_start(void)
{
	return param_start(&enable);
}

/**
 * ctxra_params_stop - disable for good, and free what parameters hold
 *
 * Context: may sleep.
 */
void ctxra_params_stop(void)
{
	param_stop(&enable);
	kernel_param_lock(THIS_MODULE);
	kfree(rcu_dereference_protected(devices, true));
	RCU_INIT_POINTER(devices, NULL);
	kernel_param_unlock(THIS_MODULE);
}
