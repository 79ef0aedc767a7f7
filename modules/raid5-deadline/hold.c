// SPDX-License-Identifier: GPL-2.0-only
/*
 * A held stripe was released by its last user, but do_release_stripe() was not called for it: it
 * stands on a list of ours instead, by its own list head. To raid456 it is a stripe without
 * references on some list: find_get_stripe() takes it off under the same lock, as off any other
 * list. To release a held stripe is to make the call that was skipped.
 *
 * All of this runs under the array's device_lock, with interrupts off except on PREEMPT_RT.
 */
#include <linux/bitops.h>
#include <linux/ktime.h>

#include "common/compat/md.h"
#include "hold.h"
#include "inspect.h"
#include "outcome.h"
#include "raid456.h"
#include "stock.h"

/* Stripes that are released under one hold of the device_lock. */
#define BATCH		128
/* How often to check whether the array is being stopped while stripes are held. */
#define TICK_NS		(10ULL * NSEC_PER_MSEC)
/*
 * How long a stripe is held while a writer waits for a free one: the longest deadline of auto, so
 * that this is for deadlines that somebody has set.
 */
#define WAITER_NS	(100ULL * NSEC_PER_MSEC)
/* How long to leave the CPU to others after a batch. */
#define PAUSE_NS	(50ULL * NSEC_PER_USEC)

/* Counts for the array and for the module. */
void r5d_add(struct r5d_array *array, enum r5d_counter counter, unsigned int nr)
{
	array->count[counter] += nr;
	stats_add(&r5d_stats, counter, nr);
}

void r5d_count(struct r5d_array *array, enum r5d_counter counter)
{
	r5d_add(array, counter, 1);
}

/*
 * Clear STRIPE_PREREAD_ACTIVE of a stripe that is held from now on; its entry remembers the bit.
 *
 * raid456 handles no delayed stripe while any stripe has the bit, and a held stripe would have it
 * for all of its time. As raid456 does, wake the array's thread when the last stripe loses it.
 */
void r5d_clear_preread_active(struct r5d_array *array, struct r5d_stripe *stripe)
{
	struct r5conf *conf = array->conf;

	if (!test_and_clear_bit(RAID456_STRIPE_PREREAD_ACTIVE, r456_sh_state(stripe->sh)))
		return;
	stripe->had_preread_active = true;
	if (atomic_dec_and_test(r456_conf_preread_active(conf)) &&
	    !list_empty(r456_conf_delayed(conf)))
		compat_md_wakeup_thread(r456_mddev_thread(r456_conf_mddev(conf)));
}

void r5d_restore_preread_active(struct r5d_array *array, struct r5d_stripe *stripe)
{
	if (stripe->had_preread_active &&
	    !test_and_set_bit(RAID456_STRIPE_PREREAD_ACTIVE, r456_sh_state(stripe->sh)))
		atomic_inc(r456_conf_preread_active(array->conf));
	stripe->had_preread_active = false;
}

/*
 * Call do_release_stripe() for a held stripe, unless a writer has taken it. The writer's own
 * release may come when our hook is gone, so STRIPE_PREREAD_ACTIVE is restored in any case. That
 * is right in a batch too: break_stripe_batch_list() keeps this bit of each member, contrary to
 * what its set_mask_bits() looks like, and the release that follows counts the bit back.
 */
static void r5d_release_held(struct r5d_array *array, struct r5d_stripe *stripe,
			     enum r5d_counter why)
{
	struct stripe_head *sh = stripe->sh;

	lockdep_assert_held(r456_device_lock(array->conf));
	r5d_stripe_clear_held(&array->stripes, stripe);
	stripe->released = ktime_get_ns();
	stripe->expired = why == R5D_C_EXPIRED;
	r5d_count(array, why);
	/*
	 * A held stripe has STRIPE_HANDLE; only a reference holder clears it. If we missed a
	 * release, the stripe has been freed or reused: drop our entry, touch nothing.
	 */
	if (r456_sh_sector(sh) != stripe->sector ||
	    (!r456_sh_count(sh) && !test_bit(RAID456_STRIPE_HANDLE, r456_sh_state(sh)))) {
		r5d_stripe_remove(&array->stripes, stripe);
		return;
	}
	r5d_restore_preread_active(array, stripe);
	if (r456_sh_count(sh) || list_empty(r456_sh_lru(sh)))
		return;
	list_del_init(r456_sh_lru(sh));
	r5d_stock_release_to_handle(array->conf, sh);
}

