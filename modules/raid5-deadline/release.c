// SPDX-License-Identifier: GPL-2.0-only
/* What becomes of a stripe when its last reference is dropped: is it held, or released? */
#include <linux/bitops.h>
#include <linux/ktime.h>

#include "common/module.h"
#include "hold.h"
#include "inspect.h"
#include "order.h"
#include "outcome.h"
#include "params.h"
#include "preread.h"
#include "raid456.h"
#include "release.h"
#include "table.h"

/* Bits of struct r5d_stripe.written. */
#define MAX_DISKS	64

/*
 * With a write-intent bitmap raid456 may put a released stripe aside until the bitmap is written,
 * and release it a second time then.
 */
static bool waits_for_bitmap(struct stripe_head *sh)
{
	return test_bit(RAID456_STRIPE_BIT_DELAY, r456_sh_state(sh));
}

/*
 * Do not judge or count a stripe twice when the bitmap code releases it a second time, and see what
 * raid456 reads for one that is @partial.
 */
static void r5d_remember_judged(struct r5d_array *array, struct stripe_head *sh, bool partial)
{
	bool twice = waits_for_bitmap(sh);
	struct r5d_stripe *stripe;

	if (!twice && !partial)
		return;
	/* What is only counted leaves half of the entries to what may be held. */
	if (!twice && r5d_stripes_half_used(&array->stripes))
		return;
	stripe = r5d_stripe_add(&array->stripes, sh, r456_sh_sector(sh));
	if (!stripe)
		return;
	stripe->settled = true;
	stripe->unread = partial;
	stripe->watched = !twice;
}

/* A log decides when a stripe is handled, and a check reads all of a stripe. */
static bool r5d_reads_for_writes(enum r5d_verdict verdict)
{
	return verdict != R5D_PASSED_FULL && verdict != R5D_LEFT_JOURNAL &&
	       verdict != R5D_LEFT_RESHAPE && verdict != R5D_LEFT_SYNC;
}

static bool r5d_defer(struct r5d_array *array, struct r5d_stripe *stripe, u64 now)
{
	r5d_clear_preread_active(array, stripe);
	r5d_order_start(array);
	list_add_tail(r456_sh_lru(stripe->sh), &array->held_lru);
	r5d_timer_start(array, stripe, now);
	return true;
}

/* All data disks of a stripe with an entry have been written to. */
static void r5d_known_full(struct r5d_array *array, struct r5d_stripe *stripe, u64 now)
{
	if (stripe->settled)
		return;
	if (stripe->phase == R5D_STRIPE_HELD)
		array->fills[r5d_bucket(now - stripe->first)]++;
	if (stripe->would_hold)
		r5d_count(array, R5D_C_WOULD_FILL);
	if (r5d_outcome_full_now(&array->predictor, stripe, now))
		r5d_count(array, R5D_C_FILLED);
}

/* raid456 begins to work on a full stripe that has an entry, or is done with any. */
static void r5d_known_ends(struct r5d_array *array, struct r5d_stripe *stripe, bool full, u64 now)
{
	/* As it is now: who waited while the stripe was held is not known. */
	array->predictor.scarce = r456_has_stripe_waiter(array->conf);
	if (r5d_outcome_idle(&array->predictor, stripe, now))
		r5d_count(array, R5D_C_FILLED);
	if (full && r456_sh_batched(stripe->sh))
		r5d_sweep_batch(array, stripe);
	if (full && waits_for_bitmap(stripe->sh)) {
		r5d_stripe_clear_held(&array->stripes, stripe);
		stripe->had_preread_active = false;
		stripe->unread = false;
	} else {
		r5d_stripe_remove(&array->stripes, stripe);
	}
}

