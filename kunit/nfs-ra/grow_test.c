// SPDX-License-Identifier: GPL-2.0-only
/* The windows of nfs-ra, with a model of the stock code and a simulated page cache. */
#include <kunit/test.h>
#include <linux/log2.h>
#include <linux/prandom.h>

#include "nfs-ra/grow.h"
#include "nfs-ra/habit.h"
#include "sim/simcache.h"

#define MOUNT_PAGES	32UL	/* the mount's readahead, 128 KiB */
#define MAX_WINDOW	2048UL	/* 8 MiB */
#define RSIZE		256UL	/* bdi->io_pages of a mount with rsize 1 MiB */
#define FILE_PAGES	32768UL
#define BLOCK		16UL	/* a read of 64 KiB */

/* One open file of a mount. */
struct reader {
	struct simcache cache;
	struct stock_ra ra;
	bool grows;
	bool limited;		/* of a mount with a large constant: windows are only bounded */
	unsigned long memory;	/* as &nra_limits.memory */
	unsigned int largest;	/* largest window that was opened */
	unsigned long begin;	/* of the read() at hand */
	bool pread;		/* nobody knows where that began */
	struct nra_habit habit;	/* of the mount */
};

static const struct sim_way *way_of(struct kunit *test)
{
	return test->param_value;
}

static void way_desc(const struct sim_way *way, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s%s", stock_names[way->gen],
		 way->large ? ", large folios" : "");
}

KUNIT_ARRAY_PARAM(way, sim_ways, way_desc);

static struct reader *reader_alloc(struct kunit *test)
{
	struct reader *r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, r);
	simcache_init(&r->cache, test, 0, FILE_PAGES);
	return r;
}

/* Open the next file of the mount, with nothing cached. */
static void open_next(struct reader *r, const struct sim_way *way, bool grows, unsigned long pages)
{
	r->cache.eof = FILE_PAGES;
	simcache_reset(&r->cache, way);
	r->cache.eof = pages;
	r->cache.io_pages = RSIZE;
	r->ra = (struct stock_ra){ .ra_pages = MOUNT_PAGES, .prev_pos = -1 };
	r->grows = grows;
	r->limited = false;
	r->memory = MAX_WINDOW;
	r->largest = 0;
}

/* Open a file of a new mount, with nothing cached. */
static void reopen(struct reader *r, const struct sim_way *way, bool grows)
{
	r->habit = (struct nra_habit){};
	open_next(r, way, grows, FILE_PAGES);
}

static enum nra_page look_up(void *cache, unsigned long index)
{
	struct simcache *c = cache;

	if (sim_cached(c, index))
		return sim_page(c, index)->used ? NRA_PAGE_READ : NRA_PAGE_UNREAD;
	return sim_page(c, index)->evicted ? NRA_PAGE_EVICTED : NRA_PAGE_ABSENT;
}

/* As nra_use_habit() of windows.c. */
static void use_habit(struct reader *r, const struct nra_window *last, const struct nra_run *run,
		      struct nra_limits *limits)
{
	unsigned long end = last->start + last->size;

	if (!r->grows || !run->from_start || !run->pages)
		return;
	limits->from_start = nra_habit_window(&r->habit, run->pages, end, r->cache.eof,
					      MOUNT_PAGES);
	nra_habit_note(&r->habit, last->start, end, r->cache.eof, MOUNT_PAGES);
}

/* As nra_async_ra_entry(), nra_decide() and nra_steer() of windows.c. */
static void probe(struct reader *r, unsigned long index, unsigned long req)
{
	struct nra_window last = { r->ra.start, r->ra.size, r->ra.async_size };
	unsigned long prev = (u64)r->ra.prev_pos >> PAGE_SHIFT, end;
	struct nra_read read = {
		.index = index,
		.folio_pages = 1UL << sim_order(&r->cache, index),
		.begin = r->pread ? 0 : r->begin,
		.req = req,
	};
	bool unsure = nra_may_skip(prev, &read);
	struct nra_limits limits = {
		.file_pages = r->ra.ra_pages,
		.mount_pages = r->ra.ra_pages,
		.max_window = r->grows ? MAX_WINDOW : 0,
		.memory = r->memory,
	};
	unsigned long enough;
	struct nra_run run;
	unsigned int size;

	if (!nra_is_expected_marker(&last, index, read.folio_pages))
		return;
	end = nra_run_end(prev, &read, look_up, &r->cache);
	limits.smallest = nra_smallest_window(last.size, r->ra.ra_pages, MOUNT_PAGES,
					      nra_read_length(prev, end, &read),
					      r->cache.io_pages);
	enough = nra_run_enough(last.size, &limits);
	if (r->grows)
		enough = max(enough, nra_habit_pages(MOUNT_PAGES));
	run = nra_run_measure(end, MOUNT_PAGES / 2, enough, look_up, &r->cache);
	run.unsure = unsure;
	use_habit(r, &last, &run, &limits);
	size = nra_next_window(last.size, &limits, &run);
	/* As nra_limit_folios(). */
	if (r->cache.gen == STOCK_7_2 && r->grows &&
	    (size || last.size > max(MOUNT_PAGES, r->cache.io_pages)))
		r->ra.order = min_t(unsigned int, r->ra.order, ilog2(MOUNT_PAGES) - 2);
	if (!size)
		return;
	KUNIT_EXPECT_LE(r->cache.test, size, MAX_WINDOW);
	nra_steer_window(&last, size, r->ra.ra_pages);
	KUNIT_EXPECT_LE(r->cache.test, nra_stock_window(last.size, r->ra.ra_pages), size);
	r->ra.start = last.start;
	r->ra.size = last.size;
}

