/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists of devices by name, as parameters give them, with a size for each or without. */
#ifndef CTXRA_DEVICES_H
#define CTXRA_DEVICES_H

#include <linux/types.h>

struct backing_dev_info;
struct inode;

#define DEVICES_MAX		64
#define DEVICE_NAME_SIZE	32
#define DEVICE_KB_MAX		65536

/**
 * struct device_item - one device of a list
 * @name: disk name ("sda") or bdi name ("8:0", "0:52")
 * @kb: its size, KiB, in lists that have sizes
 */
struct device_item {
	char name[DEVICE_NAME_SIZE];
	unsigned int kb;
};

/**
 * struct device_list - a parameter's value
 * @rcu: for kfree_rcu()
 * @sized: items are "name=KiB", and one may be "KiB" alone, for all other devices
 * @has_other: one was
 * @other_kb: that, 0 if there was none
 * @nr: entries in @items
 * @items: the devices
 */
struct device_list {
	struct rcu_head rcu;
	bool sized;
	bool has_other;
	unsigned int other_kb;
	unsigned int nr;
	struct device_item items[DEVICES_MAX];
};

struct device_list *device_list_parse(const char *param, const char *val, bool sized);
int device_list_print(const struct device_list *list, char *buf, int size);
const struct device_item *device_list_find(const struct device_list *list, struct inode *inode,
					   const struct backing_dev_info *bdi);

#endif