/* A stripe with an entry is released again: by a writer that added to it, or by another user. */
static bool r5d_judge_known(struct r5d_array *array, struct r5d_stripe *stripe,
			    const struct r5d_stripe_state *state, enum r5d_verdict verdict,
			    u64 now)
{
	stripe->written |= state->written;
	stripe->begun |= state->handle && !state->fresh;
	if (verdict == R5D_PASSED_FULL ||
	    (hweight64(stripe->written) >= state->data_disks && stripe->phase != R5D_STRIPE_HELD))
		r5d_known_full(array, stripe, now);
	if (verdict == R5D_IDLE || verdict == R5D_PASSED_FULL) {
		r5d_known_ends(array, stripe, verdict == R5D_PASSED_FULL, now);
		return false;
	}
	if (stripe->phase != R5D_STRIPE_HELD) {
		/* The deadline may have passed while a writer held a reference. */
		r5d_restore_preread_active(array, stripe);
		return false;
	}
	/* R5D_LEFT_PRESSURE is no reason: this stripe was held already, and counted as such. */
	if ((verdict == R5D_HOLD || verdict == R5D_LEFT_PRESSURE) &&
	    now < stripe->first + r5d_deadline_ns(array, stripe->trial))
		return r5d_defer(array, stripe, now);
	r5d_stripe_clear_held(&array->stripes, stripe);
	stripe->released = now;
	stripe->expired = verdict == R5D_HOLD;
	r5d_count(array, stripe->expired ? R5D_C_EXPIRED : R5D_C_RELEASED_OTHER);
	r5d_restore_preread_active(array, stripe);
	return false;
}

/* A row of chunks has so many stripes, all of which are held while a writer goes through it. */
static int r5d_row_stripes(struct r5conf *conf)
{
	return r456_conf_chunk_sectors(conf) / R5D_STRIPE_SECTORS;
}

/*
 * Half of the cache is held, and a row is more than that. Where it is not, the cache is enough for
 * a stream, and with a larger one random writes beside it are slower.
 */
static bool r5d_holds_too_few(struct r5conf *conf, enum r5d_verdict verdict)
{
	return verdict == R5D_LEFT_PRESSURE &&
	       r5d_row_stripes(conf) > r456_conf_max_stripes(conf) / 2;
}

/*
 * Writers wait for stripes, and those of a row are more than the cache has: a stripe of its first
 * chunk is done before they come to the next one. So none is seen to be filled, and none is held.
 */
static bool r5d_can_hold_none(struct r5conf *conf)
{
	return !seqkeep_is_observing() && r456_has_stripe_waiter(conf) &&
	       r5d_row_stripes(conf) > r456_conf_max_stripes(conf);
}

/* A stripe that may be held was released for the first time: is it likely to be filled? */
static bool r5d_judge_new(struct r5d_array *array, struct stripe_head *sh,
			  const struct r5d_stripe_state *state, const struct r5d_write *longest)
{
	enum r5d_forecast forecast = R5D_LIKELY;
	struct r5d_ticket ticket = r5d_no_ticket();
	struct r5d_stripe *stripe;
	u64 now = ktime_get_ns();

	if (r5d_deadline_setting(array) == R5D_AUTO) {
		forecast = r5d_predict(&array->predictor, longest, now, &ticket);
		if (forecast == R5D_UNLIKELY) {
			r5d_count(array, R5D_C_PASSED_UNLIKELY);
			if (!r5d_is_ticket(&ticket)) {
				r5d_remember_judged(array, sh, true);
				return false;
			}
		}
	}
	stripe = r5d_stripe_add(&array->stripes, sh, r456_sh_sector(sh));
	if (!stripe) {
		if (forecast != R5D_UNLIKELY)
			r5d_count(array, R5D_C_LEFT_PRESSURE);
		return false;
	}
	stripe->first = now;
	stripe->released = now;
	stripe->written = state->written;
	stripe->ticket = ticket;
	if (forecast == R5D_UNLIKELY) {
		/* Of a stream: other writes say nothing of the next ones. */
		if (ticket.stream >= 0 && r5d_can_hold_none(array->conf) &&
		    r5d_fills_rows(&array->predictor, &ticket))
			r5d_array_queue_raise(array, now);
		return false;
	}
	if (seqkeep_is_observing()) {
		stripe->would_hold = true;
		r5d_count(array, R5D_C_WOULD_HOLD);
		return false;
	}
	r5d_stripe_set_held(&array->stripes, stripe, forecast == R5D_TRIAL);
	r5d_count(array, R5D_C_HELD);
	return r5d_defer(array, stripe, now);
}

