// SPDX-License-Identifier: GPL-2.0-only
/*
 * Holding a stripe: instead of going where do_release_stripe() would put it, it is
 * listed here, by its own list head. To raid456 it is a stripe without references
 * on some list: whoever wants it takes it off, under the same lock, as from any
 * other list. Letting it go is the call that was skipped, made later.
 *
 * All of this runs under the array's device_lock, with interrupts off but on a real-time
 * kernel. A stripe without references is nobody else's then, so its writes may be looked at.
 */
#include <linux/bitops.h>
#include <linux/ktime.h>
#include <linux/sched.h>

#include "array.h"
#include "common/compat/md.h"
#include "params.h"
#include "raid456.h"
#include "verdict.h"

/* How often to look whether the array is being stopped while stripes wait, ns. */
#define TICK_NS		(10ULL * NSEC_PER_MSEC)
/* How long a stripe may wait while somebody sleeps for stripes, ns: what auto waits at most. */
#define WAITER_NS	(100ULL * NSEC_PER_MSEC)
/* Stripes that the timer lets go at a time, and how long it leaves the CPU to others then, ns. */
#define BATCH		128
#define PAUSE_NS	(50ULL * NSEC_PER_USEC)
/* A bit for each disk. */
#define MAX_DISKS	64

#define SPECIAL_STATES							\
	(BIT(RAID456_STRIPE_SYNC_REQUESTED) | BIT(RAID456_STRIPE_SYNCING) |	\
	 BIT(RAID456_STRIPE_EXPANDING) | BIT(RAID456_STRIPE_EXPAND_SOURCE) |	\
	 BIT(RAID456_STRIPE_EXPAND_READY) | BIT(RAID456_STRIPE_DISCARD) |	\
	 BIT(RAID456_STRIPE_BATCH_ERR) | BIT(RAID456_STRIPE_ACTIVE) |	\
	 BIT(RAID456_STRIPE_DELAYED))

/* Not REQ_PREFLUSH: md sees to the flush apart from the data, and takes it off. */
#define URGENT_OPF	(REQ_FUA | REQ_PRIO | REQ_SWAP)

static const u8 verdict_counters[R5D_NR_VERDICTS] = {
	[R5D_PASSED_FULL] = R5D_C_PASSED_FULL,
	[R5D_LEFT_OFF] = R5D_C_LEFT_OFF,
	[R5D_LEFT_JOURNAL] = R5D_C_LEFT_JOURNAL,
	[R5D_LEFT_DEGRADED] = R5D_C_LEFT_DEGRADED,
	[R5D_LEFT_RESHAPE] = R5D_C_LEFT_RESHAPE,
	[R5D_LEFT_SYNC] = R5D_C_LEFT_SYNC,
	[R5D_LEFT_DRAIN] = R5D_C_LEFT_DRAIN,
	[R5D_LEFT_OVERLAP] = R5D_C_LEFT_OVERLAP,
	[R5D_LEFT_URGENT] = R5D_C_LEFT_URGENT,
	[R5D_LEFT_RECLAIM] = R5D_C_LEFT_RECLAIM,
	[R5D_LEFT_PRESSURE] = R5D_C_LEFT_PRESSURE,
};

static void r5d_count(struct r5d_array *array, enum r5d_counter counter)
{
	array->count[counter]++;
	stats_add(&r5d_stats, counter, 1);
}

static int deadline_setting(const struct r5d_array *array)
{
	int own = READ_ONCE(array->setting);

	return own == R5D_DEFAULT ? r5d_default_deadline() : own;
}

/**
 * r5d_deadline_ns - how long a stripe of an array may wait now
 * @array: the array
 *
 * Return: ns; 0: nothing waits.
 */
u64 r5d_deadline_ns(const struct r5d_array *array)
{
	int ms = deadline_setting(array);

	return ms == R5D_AUTO ? READ_ONCE(array->predictor.deadline_ns) : ms * NSEC_PER_MSEC;
}

static bool is_draining(const struct r5d_array *array)
{
	return array->closing || r456_conf_quiescing(array->conf) ||
	       r456_mddev_suspended(r456_conf_mddev(array->conf));
}