/* As filemap_read(), which looks for a marker on the last folio of each batch. */
static void read_pages(struct reader *r, unsigned long index, unsigned long nr)
{
	unsigned long end = min(index + nr, r->cache.eof), i;

	r->begin = index;
	while (index < end) {
		unsigned long next = index;

		if (!sim_cached(&r->cache, index))
			sim_stock_sync_ra(&r->cache, &r->ra, index, end - index);
		KUNIT_ASSERT_TRUE(r->cache.test, sim_cached(&r->cache, index));
		while (next < end && sim_cached(&r->cache, next)) {
			unsigned long folio = sim_folio(&r->cache, next);

			next = folio + (1UL << sim_order(&r->cache, folio));
			if (!sim_page(&r->cache, folio)->marker)
				continue;
			if (r->grows || r->limited)
				probe(r, folio, end - folio);
			sim_stock_async_ra(&r->cache, &r->ra, folio, folio, end - folio);
			r->largest = max(r->largest, r->ra.size);
			break;
		}
		next = min(next, end);
		for (i = sim_folio(&r->cache, index); i < next; i++)
			sim_page(&r->cache, i)->used = true;
		index = next;
		/* Up to 6.11 after each batch, since then after each read(). */
		if (r->cache.gen == STOCK_6_1)
			r->ra.prev_pos = (long long)index << PAGE_SHIFT;
	}
	r->ra.prev_pos = (long long)end << PAGE_SHIFT;
}

static void read_piece(struct reader *r, unsigned long index, unsigned long nr,
		       unsigned long block)
{
	unsigned long i;

	for (i = 0; i < nr; i += block)
		read_pages(r, index + i, min(block, nr - i));
}

static const unsigned long blocks[] = { 1, 16, 32, 256 };

/* A sequential reader fetches each page once, in windows that grow to the limit. */
static void in_order(struct kunit *test)
{
	struct reader *r = reader_alloc(test);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(blocks); i++) {
		unsigned long ios;

		reopen(r, way_of(test), false);
		read_piece(r, 0, FILE_PAGES, blocks[i]);
		ios = r->cache.ios;
		reopen(r, way_of(test), true);
		read_piece(r, 0, FILE_PAGES, blocks[i]);
		KUNIT_EXPECT_EQ(test, r->cache.read, FILE_PAGES);
		KUNIT_EXPECT_LE(test, r->cache.ios, ios / 4);
		KUNIT_EXPECT_EQ(test, r->largest, MAX_WINDOW);
		if (r->cache.gen == STOCK_7_2)
			KUNIT_EXPECT_LE(test, r->ra.order, (unsigned int)ilog2(MOUNT_PAGES));
	}
}

/*
 * Windows grow in a long run from the middle of the file, too, to a 64th of its length: it takes a
 * third of the I/Os.
 */
static void from_the_middle(struct kunit *test)
{
	struct reader *r = reader_alloc(test);
	unsigned long ios;

	reopen(r, way_of(test), false);
	read_piece(r, 12345, FILE_PAGES - 12345, BLOCK);
	ios = r->cache.ios;
	reopen(r, way_of(test), true);
	read_piece(r, 12345, FILE_PAGES - 12345, BLOCK);
	KUNIT_EXPECT_EQ(test, r->cache.read, FILE_PAGES - 12345);
	KUNIT_EXPECT_LE(test, r->cache.ios, ios / 3);
	/* The newest kernels cut the end of a window to a multiple of its folios. */
	KUNIT_EXPECT_GE(test, r->largest, 256 - MOUNT_PAGES);
	KUNIT_EXPECT_LE(test, r->largest, (FILE_PAGES - 12345) / 32);
}

/* Pieces of less than 64 times the mount's readahead are read as without the module. */
static void pieces(struct kunit *test)
{
	struct reader *r = reader_alloc(test);
	u64 trace[2];
	unsigned int i, grows, block;

	for (block = 0; block < 3; block++) {
		for (grows = 0; grows < 2; grows++) {
			struct rnd_state rnd;

			prandom_seed_state(&rnd, 7);
			reopen(r, way_of(test), grows);
			for (i = 1; i < FILE_PAGES / 4096; i++)
				read_piece(r, i * 4096 + prandom_u32_state(&rnd) % 1024,
					   prandom_u32_state(&rnd) % (64 * MOUNT_PAGES - 1) + 1,
					   blocks[block]);
			trace[grows] = r->cache.io_hash;
		}
		KUNIT_EXPECT_EQ_MSG(test, trace[0], trace[1], "blocks of %lu", blocks[block]);
	}
}

#define PIECE_SEEDS	24

