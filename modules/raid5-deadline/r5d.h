/* SPDX-License-Identifier: GPL-2.0-only */
/* An array, as all files of the module know it. */
#ifndef RAID5_DEADLINE_R5D_H
#define RAID5_DEADLINE_R5D_H

#include <linux/blkdev.h>
#include <linux/hrtimer.h>
#include <linux/kref.h>
#include <linux/workqueue.h>

#include "counters.h"
#include "predict.h"
#include "stripe_table.h"

struct dentry;
struct mddev;
struct r5conf;
struct stripe_head;

/**
 * struct r5d_array - an array, from its first stripe with writes until raid456 frees its data or
 *	the module is disabled
 * @node: in the table of arrays, by @conf
 * @rcu: frees it
 * @ref: held by the table, and by @work while that is queued
 * @conf: raid456's data; valid until @gone
 * @mddev: md's data, whose kobject we hold. NULL for an array whose layout contradicts itself:
 *	its @conf may not be read
 * @name: of its disk
 * @work: prepares the array where sleeping is allowed
 * @timer: runs while stripes are held
 * @file: in debugfs
 * @setting: deadline of this array in ms, %R5D_AUTO or %R5D_DEFAULT
 * @cache_before: stripes in the cache before we raised it; 0: we did not
 * @cache_set: stripes that we raised it to
 * @listed: its file in sysfs exists
 * @gone: raid456 frees its data, or it is no longer in the table. Set under
 *	r5d_registry_mutex and, in the former case, also md's reconfig_mutex: stable under
 *	either while work items run
 *
 * The array's own device_lock protects the rest:
 * @ready: the members below are set up; never set after @closed
 * @closing: no stripe is held any more, and the held ones are being released
 * @closed: no stripe is held
 * @timer_on: @timer is armed or runs
 * @held_lru: the held stripes, by stripe_head.lru
 * @stripes: what we know of stripes
 * @predictor: what we have learned of the array
 * @count: counters
 * @fills: histogram of the times to fill, never aged
 */
struct r5d_array {
	struct hlist_node node;
	struct rcu_head rcu;
	struct kref ref;
	struct r5conf *conf;
	struct mddev *mddev;
	char name[DISK_NAME_LEN];
	struct work_struct work;
	struct hrtimer timer;
	struct dentry *file;
	int setting;
	int cache_before;
	int cache_set;
	bool listed;
	bool gone;

	bool ready;
	bool closing;
	bool closed;
	bool timer_on;
	struct list_head held_lru;
	struct r5d_stripe_table stripes;
	struct r5d_predictor predictor;
	u64 count[R5D_C_NR];
	u64 fills[R5D_BUCKETS];
};

#endif