/* @stripe: the entry, or NULL. */
static bool r5d_judge_release(struct r5d_array *array, struct stripe_head *sh,
			      struct r5d_stripe *stripe, struct r5d_stripe_state *state)
{
	struct r5d_array_conditions conditions = {};
	struct r5conf *conf = array->conf;
	struct r5d_write longest;
	enum r5d_verdict verdict;

	if (r456_sh_conf(sh) != conf || r456_sh_disks(sh) > MAX_DISKS) {
		r5d_count(array, R5D_C_LEFT_UNKNOWN);
		return false;
	}
	if (state->handle) {
		if (array->stripes.nr_held > r456_conf_max_stripes(conf) / 4)
			r5d_sweep_full(array);
		r5d_inspect_array(array, &conditions);
	}
	verdict = r5d_judge(state, &conditions);
	/* Last, because the data of each disk of the stripe is a cache miss. */
	if (verdict == R5D_HOLD || (stripe && state->handle && verdict != R5D_PASSED_FULL))
		r5d_inspect_writes(conf, sh, state, &longest);
	if (verdict == R5D_HOLD)
		verdict = r5d_judge_writes(state, &conditions);
	if (stripe)
		return r5d_judge_known(array, stripe, state, verdict, ktime_get_ns());
	if (verdict == R5D_HOLD)
		return r5d_judge_new(array, sh, state, &longest);
	if (r5d_holds_too_few(conf, verdict))
		r5d_array_queue_raise(array, ktime_get_ns());
	if (verdict < R5D_NR_COUNTED) {
		r5d_count(array, (enum r5d_counter)verdict);
		r5d_remember_judged(array, sh, r5d_reads_for_writes(verdict));
	}
	return false;
}

/* Nothing more is done to a stripe, but to recognise its next releases. */
static bool r5d_is_judged(const struct r5d_stripe *stripe)
{
	return stripe->settled && stripe->phase != R5D_STRIPE_HELD && !stripe->had_preread_active;
}

/* Is the entry of a stripe that is released again of no more use? */
static bool r5d_seen_enough(struct r5d_array *array, struct r5d_stripe *stripe,
			    const struct r5d_stripe_state *state, bool *read_for)
{
	/* Work on it has begun. */
	if (state->handle && !state->fresh && stripe->unread && stripe->phase != R5D_STRIPE_HELD)
		*read_for = r5d_count_preread(array, stripe);
	if (!r5d_is_judged(stripe))
		return false;
	/* It is released a second time before that, and is judged a second time. */
	if (state->handle && state->fresh)
		return stripe->watched;
	return !state->handle || !stripe->unread;
}

/**
 * r5d_release - hold a stripe whose last reference was dropped, if that is right
 * @array: the array
 * @sh: the stripe, without references and on no list
 * @read_for: set to true if what was read for its writes has just come
 *
 * Context: the array's device_lock is held, in place of do_release_stripe().
 * Return: true if it is held; false: do_release_stripe() has to be called.
 */
bool r5d_release(struct r5d_array *array, struct stripe_head *sh, bool *read_for)
{
	struct r5d_stripe_state state;
	struct r5d_stripe *stripe;

	/* An unusable array is never ready: not even its stripes may be read. */
	if (r5d_state(array) != R5D_READY && r5d_state(array) != R5D_CLOSING)
		return false;
	lockdep_assert_held(r456_device_lock(array->conf));
	stripe = r5d_stripe_find(&array->stripes, sh, r456_sh_sector(sh));
	/* Most calls end here: reads, and stripes on which work goes on. */
	if (!stripe && !r5d_has_new_work(sh))
		return false;
	r5d_inspect_stripe(array->conf, sh, &state);
	WARN_ON_ONCE(IS_ENABLED(CONFIG_PROVE_LOCKING) && stripe && !r5d_stripe_is_legal(stripe));
	if (stripe && r5d_seen_enough(array, stripe, &state, read_for)) {
		r5d_stripe_remove(&array->stripes, stripe);
		/* The same question as above, which was not asked of a stripe with an entry. */
		if (!state.handle || !state.fresh)
			return false;
		stripe = NULL;
	}
	/* Already judged; kept only to recognise a second release before handle_stripe() runs. */
	if (stripe && r5d_is_judged(stripe))
		return false;
	return r5d_judge_release(array, sh, stripe, &state);
}