/*
 * Stop counting a stripe as held that a writer has taken and filled: it may be part of a batch by
 * now. For statistics only, because the writer has the stripe's own lock and may be changing what
 * is read here. Returns true if the stripe is full.
 */
static bool r5d_clear_held_if_full(struct r5d_array *array, struct r5d_stripe *stripe)
{
	struct stripe_head *sh = stripe->sh;

	if (!r456_sh_count(sh) ||
	    (!r456_sh_batched(sh) && r456_sh_overwritten(sh) <
	     r456_sh_disks(sh) - r456_conf_max_degraded(array->conf)))
		return false;
	if (r5d_outcome_full(&array->predictor, stripe))
		r5d_count(array, R5D_C_FILLED);
	r5d_stripe_clear_held(&array->stripes, stripe);
	return true;
}

/* Likewise for the oldest held stripes, up to the first that is not full. */
void r5d_sweep_full(struct r5d_array *array)
{
	struct r5d_stripe *stripe, *next;
	int batch = 0, list;

	lockdep_assert_held(r456_device_lock(array->conf));
	for (list = 0; list < R5D_HELD_LISTS; list++)
		list_for_each_entry_safe(stripe, next, &array->stripes.held[list], order)
			if (++batch > BATCH || !r5d_clear_held_if_full(array, stripe))
				break;
}

/*
 * Likewise for the stripes of a batch, of which raid456 releases only the first, @head. The others
 * follow it in the array, so that they were held right after it. @head is not held after this.
 */
void r5d_sweep_batch(struct r5d_array *array, struct r5d_stripe *head)
{
	struct list_head *list = &array->stripes.held[head->trial ? R5D_HELD_TRIAL :
								    R5D_HELD_OTHERS];
	struct r5d_stripe *stripe = head, *next;
	int batch = 0;

	lockdep_assert_held(r456_device_lock(array->conf));
	if (head->phase != R5D_STRIPE_HELD)
		return;
	list_for_each_entry_safe_continue(stripe, next, list, order)
		if (++batch > BATCH || !r5d_clear_held_if_full(array, stripe))
			break;
	r5d_stripe_clear_held(&array->stripes, head);
}

/**
 * r5d_release_some - release up to BATCH held stripes of an array that is being closed
 * @array: the array
 *
 * Return: true if those were all.
 */
bool r5d_release_some(struct r5d_array *array)
{
	struct r5d_stripe *stripe, *next;
	struct stripe_head *sh;
	int batch = 0, list;

	lockdep_assert_held(r456_device_lock(array->conf));
	/*
	 * Unlike the timer, full stripes as well: r5d_clear_held_if_full() leaves
	 * STRIPE_PREREAD_ACTIVE to be restored at the stripe's next release, which we will not see.
	 */
	for (list = 0; list < R5D_HELD_LISTS; list++) {
		list_for_each_entry_safe(stripe, next, &array->stripes.held[list], order) {
			if (++batch > BATCH)
				return false;
			r5d_release_held(array, stripe, R5D_C_RELEASED_DRAIN);
		}
	}
	/* Each held stripe has an entry. If one has none, release it: nobody else would. */
	while (WARN_ON_ONCE(!list_empty(&array->held_lru))) {
		sh = r456_sh_of_lru(array->held_lru.next);
		list_del_init(r456_sh_lru(sh));
		r5d_stock_release_to_handle(array->conf, sh);
	}
	return true;
}

/*
 * Have the timer of an array run when a stripe expires, if it does not run before. The timer may be
 * started again while r5d_timer_expired() waits for the device_lock, or returns: if it is queued by
 * then, both r5d_timer_expired() and the kernel leave it as it is.
 */