/* Of longer pieces, up to 24 MiB, hardly more is fetched than without the module: a 32nd. */
static void long_pieces(struct kunit *test)
{
	struct reader *r = reader_alloc(test);
	unsigned long read[2] = {};
	unsigned int seed, i, grows;

	for (seed = 1; seed <= PIECE_SEEDS; seed++) {
		for (grows = 0; grows < 2; grows++) {
			struct rnd_state rnd;

			prandom_seed_state(&rnd, seed);
			reopen(r, way_of(test), grows);
			for (i = 0; i < 4; i++)
				read_piece(r, i * 8192 + prandom_u32_state(&rnd) % 1024 + 1,
					   1024 + prandom_u32_state(&rnd) % 5120, BLOCK);
			read[grows] += r->cache.read;
			/* Some windows did grow. */
			if (grows)
				KUNIT_EXPECT_GT_MSG(test, r->largest, MOUNT_PAGES, "seed %u", seed);
		}
	}
	KUNIT_EXPECT_LE(test, read[1], read[0] + read[0] / 32);
}

/*
 * If the pages before the pieces were evicted, hardly more is fetched, either: a sixteenth, also
 * with little memory, in which the pieces do fit.
 */
static void evicted_pieces(struct kunit *test)
{
	static const unsigned long memory[] = { 256, 512, 1024, MAX_WINDOW };
	struct reader *r = reader_alloc(test);
	unsigned int seed, i, m, grows;

	for (m = 0; m < ARRAY_SIZE(memory); m++) {
		unsigned long read[2] = {};

		for (seed = 1; seed <= PIECE_SEEDS; seed++) {
			for (grows = 0; grows < 2; grows++) {
				struct rnd_state rnd;

				prandom_seed_state(&rnd, seed);
				reopen(r, way_of(test), grows);
				r->memory = memory[m];
				for (i = 0; i < FILE_PAGES; i++)
					sim_page(&r->cache, i)->evicted = true;
				for (i = 0; i < 4; i++)
					read_piece(r, i * 8192 + prandom_u32_state(&rnd) % 1024 + 1,
						   128 + prandom_u32_state(&rnd) % 6144, BLOCK);
				read[grows] += r->cache.read;
			}
		}
		KUNIT_EXPECT_LE_MSG(test, read[1], read[0] + read[0] / 16, "memory %lu", memory[m]);
	}
}

/*
 * Large reads that do not follow each other: the pages of one prove nothing of the next. Up to 6.11
 * prev_pos moves within a read, so a read of several rsize counts as a run there. Since 6.17 its
 * windows have smaller folios with the module, so that they end elsewhere.
 */
static void large_reads(struct kunit *test)
{
	static const unsigned long nrs[] = { 64, 256, 512, 1024 };
	struct reader *r = reader_alloc(test);
	unsigned long read[2];
	unsigned int i, j, up;
	bool grows;

	for (j = 0; j < 2 * ARRAY_SIZE(nrs); j++) {
		unsigned long nr = nrs[j / 2];

		/* Upwards each read begins behind the last one. */
		up = j % 2;
		for (grows = false;; grows = true) {
			reopen(r, way_of(test), grows);
			for (i = 7; i; i--)
				read_piece(r, (up ? 8 - i : i) * 4096 + 5, nr, nr);
			read[grows] = r->cache.read;
			if (grows)
				break;
		}
		if (way_of(test)->gen == STOCK_7_2 && nr > RSIZE)
			KUNIT_EXPECT_LE_MSG(test, read[1], read[0], "reads of %lu, up %u", nr, up);
		else if (way_of(test)->gen != STOCK_6_1 || nr <= RSIZE)
			KUNIT_EXPECT_EQ_MSG(test, read[0], read[1], "reads of %lu, up %u", nr, up);
		else
			KUNIT_EXPECT_LE_MSG(test, read[1], 3 * read[0], "reads of %lu, up %u", nr,
					    up);
	}
}

/*
 * Wherever a reader of a mount's first file stops, at most three times what it read was fetched,
 * beyond 4 MiB eight times, and if it began in the middle of the file, at most 17/16 of that, or
 * what the stock code fetches.
 */
static void fetched(struct kunit *test)
{
	static const unsigned long starts[] = { 0, 4099 };
	struct reader *r = reader_alloc(test);
	unsigned long nr, stock, most;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		for (nr = BLOCK; nr <= 3 * MAX_WINDOW; nr += nr / 4) {
			reopen(r, way_of(test), false);
			read_piece(r, starts[i], nr, BLOCK);
			stock = r->cache.read;
			reopen(r, way_of(test), true);
			read_piece(r, starts[i], nr, BLOCK);
			most = max(stock, starts[i] ? nr + nr / 16 : nr < 1024 ? 3 * nr : 8 * nr);
			KUNIT_EXPECT_LE_MSG(test, r->cache.read, most,
					    "%lu pages from %lu", nr, starts[i]);
			KUNIT_EXPECT_LE_MSG(test, r->cache.read, nr + 2 * MAX_WINDOW,
					    "%lu pages from %lu", nr, starts[i]);
		}
	}
}

