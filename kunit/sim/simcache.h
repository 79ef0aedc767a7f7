/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A page cache of one file, simulated: which pages are cached, in folios of
 * which order, which carry the readahead marker and when their I/O is done;
 * with the parts of mm/readahead.c that fill it. I/Os are counted, one for each
 * run of pages that are next to each other and read by one call.
 */
#ifndef SEQKEEP_KUNIT_SIMCACHE_H
#define SEQKEEP_KUNIT_SIMCACHE_H

#include <kunit/test.h>
#include <linux/hash.h>
#include <linux/string.h>

#include "ctxra/steer.h"
#include "sim/stock.h"

/* Time is counted in calls of filemap_get_pages(); an I/O takes this many of them. */
#define SIM_IO_TICKS	50

/* The kernels, with a file system that has large folios and with one that has not. */
static const struct sim_way {
	enum stock_gen gen;
	bool large;
} sim_ways[] = {
	{ STOCK_6_1, false },
	{ STOCK_6_1, true },
	{ STOCK_6_12, false },
	{ STOCK_6_12, true },
	{ STOCK_7_2, false },
	{ STOCK_7_2, true },
};

#define SIM_NR_WAYS	ARRAY_SIZE(sim_ways)

struct sim_page {
	u32 ready;	/* when its I/O is done */
	u8 order;	/* of its folio */
	bool cached;
	bool marker;	/* on the first page of the folio alone */
	bool used;	/* a reader had it: PG_referenced */
	bool evicted;	/* not cached, but it was: a shadow entry */
};

/**
 * struct simcache - the cache and what was done to it
 * @test: for expectations
 * @gen: the stock code that fills it
 * @large: the file system has large folios
 * @first: index of the lowest page that can be cached; pages[0]
 * @eof: index after the last page of the file
 * @io_pages: bdi->io_pages
 * @pages: all pages from @first to @eof
 * @limit: pages that may be cached, 0: any number
 * @nr_cached: pages that are cached
 * @oldest: folios in the order in which they were cached, by their first page
 * @head: where the next one goes in @oldest
 * @tail: the one to be reclaimed next
 * @now: time, in ticks
 * @ios: I/Os so far
 * @read: pages read so far
 * @trace: a hash of all I/Os so far, in order
 */
struct simcache {
	struct kunit *test;
	enum stock_gen gen;
	bool large;
	unsigned long first;
	unsigned long eof;
	unsigned long io_pages;
	struct sim_page *pages;
	unsigned long limit;
	unsigned long nr_cached;
	unsigned long *oldest;
	unsigned long head;
	unsigned long tail;
	u32 now;
	unsigned long ios;
	unsigned long read;
	u64 trace;
};

static inline void simcache_init(struct simcache *cache, struct kunit *test, unsigned long first,
				 unsigned long eof)
{
	memset(cache, 0, sizeof(*cache));
	cache->test = test;
	cache->first = first;
	cache->eof = eof;
	cache->pages = kunit_kcalloc(test, eof - first, sizeof(*cache->pages), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, cache->pages);
}

/* Empty it, to start over with another generation. */
static inline void simcache_reset(struct simcache *cache, const struct sim_way *way)
{
	memset(cache->pages, 0, (cache->eof - cache->first) * sizeof(*cache->pages));
	cache->gen = way->gen;
	cache->large = way->large;
	cache->nr_cached = 0;
	cache->head = 0;
	cache->tail = 0;
	cache->now = 0;
	cache->ios = 0;
	cache->read = 0;
	cache->trace = 0;
}

static inline struct sim_page *sim_page(struct simcache *cache, unsigned long index)
{
	return &cache->pages[index - cache->first];
}

static inline bool sim_cached(struct simcache *cache, unsigned long index)
{
	return index >= cache->first && index < cache->eof && sim_page(cache, index)->cached;
}

static inline unsigned int sim_order(struct simcache *cache, unsigned long index)
{
	return sim_page(cache, index)->order;
}

/* First page of the folio that @index is in. */
static inline unsigned long sim_folio(struct simcache *cache, unsigned long index)
{
	return round_down(index, 1UL << sim_order(cache, index));
}

/* ctxra_cached_before() */
static inline unsigned long sim_cached_before(struct simcache *cache, unsigned long index,
					      unsigned long max)
{
	unsigned long nr = 0;

	if (index && sim_cached(cache, index - 1) && !sim_page(cache, index - 1)->used &&
	    sim_page(cache, index - 1)->ready <= cache->now)
		return 0;
	while (nr < min(max, index) && sim_cached(cache, index - nr - 1))
		nr++;
	return nr;
}

