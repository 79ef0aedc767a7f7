// SPDX-License-Identifier: GPL-2.0-only
/* The windows of nfs-ra, with a model of the stock code and a simulated page cache. */
#include <kunit/test.h>
#include <linux/log2.h>
#include <linux/prandom.h>

#include "sim/simmount.h"

KUNIT_ARRAY_PARAM(way, sim_ways, sim_way_desc);

static const unsigned long blocks[] = { 1, 16, 32, 256 };

/* A sequential reader fetches each page once, in windows that grow to the limit. */
static void in_order(struct kunit *test)
{
	struct simmount *r = simmount_alloc(test);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(blocks); i++) {
		unsigned long ios;

		sim_reopen(r, way_of(test), false);
		sim_read_piece(r, 0, FILE_PAGES, blocks[i]);
		ios = r->cache.ios;
		sim_reopen(r, way_of(test), true);
		sim_read_piece(r, 0, FILE_PAGES, blocks[i]);
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
	struct simmount *r = simmount_alloc(test);
	unsigned long ios;

	sim_reopen(r, way_of(test), false);
	sim_read_piece(r, 12345, FILE_PAGES - 12345, BLOCK);
	ios = r->cache.ios;
	sim_reopen(r, way_of(test), true);
	sim_read_piece(r, 12345, FILE_PAGES - 12345, BLOCK);
	KUNIT_EXPECT_EQ(test, r->cache.read, FILE_PAGES - 12345);
	KUNIT_EXPECT_LE(test, r->cache.ios, ios / 3);
	/* The newest kernels cut the end of a window to a multiple of its folios. */
	KUNIT_EXPECT_GE(test, r->largest, 256 - MOUNT_PAGES);
	KUNIT_EXPECT_LE(test, r->largest, (FILE_PAGES - 12345) / 32);
}