/* A seek ends the growth: the next window has the stock size. */
static void seek(struct kunit *test)
{
	struct reader *r = reader_alloc(test);
	unsigned long before;

	reopen(r, way_of(test), true);
	read_piece(r, 0, 8192, BLOCK);
	KUNIT_EXPECT_EQ(test, r->largest, MAX_WINDOW);
	before = r->cache.read;
	read_piece(r, 20000, 2 * MOUNT_PAGES, BLOCK);
	KUNIT_EXPECT_LE(test, r->cache.read - before, 5 * MOUNT_PAGES);
}

/* Every second block is no run, whatever markers the reader hits. */
static void stride(struct kunit *test)
{
	struct reader *r = reader_alloc(test);
	unsigned long step, i, read;
	unsigned int grows;

	for (step = 2; step <= 64; step *= 2) {
		read = 0;
		for (grows = 0; grows < 2; grows++) {
			reopen(r, way_of(test), grows);
			for (i = 0; i < 8192; i += step)
				read_pages(r, i, step / 2);
			if (!grows)
				read = r->cache.read;
		}
		KUNIT_EXPECT_LE_MSG(test, r->cache.read, read + 2 * MOUNT_PAGES, "step %lu", step);
	}
}

/* Read @in_order pages from the file's start, and then @nr pages of every @step, or a few more. */
static void read_and_skip(struct reader *r, const struct sim_way *way, bool grows,
			  unsigned long in_order, unsigned long nr, unsigned long step,
			  unsigned int seed)
{
	struct rnd_state rnd;
	unsigned long at;

	prandom_seed_state(&rnd, seed);
	reopen(r, way, grows);
	read_piece(r, 0, in_order, BLOCK);
	for (at = in_order; at < FILE_PAGES; at += step + prandom_u32_state(&rnd) % nr)
		read_pages(r, at, nr);
}

/*
 * A reader that skips most of a file after its start, as `tar --list` does, gets the windows that
 * were open, and later no more than without the module. It had up to 26 times as much when the
 * pages that it skipped, which its own windows had brought, counted as read in order. (With
 * pread(), of which nobody knows where it begins, its windows go down to a READ only.)
 */
static void skip(struct kunit *test)
{
	static const unsigned long in_order[] = { 64, 256, 1024, 2048 };
	static const unsigned long steps[] = { 46, 58, 64, 100, 219, 337 };
	static const unsigned long nrs[] = { 1, 3, 7, 10 };
	struct reader *r = reader_alloc(test);
	unsigned int i, seed;

	for (i = 0; i < ARRAY_SIZE(in_order) * ARRAY_SIZE(steps) * ARRAY_SIZE(nrs); i++) {
		unsigned long before = in_order[i / 24], step = steps[i / 4 % 6], nr = nrs[i % 4];

		for (seed = 1; seed <= 4; seed++) {
			unsigned long stock;

			read_and_skip(r, way_of(test), false, before, nr, step, seed);
			stock = r->cache.read;
			read_and_skip(r, way_of(test), true, before, nr, step, seed);
			KUNIT_EXPECT_LE_MSG(test, r->cache.read,
					    stock + stock / 4 + min(4 * before, 2 * MAX_WINDOW),
					    "%lu, then %lu of %lu, seed %u", before, nr, step,
					    seed);
		}
	}
}

/* pread() in order is never worse than without the module, and grows if it is short. */
static void pread_in_order(struct kunit *test)
{
	static const unsigned long lengths[] = { 1, 3, 16, 32, 48, 64, 100, 128, 256, 300, 1024 };
	struct reader *r = reader_alloc(test);
	unsigned long start, ios;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		for (start = 1; start < 40; start += 13) {
			reopen(r, way_of(test), false);
			read_pages(r, 0, start);
			read_piece(r, start, FILE_PAGES - start, lengths[i]);
			ios = r->cache.ios;
			reopen(r, way_of(test), true);
			r->pread = true;
			read_pages(r, 0, start);
			read_piece(r, start, FILE_PAGES - start, lengths[i]);
			r->pread = false;
			KUNIT_EXPECT_LE_MSG(test, r->cache.ios,
					    lengths[i] <= MOUNT_PAGES ? ios / 10 : ios + 1,
					    "%lu from %lu", lengths[i], start);
		}
	}
}

/* A reader that goes on where somebody else's pages end may leave soon: up to 4 times the bytes. */
static void resumed(struct kunit *test)
{
	struct reader *r = reader_alloc(test);
	unsigned long cached, nr;
	unsigned int grows;

	for (cached = 128; cached <= 4096; cached += cached / 2) {
		for (nr = 32; nr <= 512; nr += nr / 2) {
			unsigned long read[2];

			for (grows = 0; grows < 2; grows++) {
				open_next(r, way_of(test), grows, cached);
				read_piece(r, 0, cached, BLOCK);
				read[grows] = r->cache.read;
				r->cache.eof = FILE_PAGES;
				r->ra = (struct stock_ra){ .ra_pages = MOUNT_PAGES,
							   .prev_pos = -1 };
				read_piece(r, cached, nr, 4);
				read[grows] = r->cache.read - read[grows];
			}
			KUNIT_EXPECT_LE_MSG(test, read[1], 4 * read[0], "%lu pages from %lu", nr,
					    cached);
		}
	}
}

