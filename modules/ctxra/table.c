// SPDX-License-Identifier: GPL-2.0-only
/*
 * A set-associative table: the mapping's address selects a set, and the set's lock protects
 * its streams. A call allocates nothing. No entry points to an object, so inode eviction
 * needs no hook: the entries of a freed inode match no file, and get replaced.
 */
#include <linux/hash.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>

#include "follow.h"
#include "governor.h"
#include "lru.h"
#include "pagecache.h"
#include "stream.h"
#include "table.h"

#define SET_BITS	6
#define SET_STREAMS	128
#define SET_IN_FLIGHT	16
/*
 * A window takes tens of us to enter the page cache. After this long assume that its opener
 * was preempted.
 */
#define IN_FLIGHT_NS	(100 * NSEC_PER_USEC)

/**
 * struct ctxra_in_flight - a window that a call is adding to the page cache
 * @mapping: the file's; NULL if the entry is free
 * @start: first page
 * @end: index after the last page
 * @since_ns: when the call began, monotonic clock
 */
struct ctxra_in_flight {
	const void *mapping;
	unsigned long start;
	unsigned long end;
	u64 since_ns;
};

/**
 * struct ctxra_set - streams of the files that share a set
 * @lock: protects the other members. Raw, because it is taken with preemption disabled.
 *	Nests in all locks that the reader holds; no lock nests in it.
 * @clock: counts calls, for the age of streams
 * @budget: for new streams
 * @lru: the order in which streams are replaced
 * @streams: the streams, in no order
 * @in_flight: windows whose call has not returned. If there are more, some are not here, and
 *	two readers may then split a window, as in the stock code.
 */
struct ctxra_set {
	raw_spinlock_t lock;
	u32 clock;
	struct ctxra_budget budget;
	struct ctxra_lru lru;
	struct ctxra_stream streams[SET_STREAMS];
	struct ctxra_in_flight in_flight[SET_IN_FLIGHT];
} ____cacheline_aligned_in_smp;

/* docs/ctxra.md and ctxra(4) give the size of the table. */
static_assert(sizeof(struct ctxra_stream) <= 128);

static struct ctxra_set *ctxra_sets;

/**
 * ctxra_table_create - allocate an empty table
 *
 * Context: may sleep; no hook is registered.
 * Return: 0 or -ENOMEM.
 */
int ctxra_table_create(void)
{
	unsigned int i;

	ctxra_sets = kvcalloc(1 << SET_BITS, sizeof(*ctxra_sets), GFP_KERNEL);
	if (!ctxra_sets)
		return -ENOMEM;
	for (i = 0; i < 1 << SET_BITS; i++) {
		raw_spin_lock_init(&ctxra_sets[i].lock);
		ctxra_budget_init(&ctxra_sets[i].budget);
		ctxra_lru_init(&ctxra_sets[i].lru, ctxra_sets[i].streams, SET_STREAMS);
	}
	return 0;
}

/* No hook is registered any more. */
void ctxra_table_destroy(void)
{
	kvfree(ctxra_sets);
	ctxra_sets = NULL;
}

static struct ctxra_set *set_of(const void *mapping)
{
	return &ctxra_sets[hash_ptr((void *)mapping, SET_BITS)];
}

static bool ctxra_is_in_flight(const struct ctxra_set *set, const void *mapping,
			       unsigned long index)
{
	unsigned int i;

	for (i = 0; i < SET_IN_FLIGHT; i++) {
		const struct ctxra_in_flight *w = &set->in_flight[i];

		if (w->mapping == mapping && index >= w->start && index < w->end &&
		    ktime_get_mono_fast_ns() - w->since_ns < IN_FLIGHT_NS)
			return true;
	}
	return false;
}

static int ctxra_in_flight_add(struct ctxra_set *set, const void *mapping,
			       const struct ctxra_window *win)
{
	int i;

	for (i = 0; i < SET_IN_FLIGHT; i++) {
		if (set->in_flight[i].mapping)
			continue;
		set->in_flight[i] = (struct ctxra_in_flight){
			.mapping = mapping,
			.start = win->start,
			.end = win->start + win->nr,
			.since_ns = ktime_get_mono_fast_ns(),
		};
		return i;
	}
	return -1;
}

static struct ctxra_stream *ctxra_find_or_start(struct ctxra_set *set,
						const struct ctxra_file *file,
						const struct ctxra_request *rq)
{
	struct ctxra_stream *s = ctxra_stream_find(set->streams, SET_STREAMS, file, rq);

	if (!s && ctxra_stream_should_start(rq)) {
		s = ctxra_lru_victim(&set->lru, set->clock);
		ctxra_stream_start(s, file, rq);
	}
	return s;
}

/**
 * ctxra_table_follow - find or start the stream of a request, and follow it
 * @mapping: the file's
 * @file: the file
 * @rq: the request; @rq->in_flight and @rq->dropped are filled in
 * @win: see ctxra_stream_follow()
 * @slot: set for CTXRA_OPEN. The caller passes it to ctxra_table_window_done() when the
 *	pages are in the page cache, or when it gives the window up.
 *
 * Context: any. Under the set's lock it compares at most SET_STREAMS streams and
 * SET_IN_FLIGHT windows, and now and then looks up CTXRA_SAMPLES + 1 pages.
 * Return: what to do with the call.
 */
enum ctxra_verdict ctxra_table_follow(struct address_space *mapping, const struct ctxra_file *file,
				      struct ctxra_request *rq, struct ctxra_window *win,
				      int *slot)
{
	struct ctxra_set *set = set_of(mapping);
	enum ctxra_verdict verdict = CTXRA_STOCK;
	struct ctxra_window probe;
	struct ctxra_stream *s;
	unsigned long flags, page;

	raw_spin_lock_irqsave(&set->lock, flags);
	set->clock++;
	s = ctxra_find_or_start(set, file, rq);
	if (!s)
		goto unlock;
	if (ctxra_stream_probe_due(s, rq, &probe)) {
		struct ctxra_use use = ctxra_sample_use(mapping, probe.start, probe.nr);

		ctxra_stream_judge(s, &set->budget, &use);
	}
	rq->in_flight = !rq->marker && ctxra_is_in_flight(set, mapping, rq->index);
	if (ctxra_stream_may_be_stale(s, rq, &page))
		rq->dropped = !ctxra_is_cached(mapping, page) &&
			      !ctxra_is_in_flight(set, mapping, page);
	verdict = ctxra_stream_follow(s, &set->budget, rq, win);
	if (verdict == CTXRA_OPEN)
		*slot = ctxra_in_flight_add(set, mapping, win);
	ctxra_lru_touch(&set->lru, s, set->clock);
unlock:
	raw_spin_unlock_irqrestore(&set->lock, flags);
	return verdict;
}

/**
 * ctxra_table_window_done - end the flight of a window
 * @mapping: the file's
 * @slot: from ctxra_table_follow(); -1 if there is no window
 */
void ctxra_table_window_done(const void *mapping, int slot)
{
	struct ctxra_set *set = set_of(mapping);
	unsigned long flags;

	if (slot < 0)
		return;
	raw_spin_lock_irqsave(&set->lock, flags);
	set->in_flight[slot].mapping = NULL;
	raw_spin_unlock_irqrestore(&set->lock, flags);
}