static inline unsigned long sim_cached_from(struct simcache *cache, unsigned long index,
					    unsigned long max)
{
	unsigned long nr = 0;

	while (nr < max && sim_cached(cache, index + nr))
		nr++;
	return nr;
}

/*
 * A place in the page cache's XArray as xas_next() and xas_prev() move it: the
 * index that is reported, and the slot, of XA_CHUNK_SIZE in a node, that is looked
 * at. They part when the walk starts within a large folio: the slot is then that of
 * the folio's first page. They meet again, or not, where the walk leaves a node.
 */
struct sim_walk {
	unsigned long index;
	unsigned long slot;
};

#define SIM_CHUNK	64UL	/* XA_CHUNK_SIZE */

static inline struct sim_walk sim_walk_start(struct simcache *cache, unsigned long index)
{
	return (struct sim_walk){
		.index = index,
		.slot = sim_cached(cache, index) ? sim_folio(cache, index) : index,
	};
}

/* page_cache_next_miss() */
static inline unsigned long sim_next_miss(struct simcache *cache, unsigned long from,
					  unsigned long max)
{
	struct sim_walk w = sim_walk_start(cache, from);
	unsigned long n;

	for (n = 0; n < max; n++) {
		if (n) {
			w.index++;
			if (w.slot % SIM_CHUNK == SIM_CHUNK - 1)
				w.slot = round_down(w.slot + 1, SIM_CHUNK) + w.index % SIM_CHUNK;
			else
				w.slot++;
		}
		if (!sim_cached(cache, w.slot))
			return w.index;
	}
	/* With no miss: the last page that was looked at, or the one behind it. */
	return cache->gen == STOCK_6_1 ? w.index : from + max;
}

/* page_cache_prev_miss() */
static inline unsigned long sim_prev_miss(struct simcache *cache, unsigned long from,
					  unsigned long max)
{
	struct sim_walk w = sim_walk_start(cache, from);
	unsigned long n;

	for (n = 0; n < max; n++) {
		if (n) {
			w.index--;
			if (w.index == ULONG_MAX)
				return w.index;
			if (w.slot % SIM_CHUNK)
				w.slot--;
			else if (w.index % SIM_CHUNK)
				w.slot = w.slot - SIM_CHUNK + w.index % SIM_CHUNK;
		}
		if (!sim_cached(cache, w.slot))
			return w.index;
	}
	return cache->gen == STOCK_7_2 ? from - max : w.index;
}

/* One I/O for pages that were just added. */
static inline void sim_submit(struct simcache *cache, unsigned long start, unsigned long nr)
{
	if (!nr)
		return;
	cache->ios++;
	cache->read += nr;
	cache->trace = ((cache->trace ^ start) * GOLDEN_RATIO_64 ^ nr) * GOLDEN_RATIO_64;
}

/* Reclaim the folios that came first, unless that is still on its way. */
static inline void sim_reclaim(struct simcache *cache)
{
	while (cache->nr_cached > cache->limit) {
		unsigned long folio = cache->oldest[cache->tail % (cache->eof - cache->first)], i;
		unsigned long nr = 1UL << sim_order(cache, folio);

		if (sim_page(cache, folio)->ready > cache->now)
			break;
		cache->tail++;
		cache->nr_cached -= nr;
		for (i = folio; i < folio + nr; i++)
			*sim_page(cache, i) = (struct sim_page){ .evicted = true };
	}
}

static inline void sim_add_folio(struct simcache *cache, unsigned long index, unsigned int order,
				 bool marker)
{
	unsigned long i;

	for (i = index; i < index + (1UL << order); i++)
		*sim_page(cache, i) = (struct sim_page){
			.ready = cache->now + SIM_IO_TICKS,
			.order = order,
			.cached = true,
			.marker = marker && i == index,
		};
	if (!cache->limit)
		return;
	cache->oldest[cache->head++ % (cache->eof - cache->first)] = index;
	cache->nr_cached += 1UL << order;
	sim_reclaim(cache);
}

