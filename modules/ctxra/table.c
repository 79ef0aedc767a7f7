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

#include "pagecache.h"
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
 * struct ctxra_table_set - a set of the table
 * @lock: protects the other members. Raw, because it is taken with preemption disabled.
 *	Nests in all locks that the reader holds; no lock nests in it.
 * @set: its streams
 * @streams: the entries of @set
 * @in_flight: windows whose call has not returned. If there are more, some are not here, and
 *	two readers may then split a window, as in the stock code.
 */
struct ctxra_table_set {
	raw_spinlock_t lock;
	struct ctxra_set set;
	struct ctxra_stream streams[SET_STREAMS];
	struct ctxra_in_flight in_flight[SET_IN_FLIGHT];
} ____cacheline_aligned_in_smp;

/**
 * struct ctxra_source - where the answers to struct ctxra_facts_ops come from
 * @mapping: the file's
 * @set: its set
 */
struct ctxra_source {
	struct address_space *mapping;
	struct ctxra_table_set *set;
};

/* docs/ctxra.md and ctxra(4) give the size of the table. */
static_assert(sizeof(struct ctxra_stream) <= 128);

static struct ctxra_table_set *ctxra_sets;

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
		ctxra_set_init(&ctxra_sets[i].set, ctxra_sets[i].streams, SET_STREAMS);
	}
	return 0;
}

/* No hook is registered any more. */
void ctxra_table_destroy(void)
{
	kvfree(ctxra_sets);
	ctxra_sets = NULL;
}

static struct ctxra_table_set *set_of(const void *mapping)
{
	return &ctxra_sets[hash_ptr((void *)mapping, SET_BITS)];
}

static bool ctxra_fact_is_in_flight(void *ctx, unsigned long index)
{
	const struct ctxra_source *source = ctx;
	unsigned int i;

	for (i = 0; i < SET_IN_FLIGHT; i++) {
		const struct ctxra_in_flight *w = &source->set->in_flight[i];

		if (w->mapping == source->mapping && index >= w->start && index < w->end &&
		    ktime_get_mono_fast_ns() - w->since_ns < IN_FLIGHT_NS)
			return true;
	}
	return false;
}

static bool ctxra_fact_is_cached(void *ctx, unsigned long index)
{
	return ctxra_is_cached(((struct ctxra_source *)ctx)->mapping, index);
}

static bool ctxra_fact_is_evicted(void *ctx, unsigned long index)
{
	return ctxra_is_evicted(((struct ctxra_source *)ctx)->mapping, index);
}

static unsigned long ctxra_fact_cached_before(void *ctx, unsigned long index, unsigned long max)
{
	return ctxra_cached_before(((struct ctxra_source *)ctx)->mapping, index, max);
}

static unsigned long ctxra_fact_cached_from(void *ctx, unsigned long index, unsigned long max)
{
	return ctxra_cached_from(((struct ctxra_source *)ctx)->mapping, index, max);
}

static struct ctxra_use ctxra_fact_sample_use(void *ctx, unsigned long start, unsigned long nr)
{
	return ctxra_sample_use(((struct ctxra_source *)ctx)->mapping, start, nr);
}

static bool ctxra_fact_trim(void *ctx, struct ctxra_window *win, unsigned long index)
{
	return ctxra_trim_window(((struct ctxra_source *)ctx)->mapping, win, index);
}

static const struct ctxra_facts_ops ctxra_facts_ops = {
	.is_cached = ctxra_fact_is_cached,
	.is_evicted = ctxra_fact_is_evicted,
	.is_in_flight = ctxra_fact_is_in_flight,
	.cached_before = ctxra_fact_cached_before,
	.cached_from = ctxra_fact_cached_from,
	.sample_use = ctxra_fact_sample_use,
	.trim = ctxra_fact_trim,
};

static int ctxra_in_flight_add(struct ctxra_table_set *set, const void *mapping,
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

/**
 * ctxra_table_follow - decide what to do with a call
 * @mapping: the file's
 * @file: the file
 * @args: the call
 * @win: set for CTXRA_OPEN: the pages to read, none of which is cached
 * @slot: set to the window's slot, or to -1. The caller passes it to ctxra_table_window_done()
 *	when the pages are in the page cache.
 *
 * Context: any. Under the set's lock it compares at most SET_STREAMS streams and
 * SET_IN_FLIGHT windows, and now and then looks up CTXRA_SAMPLES + 2 pages.
 * Return: what to do with the call.
 */
enum ctxra_verdict ctxra_table_follow(struct address_space *mapping, const struct ctxra_file *file,
				      const struct ctxra_args *args, struct ctxra_window *win,
				      int *slot)
{
	struct ctxra_table_set *set = set_of(mapping);
	struct ctxra_source source = { .mapping = mapping, .set = set };
	const struct ctxra_facts facts = { .ops = &ctxra_facts_ops, .ctx = &source };
	enum ctxra_verdict verdict;
	struct ctxra_request rq;
	unsigned long flags;

	*slot = -1;
	ctxra_request_init(&rq, args, &facts);
	raw_spin_lock_irqsave(&set->lock, flags);
	verdict = ctxra_decide(&set->set, file, &rq, &facts, win);
	if (verdict == CTXRA_OPEN)
		*slot = ctxra_in_flight_add(set, mapping, win);
	raw_spin_unlock_irqrestore(&set->lock, flags);
	if (verdict == CTXRA_OPEN)
		verdict = ctxra_confirm(&rq, &facts, win);
	if (verdict != CTXRA_OPEN) {
		ctxra_table_window_done(mapping, *slot);
		*slot = -1;
	}
	return verdict;
}

/**
 * ctxra_table_window_done - end the flight of a window
 * @mapping: the file's
 * @slot: from ctxra_table_follow(); -1 if there is no window
 */
void ctxra_table_window_done(const void *mapping, int slot)
{
	struct ctxra_table_set *set = set_of(mapping);
	unsigned long flags;

	if (slot < 0)
		return;
	raw_spin_lock_irqsave(&set->lock, flags);
	set->in_flight[slot].mapping = NULL;
	raw_spin_unlock_irqrestore(&set->lock, flags);
}
