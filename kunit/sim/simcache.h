/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A simulated page cache of one file: which pages are cached, in folios of which order, which
 * carry the readahead marker, and when their I/O ends; and the parts of mm/readahead.c that
 * fill it. Adjacent pages that one call reads are one I/O.
 */
#ifndef SEQKEEP_KUNIT_SIMCACHE_H
#define SEQKEEP_KUNIT_SIMCACHE_H

#include <kunit/test.h>
#include <linux/hash.h>
#include <linux/string.h>

#include "ctxra/steer.h"
#include "sim/stock.h"

/* A tick of the clock is a call of filemap_get_pages(). An I/O takes this many. */
#define SIM_IO_TICKS	50
#define SIM_TICKS_PER_MS	(SIM_IO_TICKS / 2)

/* A kernel, and whether the file system has large folios. */
struct sim_way {
	enum stock_gen gen;
	bool large;
};

#define SIM_NR_WAYS	(2 * STOCK_NR_GENS)

extern const struct sim_way sim_ways[SIM_NR_WAYS];

struct sim_page {
	u32 ready;	/* the time when its I/O ends */
	u8 order;	/* of its folio */
	bool cached;
	bool marker;	/* on the first page of the folio only */
	bool used;	/* a reader copied it: PG_referenced */
	bool evicted;	/* reclaimed: a shadow entry */
};

/**
 * struct simcache - the cache, and counts of its I/Os
 * @test: for expectations
 * @gen: the stock code that fills it
 * @large: the file system has large folios
 * @first: lowest page that can be cached: the index of @pages[0]
 * @eof: index after the last page of the file
 * @io_pages: bdi->io_pages
 * @pages: all pages from @first to @eof
 * @limit: pages that may be cached, 0 if there is no limit
 * @nr_cached: pages that are cached
 * @oldest: folios in the order in which they were cached, by their first page
 * @head: index in @oldest for the next folio
 * @tail: index in @oldest of the next folio to reclaim
 * @now: time, in ticks
 * @ios: I/Os so far
 * @read: pages read so far
 * @io_hash: a hash of all I/Os so far, in order
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
	u64 io_hash;
};

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

void simcache_init(struct simcache *cache, struct kunit *test, unsigned long first,
		   unsigned long eof);
void simcache_reset(struct simcache *cache, const struct sim_way *way);
unsigned long sim_cached_before(struct simcache *cache, unsigned long index, unsigned long max);
unsigned long sim_trail(struct simcache *cache, unsigned long index, unsigned long max);
unsigned long sim_cached_from(struct simcache *cache, unsigned long index, unsigned long max);
void sim_submit(struct simcache *cache, unsigned long start, unsigned long nr);
void sim_add_folio(struct simcache *cache, unsigned long index, unsigned int order, bool marker);
void simcache_limit(struct simcache *cache, unsigned long limit);
void sim_stock_sync_ra(struct simcache *cache, struct stock_ra *ra, unsigned long index,
		       unsigned long req);
void sim_stock_async_ra(struct simcache *cache, struct stock_ra *ra, unsigned long folio,
			unsigned long index, unsigned long req);
struct stock_ra sim_steered(const struct ctxra_steering *st);

#endif