/* Looks at each write to the stripe. Returns the length of the longest, in stripes. */
static unsigned int r5d_inspect_writes(struct stripe_head *sh, struct r5d_stripe_state *state)
{
	unsigned int span = 0;
	int i;

	for (i = r456_sh_disks(sh); i-- > 0;) {
		char *dev = r456_sh_dev(sh, i);
		sector_t end = r456_dev_sector(dev) + R5_STRIPE_SECTORS;
		struct bio *bio;

		if (r456_dev_overlap(dev))
			state->overlap = true;
		bio = r456_sh_is_parity(sh, i) ? NULL : r456_dev_towrite(dev);
		if (bio)
			state->written |= BIT_ULL(i);
		while (bio) {
			if (bio->bi_opf & URGENT_OPF)
				state->urgent = true;
			span = max(span, bio_sectors(bio) / R5_STRIPE_SECTORS);
			/* Behind a bio that extends beyond this page is the next page's. */
			bio = bio_end_sector(bio) < end ? bio->bi_next : NULL;
		}
	}
	return span;
}

/*
 * The stock code lets no delayed stripe go on while any stripe is marked so, and
 * ours would be for as long as it waits. The mark is given back with the stripe.
 * When the last one goes, those that it kept waiting are woken, as stock does.
 */
static void r5d_clear_preread_active(struct r5d_array *array, struct r5d_stripe *stripe, struct stripe_head *sh)
{
	struct r5conf *conf = array->conf;

	if (!test_and_clear_bit(RAID456_STRIPE_PREREAD_ACTIVE, r456_sh_state(sh)))
		return;
	stripe->had_preread_active = true;
	if (atomic_dec_and_test(r456_conf_preread_active(conf)) && !list_empty(r456_conf_delayed(conf)))
		compat_md_wakeup_thread(r456_mddev_thread(r456_conf_mddev(conf)));
}

static void r5d_restore_preread_active(struct r5d_array *array, struct r5d_stripe *stripe,
			   struct stripe_head *sh)
{
	if (stripe->had_preread_active && !test_and_set_bit(RAID456_STRIPE_PREREAD_ACTIVE, r456_sh_state(sh)))
		atomic_inc(r456_conf_preread_active(array->conf));
	stripe->had_preread_active = false;
}

/* All of the stripe has been written to, whether it waited or not. */
static void r5d_settle_full(struct r5d_array *array, struct r5d_stripe *stripe)
{
	if (stripe->settled)
		return;
	stripe->settled = true;
	r5d_learn(&array->predictor, stripe->stream, stripe->sector, true);
	if (stripe->phase == R5D_STRIPE_HELD)
		r5d_count(array, R5D_C_FILLED);
}

/* The same, at the moment of the last write. */
static void r5d_settle_full_now(struct r5d_array *array, struct r5d_stripe *stripe, u64 now)
{
	u64 took = now - stripe->first;

	if (stripe->settled)
		return;
	r5d_learn_time(&array->predictor, took);
	if (stripe->phase == R5D_STRIPE_HELD)
		array->fills[r5d_bucket(took)]++;
	r5d_settle_full(array, stripe);
}

static void r5d_settle(struct r5d_array *array, struct r5d_stripe *stripe)
{
	/*
	 * Its work is done without its having been here: when it was filled it became part
	 * of a batch, of which only the first stripe is released.
	 */
	if (stripe->phase == R5D_STRIPE_HELD || !stripe->begun)
		r5d_settle_full(array, stripe);
	if (!stripe->settled)
		r5d_learn(&array->predictor, stripe->stream, stripe->sector, false);
	stripe->settled = true;
}

/*
 * With a write-intent bitmap the stock code may park a stripe that it is given until
 * the bitmap is written, and release it once more then.
 */
static bool waits_for_bitmap(struct stripe_head *sh)
{
	return test_bit(RAID456_STRIPE_BIT_DELAY, r456_sh_state(sh));
}

/* What was said of a stripe stands when it comes again. */
static void r5d_remember_judged(struct r5d_array *array, struct stripe_head *sh)
{
	struct r5d_stripe *stripe;

	if (!waits_for_bitmap(sh))
		return;
	stripe = r5d_stripe_add(&array->stripes, sh, r456_sh_sector(sh));
	if (stripe)
		stripe->settled = true;
}

