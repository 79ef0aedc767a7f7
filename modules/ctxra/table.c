// SPDX-License-Identifier: GPL-2.0-only
/* The table of streams, with answers from the page cache, and the windows in flight to it. */
#include <linux/hash.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>

#include "common/module.h"
#include "common/read_racy.h"
#include "pagecache.h"
#include "sets.h"
#include "table.h"

/* Windows in flight are found by their file. */
#define FLIGHT_BITS	6
#define NR_FLIGHTS	16
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
 * struct ctxra_flights - windows in flight to some files
 * @lock: protects changes. Raw, because it is taken with preemption disabled. Nests in the locks of
 *	the sets; no lock nests in it.
 * @nr: entries of @windows in use
 * @windows: windows whose call has not returned. If there are more, some are not here, and two
 *	readers may then split a window, as in the stock code.
 */
struct ctxra_flights {
	raw_spinlock_t lock;
	unsigned int nr;
	struct ctxra_in_flight windows[NR_FLIGHTS];
} ____cacheline_aligned_in_smp;

/**
 * struct ctxra_source - where the answers to struct ctxra_facts_ops come from
 * @mapping: the file's
 * @slot: of the window that is opened, in the file's flights; -1: none
 */
struct ctxra_source {
	struct address_space *mapping;
	int slot;
};

static struct ctxra_sets *ctxra_sets;
static struct ctxra_flights *ctxra_flights;

/**
 * ctxra_table_create - allocate an empty table
 *
 * Context: may sleep; no hook is registered.
 * Return: 0 or -ENOMEM.
 */
int ctxra_table_create(void)
{
	unsigned int i;

	ctxra_sets = ctxra_sets_create();
	ctxra_flights = kvcalloc(1 << FLIGHT_BITS, sizeof(*ctxra_flights), GFP_KERNEL);
	if (!ctxra_sets || !ctxra_flights) {
		ctxra_table_destroy();
		return -ENOMEM;
	}
	for (i = 0; i < 1 << FLIGHT_BITS; i++)
		raw_spin_lock_init(&ctxra_flights[i].lock);
	return 0;
}

/* No hook is registered any more. */
void ctxra_table_destroy(void)
{
	ctxra_sets_destroy(ctxra_sets);
	ctxra_sets = NULL;
	kvfree(ctxra_flights);
	ctxra_flights = NULL;
}

static struct ctxra_flights *flights_of(const void *mapping)
{
	return &ctxra_flights[hash_ptr((void *)mapping, FLIGHT_BITS)];
}

/*
 * Takes no lock, because each miss of a stream asks, and all readers of a file have one lock here.
 * A window that is being entered may be missed, or seen in part: two readers then split it, or one
 * opens the next window too early.
 */
static bool ctxra_fact_is_in_flight(void *ctx, unsigned long index)
{
	const struct ctxra_source *source = ctx;
	const struct ctxra_flights *flights = flights_of(source->mapping);
	unsigned int i;

	if (!READ_RACY(flights->nr))
		return false;
	for (i = 0; i < NR_FLIGHTS; i++) {
		const struct ctxra_in_flight *w = &flights->windows[i];

		if (READ_RACY(w->mapping) == source->mapping && index >= READ_RACY(w->start) &&
		    index < READ_RACY(w->end) &&
		    (s64)(ktime_get_mono_fast_ns() - READ_RACY(w->since_ns)) < IN_FLIGHT_NS)
			return true;
	}
	return false;
}

