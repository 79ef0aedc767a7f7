/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists of devices by name, as parameters have them, with or without a size for each. */
#ifndef SEQKEEP_DEVICE_LIST_H
#define SEQKEEP_DEVICE_LIST_H

#include <linux/moduleparam.h>
#include <linux/types.h>

struct backing_dev_info;
struct inode;

#define DEVICE_LIST_MAX		64
#define DEVICE_NAME_SIZE	32
#define DEVICE_KB_MAX		65536
/* The size "auto": the module chooses. */
#define DEVICE_KB_AUTO		(DEVICE_KB_MAX + 1)

/**
 * struct device_item - one device of a list
 * @name: disk name ("sda") or bdi name ("8:0", "0:52")
 * @kb: its size, KiB, or DEVICE_KB_AUTO, if the list has sizes
 */
struct device_item {
	char name[DEVICE_NAME_SIZE];
	unsigned int kb;
};

/**
 * struct device_list - a parameter's value
 * @rcu: for kfree_rcu()
 * @sized: items are "name=KiB", and one may be "KiB" alone, for all other devices; KiB may be
 *	"auto"
 * @has_other: the list has a size for all other devices
 * @other_kb: that size, 0 without one
 * @nr: entries in @items
 * @items: the devices
 */
struct device_list {
	struct rcu_head rcu;
	bool sized;
	bool has_other;
	unsigned int other_kb;
	unsigned int nr;
	struct device_item items[DEVICE_LIST_MAX];
};

extern const struct kernel_param_ops device_names_ops;

int device_list_set(const struct kernel_param *kp, const char *val, bool sized);
void device_list_free(void *arg);
int device_list_print(const struct device_list *list, char *buf, int size);
const struct device_item *device_list_find(const struct device_list *list, struct inode *inode,
					   const struct backing_dev_info *bdi);

#endif