/* posix_fadvise(SEQUENTIAL) where memory is short: as without the module. */
static void advised(struct kunit *test)
{
	struct reader *r = reader_alloc(test);
	unsigned long limit, ios[2];
	unsigned int grows;

	for (limit = 1024; limit <= 8192; limit *= 2) {
		for (grows = 0; grows < 2; grows++) {
			reopen(r, way_of(test), grows);
			r->ra.ra_pages = 2 * MOUNT_PAGES;
			r->memory = limit / 64;
			simcache_limit(&r->cache, limit);
			read_piece(r, 0, FILE_PAGES, BLOCK);
			simcache_limit(&r->cache, 0);
			ios[grows] = r->cache.ios;
		}
		KUNIT_EXPECT_LE_MSG(test, ios[1], ios[0] + 1, "memory of %lu pages", limit);
	}
}

struct grown {
	unsigned int size;
	unsigned long run;
	bool from_start;
	unsigned int next;
};

static const struct grown growths[] = {
	/* In the middle of a file a run must cover the last window 64 times. */
	{ 32, 2047, false, 0 },
	{ 32, 2048, false, 64 },
	{ 32, 16384, false, 64 },
	{ 20, 1280, false, 40 },
	/* A large read opens a window of its own length at once. */
	{ 256, 16383, false, 0 },
	{ 256, 16384, false, 512 },
	/* From the start of the file it must cover half a window. */
	{ 32, 0, true, 0 },
	{ 32, 15, true, 0 },
	{ 32, 16, true, 64 },
	{ 256, 128, true, 512 },
	/* The stock code ramps up small windows. */
	{ 4, 2048, true, 0 },
	{ 15, 2048, true, 0 },
	/* The limit. */
	{ 1024, 65536, false, 2048 },
	{ 2048, 131072, false, 0 },
	{ 4096, 262144, false, 0 },
};

static void grown_desc(const struct grown *g, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%u after %lu%s", g->size, g->run,
		 g->from_start ? " from the start" : "");
}

KUNIT_ARRAY_PARAM(grown, growths, grown_desc);

static const struct nra_limits growing = {
	.file_pages = MOUNT_PAGES,
	.mount_pages = MOUNT_PAGES,
	.max_window = MAX_WINDOW,
	.memory = 2 * MAX_WINDOW,
	.smallest = MOUNT_PAGES,
	.from_start = ULONG_MAX,
};

static void grow(struct kunit *test)
{
	const struct grown *g = test->param_value;
	struct nra_run run = { g->run, g->from_start };

	KUNIT_EXPECT_EQ(test, g->next, nra_next_window(g->size, &growing, &run));
}

/* What bounds windows: the memory, and a run that ends at evicted pages. */
static void bounded(struct kunit *test)
{
	struct nra_limits limits = growing;
	struct nra_run run = { .pages = 120, .from_start = true };

	limits.memory = 80;
	KUNIT_EXPECT_EQ(test, nra_next_window(32, &limits, &run), 80U);
	KUNIT_EXPECT_EQ(test, nra_next_window(80, &limits, &run), 0U);
	KUNIT_EXPECT_EQ(test, nra_next_window(2048, &limits, &run), 80U);
	/* Never below the kernel's default. */
	limits.memory = 1;
	KUNIT_EXPECT_EQ(test, nra_next_window(32, &limits, &run), 0U);
	KUNIT_EXPECT_EQ(test, nra_next_window(2048, &limits, &run), 32U);

	limits.memory = 2048;
	run = (struct nra_run){ .pages = 600, .evicted = true };
	KUNIT_EXPECT_EQ(test, nra_next_window(128, &limits, &run), 0U);
	KUNIT_EXPECT_EQ(test, nra_next_window(2048, &limits, &run), 300U);
	/* Little memory: the run becomes no longer. */
	limits.memory = 200;
	run.pages = 16 * 200 - 1;
	KUNIT_EXPECT_EQ(test, nra_next_window(128, &limits, &run), 0U);
	run.pages++;
	KUNIT_EXPECT_EQ(test, nra_next_window(128, &limits, &run), 200U);
	/* However much memory there is in all. */
	limits.memory = 1UL << 20;
	run.pages = 10;
	KUNIT_EXPECT_EQ(test, nra_next_window(2048, &limits, &run), 32U);
	KUNIT_EXPECT_EQ(test, nra_next_window(32, &limits, &run), 0U);

	/* Files of the mount are left here: as the stock code, which keeps a window's size. */
	limits.memory = 2048;
	limits.from_start = 10;
	run = (struct nra_run){ .pages = 600, .from_start = true };
	KUNIT_EXPECT_EQ(test, nra_next_window(16, &limits, &run), 0U);
	KUNIT_EXPECT_EQ(test, nra_next_window(32, &limits, &run), 0U);
	KUNIT_EXPECT_EQ(test, nra_next_window(200, &limits, &run), 32U);
	limits.from_start = 70;
	KUNIT_EXPECT_EQ(test, nra_next_window(64, &limits, &run), 70U);
	limits.from_start = ULONG_MAX;
	run = (struct nra_run){ .pages = 10 };

	/* A constant of 4 MiB. */
	limits.file_pages = 1024;
	limits.mount_pages = 1024;
	limits.max_window = 0;
	limits.memory = 80;
	run.evicted = false;
	KUNIT_EXPECT_EQ(test, nra_next_window(16, &limits, &run), 0U);
	KUNIT_EXPECT_EQ(test, nra_next_window(64, &limits, &run), 80U);
	KUNIT_EXPECT_EQ(test, nra_next_window(1024, &limits, &run), 80U);
	limits.memory = 1024;
	run.evicted = true;
	KUNIT_EXPECT_EQ(test, nra_next_window(1024, &limits, &run), 32U);
	run.evicted = false;
	KUNIT_EXPECT_EQ(test, nra_next_window(1024, &limits, &run), 0U);
}