/* Enter a window, so that other calls find it before they decide. */
static void ctxra_fact_opens(void *ctx, const struct ctxra_window *win)
{
	struct ctxra_source *source = ctx;
	struct ctxra_flights *flights = flights_of(source->mapping);
	unsigned long flags;
	int i;

	raw_spin_lock_irqsave(&flights->lock, flags);
	for (i = 0; i < NR_FLIGHTS; i++) {
		if (flights->windows[i].mapping)
			continue;
		flights->windows[i] = (struct ctxra_in_flight){
			.mapping = source->mapping,
			.start = win->start,
			.end = win->start + win->nr,
			.since_ns = ktime_get_mono_fast_ns(),
		};
		flights->nr++;
		source->slot = i;
		break;
	}
	raw_spin_unlock_irqrestore(&flights->lock, flags);
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

static unsigned long ctxra_fact_trail(void *ctx, unsigned long index, unsigned long max)
{
	return ctxra_trail(((struct ctxra_source *)ctx)->mapping, index, max);
}

static unsigned long ctxra_fact_cached_from(void *ctx, unsigned long index, unsigned long max)
{
	return ctxra_cached_from(((struct ctxra_source *)ctx)->mapping, index, max);
}

static struct ctxra_use ctxra_fact_sample_use(void *ctx, unsigned long start, unsigned long nr)
{
	struct ctxra_use use = ctxra_sample_use(((struct ctxra_source *)ctx)->mapping, start, nr);

	/* No window was opened, so nobody dropped the pages that are missing: nobody read them. */
	if (seqkeep_is_observing()) {
		use.unused += use.absent;
		use.absent = 0;
	}
	return use;
}

/* Tell the other calls, too, that the pages which are cut off are not in flight. */
static bool ctxra_fact_trim(void *ctx, struct ctxra_window *win, unsigned long index)
{
	const struct ctxra_source *source = ctx;
	struct ctxra_flights *flights = flights_of(source->mapping);
	unsigned long flags;

	if (!ctxra_trim_window(source->mapping, win, index))
		return false;
	if (source->slot < 0)
		return true;
	raw_spin_lock_irqsave(&flights->lock, flags);
	flights->windows[source->slot].start = win->start;
	flights->windows[source->slot].end = win->start + win->nr;
	raw_spin_unlock_irqrestore(&flights->lock, flags);
	return true;
}

static const struct ctxra_facts_ops ctxra_facts_ops = {
	.is_cached = ctxra_fact_is_cached,
	.is_evicted = ctxra_fact_is_evicted,
	.is_in_flight = ctxra_fact_is_in_flight,
	.cached_before = ctxra_fact_cached_before,
	.trail = ctxra_fact_trail,
	.cached_from = ctxra_fact_cached_from,
	.sample_use = ctxra_fact_sample_use,
	.opens = ctxra_fact_opens,
	.trim = ctxra_fact_trim,
};

/**
 * ctxra_table_follow - decide what to do with a call
 * @mapping: the file's
 * @file: the file
 * @args: the call
 * @win: set for CTXRA_OPEN: the pages to read, none of which is cached
 * @slot: set to the window's slot, or to -1. The caller passes it to ctxra_table_window_done()
 *	when the pages are in the page cache.
 *
 * Context: any.
 * Return: what to do with the call.
 */
enum ctxra_verdict ctxra_table_follow(struct address_space *mapping, const struct ctxra_file *file,
				      const struct ctxra_args *args, struct ctxra_window *win,
				      int *slot)
{
	struct ctxra_source source = { .mapping = mapping, .slot = -1 };
	const struct ctxra_facts facts = { .ops = &ctxra_facts_ops, .ctx = &source };
	enum ctxra_verdict verdict;

	verdict = ctxra_sets_follow(ctxra_sets, file, args, &facts, win);
	if (verdict != CTXRA_OPEN) {
		ctxra_table_window_done(mapping, source.slot);
		source.slot = -1;
	}
	*slot = source.slot;
	return verdict;
}

/**
 * ctxra_table_window_done - end the flight of a window
 * @mapping: the file's
 * @slot: from ctxra_table_follow(); -1 if there is no window
 */
void ctxra_table_window_done(const void *mapping, int slot)
{
	struct ctxra_flights *flights = flights_of(mapping);
	unsigned long flags;

	if (slot < 0)
		return;
	raw_spin_lock_irqsave(&flights->lock, flags);
	flights->windows[slot].mapping = NULL;
	flights->nr--;
	raw_spin_unlock_irqrestore(&flights->lock, flags);
}
