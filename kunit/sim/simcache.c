// SPDX-License-Identifier: GPL-2.0-only
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>

#include "sim/simcache.h"

const struct sim_way sim_ways[SIM_NR_WAYS] = {
	{ STOCK_6_1, false },
	{ STOCK_6_1, true },
	{ STOCK_6_12, false },
	{ STOCK_6_12, true },
	{ STOCK_7_2, false },
	{ STOCK_7_2, true },
};

void simcache_init(struct simcache *cache, struct kunit *test, unsigned long first,
		   unsigned long eof)
{
	memset(cache, 0, sizeof(*cache));
	cache->test = test;
	cache->first = first;
	cache->eof = eof;
	cache->pages = kunit_kcalloc(test, eof - first, sizeof(*cache->pages), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, cache->pages);
}

/* Empty the cache, to start over with another kernel. */
void simcache_reset(struct simcache *cache, const struct sim_way *way)
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
	cache->io_hash = 0;
}

/* ctxra_cached_before() */
unsigned long sim_cached_before(struct simcache *cache, unsigned long index, unsigned long max)
{
	if (index && sim_cached(cache, index - 1) && !sim_page(cache, index - 1)->used &&
	    sim_page(cache, index - 1)->ready <= cache->now)
		return 0;
	return sim_trail(cache, index, max);
}

/* ctxra_trail() */
unsigned long sim_trail(struct simcache *cache, unsigned long index, unsigned long max)
{
	unsigned long nr = 0;

	while (nr < min(max, index) && sim_cached(cache, index - nr - 1))
		nr++;
	return nr;
}

unsigned long sim_cached_from(struct simcache *cache, unsigned long index, unsigned long max)
{
	unsigned long nr = 0;

	while (nr < max && sim_cached(cache, index + nr))
		nr++;
	return nr;
}

/*
 * A position in the page cache's XArray as xas_next() and xas_prev() move it: the index that
 * they report, and the slot, of XA_CHUNK_SIZE in a node, that they examine. The two part when
 * the walk starts within a large folio, because the slot is that of the folio's first page.
 * They may meet again where the walk leaves a node.
 */
struct sim_walk {
	unsigned long index;
	unsigned long slot;
};

#define SIM_CHUNK	64UL	/* XA_CHUNK_SIZE */

static struct sim_walk sim_walk_start(struct simcache *cache, unsigned long index)
{
	return (struct sim_walk){
		.index = index,
		.slot = sim_cached(cache, index) ? sim_folio(cache, index) : index,
	};
}

/* page_cache_next_miss() */
static unsigned long sim_next_miss(struct simcache *cache, unsigned long from, unsigned long max)
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
	/* Without a miss: the last page examined, or the one behind it. */
	return cache->gen == STOCK_6_1 ? w.index : from + max;
}

/* page_cache_prev_miss() */
static unsigned long sim_prev_miss(struct simcache *cache, unsigned long from, unsigned long max)
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

/* Count one I/O for pages that were just added. */
void sim_submit(struct simcache *cache, unsigned long start, unsigned long nr)
{
	if (!nr)
		return;
	cache->ios++;
	cache->read += nr;
	cache->io_hash = ((cache->io_hash ^ start) * GOLDEN_RATIO_64 ^ nr) * GOLDEN_RATIO_64;
}

/* Reclaim the oldest folios, up to the first that is in flight. */
static void sim_reclaim(struct simcache *cache)
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

void sim_add_folio(struct simcache *cache, unsigned long index, unsigned int order, bool marker)
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

/* Limit the pages that are cached at a time. Not for readers that drop pages. */
void simcache_limit(struct simcache *cache, unsigned long limit)
{
	cache->limit = limit;
	cache->oldest = kunit_kcalloc(cache->test, cache->eof - cache->first,
				      sizeof(*cache->oldest), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(cache->test, cache->oldest);
}

/* do_page_cache_ra(), page_cache_ra_unbounded(): read the missing pages, in folios of one. */
static void sim_read_pages(struct simcache *cache, unsigned long start, unsigned long nr,
			   unsigned long lookahead)
{
	unsigned long from = start, i;

	if (start >= cache->eof)
		return;
	if (nr >= cache->eof - start) {
		nr = cache->eof - start;
		/* Up to 6.12 there is a marker at the end of the file, too. */
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

/* page_cache_ra_order(): read the window in @ra, in folios as large as order and index allow. */
static void sim_read_window(struct simcache *cache, struct stock_ra *ra)
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
	/* Up to 6.15 it reads the whole size again from here on, so more than the window. */
	if (exists)
		sim_read_pages(cache, index, cache->gen == STOCK_7_2 ?
			       ra->size - (index - ra->start) : ra->size, ra->async_size);
}

/* page_cache_sync_ra() */
void sim_stock_sync_ra(struct simcache *cache, struct stock_ra *ra, unsigned long index,
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
 * page_cache_async_ra(). @folio is the first page of the folio with the marker, @index the one
 * in the readahead_control: the same, unless ctxra pretends another.
 */
void sim_stock_async_ra(struct simcache *cache, struct stock_ra *ra, unsigned long folio,
			unsigned long index, unsigned long req)
{
	unsigned long max = stock_max_pages(ra, req, cache->io_pages);

	sim_page(cache, folio)->marker = false;
	if (stock_async(cache->gen, ra, index, sim_order(cache, folio), req, max,
			sim_next_miss(cache, index + 1, max)) == STOCK_WINDOW)
		sim_read_window(cache, ra);
}

/* The state that a steered call gets instead of the file's own. */
struct stock_ra sim_steered(const struct ctxra_steering *st)
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