/* Pieces of less than 64 times the mount's readahead are read as without the module. */
static void pieces(struct kunit *test)
{
	struct simmount *r = simmount_alloc(test);
	u64 trace[2];
	unsigned int i, grows, block;

	for (block = 0; block < 3; block++) {
		for (grows = 0; grows < 2; grows++) {
			struct rnd_state rnd;

			prandom_seed_state(&rnd, 7);
			sim_reopen(r, way_of(test), grows);
			for (i = 1; i < FILE_PAGES / 4096; i++)
				sim_read_piece(r, i * 4096 + prandom_u32_state(&rnd) % 1024,
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
	struct simmount *r = simmount_alloc(test);
	unsigned long read[2] = {}, at, nr;
	unsigned int seed, i, grows;

	for (seed = 1; seed <= PIECE_SEEDS; seed++) {
		for (grows = 0; grows < 2; grows++) {
			struct rnd_state rnd;

			prandom_seed_state(&rnd, seed);
			sim_reopen(r, way_of(test), grows);
			for (i = 0; i < 4; i++) {
				at = i * 8192 + prandom_u32_state(&rnd) % 1024 + 1;
				nr = 1024 + prandom_u32_state(&rnd) % 5120;
				sim_read_piece(r, at, nr, BLOCK);
			}
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
	struct simmount *r = simmount_alloc(test);
	unsigned int seed, i, m, grows;
	unsigned long at, nr;

	for (m = 0; m < ARRAY_SIZE(memory); m++) {
		unsigned long read[2] = {};

		for (seed = 1; seed <= PIECE_SEEDS; seed++) {
			for (grows = 0; grows < 2; grows++) {
				struct rnd_state rnd;

				prandom_seed_state(&rnd, seed);
				sim_reopen(r, way_of(test), grows);
				r->memory = memory[m];
				for (i = 0; i < FILE_PAGES; i++)
					sim_page(&r->cache, i)->evicted = true;
				for (i = 0; i < 4; i++) {
					at = i * 8192 + prandom_u32_state(&rnd) % 1024 + 1;
					nr = 128 + prandom_u32_state(&rnd) % 6144;
					sim_read_piece(r, at, nr, BLOCK);
				}
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
	struct simmount *r = simmount_alloc(test);
	unsigned long read[2];
	unsigned int i, j, up;
	bool grows;

	for (j = 0; j < 2 * ARRAY_SIZE(nrs); j++) {
		unsigned long nr = nrs[j / 2];

		/* Upwards each read begins behind the last one. */
		up = j % 2;
		for (grows = false;; grows = true) {
			sim_reopen(r, way_of(test), grows);
			for (i = 7; i; i--)
				sim_read_piece(r, (up ? 8 - i : i) * 4096 + 5, nr, nr);
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
	struct simmount *r = simmount_alloc(test);
	unsigned long nr, stock, most;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		for (nr = BLOCK; nr <= 3 * MAX_WINDOW; nr += nr / 4) {
			sim_reopen(r, way_of(test), false);
			sim_read_piece(r, starts[i], nr, BLOCK);
			stock = r->cache.read;
			sim_reopen(r, way_of(test), true);
			sim_read_piece(r, starts[i], nr, BLOCK);
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
	struct simmount *r = simmount_alloc(test);
	unsigned long before;

	sim_reopen(r, way_of(test), true);
	sim_read_piece(r, 0, 8192, BLOCK);
	KUNIT_EXPECT_EQ(test, r->largest, MAX_WINDOW);
	before = r->cache.read;
	sim_read_piece(r, 20000, 2 * MOUNT_PAGES, BLOCK);
	KUNIT_EXPECT_LE(test, r->cache.read - before, 5 * MOUNT_PAGES);
}

/* Every second block is no run, whatever markers the reader hits. */
static void stride(struct kunit *test)
{
	struct simmount *r = simmount_alloc(test);
	unsigned long step, i, read;
	unsigned int grows;

	for (step = 2; step <= 64; step *= 2) {
		read = 0;
		for (grows = 0; grows < 2; grows++) {
			sim_reopen(r, way_of(test), grows);
			for (i = 0; i < 8192; i += step)
				sim_read_file(r, i, step / 2);
			if (!grows)
				read = r->cache.read;
		}
		KUNIT_EXPECT_LE_MSG(test, r->cache.read, read + 2 * MOUNT_PAGES, "step %lu", step);
	}
}

/* Read @in_order pages from the file's start, and then @nr pages of every @step, or a few more. */
static void read_and_skip(struct simmount *r, const struct sim_way *way, bool grows,
			  unsigned long in_order, unsigned long nr, unsigned long step,
			  unsigned int seed)
{
	struct rnd_state rnd;
	unsigned long at;

	prandom_seed_state(&rnd, seed);
	sim_reopen(r, way, grows);
	sim_read_piece(r, 0, in_order, BLOCK);
	for (at = in_order; at < FILE_PAGES; at += step + prandom_u32_state(&rnd) % nr)
		sim_read_file(r, at, nr);
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
	struct simmount *r = simmount_alloc(test);
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

/*
 * pread() in order has as many I/Os as without the module, or 2 % more where folios are cut to fit,
 * and far fewer if it is short.
 */
static void pread_in_order(struct kunit *test)
{
	static const unsigned long lengths[] = { 1, 3, 16, 32, 48, 64, 100, 128, 256, 300, 1024 };
	struct simmount *r = simmount_alloc(test);
	unsigned long start, ios;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		for (start = 1; start < 40; start += 13) {
			sim_reopen(r, way_of(test), false);
			sim_read_file(r, 0, start);
			sim_read_piece(r, start, FILE_PAGES - start, lengths[i]);
			ios = r->cache.ios;
			sim_reopen(r, way_of(test), true);
			r->pread = true;
			sim_read_file(r, 0, start);
			sim_read_piece(r, start, FILE_PAGES - start, lengths[i]);
			r->pread = false;
			ios = lengths[i] <= MOUNT_PAGES ? ios / 10 : ios + ios / 50 + 1;
			KUNIT_EXPECT_LE_MSG(test, r->cache.ios, ios,
					    "%lu from %lu", lengths[i], start);
		}
	}
}

/* A reader that goes on where somebody else's pages end may leave soon: up to 4 times the bytes. */
static void resumed(struct kunit *test)
{
	struct simmount *r = simmount_alloc(test);
	unsigned long cached, nr;
	unsigned int grows;

	for (cached = 128; cached <= 4096; cached += cached / 2) {
		for (nr = 32; nr <= 512; nr += nr / 2) {
			unsigned long read[2];

			for (grows = 0; grows < 2; grows++) {
				sim_open_next(r, way_of(test), grows, cached);
				sim_read_piece(r, 0, cached, BLOCK);
				read[grows] = r->cache.read;
				r->cache.eof = FILE_PAGES;
				r->ra = (struct stock_ra){ .ra_pages = MOUNT_PAGES,
							   .prev_pos = -1 };
				sim_read_piece(r, cached, nr, 4);
				read[grows] = r->cache.read - read[grows];
			}
			KUNIT_EXPECT_LE_MSG(test, read[1], 4 * read[0], "%lu pages from %lu", nr,
					    cached);
		}
	}
}

/*
 * A reader of 3 pages of each 46 or so by pread(): the pages between count as part of its request,
 * but only for the length of one window. It had 13 times the bytes.
 */
static void pread_and_skip(struct kunit *test)
{
	struct simmount *r = simmount_alloc(test);
	unsigned long in_order, stock;
	unsigned int seed;

	for (seed = 1; seed <= 20; seed++) {
		for (in_order = 64; in_order <= 1024; in_order *= 4) {
			read_and_skip(r, way_of(test), false, in_order, 3, 46, seed);
			stock = r->cache.read;
			r->pread = true;
			read_and_skip(r, way_of(test), true, in_order, 3, 46, seed);
			r->pread = false;
			KUNIT_EXPECT_LE_MSG(test, r->cache.read,
					    stock + stock / 2 + 4 * in_order,
					    "%lu in order, seed %u", in_order, seed);
		}
	}
}

/* The first read() of an open file is as long as it is, wherever a marker lies in it. */
static void first_large_read(struct kunit *test)
{
	static const unsigned long starts[] = { 0, 1, 31, 5000 };
	static const unsigned long totals[] = { 600, 1024, 3000 };
	struct simmount *r = simmount_alloc(test);
	const struct sim_way *way = way_of(test);
	unsigned long block, most;
	unsigned int i, pread;

	for (i = 0; i < ARRAY_SIZE(starts) * ARRAY_SIZE(totals); i++) {
		unsigned long start = starts[i % 4], total = totals[i / 4];

		for (block = 33; block < 600; block += 8) {
			sim_reopen(r, way, false);
			sim_read_piece(r, start, total, block);
			most = r->cache.ios + r->cache.ios / 16 + 1;
			/* Only the rest of a read() is known once a part of it is copied. */
			if (way->gen == STOCK_6_1)
				most = r->cache.ios * 5 / 3;
			for (pread = 0; pread < 2; pread++) {
				sim_reopen(r, way, true);
				r->pread = pread;
				sim_read_piece(r, start, total, block);
				r->pread = false;
				KUNIT_EXPECT_LE_MSG(test, r->cache.ios, most,
						    "%lu of %lu from %lu, pread %u", block, total,
						    start, pread);
			}
		}
	}
}

/* Four peers of a torrent, each in a piece of its own, by one open file. */
static void read_as_torrent(struct simmount *r, const struct sim_way *way, bool grows,
			    unsigned long piece, unsigned int seed)
{
	unsigned long at[4], left[4] = {};
	struct rnd_state rnd;
	unsigned int i;

	prandom_seed_state(&rnd, seed);
	sim_reopen(r, way, grows);
	r->pread = true;
	for (i = 0; i < 4000; i++) {
		unsigned int peer = prandom_u32_state(&rnd) % 4;

		if (!left[peer]) {
			at[peer] = prandom_u32_state(&rnd) % (FILE_PAGES / piece) * piece;
			left[peer] = piece;
		}
		sim_read_file(r, at[peer], 4);
		at[peer] += 4;
		left[peer] -= 4;
	}
	r->pread = false;
}

/*
 * Two windows of the stock code side by side are no window that has grown, so none is taken over.
 * Such peers had 1.06 to 1.12 times the bytes.
 */
static void torrent(struct kunit *test)
{
	struct simmount *r = simmount_alloc(test);
	unsigned long piece, stock;
	unsigned int seed;

	for (piece = 64; piece <= 256; piece *= 4) {
		for (seed = 1; seed <= 20; seed++) {
			read_as_torrent(r, way_of(test), false, piece, seed);
			stock = r->cache.read;
			read_as_torrent(r, way_of(test), true, piece, seed);
			KUNIT_EXPECT_LE_MSG(test, r->cache.read, stock + stock / 50,
					    "pieces of %lu, seed %u", piece, seed);
		}
	}
}

/*
 * Programs that open a file anew for each part of it, as servers of ranges do. The markers of a
 * grown window are not theirs, and the stock code does not look to its end: each window had a miss.
 */
static void opened_anew(struct kunit *test)
{
	struct simmount *r = simmount_alloc(test);
	unsigned long part, at, stock = 0;
	unsigned int grows;

	for (part = 16; part <= 1024; part *= 2) {
		for (grows = 0; grows < 2; grows++) {
			sim_reopen(r, way_of(test), grows);
			for (at = 0; at < FILE_PAGES; at += part) {
				r->ra = (struct stock_ra){ .ra_pages = MOUNT_PAGES,
							   .prev_pos = -1 };
				sim_read_piece(r, at, part, BLOCK);
			}
			if (!grows)
				stock = r->missed;
		}
		KUNIT_EXPECT_LE_MSG(test, r->missed, stock, "parts of %lu", part);
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(pread_and_skip, way_gen_params),
	KUNIT_CASE_PARAM(first_large_read, way_gen_params),
	KUNIT_CASE_PARAM(opened_anew, way_gen_params),
	KUNIT_CASE_PARAM(torrent, way_gen_params),
	KUNIT_CASE_PARAM(in_order, way_gen_params),
	KUNIT_CASE_PARAM(from_the_middle, way_gen_params),
	KUNIT_CASE_PARAM(pieces, way_gen_params),
	KUNIT_CASE_PARAM(long_pieces, way_gen_params),
	KUNIT_CASE_PARAM(evicted_pieces, way_gen_params),
	KUNIT_CASE_PARAM(large_reads, way_gen_params),
	KUNIT_CASE_PARAM(fetched, way_gen_params),
	KUNIT_CASE_PARAM(seek, way_gen_params),
	KUNIT_CASE_PARAM(stride, way_gen_params),
	KUNIT_CASE_PARAM(skip, way_gen_params),
	KUNIT_CASE_PARAM(pread_in_order, way_gen_params),
	KUNIT_CASE_PARAM(resumed, way_gen_params),
	{}
};

static struct kunit_suite suite = {
	.name = "nfs_ra_windows",
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_LICENSE("GPL");
