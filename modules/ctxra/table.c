// SPDX-License-Identifier: GPL-2.0-only
/*
 * A set-associative table: a mapping's address picks a set, the set's lock
 * protects its streams. Nothing is allocated on the way, nothing in it points to
 * anything, and so nothing has to be told when an inode goes away: its entries
 * match no file any more and are the first to be replaced.
 */
#include <linux/hash.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>

#include "governor.h"
#include "lru.h"
#include "pagecache.h"
#include "table.h"

#define SET_BITS	6
#define SET_STREAMS	128
#define SET_OPENINGS	16
/*
 * A window is in the page cache within some tens of microseconds. Who has not
 * finished after this many ns was interrupted, and is not counted on.
 */
#define OPENING_NS	(100 * NSEC_PER_USEC)

/**
 * struct opening - a window that a call is bringing into the page cache
 * @mapping: of which file; NULL: free
 * @start: its first page
 * @end: the page after its last
 * @since_ns: when the call began, monotonic clock
 */
struct opening {
	const void *mapping;
	unsigned long start;
	unsigned long end;
	u64 since_ns;
};

/**
 * struct stream_set - streams of the files that share a set
 * @lock: protects the rest. Raw, as it is taken with preemption disabled.
 *	Nests in whatever the reader holds; nothing nests in it.
 * @clock: counts calls, for the age of streams
 * @budget: for new streams
 * @lru: the order in which streams are replaced
 * @streams: the streams, in no order
 * @openings: windows whose call has not returned. Some may be missing here, if
 *	there are many; then two readers may get in each other's way, as in stock.
 */
struct stream_set {
	raw_spinlock_t lock;
	u32 clock;
	struct ctxra_budget budget;
	struct ctxra_lru lru;
	struct ctxra_stream streams[SET_STREAMS];
	struct opening openings[SET_OPENINGS];
} ____cacheline_aligned_in_smp;

/* A page of memory has 32: said in docs/ctxra.md, and in the manual. */
static_assert(sizeof(struct ctxra_stream) <= 128);

static struct stream_set *sets;

/**
 * ctxra_table_create - make an empty table
 *
 * Context: may sleep; no hook is active.
 * Return: 0 or -ENOMEM.
 */
int ctxra_table_create(void)
{
	unsigned int i;

	sets = kvcalloc(1 << SET_BITS, sizeof(*sets), GFP_KERNEL);
	if (!sets)
		return -ENOMEM;
	for (i = 0; i < 1 << SET_BITS; i++) {
		raw_spin_lock_init(&sets[i].lock);
		ctxra_budget_init(&sets[i].budget);
		ctxra_lru_init(&sets[i].lru, sets[i].streams, SET_STREAMS);
	}
	return 0;
}

/**
 * ctxra_table_destroy - free the table
 *
 * Context: may sleep; no hook is active any more.
 */
void ctxra_table_destroy(void)
{
	kvfree(sets);
	sets = NULL;
}

static struct stream_set *set_of(const void *mapping)
{
	return &sets[hash_ptr((void *)mapping, SET_BITS)];
}

static bool is_opening(const struct stream_set *set, const void *mapping, unsigned long index)
{
	unsigned int i;

	for (i = 0; i < SET_OPENINGS; i++) {
		const struct opening *o = &set->openings[i];

		if (o->mapping == mapping && index >= o->start && index < o->end &&
		    ktime_get_mono_fast_ns() - o->since_ns < OPENING_NS)
			return true;
	}
	return false;
}

static int note_opening(struct stream_set *set, const void *mapping,
			const struct ctxra_window *win)
{
	int i;

	for (i = 0; i < SET_OPENINGS; i++) {
		if (set->openings[i].mapping)
			continue;
		set->openings[i] = (struct opening){
			.mapping = mapping,
			.start = win->start,
			.end = win->start + win->nr,
			.since_ns = ktime_get_mono_fast_ns(),
		};
		return i;
	}
	return -1;
}

static struct ctxra_stream *find_or_start(struct stream_set *set, const struct ctxra_file *file,
					  const struct ctxra_request *rq)
{
	struct ctxra_stream *s = ctxra_stream_find(set->streams, SET_STREAMS, file, rq);

	if (!s && ctxra_stream_wanted(rq)) {
		s = ctxra_lru_victim(&set->lru, set->clock);
		ctxra_stream_start(s, file, rq);
	}
	return s;
}

/**
 * ctxra_table_follow - find or start the stream of a request, and follow it
 * @mapping: the file's pages
 * @file: the file
 * @rq: the request; @rq->opening and @rq->gone are filled in
 * @win: see ctxra_stream_follow()
 * @opening: for CTXRA_OPEN, what to give to ctxra_table_opened() once the
 *	window's pages are in the page cache, or will not be
 *
 * Context: any. At most SET_STREAMS entries, SET_OPENINGS windows and now and then
 * PROBE_SAMPLES + 1 pages are looked at, under the set's lock.
 * Return: what to do with the call.
 */
enum ctxra_verdict ctxra_table_follow(struct address_space *mapping, const struct ctxra_file *file,
				      struct ctxra_request *rq, struct ctxra_window *win,
				      int *opening)
{
	struct stream_set *set = set_of(mapping);
	enum ctxra_verdict verdict = CTXRA_STOCK;
	struct ctxra_window probe;
	struct ctxra_stream *s;
	unsigned long flags, page;

	raw_spin_lock_irqsave(&set->lock, flags);
	set->clock++;
	s = find_or_start(set, file, rq);
	if (!s)
		goto unlock;
	if (ctxra_stream_probe(s, rq, &probe)) {
		struct ctxra_use use = ctxra_sample(mapping, probe.start, probe.nr);

		ctxra_stream_judge(s, &set->budget, &use);
	}
	rq->opening = !rq->marker && is_opening(set, mapping, rq->index);
	if (ctxra_stream_at_odds(s, rq, &page))
		rq->gone = !ctxra_is_cached(mapping, page) && !is_opening(set, mapping, page);
	verdict = ctxra_stream_follow(s, &set->budget, rq, win);
	if (verdict == CTXRA_OPEN)
		*opening = note_opening(set, mapping, win);
	ctxra_lru_use(&set->lru, s, set->clock);
unlock:
	raw_spin_unlock_irqrestore(&set->lock, flags);
	return verdict;
}

/**
 * ctxra_table_opened - a window's pages are in the page cache
 * @mapping: the file's
 * @opening: of ctxra_table_follow()
 *
 * Context: any.
 */
void ctxra_table_opened(const void *mapping, int opening)
{
	struct stream_set *set = set_of(mapping);
	unsigned long flags;

	if (opening < 0)
		return;
	raw_spin_lock_irqsave(&set->lock, flags);
	set->openings[opening].mapping = NULL;
	raw_spin_unlock_irqrestore(&set->lock, flags);
}
