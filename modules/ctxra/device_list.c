// SPDX-License-Identifier: GPL-2.0-only
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/backing-dev.h>
#include <linux/blkdev.h>
#include <linux/err.h>
#include <linux/kstrtox.h>
#include <linux/namei.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "listparse.h"
#include "device_list.h"

static bool ctxra_sysfs_has(const char *directory, const char *name)
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

static bool is_listed(const struct ctxra_device_list *list, const char *name)
{
	unsigned int i;

	for (i = 0; i < list->nr; i++)
		if (!strcmp(list->items[i].name, name))
			return true;
	return false;
}

/* Add an item to the list. Return what is wrong with it, or NULL. */
static const char *ctxra_device_list_add(struct ctxra_device_list *list, char *text)
{
	struct ctxra_device *item = &list->items[list->nr];

	if (list->sized) {
		char *size = strchr(text, '=');
		unsigned int *kb = size ? &item->kb : &list->other_kb;

		if (size)
			*size++ = '\0';
		if (kstrtouint(size ?: text, 0, kb) || *kb > CTXRA_KB_MAX)
			return "the size is not in 0..65536 KiB";
		if (!size) {
			if (list->has_other)
				return "a second size for all other devices";
			list->has_other = true;
			return NULL;
		}
	}
	if (!ctxra_sysfs_has("block", text) && !ctxra_sysfs_has("class/bdi", text))
		return "neither a disk in /sys/block nor a bdi in /sys/class/bdi";
	if (is_listed(list, text))
		return "the device is in the list already";
	strscpy(item->name, text, CTXRA_DEVICE_NAME_SIZE);
	list->nr++;
	return NULL;
}

/**
 * ctxra_device_list_parse - parse a list of devices
 * @param: the parameter's name, for the log
 * @val: the text
 * @sized: see &ctxra_device_list.sized
 *
 * Return: the list, for kfree(); or -ENOMEM, or -EINVAL with a line in the log.
 */
struct ctxra_device_list *ctxra_device_list_parse(const char *param, const char *val, bool sized)
{
	struct ctxra_device_list *list;
	unsigned int n = 0;
	const char *wrong;

	if (strnlen(val, CTXRA_LIST_MAX + 1) > CTXRA_LIST_MAX) {
		pr_warn("%s: longer than %d characters (-EINVAL)\n", param, CTXRA_LIST_MAX);
		return ERR_PTR(-EINVAL);
	}
	list = kzalloc(sizeof(*list), GFP_KERNEL);
	if (!list)
		return ERR_PTR(-ENOMEM);
	list->sized = sized;
	for (;;) {
		char text[CTXRA_DEVICE_NAME_SIZE + 8] = "";
		int ret = ctxra_list_next(&val, text, sizeof(text));

		if (!ret)
			return list;
		n++;
		if (ret < 0)
			wrong = "empty or too long";
		else if (list->nr == CTXRA_DEVICES_MAX)
			wrong = "more than 64 devices";
		else
			wrong = ctxra_device_list_add(list, text);
		if (!wrong)
			continue;
		pr_warn("%s: item %u, \"%s\": %s (-EINVAL)\n", param, n, text, wrong);
		kfree(list);
		return ERR_PTR(-EINVAL);
	}
}

/**
 * ctxra_device_list_print - print a list as it is parsed
 * @list: the list, or NULL for an empty one
 * @buf: the text
 * @size: bytes in @buf
 *
 * Return: bytes written, with a newline and without the final NUL.
 */
int ctxra_device_list_print(const struct ctxra_device_list *list, char *buf, int size)
{
	bool sized = list && list->sized;
	const char *comma = "";
	unsigned int i;
	int len = 0;

	if (sized && (list->other_kb || !list->nr)) {
		len = scnprintf(buf, size, "%u", list->other_kb);
		comma = ",";
	}
	for (i = 0; list && i < list->nr; i++, comma = ",") {
		const struct ctxra_device *item = &list->items[i];

		if (sized)
			len += scnprintf(buf + len, size - len, "%s%s=%u", comma, item->name,
					 item->kb);
		else
			len += scnprintf(buf + len, size - len, "%s%s", comma, item->name);
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
 * ctxra_device_list_find - find a file's device in a list
 * @list: the list
 * @inode: the file, or the block device itself
 * @bdi: its backing device
 *
 * Return: the device, or NULL.
 */
const struct ctxra_device *ctxra_device_list_find(const struct ctxra_device_list *list,
						  struct inode *inode,
						  const struct backing_dev_info *bdi)
{
	const char *disk = disk_name(inode);
	unsigned int i;

	for (i = 0; i < list->nr; i++) {
		const struct ctxra_device *item = &list->items[i];

		if ((disk && is_disk(item->name, disk)) || !strcmp(bdi->dev_name, item->name))
			return item;
	}
	return NULL;
}
