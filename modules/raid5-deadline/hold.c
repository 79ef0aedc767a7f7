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
#define BLOCKED_NS	(100ULL * NSEC_PER_MSEC)
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
	[R5D_FULL] = R5D_C_PASSED_FULL,
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

static void count(struct r5d_array *array, enum r5d_counter counter)
{
	array->count[counter]++;
	stats_add(&r5d_stats, counter, 1);
}

static int setting(const struct r5d_array *array)
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
	int ms = setting(array);

	return ms == R5D_AUTO ? READ_ONCE(array->predictor.deadline_ns) : ms * NSEC_PER_MSEC;
}

static bool draining(const struct r5d_array *array)
{
	return array->closing || conf_quiescing(array->conf) ||
	       mddev_suspended(conf_mddev(array->conf));
}

/* Looks at each write to the stripe. Returns the length of the longest, in stripes. */
static unsigned int look_at_writes(struct stripe_head *sh, struct r5d_stripe_view *view)
{
	unsigned int span = 0;
	int i;

	for (i = sh_disks(sh); i-- > 0;) {
		char *dev = sh_dev(sh, i);
		sector_t end = dev_sector(dev) + R5_STRIPE_SECTORS;
		struct bio *bio;

		if (dev_overlap(dev))
			view->overlap = true;
		bio = sh_is_parity(sh, i) ? NULL : dev_towrite(dev);
		if (bio)
			view->written |= BIT_ULL(i);
		while (bio) {
			if (bio->bi_opf & URGENT_OPF)
				view->urgent = true;
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
static void take_mark(struct r5d_array *array, struct known_stripe *known, struct stripe_head *sh)
{
	struct r5conf *conf = array->conf;

	if (!test_and_clear_bit(RAID456_STRIPE_PREREAD_ACTIVE, sh_state(sh)))
		return;
	known->sync = true;
	if (atomic_dec_and_test(conf_preread_active(conf)) && !list_empty(conf_delayed(conf)))
		compat_md_wakeup_thread(mddev_thread(conf_mddev(conf)));
}

static void give_mark_back(struct r5d_array *array, struct known_stripe *known,
			   struct stripe_head *sh)
{
	if (known->sync && !test_and_set_bit(RAID456_STRIPE_PREREAD_ACTIVE, sh_state(sh)))
		atomic_inc(conf_preread_active(array->conf));
	known->sync = false;
}

/* All of the stripe has been written to, whether it waited or not. */
static void learn_full(struct r5d_array *array, struct known_stripe *known)
{
	if (known->settled)
		return;
	known->settled = true;
	r5d_learn(&array->predictor, known->stream, known->sector, true);
	if (known->phase == KNOWN_HELD)
		count(array, R5D_C_FILLED);
}

/* The same, at the moment of the last write. */
static void learn_full_now(struct r5d_array *array, struct known_stripe *known, u64 now)
{
	u64 took = now - known->first;

	if (known->settled)
		return;
	r5d_learn_time(&array->predictor, took);
	if (known->phase == KNOWN_HELD)
		array->fills[r5d_bucket(took)]++;
	learn_full(array, known);
}

static void settle(struct r5d_array *array, struct known_stripe *known)
{
	/*
	 * Its work is done without its having been here: when it was filled it became part
	 * of a batch, of which only the first stripe is released.
	 */
	if (known->phase == KNOWN_HELD || !known->begun)
		learn_full(array, known);
	if (!known->settled)
		r5d_learn(&array->predictor, known->stream, known->sector, false);
	known->settled = true;
}

/*
 * With a write-intent bitmap the stock code may park a stripe that it is given until
 * the bitmap is written, and release it once more then.
 */
static bool may_come_again(struct stripe_head *sh)
{
	return test_bit(RAID456_STRIPE_BIT_DELAY, sh_state(sh));
}

/* What was said of a stripe stands when it comes again. */
static void remember(struct r5d_array *array, struct stripe_head *sh)
{
	struct known_stripe *known;

	if (!may_come_again(sh))
		return;
	known = known_add(&array->known, sh, sh_sector(sh));
	if (known)
		known->settled = true;
}

/*
 * Make the call that was skipped, unless a writer has the stripe: it will come again
 * then, perhaps to the stock code alone, so that the mark is given back in any case. Be it
 * in a batch: break_stripe_batch_list() keeps this mark of each member, contrary to what its
 * set_mask_bits() looks like, and the release that follows counts it back.
 */
static void let_go(struct r5d_array *array, struct known_stripe *known, enum r5d_counter why)
{
	struct stripe_head *sh = known->sh;

	known_let_go(&array->known, known);
	count(array, why);
	/*
	 * What waits has work to do, which nobody does who has no reference. Should a release not
	 * have been seen by us, the stripe is free, on a list of the stock code's and not counted
	 * as active, or has become another one: let it be.
	 */
	if (sh_sector(sh) != known->sector ||
	    (!sh_count(sh) && !test_bit(RAID456_STRIPE_HANDLE, sh_state(sh)))) {
		known_drop(&array->known, known);
		return;
	}
	give_mark_back(array, known, sh);
	if (sh_count(sh) || list_empty(sh_lru(sh)))
		return;
	list_del_init(sh_lru(sh));
	r5d_stock_release(array->conf, sh);
}

/*
 * Do not take for waiting a stripe that was filled, and is perhaps part of a batch now. Looked at
 * for statistics only: its writer, who has another lock, may be changing that.
 */
static bool forget_full(struct r5d_array *array, struct known_stripe *known)
{
	struct stripe_head *sh = known->sh;

	if (!sh_count(sh) || (!sh_batched(sh) && sh_overwritten(sh) <
			      sh_disks(sh) - conf_max_degraded(array->conf)))
		return false;
	learn_full(array, known);
	known_let_go(&array->known, known);
	return true;
}

/* Do not take for waiting what waits no more. */
static void sweep(struct r5d_array *array)
{
	struct known_stripe *known, *next;
	int batch = 0;

	list_for_each_entry_safe(known, next, &array->known.held, order) {
		if (++batch > BATCH || !forget_full(array, known))
			return;
	}
}

static void start_timer(struct r5d_array *array, u64 now)
{
	if (array->timer_on)
		return;
	array->timer_on = true;
	hrtimer_start(&array->timer, ns_to_ktime(now + min(r5d_deadline_ns(array), TICK_NS)),
		      HRTIMER_MODE_ABS_SOFT);
}

static bool hold(struct r5d_array *array, struct known_stripe *known, struct stripe_head *sh,
		 u64 now)
{
	take_mark(array, known, sh);
	list_add_tail(sh_lru(sh), &array->waiting);
	start_timer(array, now);
	return true;
}

/* A stripe that waited comes back from a writer, or is taken by somebody with other plans. */
static bool keep_known(struct r5d_array *array, struct known_stripe *known,
		       struct stripe_head *sh, const struct r5d_stripe_view *view,
		       enum r5d_verdict verdict, u64 now)
{
	known->written |= view->written;
	known->begun |= view->handle && !view->fresh;
	if (hweight64(known->written) >= view->data_disks &&
	    (verdict == R5D_FULL || known->phase != KNOWN_HELD))
		learn_full_now(array, known, now);
	if (verdict == R5D_IDLE || verdict == R5D_FULL) {
		settle(array, known);
		if (verdict == R5D_FULL && may_come_again(sh)) {
			known_let_go(&array->known, known);
			known->sync = false;
		} else {
			known_drop(&array->known, known);
		}
		return false;
	}
	if (known->phase != KNOWN_HELD) {
		/* It may have expired while a writer had it. */
		give_mark_back(array, known, sh);
		return false;
	}
	/* It is one of those that the free stripes were counted without. */
	if ((verdict == R5D_HOLD || verdict == R5D_LEFT_PRESSURE) &&
	    now < known->first + r5d_deadline_ns(array))
		return hold(array, known, sh, now);
	known_let_go(&array->known, known);
	count(array, verdict == R5D_HOLD ? R5D_C_EXPIRED : R5D_C_INTERRUPTED);
	give_mark_back(array, known, sh);
	return false;
}

static bool keep_new(struct r5d_array *array, struct stripe_head *sh,
		     const struct r5d_stripe_view *view, unsigned int span, u64 now)
{
	bool likely = true;
	int stream = -1;
	struct known_stripe *known;

	if (setting(array) == R5D_AUTO) {
		likely = r5d_predict(&array->predictor, sh_sector(sh), span, &stream);
		if (!likely) {
			count(array, R5D_C_PASSED_UNLIKELY);
			/* Nothing can be learned from it. */
			if (stream < 0) {
				remember(array, sh);
				return false;
			}
		}
	}
	known = known_add(&array->known, sh, sh_sector(sh));
	if (!known) {
		if (likely)
			count(array, R5D_C_LEFT_PRESSURE);
		return false;
	}
	known->first = now;
	known->written = view->written;
	known->stream = stream;
	if (!likely)
		return false;
	known_hold(&array->known, known);
	count(array, R5D_C_HELD);
	return hold(array, known, sh, now);
}

static bool keep(struct r5d_array *array, struct stripe_head *sh)
{
	struct r5conf *conf = array->conf;
	unsigned long state = READ_ONCE(*sh_state(sh));
	struct r5d_stripe_view view = {
		.handle = state & BIT(RAID456_STRIPE_HANDLE),
		.fresh = state & BIT(RAID456_STRIPE_BATCH_READY),
		.special = state & SPECIAL_STATES,
		.batched = sh_batched(sh),
		.overwritten = sh_overwritten(sh),
		.data_disks = sh_disks(sh) - conf_max_degraded(conf),
	};
	struct r5d_array_view whole = {};
	struct known_stripe *known;
	enum r5d_verdict verdict;
	unsigned int span = 0;
	u64 now;

	lockdep_assert_held(conf_lock(conf));
	known = known_find(&array->known, sh, sh_sector(sh));
	/*
	 * Nothing is open about it but whether it comes again, which it does before work on
	 * it begins. From then on it is not fresh, and would not be looked at.
	 */
	if (known && known->settled && known->phase != KNOWN_HELD && !known->sync) {
		if (!view.handle || !view.fresh)
			known_drop(&array->known, known);
		return false;
	}
	/* Most calls end here: reads, and stripes whose work goes on. */
	if (!known && (!view.handle || !view.fresh))
		return false;
	if (sh_conf(sh) != conf || sh_disks(sh) > MAX_DISKS) {
		count(array, R5D_C_LEFT_UNKNOWN);
		return false;
	}
	if (view.handle) {
		span = look_at_writes(sh, &view);
		whole.off = !r5d_deadline_ns(array);
		whole.journal = conf_journalled(conf);
		whole.degraded = mddev_degraded(conf_mddev(conf));
		whole.reshaping = conf_reshaping(conf);
		whole.draining = draining(array);
		whole.reclaim = current->flags & PF_MEMALLOC;
		whole.blocked = conf_blocked(conf);
		if (array->known.nr_held > conf_max_stripes(conf) / 4)
			sweep(array);
		whole.held = array->known.nr_held;
		whole.active = conf_active(conf);
		whole.max = conf_max_stripes(conf);
	}
	verdict = r5d_judge(&view, &whole);
	now = ktime_get_ns();
	if (known)
		return keep_known(array, known, sh, &view, verdict, now);
	if (verdict == R5D_HOLD)
		return keep_new(array, sh, &view, span, now);
	if (verdict != R5D_IDLE && verdict != R5D_HANDLED) {
		count(array, verdict_counters[verdict]);
		remember(array, sh);
	}
	return false;
}

/**
 * r5d_keep - look at a stripe that is being released, and hold it if that is right
 * @array: the array
 * @sh: the stripe, without references and on no list
 *
 * Context: under the array's device_lock, in place of do_release_stripe().
 * Return: true if it is held; false: it is to be released.
 */
bool r5d_keep(struct r5d_array *array, struct stripe_head *sh)
{
	/* An array that is left alone is never ready. Not even its stripes are looked into. */
	return array->ready && !array->closed && keep(array, sh);
}

/**
 * r5d_flush - let some stripes of an array go, that is closing
 * @array: the array
 *
 * Context: under its device_lock, with interrupts off: so not all at once.
 * Return: whether that was all.
 */
bool r5d_flush(struct r5d_array *array)
{
	struct known_stripe *known, *next;
	struct stripe_head *sh;
	int batch = 0;

	lockdep_assert_held(conf_lock(array->conf));
	/*
	 * Full ones too, unlike let_go_expired(): forget_full() leaves the mark to be given back
	 * when the stripe comes again, which nobody will see.
	 */
	list_for_each_entry_safe(known, next, &array->known.held, order) {
		if (++batch > BATCH)
			return false;
		let_go(array, known, R5D_C_DRAINED);
	}
	/* All that wait are known. Should one not be, it must not wait for ever. */
	while (WARN_ON_ONCE(!list_empty(&array->waiting))) {
		sh = lru_stripe(array->waiting.next);
		list_del_init(sh_lru(sh));
		r5d_stock_release(array->conf, sh);
	}
	return true;
}

/* Lets go what has waited enough. Returns when to do so next, 0 for never. */
static u64 let_go_expired(struct r5d_array *array, u64 now)
{
	u64 deadline = r5d_deadline_ns(array);
	/* Who sleeps for stripes may need just these: one of its sector's eighth. */
	u64 longest = conf_awaited(array->conf) ? min(deadline, BLOCKED_NS) : deadline;
	/* A writer that sleeps for stripes is woken when a quarter is free. */
	unsigned int enough = conf_blocked(array->conf) ? conf_max_stripes(array->conf) / 4 :
							  UINT_MAX;
	/* What has begun to wait on an array that was whole does not on one that is not. */
	bool drain = draining(array) || mddev_degraded(conf_mddev(array->conf));
	struct known_stripe *known, *next;
	int batch = 0;

	sweep(array);
	list_for_each_entry_safe(known, next, &array->known.held, order) {
		if (!drain && known->first + longest > now && array->known.nr_held <= enough)
			return min(known->first + longest, now + TICK_NS);
		if (++batch > BATCH)
			return now + PAUSE_NS;
		if (forget_full(array, known))
			continue;
		let_go(array, known, drain ? R5D_C_DRAINED :
		       known->first + deadline <= now ? R5D_C_EXPIRED : R5D_C_PRESSED);
	}
	return 0;
}

/**
 * r5d_timer - let go the stripes of an array that have waited enough
 * @timer: the array's
 *
 * Context: soft interrupt.
 * Return: whether to go off again.
 */
enum hrtimer_restart r5d_timer(struct hrtimer *timer)
{
	struct r5d_array *array = container_of(timer, struct r5d_array, timer);
	unsigned long flags;
	u64 next = 0;

	spin_lock_irqsave(conf_lock(array->conf), flags);
	if (!array->closed)
		next = let_go_expired(array, ktime_get_ns());
	array->timer_on = next;
	if (next)
		hrtimer_set_expires(timer, ns_to_ktime(next));
	spin_unlock_irqrestore(conf_lock(array->conf), flags);
	return next ? HRTIMER_RESTART : HRTIMER_NORESTART;
}
