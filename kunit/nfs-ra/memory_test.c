// SPDX-License-Identifier: GPL-2.0-only
/* The windows of nfs-ra where memory is short, with a simulated page cache that evicts pages. */
#include <kunit/test.h>

#include "sim/simmount.h"

#define STREAMS		4
#define STREAM_PAGES	4096UL	/* 16 MiB of each */

KUNIT_ARRAY_PARAM(way, sim_ways, sim_way_desc);

/* Streams read in turn, each in an open file of its own, in a cache of @limit pages. */
static void read_streams(struct simmount *r, const struct sim_way *way, unsigned long limit,
			 unsigned long memory, unsigned long ra_pages, bool steered)
{
	struct stock_ra ra[STREAMS];
	unsigned long at;
	unsigned int i;

	sim_reopen(r, way, steered && ra_pages == MOUNT_PAGES);
	r->limited = steered;
	r->memory = memory;
	r->mount_pages = ra_pages;
	simcache_limit(&r->cache, limit);
	for (i = 0; i < STREAMS; i++)
		ra[i] = (struct stock_ra){ .ra_pages = ra_pages, .prev_pos = -1 };
	for (at = 0; at < STREAM_PAGES; at += BLOCK) {
		for (i = 0; i < STREAMS; i++) {
			r->ra = ra[i];
			sim_read_file(r, i * (FILE_PAGES / STREAMS) + at, BLOCK);
			ra[i] = r->ra;
		}
	}
	simcache_limit(&r->cache, 0);
}

/*
 * Where memory is short, hardly more is fetched than by the stock code with its 128 KiB: a
 * twentieth, and the two windows that are ahead of each reader when it stops.
 */
static void memory_short(struct kunit *test)
{
	static const unsigned long limits[] = { 2560, 5120, 8192, 16384 };
	static const unsigned long ra_pages[] = { MOUNT_PAGES, 1024 };
	struct simmount *r = simmount_alloc(test);
	unsigned long many;
	unsigned int i, j;

	read_streams(r, way_of(test), 1024 * 64, 1UL << 20, 1024, true);
	many = r->cache.read;
	for (i = 0; i < ARRAY_SIZE(limits); i++) {
		unsigned long stock, unbounded = 0;

		read_streams(r, way_of(test), limits[i], 0, MOUNT_PAGES, false);
		stock = r->cache.read;
		for (j = 0; j < ARRAY_SIZE(ra_pages); j++) {
			read_streams(r, way_of(test), limits[i], limits[i] / 64, ra_pages[j], true);
			KUNIT_EXPECT_LE_MSG(test, r->cache.read,
					    stock + stock / 20 + 2 * STREAMS * r->memory,
					    "%lu pages, readahead %lu", limits[i], ra_pages[j]);
		}
		read_streams(r, way_of(test), limits[i], 0, 1024, false);
		unbounded = r->cache.read;
		/* The machine has much memory, of which others leave little to the page cache. */
		read_streams(r, way_of(test), limits[i], 1UL << 20, 1024, true);
		KUNIT_EXPECT_LE_MSG(test, r->cache.read, many + many / 20, "%lu pages of many",
				    limits[i]);
		/* The test means something. */
		if (!i)
			KUNIT_EXPECT_GT(test, unbounded, 9 * stock / 8);
	}
}

/*
 * Where memory is short, a reader that reads 1 MiB at a time makes hardly more READs than by the
 * stock code; with a constant, up to twice as many on 6.1 if it does not begin at a multiple of a
 * folio: at a marker on the last page of a read() nobody knows there that it was large.
 */
static void memory_short_large_reads(struct kunit *test)
{
	static const unsigned long ra_pages[] = { MOUNT_PAGES, 1024 };
	struct simmount *r = simmount_alloc(test);
	unsigned long stock, start;
	unsigned int i;

	for (start = 0; start < 100; start += 33) {
		sim_reopen(r, way_of(test), false);
		simcache_limit(&r->cache, 5120);
		sim_read_piece(r, start, 16384, RSIZE);
		stock = r->cache.ios;
		simcache_limit(&r->cache, 0);
		for (i = 0; i < ARRAY_SIZE(ra_pages); i++) {
			bool unknown = i && start && way_of(test)->gen == STOCK_6_1;

			sim_reopen(r, way_of(test), ra_pages[i] == MOUNT_PAGES);
			r->limited = true;
			r->memory = 5120 / 64;
			r->ra.ra_pages = ra_pages[i];
			r->mount_pages = ra_pages[i];
			simcache_limit(&r->cache, 5120);
			sim_read_piece(r, start, 16384, RSIZE);
			KUNIT_EXPECT_LE_MSG(test, r->cache.ios,
					    unknown ? stock * 11 / 5 : stock + stock / 10 + 1,
					    "from %lu, %lu", start, ra_pages[i]);
			simcache_limit(&r->cache, 0);
		}
	}
}

/* Where memory is not short, a constant is read as by the stock code, I/O by I/O. */
static void memory_enough(struct kunit *test)
{
	struct simmount *r = simmount_alloc(test);
	u64 trace;

	read_streams(r, way_of(test), 1024 * 64, 0, 1024, false);
	trace = r->cache.io_hash;
	read_streams(r, way_of(test), 1024 * 64, 1024, 1024, true);
	KUNIT_EXPECT_EQ(test, trace, r->cache.io_hash);
}

/* posix_fadvise(SEQUENTIAL) where memory is short: as without the module. */
static void advised(struct kunit *test)
{
	struct simmount *r = simmount_alloc(test);
	unsigned long limit, ios[2];
	unsigned int grows;

	for (limit = 1024; limit <= 8192; limit *= 2) {
		for (grows = 0; grows < 2; grows++) {
			sim_reopen(r, way_of(test), grows);
			r->ra.ra_pages = 2 * MOUNT_PAGES;
			r->memory = limit / 64;
			simcache_limit(&r->cache, limit);
			sim_read_piece(r, 0, FILE_PAGES, BLOCK);
			simcache_limit(&r->cache, 0);
			ios[grows] = r->cache.ios;
		}
		KUNIT_EXPECT_LE_MSG(test, ios[1], ios[0] + 1, "memory of %lu pages", limit);
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(memory_short, way_gen_params),
	KUNIT_CASE_PARAM(memory_short_large_reads, way_gen_params),
	KUNIT_CASE_PARAM(memory_enough, way_gen_params),
	KUNIT_CASE_PARAM(advised, way_gen_params),
	{}
};

static struct kunit_suite suite = {
	.name = "nfs_ra_memory",
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_LICENSE("GPL");
