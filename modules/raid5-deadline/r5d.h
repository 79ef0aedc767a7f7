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

struct mddev;
struct r5conf;
struct stripe_head;

/**
 * enum r5d_state - how far an array has come; it only moves on, and may skip states
 * @R5D_ATTACHED: in the table; no stripe is held
 * @R5D_READY: stripes may be held
 * @R5D_CLOSING: no further stripe is held, and the held ones are being released
 * @R5D_CLOSED: no stripe is held any more
 * @R5D_GONE: no longer in the table; raid456 may have freed its data
 *
 * An unusable array goes from %R5D_ATTACHED to %R5D_GONE: its device_lock may be no lock.
 */
enum r5d_state {
	R5D_ATTACHED,
	R5D_READY,
	R5D_CLOSING,
	R5D_CLOSED,
	R5D_GONE,
};

/* The longest time between two attempts to raise a stripe cache. */
#define R5D_WORK_DELAY_MAX_MS	4000U

/**
 * struct r5d_array - an array, from its first stripe with writes until raid456 frees its data or
 *	the module is disabled
 * @node: in the table of arrays, by @conf
 * @rcu: frees it
 * @ref: held by the table, and by each user of @mddev: raid5_free() waits for them, so that
 *	md need not know of us
 * @conf: raid456's data; valid until %R5D_GONE
 * @mddev: md's data; valid while a reference is held. NULL for an array whose layout contradicts
 *	itself: its @conf may not be read
 * @name: of its disk
 * @work: prepares the array and raises its cache where sleeping is allowed. Queued with
 *	device_lock held, below %R5D_CLOSED
 * @work_delay: how long it waited before it raises the cache again, ms; 0 after a step of that
 * @timer: runs while stripes are held
 * @setting: deadline of this array in ms, %R5D_AUTO or %R5D_DEFAULT
 * @cache_before: stripes in the cache before we raised it; 0: we did not
 * @cache_set: stripes that we raised it to
 * @cache_bytes: memory of those that we added, or are about to add. Under r5d_registry_mutex
 * @cache_grows: a step that raises the cache is under way. Under r5d_registry_mutex
 * @cache_seen: stripes when the array was made ready, or when we had raised it. Another number is
 *	one that somebody has set
 * @cache_logged: stripes that the log says it was raised to; 0: none
 * @cache_short: why it was not raised further, as last logged, or NULL
 * @listed: its file in sysfs exists
 * @selected: the parameter arrays names it, or names none
 * @state: an enum r5d_state. Written under r5d_registry_mutex, under which it is stable. With
 *	device_lock held one can tell whether it is below %R5D_CLOSED, with md's reconfig_mutex
 *	whether it is %R5D_GONE. Exception: once no work item runs any more, %R5D_GONE is set
 *	without reconfig_mutex. Read by r5d_state(), written by r5d_set_state()
 *
 * The array's own device_lock protects the rest:
 * @timer_at: when @timer runs, in ns; 0: it does not
 * @raise: the cache is too small for what is to be held: the work raises it, or is about to
 * @raise_after: when the work may be asked again for that, in ns
 * @held_lru: the held stripes, by stripe_head.lru
 * @order_until: until when, in jiffies, stripes that raid456 has begun go before others
 * @order_last: the last that did, or NULL if it has been released since. None is freed without
 * @order_nr: stripes that did since none of them was left in raid456's list
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
	struct delayed_work work;
	unsigned int work_delay;
	struct hrtimer timer;
	unsigned int setting;
	int cache_before;
	int cache_set;
	u64 cache_bytes;
	bool cache_grows;
	int cache_seen;
	int cache_logged;
	const char *cache_short;
	bool listed;
	bool selected;
	enum r5d_state state;

	u64 timer_at;
	bool raise;
	u64 raise_after;
	struct list_head held_lru;
	unsigned long order_until;
	struct stripe_head *order_last;
	unsigned int order_nr;
	struct r5d_stripe_table stripes;
	struct r5d_predictor predictor;
	u64 count[R5D_C_NR];
	u64 fills[R5D_BUCKETS];
};

static inline enum r5d_state r5d_state(const struct r5d_array *array)
{
	return READ_ONCE(array->state);
}

static inline void r5d_set_state(struct r5d_array *array, enum r5d_state state)
{
	WRITE_ONCE(array->state, state);
}

#endif
