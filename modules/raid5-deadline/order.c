// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which stripe does raid5d handle next? It takes the first of handle_list, eight at a time, and a
 * stripe that is released goes to its end. A synchronous write to a part of a stripe passes the
 * list four times: to be read for, to have its parity computed, to be written, and to end. A stream
 * whose stripes are held has more of them in the list, because it does not wait for reads. So the
 * other writer would wait for the stream four times.
 *
 * For a moment after a stripe was held, a partial stripe of a short write that was read for, or is
 * being written, goes to the head of the list. Its first pass it makes as ever, behind all others,
 * also if it is in the cache and needs no read: so no writer goes ahead with new writes, and nobody
 * starves.
 */
#include <linux/jiffies.h>
#include <linux/list.h>

#include "hold.h"
#include "inspect.h"
#include "order.h"
#include "raid456.h"
#include "verdict.h"

/*
 * As many go first at a time: sixteen writes of 16 KiB. Without a bound 256 random writes of 4 KiB
 * at a time made the p99 of a stream beside them 1.7 times as long.
 */
#define ORDER_MAX	64
/* 32 KiB. Those of a stream are longer, as a rule: it has many, and waits for none of them. */
#define SHORT_SECTORS	64U
/* For as long after a stripe began to be held: it is in the list for a while when it is filled. */
#define ORDER_JIFFIES	(HZ / 10)

/* A stripe of @array is held from now on. device_lock is held. */
void r5d_order_start(struct r5d_array *array)
{
	array->order_until = jiffies + ORDER_JIFFIES;
}

/* A stripe is about to be released, after which it may be freed. device_lock is held. */
void r5d_order_forget(struct r5d_array *array, const struct stripe_head *sh)
{
	if (array->order_last == sh)
		array->order_last = NULL;
}

/*
 * Does a stripe without references have writes that raid456 has copied, and that have not ended? Or
 * ones that wait to be copied, if it was @read_for. And is the first one on each disk short?
 */
static bool r5d_writes_are_short(struct stripe_head *sh, bool read_for)
{
	bool found = false;
	int i;

	for (i = r456_sh_disks(sh); i-- > 0;) {
		char *dev = r456_sh_dev(sh, i);
		struct bio *bio = r456_dev_written(dev);

		if (!bio && read_for)
			bio = r456_dev_towrite(dev);
		if (bio && bio_sectors(bio) > SHORT_SECTORS)
			return false;
		found |= !!bio;
	}
	return found;
}

/*
 * The last of those that went first, if it is still in the list, or NULL. A stripe that somebody
 * has a reference to is not: its list head may be on the list of a task's plug, which no lock
 * protects. When the last reference is dropped, r5d_order_forget() has been called.
 */
static struct list_head *r5d_order_front(const struct r5d_array *array)
{
	struct stripe_head *last = array->order_last;

	if (!last || r456_sh_count(last) || list_empty(r456_sh_lru(last)) ||
	    !test_bit(RAID456_STRIPE_HANDLE, r456_sh_state(last)))
		return NULL;
	return r456_sh_lru(last);
}

/**
 * r5d_order - let a stripe with a short write that raid456 has begun go before others
 * @array: its array
 * @sh: the stripe, which do_release_stripe() has just put on a list
 * @read_for: what was read for its writes has just come
 *
 * Nothing depends on the order of the list: raid456 waits for no stripe of it in particular. Those
 * that go first do so in the order of their releases, so that the requests of a stream are merged
 * as ever.
 *
 * Context: the array's device_lock is held since before that call.
 */
void r5d_order(struct r5d_array *array, struct stripe_head *sh, bool read_for)
{
	struct list_head *list, *front;
	struct r5d_stripe_state state;

	if (r5d_state(array) != R5D_READY || time_after(jiffies, array->order_until))
		return;
	list = r456_conf_handle(array->conf);
	/* It is the last of another list, as with worker groups. */
	if (r456_sh_lru(sh)->next != list)
		return;
	r5d_inspect_stripe(array->conf, sh, &state);
	/* The writes last, because each disk of the stripe is a cache miss. */
	if (!r5d_may_be_begun(&state) || !r5d_writes_are_short(sh, read_for))
		return;
	front = r5d_order_front(array);
	if (!front)
		array->order_nr = 0;
	if (array->order_nr == ORDER_MAX)
		return;
	array->order_nr++;
	array->order_last = sh;
	if (r5d_order_move(list, front))
		r5d_count(array, R5D_C_MOVED_FIRST);
}
