// SPDX-License-Identifier: GPL-2.0-only
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/backing-dev.h>
#include <linux/blkdev.h>
#include <linux/err.h>
#include <linux/kstrtox.h>
#include <linux/namei.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "device_list.h"
#include "list_parse.h"

static bool sysfs_has(const char *directory, const char *name)
{
	char file[64];
	struct path path;

	/* A name with a slash would be a path to another directory. */
	if (strchr(name, '/') || name[0] == '.' || !name[0])
		return false;
	snprintf(file, sizeof(file), "/sys/%s/%s", directory, name);
	if (kern_path(file, LOOKUP_FOLLOW, &path))
		return false;
	path_put(&path);
	return true;
}

static bool is_listed(const struct device_list *list, const char *name)
{
	unsigned int i;

	for (i = 0; i < list->nr; i++)
		if (!strcmp(list->items[i].name, name))
			return true;
	return false;
}

/* A size in KiB, or "auto". False if it is neither. */
static bool size_parse(const char *text, unsigned int *kb)
{
	if (!strcmp(text, "auto")) {
		*kb = DEVICE_KB_AUTO;
		return true;
	}
	return !kstrtouint(text, 0, kb) && *kb <= DEVICE_KB_MAX;
}

static int size_print(char *buf, int size, unsigned int kb)
{
	return kb == DEVICE_KB_AUTO ? scnprintf(buf, size, "auto") : scnprintf(buf, size, "%u", kb);
}

/* Add an item to the list. Return what is wrong with it, or NULL. */
static const char *device_list_add(struct device_list *list, char *text)
{
	struct device_item *item = &list->items[list->nr];

	if (list->sized) {
		char *size = strchr(text, '=');
		unsigned int *kb = size ? &item->kb : &list->other_kb;

		if (size)
			*size++ = '\0';
		if (!size_parse(size ?: text, kb))
			return "the size is neither auto nor in 0..65536 KiB";
		if (!size) {
			if (list->has_other)
				return "a second size for all other devices";
			list->has_other = true;
			return NULL;
		}
	}
	if (!sysfs_has("block", text) && !sysfs_has("class/bdi", text))
		return "neither a disk in /sys/block nor a bdi in /sys/class/bdi";
	if (is_listed(list, text))
		return "the device is in the list already";
	strscpy(item->name, text, DEVICE_NAME_SIZE);
	list->nr++;
	return NULL;
}

/* The list, for kfree(); or -ENOMEM, or -EINVAL with a line in the log that names @param. */
static struct device_list *device_list_parse(const char *param, const char *val, bool sized)
{
	struct device_list *list;
	unsigned int n = 0;
	const char *wrong;

	if (strnlen(val, LIST_TEXT_MAX + 1) > LIST_TEXT_MAX) {
		pr_warn("%s: longer than %d characters (-EINVAL)\n", param, LIST_TEXT_MAX);
		return ERR_PTR(-EINVAL);
	}
	list = kzalloc(sizeof(*list), GFP_KERNEL);
	if (!list)
		return ERR_PTR(-ENOMEM);
	list->sized = sized;
	for (;;) {
		char text[DEVICE_NAME_SIZE + 8] = "";
		int ret = list_next_item(&val, text, sizeof(text));

		if (!ret)
			return list;
		n++;
		if (ret < 0)
			wrong = "empty or too long";
		else if (list->nr == DEVICE_LIST_MAX)
			wrong = "more than 64 devices";
		else
			wrong = device_list_add(list, text);
		if (!wrong)
			continue;
		pr_warn("%s: item %u, \"%s\": %s (-EINVAL)\n", param, n, text, wrong);
		kfree(list);
		return ERR_PTR(-EINVAL);
	}
}

/**
 * device_list_print - print a list as it is parsed
 * @list: the list, or NULL for an empty one
 * @buf: the text
 * @size: bytes in @buf
 *
 * Return: bytes written, with a newline and without the final NUL.
 */
int device_list_print(const struct device_list *list, char *buf, int size)
{
	bool sized = list && list->sized;
	const char *comma = "";
	unsigned int i;
	int len = 0;

	if (sized && (list->other_kb || !list->nr)) {
		len = size_print(buf, size, list->other_kb);
		comma = ",";
	}
	for (i = 0; list && i < list->nr; i++, comma = ",") {
		const struct device_item *item = &list->items[i];

		len += scnprintf(buf + len, size - len, "%s%s", comma, item->name);
		if (!sized)
			continue;
		len += scnprintf(buf + len, size - len, "=");
		len += size_print(buf + len, size - len, item->kb);
	}
	return len + scnprintf(buf + len, size - len, "\n");
}

static const char *disk_name(struct inode *inode)
{
	struct block_device *bdev = S_ISBLK(inode->i_mode) ? I_BDEV(inode) : inode->i_sb->s_bdev;

	return bdev ? bdev->bd_disk->disk_name : NULL;
}

/* Users see the name in sysfs, which shows a slash as an exclamation mark. */
static bool is_disk(const char *item, const char *disk)
{
	for (; *item == (*disk == '/' ? '!' : *disk); item++, disk++)
		if (!*disk)
			return true;
	return false;
}

/**
 * device_list_find - find a file's device in a list
 * @list: the list
 * @inode: the file, or the block device itself
 * @bdi: its backing device
 *
 * Return: the device, or NULL.
 */
const struct device_item *device_list_find(const struct device_list *list, struct inode *inode,
					   const struct backing_dev_info *bdi)
{
	const char *disk = disk_name(inode);
	unsigned int i;

	for (i = 0; i < list->nr; i++) {
		const struct device_item *item = &list->items[i];

		if ((disk && is_disk(item->name, disk)) || !strcmp(bdi->dev_name, item->name))
			return item;
	}
	return NULL;
}

/**
 * device_list_set - set a parameter that is a list of devices
 * @kp: the parameter; &kernel_param.arg is a struct device_list __rcu **
 * @val: the text
 * @sized: see &device_list.sized
 *
 * Context: may sleep, parameter lock held. Readers use RCU.
 * Return: 0 or -ENOMEM, or -EINVAL with a line in the log.
 */
int device_list_set(const struct kernel_param *kp, const char *val, bool sized)
{
	struct device_list __rcu **param = kp->arg;
	struct device_list *list = NULL;

	if (*skip_spaces(val) || sized) {
		list = device_list_parse(kp->name, val, sized);
		if (IS_ERR(list))
			return PTR_ERR(list);
	}
	list = rcu_replace_pointer(*param, list, true);
	if (list)
		kfree_rcu(list, rcu);
	return 0;
}

/* For &kernel_param_ops.free. The kernel calls it also if the load of the module failed. */
void device_list_free(void *arg)
{
	struct device_list __rcu **param = arg;

	kfree(rcu_replace_pointer(*param, NULL, true));
}

static int device_names_set(const char *val, const struct kernel_param *kp)
{
	return device_list_set(kp, val, false);
}

static int device_names_get(char *buf, const struct kernel_param *kp)
{
	struct device_list __rcu **param = kp->arg;

	return device_list_print(rcu_dereference_protected(*param, true), buf, PAGE_SIZE);
}

/* For module_param_cb() with a struct device_list __rcu *: names without sizes, or none. */
const struct kernel_param_ops device_names_ops = {
	.set = device_names_set,
	.get = device_names_get,
	.free = device_list_free,
};