/* What nobody has read is no reason to keep a window. */
static void given_up(struct kunit *test)
{
	struct nra_run run = { .from_start = true };
	struct nra_limits limits = growing;

	KUNIT_EXPECT_EQ(test, nra_next_window(200, &limits, &run), 32U);
	/* A reader that drops what it has read keeps its window. */
	run.dropped = true;
	KUNIT_EXPECT_EQ(test, nra_next_window(200, &limits, &run), 0U);
	run = (struct nra_run){ .pages = 10, .unsure = true };
	KUNIT_EXPECT_EQ(test, nra_next_window(200, &limits, &run), 100U);
	KUNIT_EXPECT_EQ(test, nra_next_window(32, &limits, &run), 0U);
	/* posix_fadvise() has doubled the file's limit. */
	limits.file_pages = 2 * MOUNT_PAGES;
	limits.memory = 10;
	run = (struct nra_run){ .pages = 600, .evicted = true };
	KUNIT_EXPECT_EQ(test, nra_next_window(64, &limits, &run), 0U);
}

/* Large reads have windows of their own length from the stock code, up to a READ. */
static void smallest(struct kunit *test)
{
	struct nra_read read = { .index = 500, .folio_pages = 1, .req = 1 };

	/* A pread() after one elsewhere; one behind the last; a read() that began earlier. */
	KUNIT_EXPECT_EQ(test, nra_read_length(9000, 0, &read), 1UL);
	KUNIT_EXPECT_EQ(test, nra_read_length(480, 480, &read), 21UL);
	read.begin = 490;
	KUNIT_EXPECT_EQ(test, nra_read_length(480, 480, &read), 11UL);
	KUNIT_EXPECT_EQ(test, nra_smallest_window(1024, 1024, 32, 16, 256), 32UL);
	KUNIT_EXPECT_EQ(test, nra_smallest_window(1024, 16, 32, 32, 256), 16UL);
	KUNIT_EXPECT_EQ(test, nra_smallest_window(80, 1024, 32, 200, 256), 200UL);
	KUNIT_EXPECT_EQ(test, nra_smallest_window(256, 1024, 32, 33, 256), 256UL);
	KUNIT_EXPECT_EQ(test, nra_smallest_window(512, 1024, 32, 128, 256), 256UL);
	KUNIT_EXPECT_EQ(test, nra_smallest_window(512, 32, 32, 1024, 16), 32UL);
}

/* After a steered window the stock code opens the wanted one, or a little less. */
static void steer(struct kunit *test)
{
	static const unsigned long files[] = { 32, 64, 1024, 2048 };
	unsigned int i, next;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		for (next = 4; next < 5000; next += next / 7 + 1) {
			struct nra_window last = { .start = 10, .size = 700, .async_size = 300 };
			unsigned long got;

			nra_steer_window(&last, next, files[i]);
			KUNIT_EXPECT_EQ(test, last.start + last.size, 710UL);
			got = nra_stock_window(last.size, files[i]);
			KUNIT_EXPECT_LE(test, got, (unsigned long)next);
			KUNIT_EXPECT_GT(test, got, (unsigned long)next - 4);
		}
	}
}

/* start may wrap below 0, and the marker may be on a large folio. */
static void enlarge(struct kunit *test)
{
	struct nra_window last = { .start = 16, .size = 32, .async_size = 32 };

	KUNIT_EXPECT_TRUE(test, nra_is_expected_marker(&last, 16, 1));
	KUNIT_EXPECT_FALSE(test, nra_is_expected_marker(&last, 17, 1));
	KUNIT_EXPECT_FALSE(test, nra_is_expected_marker(&last, 0, 1));
	nra_steer_window(&last, 128, MOUNT_PAGES);
	KUNIT_EXPECT_EQ(test, last.start + last.size, 48UL);
	KUNIT_EXPECT_EQ(test, last.size, 128U);
	KUNIT_EXPECT_TRUE(test, nra_is_expected_marker(&last, 16, 1));
	last.async_size = 29;
	KUNIT_EXPECT_TRUE(test, nra_is_expected_marker(&last, 16, 4));
	KUNIT_EXPECT_FALSE(test, nra_is_expected_marker(&last, 19, 4));
}

static enum nra_page below_1000(void *samples, unsigned long index)
{
	++*(unsigned int *)samples;
	return index >= 1000 ? NRA_PAGE_READ : NRA_PAGE_EVICTED;
}