/*
 * Make the call that was skipped, unless a writer has the stripe: it will come again
 * then, perhaps to the stock code alone, so that the mark is given back in any case. Be it
 * in a batch: break_stripe_batch_list() keeps this mark of each member, contrary to what its
 * set_mask_bits() looks like, and the release that follows counts it back.
 */
static void r5d_release_held(struct r5d_array *array, struct r5d_stripe *stripe, enum r5d_counter why)
{
	struct stripe_head *sh = stripe->sh;

	r5d_stripe_clear_held(&array->stripes, stripe);
	r5d_count(array, why);
	/*
	 * What waits has work to do, which nobody does who has no reference. Should a release not
	 * have been seen by us, the stripe is free, on a list of the stock code's and not counted
	 * as active, or has become another one: let it be.
	 */
	if (r456_sh_sector(sh) != stripe->sector ||
	    (!r456_sh_count(sh) && !test_bit(RAID456_STRIPE_HANDLE, r456_sh_state(sh)))) {
		r5d_stripe_remove(&array->stripes, stripe);
		return;
	}
	r5d_restore_preread_active(array, stripe, sh);
	if (r456_sh_count(sh) || list_empty(r456_sh_lru(sh)))
		return;
	list_del_init(r456_sh_lru(sh));
	r5d_stock_release(array->conf, sh);
}

/*
 * Do not take for waiting a stripe that was filled, and is perhaps part of a batch now. Looked at
 * for statistics only: its writer, who has another lock, may be changing that.
 */
static bool r5d_clear_held_if_full(struct r5d_array *array, struct r5d_stripe *stripe)
{
	struct stripe_head *sh = stripe->sh;

	if (!r456_sh_count(sh) || (!r456_sh_batched(sh) && r456_sh_overwritten(sh) <
			      r456_sh_disks(sh) - r456_conf_max_degraded(array->conf)))
		return false;
	r5d_settle_full(array, stripe);
	r5d_stripe_clear_held(&array->stripes, stripe);
	return true;
}

/* Do not take for waiting what waits no more. */
static void r5d_sweep_full(struct r5d_array *array)
{
	struct r5d_stripe *stripe, *next;
	int batch = 0;

	list_for_each_entry_safe(stripe, next, &array->stripes.held, order) {
		if (++batch > BATCH || !r5d_clear_held_if_full(array, stripe))
			return;
	}
}

static void r5d_start_timer(struct r5d_array *array, u64 now)
{
	if (array->timer_on)
		return;
	array->timer_on = true;
	hrtimer_start(&array->timer, ns_to_ktime(now + min(r5d_deadline_ns(array), TICK_NS)),
		      HRTIMER_MODE_ABS_SOFT);
}

static bool r5d_defer(struct r5d_array *array, struct r5d_stripe *stripe, struct stripe_head *sh,
		 u64 now)
{
	r5d_clear_preread_active(array, stripe, sh);
	list_add_tail(r456_sh_lru(sh), &array->held_lru);
	r5d_start_timer(array, now);
	return true;
}

/* A stripe that waited comes back from a writer, or is taken by somebody with other plans. */
static bool r5d_judge_known(struct r5d_array *array, struct r5d_stripe *stripe,
		       struct stripe_head *sh, const struct r5d_stripe_state *state,
		       enum r5d_verdict verdict, u64 now)
{
	stripe->written |= state->written;
	stripe->begun |= state->handle && !state->fresh;
	if (hweight64(stripe->written) >= state->data_disks &&
	    (verdict == R5D_PASSED_FULL || stripe->phase != R5D_STRIPE_HELD))
		r5d_settle_full_now(array, stripe, now);
	if (verdict == R5D_IDLE || verdict == R5D_PASSED_FULL) {
		r5d_settle(array, stripe);
		if (verdict == R5D_PASSED_FULL && waits_for_bitmap(sh)) {
			r5d_stripe_clear_held(&array->stripes, stripe);
			stripe->had_preread_active = false;
		} else {
			r5d_stripe_remove(&array->stripes, stripe);
		}
		return false;
	}
	if (stripe->phase != R5D_STRIPE_HELD) {
		/* It may have expired while a writer had it. */
		r5d_restore_preread_active(array, stripe, sh);
		return false;
	}
	/* It is one of those that the free stripes were counted without. */
	if ((verdict == R5D_HOLD || verdict == R5D_LEFT_PRESSURE) &&
	    now < stripe->first + r5d_deadline_ns(array))
		return r5d_defer(array, stripe, sh, now);
	r5d_stripe_clear_held(&array->stripes, stripe);
	r5d_count(array, verdict == R5D_HOLD ? R5D_C_EXPIRED : R5D_C_RELEASED_OTHER);
	r5d_restore_preread_active(array, stripe, sh);
	return false;
}

