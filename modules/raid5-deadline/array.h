/* SPDX-License-Identifier: GPL-2.0-only */
/* What we keep about each array. */
#ifndef RAID5_DEADLINE_ARRAY_H
#define RAID5_DEADLINE_ARRAY_H

#include <linux/blkdev.h>
#include <linux/hrtimer.h>
#include <linux/kref.h>
#include <linux/sysfs.h>
#include <linux/workqueue.h>

#include "counters.h"
#include "stripe_table.h"
#include "predict.h"

struct dentry;
struct mddev;
struct r5conf;
struct stripe_head;

/**
 * struct r5d_array - an array, from the first stripe that it released to us until
 *	raid456 frees it or the module is disabled
 * @node: in the table of arrays, by @conf
 * @rcu: to free it
 * @ref: held by the table, and by @work while it is queued
 * @conf: raid456's data; valid until @gone
 * @mddev: md's data; its kobject is held. NULL: the array is left alone, as something in it
 *	is not as it has to be, and its @conf may not be looked into
 * @name: of its disk
 * @work: makes it ready, where sleeping is allowed
 * @timer: goes off when the stripe that has waited longest has waited enough
 * @file: debugfs
 * @setting: deadline of this array in ms, %R5D_AUTO or %R5D_DEFAULT
 * @cache_before: stripes that the array had before we raised it; 0: we did not
 * @cache_set: what we raised it to
 * @listed: its file in sysfs was made
 * @gone: raid456 has freed, or is about to free, its data; or the array is forgotten.
 *	Set under registry_mutex and, but for the latter, md's lock for changes: stable
 *	under either while work items run
 *
 * The rest is protected by the array's own device_lock:
 * @ready: the below is there to be used; never again after @closed
 * @closing: nothing is to be held any more, and what is held is being let go
 * @closed: nothing is held any more
 * @timer_on: @timer is or will be running
 * @held_lru: where held stripes are listed, by their own list heads
 * @stripes: the stripes
 * @predictor: what was learned
 * @count: counters
 * @fills: how many stripes took how long to fill, never aged
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

int r5d_arrays_start(void);
void r5d_arrays_stop(void);
struct r5d_array *r5d_array_find(const struct r5conf *conf);
void r5d_array_attach(struct r5conf *conf, struct stripe_head *sh);
void r5d_array_detach(const struct r5conf *conf);

/* Of hold.c; under the array's device_lock. */
bool r5d_release(struct r5d_array *array, struct stripe_head *sh);
bool r5d_release_some(struct r5d_array *array);
enum hrtimer_restart r5d_timer_expired(struct hrtimer *timer);
u64 r5d_deadline_ns(const struct r5d_array *array);

/* Of attr.c. */
void r5d_files_create(struct r5d_array *array);
void r5d_files_remove(struct r5d_array *array);

/* Of hooks.c: what the stock code would have done with a stripe. */
void r5d_stock_release(struct r5conf *conf, struct stripe_head *sh);

#endif