/* Let only so many pages be cached at a time. Not together with readers that drop pages. */
static inline void simcache_limit(struct simcache *cache, unsigned long limit)
{
	cache->limit = limit;
	cache->oldest = kunit_kcalloc(cache->test, cache->eof - cache->first,
				      sizeof(*cache->oldest), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(cache->test, cache->oldest);
}

/* do_page_cache_ra(), page_cache_ra_unbounded(): single pages, those not cached */
static inline void sim_read_pages(struct simcache *cache, unsigned long start, unsigned long nr,
				  unsigned long lookahead)
{
	unsigned long from = start, i;

	if (start >= cache->eof)
		return;
	if (nr >= cache->eof - start) {
		nr = cache->eof - start;
		/* Not in 6.12: at the end there is nothing to look ahead to. */
		if (cache->gen == STOCK_7_2)
			lookahead = 0;
	}
	for (i = start; i < start + nr; i++) {
		if (sim_cached(cache, i)) {
			sim_submit(cache, from, i - from);
			from = i + 1;
		} else {
			sim_add_folio(cache, i, 0, i == start + nr - lookahead);
		}
	}
	sim_submit(cache, from, start + nr - from);
}

/* page_cache_ra_order(): the window in @ra, in folios as large as its order and place allow */
static inline void sim_read_window(struct simcache *cache, struct stock_ra *ra)
{
	unsigned long index = ra->start, limit = cache->eof - 1;
	unsigned long mark = ra->start + ra->size - ra->async_size;
	bool exists = false;

	KUNIT_ASSERT_GT(cache->test, ra->size, 0U);
	if (!cache->large)
		ra->order = 0;
	if (!cache->large || (cache->gen != STOCK_7_2 && ra->size < 4)) {
		sim_read_pages(cache, ra->start, ra->size, ra->async_size);
		return;
	}
	if (limit > ra->start + ra->size - 1)
		limit = ra->start + ra->size - 1;
	else if (cache->gen == STOCK_7_2)
		mark = ULONG_MAX;
	ra->order = min3(ra->order, (unsigned int)STOCK_MAX_ORDER, (unsigned int)ilog2(ra->size));

	while (index <= limit && !exists) {
		unsigned int order = ra->order;
		unsigned long i;

		if (index & ((1UL << order) - 1))
			order = __ffs(index);
		while (index + (1UL << order) - 1 > limit)
			order--;
		if (cache->gen == STOCK_6_1 && order == 1)
			order = 0;	/* no folios of order 1 before 6.8 */
		for (i = index; i < index + (1UL << order); i++)
			exists |= sim_cached(cache, i);
		if (exists)
			break;
		sim_add_folio(cache, index, order, index == round_down(mark, 1UL << order));
		index += 1UL << order;
	}
	sim_submit(cache, ra->start, index - ra->start);
	/* Up to 6.15 the whole size again from here on, so more than the window. */
	if (exists)
		sim_read_pages(cache, index, cache->gen == STOCK_7_2 ?
			       ra->size - (index - ra->start) : ra->size, ra->async_size);
}

/* page_cache_sync_ra(), whole */
static inline void sim_sync_door(struct simcache *cache, struct stock_ra *ra, unsigned long index,
				 unsigned long req)
{
	unsigned long max = stock_max_pages(ra, req, cache->io_pages);

	switch (stock_sync(cache->gen, ra, index, req, max,
			   sim_prev_miss(cache, index - 1, max))) {
	case STOCK_REQUEST:
		sim_read_pages(cache, index, req, 0);
		break;
	case STOCK_WINDOW:
		sim_read_window(cache, ra);
		break;
	case STOCK_NOTHING:
		break;
	}
}

/*
 * page_cache_async_ra(), whole; @folio is the first page of the one with the marker. @index
 * is where the control says that it is: the same, unless ctxra pretends.
 */
static inline void sim_async_door(struct simcache *cache, struct stock_ra *ra,
				  unsigned long folio, unsigned long index, unsigned long req)
{
	unsigned long max = stock_max_pages(ra, req, cache->io_pages);

	sim_page(cache, folio)->marker = false;
	if (stock_async(cache->gen, ra, index, sim_order(cache, folio), req, max,
			sim_next_miss(cache, index + 1, max)) == STOCK_WINDOW)
		sim_read_window(cache, ra);
}

/* The state that a steered call gets instead of the file's. */
static inline struct stock_ra sim_steered(const struct ctxra_steering *st)
{
	return (struct stock_ra){
		.start = st->start,
		.size = st->size,
		.async_size = st->async_size,
		.ra_pages = st->ra_pages,
		.order = st->order,
		.prev_pos = st->prev_pos,
	};
}

#endif