static bool r5d_judge_new(struct r5d_array *array, struct stripe_head *sh,
		     const struct r5d_stripe_state *state, unsigned int span, u64 now)
{
	bool likely = true;
	int stream = -1;
	struct r5d_stripe *stripe;

	if (deadline_setting(array) == R5D_AUTO) {
		likely = r5d_predict(&array->predictor, r456_sh_sector(sh), span, &stream);
		if (!likely) {
			r5d_count(array, R5D_C_PASSED_UNLIKELY);
			/* Nothing can be learned from it. */
			if (stream < 0) {
				r5d_remember_judged(array, sh);
				return false;
			}
		}
	}
	stripe = r5d_stripe_add(&array->stripes, sh, r456_sh_sector(sh));
	if (!stripe) {
		if (likely)
			r5d_count(array, R5D_C_LEFT_PRESSURE);
		return false;
	}
	stripe->first = now;
	stripe->written = state->written;
	stripe->stream = stream;
	if (!likely)
		return false;
	r5d_stripe_set_held(&array->stripes, stripe);
	r5d_count(array, R5D_C_HELD);
	return r5d_defer(array, stripe, sh, now);
}

static bool r5d_judge_release(struct r5d_array *array, struct stripe_head *sh)
{
	struct r5conf *conf = array->conf;
	unsigned long flags = READ_ONCE(*r456_sh_state(sh));
	struct r5d_stripe_state state = {
		.handle = flags & BIT(RAID456_STRIPE_HANDLE),
		.fresh = flags & BIT(RAID456_STRIPE_BATCH_READY),
		.special = flags & SPECIAL_STATES,
		.batched = r456_sh_batched(sh),
		.overwritten = r456_sh_overwritten(sh),
		.data_disks = r456_sh_disks(sh) - r456_conf_max_degraded(conf),
	};
	struct r5d_array_conditions conditions = {};
	struct r5d_stripe *stripe;
	enum r5d_verdict verdict;
	unsigned int span = 0;
	u64 now;

	lockdep_assert_held(r456_device_lock(conf));
	stripe = r5d_stripe_find(&array->stripes, sh, r456_sh_sector(sh));
	/*
	 * Nothing is open about it but whether it comes again, which it does before work on
	 * it begins. From then on it is not fresh, and would not be looked at.
	 */
	if (stripe && stripe->settled && stripe->phase != R5D_STRIPE_HELD && !stripe->had_preread_active) {
		if (!state.handle || !state.fresh)
			r5d_stripe_remove(&array->stripes, stripe);
		return false;
	}
	/* Most calls end here: reads, and stripes whose work goes on. */
	if (!stripe && (!state.handle || !state.fresh))
		return false;
	if (r456_sh_conf(sh) != conf || r456_sh_disks(sh) > MAX_DISKS) {
		r5d_count(array, R5D_C_LEFT_UNKNOWN);
		return false;
	}
	if (state.handle) {
		span = r5d_inspect_writes(sh, &state);
		conditions.off = !r5d_deadline_ns(array);
		conditions.journal = r456_conf_journalled(conf);
		conditions.degraded = r456_mddev_degraded(r456_conf_mddev(conf));
		conditions.reshaping = r456_conf_reshaping(conf);
		conditions.draining = is_draining(array);
		conditions.reclaim = current->flags & PF_MEMALLOC;
		conditions.blocked = r456_stripes_exhausted(conf);
		if (array->stripes.nr_held > r456_conf_max_stripes(conf) / 4)
			r5d_sweep_full(array);
		conditions.held = array->stripes.nr_held;
		conditions.active = r456_conf_active(conf);
		conditions.max = r456_conf_max_stripes(conf);
	}
	verdict = r5d_judge(&state, &conditions);
	now = ktime_get_ns();
	if (stripe)
		return r5d_judge_known(array, stripe, sh, &state, verdict, now);
	if (verdict == R5D_HOLD)
		return r5d_judge_new(array, sh, &state, span, now);
	if (verdict != R5D_IDLE && verdict != R5D_HANDLED) {
		r5d_count(array, verdict_counters[verdict]);
		r5d_remember_judged(array, sh);
	}
	return false;
}