void r5d_timer_start(struct r5d_array *array, const struct r5d_stripe *stripe, u64 now)
{
	u64 at = min(stripe->first + r5d_deadline_ns(array, stripe->trial), now + TICK_NS);

	lockdep_assert_held(r456_device_lock(array->conf));
	if (array->timer_at && array->timer_at <= at)
		return;
	array->timer_at = at;
	hrtimer_start(&array->timer, ns_to_ktime(at), HRTIMER_MODE_ABS_SOFT);
}

/*
 * The cache has shrunk, or more stripes are held than may be for another reason. The newest first,
 * and those on trial before the others: in a stream that goes through a row of chunks disk by disk
 * the oldest are the next to be filled.
 */
static void r5d_release_excess(struct r5d_array *array, int *budget)
{
	unsigned int enough = r456_conf_max_stripes(array->conf) / 2;
	struct r5d_stripe *stripe, *next;
	int list;

	for (list = 0; list < R5D_HELD_LISTS; list++) {
		list_for_each_entry_safe_reverse(stripe, next, &array->stripes.held[list], order) {
			if (array->stripes.nr_held <= enough || --*budget < 0)
				return;
			if (!r5d_clear_held_if_full(array, stripe))
				r5d_release_held(array, stripe, R5D_C_RELEASED_PRESSURE);
		}
	}
}

/* Returns when to look at this list again, in ns, or 0 if no stripe is on it. */
static u64 r5d_release_list(struct r5d_array *array, int list, bool drain, u64 now, int *budget)
{
	u64 deadline = r5d_deadline_ns(array, list == R5D_HELD_TRIAL);
	/*
	 * A writer that waits for a free stripe can only take one of its own hash group (1/8 of
	 * the cache), and we may be holding all stripes of that group.
	 */
	u64 longest = r456_has_stripe_waiter(array->conf) ? min(deadline, WAITER_NS) : deadline;
	struct r5d_stripe *stripe, *next;

	list_for_each_entry_safe(stripe, next, &array->stripes.held[list], order) {
		if (!drain && stripe->first + longest > now)
			return min(stripe->first + longest, now + TICK_NS);
		if (--*budget < 0)
			return now + PAUSE_NS;
		if (r5d_clear_held_if_full(array, stripe))
			continue;
		r5d_release_held(array, stripe, drain ? R5D_C_RELEASED_DRAIN :
				 stripe->first + deadline <= now ? R5D_C_EXPIRED :
				 R5D_C_RELEASED_PRESSURE);
	}
	return 0;
}

/* Returns when to run again, in ns, or 0 if no stripe is held. */
static u64 r5d_release_expired(struct r5d_array *array, u64 now)
{
	/* Also stripes that were held before a disk of the array failed. */
	bool drain = r5d_is_draining(array) ||
		     r456_mddev_degraded(r456_conf_mddev(array->conf));
	int budget = BATCH, list;
	u64 next = 0, at;

	r5d_sweep_full(array);
	r5d_release_excess(array, &budget);
	for (list = 0; list < R5D_HELD_LISTS; list++) {
		at = r5d_release_list(array, list, drain, now, &budget);
		if (at && (!next || at < next))
			next = at;
	}
	return next;
}

/* Release the stripes of an array that have been held long enough. In a soft interrupt. */
enum hrtimer_restart r5d_timer_expired(struct hrtimer *timer)
{
	struct r5d_array *array = container_of(timer, struct r5d_array, timer);
	unsigned long flags;
	u64 next = 0;

	spin_lock_irqsave(r456_device_lock(array->conf), flags);
	if (r5d_state(array) < R5D_CLOSED)
		next = r5d_release_expired(array, ktime_get_ns());
	if (hrtimer_is_queued(timer)) {
		/* r5d_timer_start() was faster: it will run once more, and look then. */
		next = 0;
	} else {
		array->timer_at = next;
		if (next)
			hrtimer_set_expires(timer, ns_to_ktime(next));
	}
	spin_unlock_irqrestore(r456_device_lock(array->conf), flags);
	return next ? HRTIMER_RESTART : HRTIMER_NORESTART;
}
