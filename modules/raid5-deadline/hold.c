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
#include "raid456.h"
#include "stock.h"

/* Stripes that are released under one hold of the device_lock. */
#define BATCH		128
/* How often to check whether the array is being stopped while stripes are held. */
#define TICK_NS		(10ULL * NSEC_PER_MSEC)
/* How long a stripe is held while a writer waits for a free one: the longest deadline of auto. */
#define WAITER_NS	(100ULL * NSEC_PER_MSEC)
/* How long to leave the CPU to others after a batch. */
#define PAUSE_NS	(50ULL * NSEC_PER_USEC)

/* Counts for the array and for the module. */
void r5d_count(struct r5d_array *array, enum r5d_counter counter)
{
	array->count[counter]++;
	stats_add(&r5d_stats, counter, 1);
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

/* All data disks of the stripe have been written to, whether the stripe was held or not. */
static void r5d_settle_full(struct r5d_array *array, struct r5d_stripe *stripe)
{
	if (stripe->settled)
		return;
	stripe->settled = true;
	r5d_learn(&array->predictor, stripe->stream, stripe->sector, true);
	if (stripe->phase == R5D_STRIPE_HELD)
		r5d_count(array, R5D_C_FILLED);
}

/* The same, and learn how long it took: @now, in ns, is the time of the last write. */
void r5d_settle_full_now(struct r5d_array *array, struct r5d_stripe *stripe, u64 now)
{
	u64 took = now - stripe->first;

	if (stripe->settled)
		return;
	r5d_learn_time(&array->predictor, took);
	if (stripe->phase == R5D_STRIPE_HELD)
		array->fills[r5d_bucket(took)]++;
	r5d_settle_full(array, stripe);
}

/* Learn what became of a stripe when the work on it is done. */
void r5d_settle(struct r5d_array *array, struct r5d_stripe *stripe)
{
	/*
	 * No release was seen while work on it was under way: it was filled and joined a batch, of
	 * which raid456 releases the first stripe only.
	 */
	if (stripe->phase == R5D_STRIPE_HELD || !stripe->begun)
		r5d_settle_full(array, stripe);
	if (!stripe->settled)
		r5d_learn(&array->predictor, stripe->stream, stripe->sector, false);
	stripe->settled = true;
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
	r5d_settle_full(array, stripe);
	r5d_stripe_clear_held(&array->stripes, stripe);
	return true;
}

/* Likewise for the oldest held stripes, up to the first that is not full. */
void r5d_sweep_full(struct r5d_array *array)
{
	struct r5d_stripe *stripe, *next;
	int batch = 0;

	lockdep_assert_held(r456_device_lock(array->conf));
	list_for_each_entry_safe(stripe, next, &array->stripes.held, order) {
		if (++batch > BATCH || !r5d_clear_held_if_full(array, stripe))
			return;
	}
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
	int batch = 0;

	lockdep_assert_held(r456_device_lock(array->conf));
	/*
	 * Unlike the timer, full stripes as well: r5d_clear_held_if_full() leaves
	 * STRIPE_PREREAD_ACTIVE to be restored at the stripe's next release, which we will not see.
	 */
	list_for_each_entry_safe(stripe, next, &array->stripes.held, order) {
		if (++batch > BATCH)
			return false;
		r5d_release_held(array, stripe, R5D_C_RELEASED_DRAIN);
	}
	/* Each held stripe has an entry. If one has none, release it: nobody else would. */
	while (WARN_ON_ONCE(!list_empty(&array->held_lru))) {
		sh = r456_sh_of_lru(array->held_lru.next);
		list_del_init(r456_sh_lru(sh));
		r5d_stock_release_to_handle(array->conf, sh);
	}
	return true;
}

/* Start the timer of an array, unless it runs. @now is in ns. */
void r5d_timer_start(struct r5d_array *array, u64 now)
{
	lockdep_assert_held(r456_device_lock(array->conf));
	if (array->timer_on)
		return;
	array->timer_on = true;
	hrtimer_start(&array->timer, ns_to_ktime(now + min(r5d_deadline_ns(array), TICK_NS)),
		      HRTIMER_MODE_ABS_SOFT);
}

/* Returns when to run again, in ns, or 0 if no stripe is held. */
static u64 r5d_release_expired(struct r5d_array *array, u64 now)
{
	struct r5conf *conf = array->conf;
	u64 deadline = r5d_deadline_ns(array);
	/*
	 * A writer that waits for a free stripe can only take one of its own hash group (1/8 of
	 * the cache), and we may be holding all stripes of that group.
	 */
	u64 longest = r456_has_stripe_waiter(conf) ? min(deadline, WAITER_NS) : deadline;
	/* raid456 wakes such a writer when a quarter of the cache is free. */
	unsigned int enough = r456_stripes_exhausted(conf) ? r456_conf_max_stripes(conf) / 4 :
							     UINT_MAX;
	/* Also stripes that were held before a disk of the array failed. */
	bool drain = r5d_is_draining(array) || r456_mddev_degraded(r456_conf_mddev(conf));
	struct r5d_stripe *stripe, *next;
	int batch = 0;

	r5d_sweep_full(array);
	list_for_each_entry_safe(stripe, next, &array->stripes.held, order) {
		if (!drain && stripe->first + longest > now && array->stripes.nr_held <= enough)
			return min(stripe->first + longest, now + TICK_NS);
		if (++batch > BATCH)
			return now + PAUSE_NS;
		if (r5d_clear_held_if_full(array, stripe))
			continue;
		r5d_release_held(array, stripe, drain ? R5D_C_RELEASED_DRAIN :
				 stripe->first + deadline <= now ? R5D_C_EXPIRED :
				 R5D_C_RELEASED_PRESSURE);
	}
	return 0;
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
	array->timer_on = next;
	if (next)
		hrtimer_set_expires(timer, ns_to_ktime(next));
	spin_unlock_irqrestore(r456_device_lock(array->conf), flags);
	return next ? HRTIMER_RESTART : HRTIMER_NORESTART;
}