/**
 * r5d_release - look at a stripe that is being released, and hold it if that is right
 * @array: the array
 * @sh: the stripe, without references and on no list
 *
 * Context: under the array's device_lock, in place of do_release_stripe().
 * Return: true if it is held; false: it is to be released.
 */
bool r5d_release(struct r5d_array *array, struct stripe_head *sh)
{
	/* An array that is left alone is never ready. Not even its stripes are looked into. */
	return array->ready && !array->closed && r5d_judge_release(array, sh);
}

/**
 * r5d_release_some - let some stripes of an array go, that is closing
 * @array: the array
 *
 * Context: under its device_lock, with interrupts off: so not all at once.
 * Return: whether that was all.
 */
bool r5d_release_some(struct r5d_array *array)
{
	struct r5d_stripe *stripe, *next;
	struct stripe_head *sh;
	int batch = 0;

	lockdep_assert_held(r456_device_lock(array->conf));
	/*
	 * Full ones too, unlike r5d_release_expired(): r5d_clear_held_if_full() leaves the mark to be given back
	 * when the stripe comes again, which nobody will see.
	 */
	list_for_each_entry_safe(stripe, next, &array->stripes.held, order) {
		if (++batch > BATCH)
			return false;
		r5d_release_held(array, stripe, R5D_C_RELEASED_DRAIN);
	}
	/* All that wait are known. Should one not be, it must not wait for ever. */
	while (WARN_ON_ONCE(!list_empty(&array->held_lru))) {
		sh = r456_sh_of_lru(array->held_lru.next);
		list_del_init(r456_sh_lru(sh));
		r5d_stock_release(array->conf, sh);
	}
	return true;
}

/* Lets go what has waited enough. Returns when to do so next, 0 for never. */
static u64 r5d_release_expired(struct r5d_array *array, u64 now)
{
	u64 deadline = r5d_deadline_ns(array);
	/* Who sleeps for stripes may need just these: one of its sector's eighth. */
	u64 longest = r456_has_stripe_waiter(array->conf) ? min(deadline, WAITER_NS) : deadline;
	/* A writer that sleeps for stripes is woken when a quarter is free. */
	unsigned int enough = r456_stripes_exhausted(array->conf) ? r456_conf_max_stripes(array->conf) / 4 :
							  UINT_MAX;
	/* What has begun to wait on an array that was conditions does not on one that is not. */
	bool drain = is_draining(array) || r456_mddev_degraded(r456_conf_mddev(array->conf));
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
		       stripe->first + deadline <= now ? R5D_C_EXPIRED : R5D_C_RELEASED_PRESSURE);
	}
	return 0;
}

/**
 * r5d_timer_expired - let go the stripes of an array that have waited enough
 * @timer: the array's
 *
 * Context: soft interrupt.
 * Return: whether to go off again.
 */
enum hrtimer_restart r5d_timer_expired(struct hrtimer *timer)
{
	struct r5d_array *array = container_of(timer, struct r5d_array, timer);
	unsigned long flags;
	u64 next = 0;

	spin_lock_irqsave(r456_device_lock(array->conf), flags);
	if (!array->closed)
		next = r5d_release_expired(array, ktime_get_ns());
	array->timer_on = next;
	if (next)
		hrtimer_set_expires(timer, ns_to_ktime(next));
	spin_unlock_irqrestore(r456_device_lock(array->conf), flags);
	return next ? HRTIMER_RESTART : HRTIMER_NORESTART;
}