/* A run is never measured too long, nor with many samples. */
static void run_length(struct kunit *test)
{
	unsigned long end;

	for (end = 0; end < 100000; end += end / 8 + 1) {
		unsigned int samples = 0;
		struct nra_run run = nra_run_measure(end, MOUNT_PAGES / 2, MAX_WINDOW, below_1000,
						     &samples);

		KUNIT_EXPECT_LE(test, run.pages, end > 1000 ? end - 1000 : 0);
		KUNIT_EXPECT_LE(test, run.pages, MAX_WINDOW);
		KUNIT_EXPECT_EQ(test, run.from_start, !end);
		KUNIT_EXPECT_EQ(test, run.evicted, end && run.pages < MAX_WINDOW);
		KUNIT_EXPECT_LE(test, samples, 9 * 16U);
		if (end >= 1000 + 2 * MOUNT_PAGES)
			KUNIT_EXPECT_GE(test, run.pages, min(2 * MOUNT_PAGES, MAX_WINDOW));
	}
}

#define STREAMS		4
#define STREAM_PAGES	4096UL	/* 16 MiB of each */

/* Streams read in turn, each in an open file of its own, in a cache of @limit pages. */
static void read_streams(struct reader *r, const struct sim_way *way, unsigned long limit,
			 unsigned long memory, unsigned long ra_pages, bool steered)
{
	struct stock_ra ra[STREAMS];
	unsigned long at;
	unsigned int i;

	reopen(r, way, steered && ra_pages == MOUNT_PAGES);
	r->limited = steered;
	r->memory = memory;
	simcache_limit(&r->cache, limit);
	for (i = 0; i < STREAMS; i++)
		ra[i] = (struct stock_ra){ .ra_pages = ra_pages, .prev_pos = -1 };
	for (at = 0; at < STREAM_PAGES; at += BLOCK) {
		for (i = 0; i < STREAMS; i++) {
			r->ra = ra[i];
			read_pages(r, i * (FILE_PAGES / STREAMS) + at, BLOCK);
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
	struct reader *r = reader_alloc(test);
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
	struct reader *r = reader_alloc(test);
	unsigned long stock, start;
	unsigned int i;

	for (start = 0; start < 100; start += 33) {
		reopen(r, way_of(test), false);
		simcache_limit(&r->cache, 5120);
		read_piece(r, start, 16384, RSIZE);
		stock = r->cache.ios;
		simcache_limit(&r->cache, 0);
		for (i = 0; i < ARRAY_SIZE(ra_pages); i++) {
			bool unknown = i && start && way_of(test)->gen == STOCK_6_1;

			reopen(r, way_of(test), ra_pages[i] == MOUNT_PAGES);
			r->limited = true;
			r->memory = 5120 / 64;
			r->ra.ra_pages = ra_pages[i];
			simcache_limit(&r->cache, 5120);
			read_piece(r, start, 16384, RSIZE);
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
	struct reader *r = reader_alloc(test);
	u64 trace;

	read_streams(r, way_of(test), 1024 * 64, 0, 1024, false);
	trace = r->cache.io_hash;
	read_streams(r, way_of(test), 1024 * 64, 1024, 1024, true);
	KUNIT_EXPECT_EQ(test, trace, r->cache.io_hash);
}

#define MOUNT_FILES	40

/* Files of a mount, read one after the other from their start. */
struct mount_files {
	unsigned long pages[MOUNT_FILES];
	unsigned long read[MOUNT_FILES];
};

/* Sizes of 1 to 64 MiB, about as many of each octave; all are read whole. */
static void fill_files(struct mount_files *files, struct rnd_state *rnd)
{
	unsigned int i;

	for (i = 0; i < MOUNT_FILES; i++) {
		unsigned long octave = 256UL << (prandom_u32_state(rnd) % 6);

		files->pages[i] = octave + prandom_u32_state(rnd) % octave;
		files->read[i] = files->pages[i];
	}
}

struct cost {
	unsigned long read;
	unsigned long ios;
};

static void read_files(struct reader *r, const struct sim_way *way, bool grows,
		       const struct mount_files *files, unsigned long block, struct cost *cost)
{
	unsigned int i;

	reopen(r, way, grows);
	for (i = 0; i < MOUNT_FILES; i++) {
		open_next(r, way, grows, files->pages[i]);
		read_piece(r, 0, files->read[i], block);
		cost->read += r->cache.read;
		cost->ios += r->cache.ios;
	}
}

#define FILE_SEEDS	20

/*
 * Of files that are left after their head, hardly more is fetched than without the module, in no
 * more I/Os. The gauntlet's mounts/heads has twelve of 4 MiB, and 512 KiB of each are read.
 */
static void left_after_heads(struct kunit *test)
{
	struct mount_files *files = kunit_kzalloc(test, sizeof(*files), GFP_KERNEL);
	struct reader *r = reader_alloc(test);
	unsigned int seed, i, grows;
	unsigned long head;

	KUNIT_ASSERT_NOT_NULL(test, files);
	for (head = 16; head <= 1024; head *= 2) {
		struct cost cost[2] = {};

		for (seed = 1; seed <= FILE_SEEDS; seed++) {
			struct rnd_state rnd;

			prandom_seed_state(&rnd, seed);
			fill_files(files, &rnd);
			for (i = 0; i < MOUNT_FILES; i++)
				files->read[i] = min(head, files->pages[i]);
			for (grows = 0; grows < 2; grows++)
				read_files(r, way_of(test), grows, files, blocks[seed % 3],
					   &cost[grows]);
		}
		kunit_info(test, "heads of %lu pages: %lu of %lu pages, %lu of %lu I/Os\n", head,
			   cost[1].read, cost[0].read, cost[1].ios, cost[0].ios);
		KUNIT_EXPECT_LE_MSG(test, cost[1].read, cost[0].read + cost[0].read / 6,
				    "heads of %lu", head);
		KUNIT_EXPECT_LE_MSG(test, cost[1].ios, cost[0].ios + cost[0].ios / 50,
				    "heads of %lu", head);
	}
}

/* Heads of one length, of files of 128 MiB: ffprobe reads 5 MB, which is 1221 pages. */
static void heads_of_one_length(struct kunit *test)
{
	static const unsigned long heads[] = { 100, 325, 339, 500, 824, 1221, 1520, 2048, 3072,
					       4096 };
	struct reader *r = reader_alloc(test);
	unsigned int i, file, grows;

	for (i = 0; i < ARRAY_SIZE(heads); i++) {
		unsigned long read[2] = {};

		for (grows = 0; grows < 2; grows++) {
			reopen(r, way_of(test), grows);
			for (file = 0; file < MOUNT_FILES; file++) {
				open_next(r, way_of(test), grows, FILE_PAGES);
				read_piece(r, 0, heads[i], 8);
				read[grows] += r->cache.read;
			}
		}
		KUNIT_EXPECT_LE_MSG(test, read[1], read[0] * 7 / 5, "heads of %lu", heads[i]);
	}
}

/* Whole files are read in few I/Os, also after heads, and the first of a mount, too. */
static void whole_files(struct kunit *test)
{
	struct mount_files *files = kunit_kzalloc(test, sizeof(*files), GFP_KERNEL);
	struct reader *r = reader_alloc(test);
	unsigned int seed, i, grows, left;

	KUNIT_ASSERT_NOT_NULL(test, files);
	/* No heads; twenty before; every second, every fourth file. */
	for (left = 0; left < 4; left++) {
		struct cost cost[2] = {};

		for (seed = 1; seed <= FILE_SEEDS; seed++) {
			struct rnd_state rnd;

			prandom_seed_state(&rnd, seed);
			fill_files(files, &rnd);
			for (i = 0; left && i < MOUNT_FILES; i++)
				if (left == 1 ? i < 20 : i % (2 * left - 2) == 0)
					files->read[i] = 128;
			for (grows = 0; grows < 2; grows++)
				read_files(r, way_of(test), grows, files, BLOCK, &cost[grows]);
		}
		kunit_info(test, "whole, heads %u: %lu of %lu pages, %lu of %lu I/Os\n", left,
			   cost[1].read, cost[0].read, cost[1].ios, cost[0].ios);
		KUNIT_EXPECT_LE_MSG(test, cost[1].read, cost[0].read + cost[0].read / 25,
				    "heads %u", left);
		KUNIT_EXPECT_LE_MSG(test, cost[1].ios, cost[0].ios / 6, "heads %u", left);
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(grow, grown_gen_params),
	KUNIT_CASE(bounded),
	KUNIT_CASE(given_up),
	KUNIT_CASE(smallest),
	KUNIT_CASE(steer),
	KUNIT_CASE(enlarge),
	KUNIT_CASE(run_length),
	KUNIT_CASE_PARAM(in_order, way_gen_params),
	KUNIT_CASE_PARAM(from_the_middle, way_gen_params),
	KUNIT_CASE_PARAM(pieces, way_gen_params),
	KUNIT_CASE_PARAM(long_pieces, way_gen_params),
	KUNIT_CASE_PARAM(evicted_pieces, way_gen_params),
	KUNIT_CASE_PARAM(large_reads, way_gen_params),
	KUNIT_CASE_PARAM(fetched, way_gen_params),
	KUNIT_CASE_PARAM(seek, way_gen_params),
	KUNIT_CASE_PARAM(left_after_heads, way_gen_params),
	KUNIT_CASE_PARAM(whole_files, way_gen_params),
	KUNIT_CASE_PARAM(stride, way_gen_params),
	KUNIT_CASE_PARAM(skip, way_gen_params),
	KUNIT_CASE_PARAM(pread_in_order, way_gen_params),
	KUNIT_CASE_PARAM(resumed, way_gen_params),
	KUNIT_CASE_PARAM(advised, way_gen_params),
	KUNIT_CASE_PARAM(heads_of_one_length, way_gen_params),
	KUNIT_CASE_PARAM(memory_short, way_gen_params),
	KUNIT_CASE_PARAM(memory_short_large_reads, way_gen_params),
	KUNIT_CASE_PARAM(memory_enough, way_gen_params),
	{}
};

static struct kunit_suite suite = {
	.name = "nfs_ra_grow",
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_LICENSE("GPL");
