/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists of devices by name, as parameters have them, with or without a size for each. */
#ifndef CTXRA_DEVICE_LIST_H
#define CTXRA_DEVICE_LIST_H

#include <linux/types.h>

struct backing_dev_info;
struct inode;

#define CTXRA_DEVICES_MAX		64
#define CTXRA_DEVICE_NAME_SIZE	32
#define CTXRA_KB_MAX		65536

/**
 * struct ctxra_device - one device of a list
 * @name: disk name ("sda") or bdi name ("8:0", "0:52")
 * @kb: its size, KiB, if the list has sizes
 */
struct ctxra_device {
	char name[CTXRA_DEVICE_NAME_SIZE];
	unsigned int kb;
};

/**
 * struct ctxra_device_list - a parameter's value
 * @rcu: for kfree_rcu()
 * @sized: items are "name=KiB", and one may be "KiB" alone, for all other devices
 * @has_other: the list has a size for all other devices
 * @other_kb: that size, 0 without one
 * @nr: entries in @items
 * @items: the devices
 */
struct ctxra_device_list {
	struct rcu_head rcu;
	bool sized;
	bool has_other;
	unsigned int other_kb;
	unsigned int nr;
	struct ctxra_device items[CTXRA_DEVICES_MAX];
};

struct ctxra_device_list *ctxra_device_list_parse(const char *param, const char *val, bool sized);
int ctxra_device_list_print(const struct ctxra_device_list *list, char *buf, int size);
const struct ctxra_device *ctxra_device_list_find(const struct ctxra_device_list *list,
						  struct inode *inode,
						  const struct backing_dev_info *bdi);

#endif
