// SPDX-License-Identifier: GPL-2.0-only
/*
 * Readers with a descriptor each, that read in order from somewhere in a file: one that seeks, as
 * video players and torrents do, and workers that each read a chunk, as parallel scans do. The
 * stock code follows them well, so ctxra must not be slower, whatever the seed.
 */
#include <kunit/test.h>

#include "ctxra/follow.h"
#include "sim/simwork.h"

#define FILE_PAGES	98304UL	/* 384 MiB */
#define CHUNKED_PAGES	24576UL	/* 96 MiB: all of it is read */
#define SEEKS_PER_SEED	96UL
#define SEEDS		20

/**
 * struct extents - readers of extents
 * @name: for messages
 * @pages: pages of an extent
 * @nr: pages of a request
 * @win: window, pages
 * @readers: number of readers
 * @chunks: each reader takes the next extent of the file; else extents are at random places
 */
struct extents {
	const char *name;
	unsigned long pages;
	unsigned long nr;
	unsigned long win;
	unsigned int readers;
	bool chunks;
};

static void extents_desc(const struct extents *e, char *desc)
{
	strscpy(desc, e->name, KUNIT_PARAM_DESC_SIZE);
}

/* Request @k of the readers is request @k / readers of reader @k % readers: see SIM_FREE. */
static struct sim_work extents_work(struct kunit *test, const struct extents *e, u32 seed)
{
	unsigned long per = e->pages / e->nr, i, j;
	unsigned long n = e->chunks ? CHUNKED_PAGES / e->pages : SEEKS_PER_SEED;
	struct rnd_state rnd = sim_random(seed);
	struct sim_request *rq;

	n -= n % e->readers;
	rq = kunit_kcalloc(test, n * per, sizeof(*rq), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, rq);
	for (i = 0; i < n; i++) {
		unsigned long start = e->chunks ? i * e->pages :
				      prandom_u32_state(&rnd) % (FILE_PAGES - e->pages);

		for (j = 0; j < per; j++)
			rq[(i / e->readers * per + j) * e->readers + i % e->readers] =
				(struct sim_request){ .index = start + j * e->nr, .nr = e->nr };
	}
	return (struct sim_work){
		.requests = rq, .nr = n * per, .readers = e->readers, .share = SIM_FREE,
		.seed = seed,
	};
}

#define SEEKS(pages_, nr_, win_, readers_) {					\
	.name = #readers_ " seek, " #pages_ " by " #nr_ ", window " #win_,	\
	.pages = pages_, .nr = nr_, .win = win_, .readers = readers_		\
}

#define CHUNKS(pages_, nr_, win_, readers_) {					\
	.name = #readers_ " chunks, " #pages_ " by " #nr_ ", window " #win_,	\
	.pages = pages_, .nr = nr_, .win = win_, .readers = readers_, .chunks = true \
}

static const struct extents extents[] = {
	SEEKS(64, 4, 32, 1), SEEKS(64, 1, 32, 1), SEEKS(256, 32, 32, 1), SEEKS(512, 4, 32, 1),
	SEEKS(16, 4, 32, 1), SEEKS(256, 4, 256, 1), SEEKS(64, 4, 1024, 1), SEEKS(256, 16, 1024, 1),
	SEEKS(256, 32, 32, 8), SEEKS(64, 4, 32, 8), SEEKS(512, 16, 32, 4), SEEKS(256, 4, 1024, 8),
	CHUNKS(512, 8, 32, 8), CHUNKS(512, 32, 32, 4), CHUNKS(128, 2, 32, 8),
	CHUNKS(256, 16, 32, 8), CHUNKS(1024, 16, 256, 4),
};

KUNIT_ARRAY_PARAM(extents, extents, extents_desc);

static void sum_outcome(struct sim_outcome *sum, const struct sim_outcome *one)
{
	sum->ios += one->ios;
	sum->read += one->read;
	sum->missed += one->missed;
}

static void never_slower(struct kunit *test)
{
	const struct extents *e = test->param_value;
	struct sim *sim = sim_alloc(test, 0, FILE_PAGES);
	unsigned int way, seed;

	for (way = 0; way < SIM_NR_WAYS; way++) {
		struct sim_outcome stock = {}, ctxra = {}, one;

		for (seed = 1; seed <= SEEDS; seed++) {
			struct sim_work work = extents_work(test, e, seed);

			one = sim_eval(sim, &work, way, e->win, SIM_STOCK);
			sum_outcome(&stock, &one);
			one = sim_eval(sim, &work, way, e->win, SIM_ALL_PATTERNS);
			sum_outcome(&ctxra, &one);
			kunit_kfree(test, work.requests);
		}
		sim_report(test, way, e->name, &stock, &ctxra);
		kunit_info(test, "waits %lu -> %lu\n", stock.missed, ctxra.missed);
		/* Not 0, because a seek may join another stream by chance. */
		KUNIT_EXPECT_LE(test, ctxra.ios * 1000, stock.ios * 1002);
		KUNIT_EXPECT_LE(test, ctxra.read * 1000, stock.read * 1002);
		KUNIT_EXPECT_LE(test, ctxra.missed * 1000, stock.missed * 1005);
	}
}

/**
 * struct mixed - readers of extents of random lengths, by requests of random sizes
 * @name: for messages
 * @win: window, pages
 * @readers: number of readers
 * @most: largest number of requests in an extent
 */
struct mixed {
	const char *name;
	unsigned long win;
	unsigned int readers;
	unsigned int most;
};

#define MIXED(win_, readers_, most_) {						\
	.name = #readers_ " readers, up to " #most_ " requests, window " #win_,	\
	.win = win_, .readers = readers_, .most = most_				\
}

static const struct mixed mixed[] = {
	MIXED(32, 1, 6), MIXED(32, 2, 6), MIXED(32, 4, 6), MIXED(32, 8, 6),
	MIXED(32, 1, 60), MIXED(32, 2, 60), MIXED(32, 4, 60), MIXED(32, 8, 60),
	MIXED(256, 1, 6), MIXED(256, 2, 6), MIXED(256, 4, 6), MIXED(256, 8, 6),
	MIXED(256, 1, 60), MIXED(256, 2, 60), MIXED(256, 4, 60), MIXED(256, 8, 60),
	MIXED(1024, 1, 6), MIXED(1024, 2, 6), MIXED(1024, 4, 6), MIXED(1024, 8, 6),
	MIXED(1024, 1, 60), MIXED(1024, 2, 60), MIXED(1024, 4, 60), MIXED(1024, 8, 60),
};

static void mixed_desc(const struct mixed *m, char *desc)
{
	strscpy(desc, m->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(mixed, mixed, mixed_desc);

#define MIXED_REQUESTS	600UL	/* of each reader */

static struct sim_work mixed_work(struct kunit *test, const struct mixed *m, u32 seed)
{
	struct rnd_state rnd = sim_random(seed);
	unsigned long i, r, left, pos, nr;
	struct sim_request *rq;

	rq = kunit_kcalloc(test, MIXED_REQUESTS * m->readers, sizeof(*rq), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, rq);
	for (r = 0; r < m->readers; r++) {
		for (i = 0, left = 0, pos = 0, nr = 1; i < MIXED_REQUESTS; i++, left--) {
			if (!left) {
				nr = 1 + prandom_u32_state(&rnd) % 32;
				left = 2 + prandom_u32_state(&rnd) % (m->most - 1);
				pos = prandom_u32_state(&rnd) % (CHUNKED_PAGES - left * nr);
			}
			rq[i * m->readers + r] = (struct sim_request){ pos, nr };
			pos += nr;
		}
	}
	return (struct sim_work){
		.requests = rq, .nr = MIXED_REQUESTS * m->readers, .readers = m->readers,
		.share = SIM_FREE, .seed = seed,
	};
}

/* Of the 120 runs of a case, those with more than one I/O, or one wait, more than stock. */
#define WORSE_IOS	24
#define WORSE_WAITS	24

/*
 * A file that is read densely, so that readers come upon each other's windows. What ctxra does
 * for one of them changes the order of all, so most runs have to be as stock, and the sums.
 */
static void upon_each_other(struct kunit *test)
{
	const struct mixed *m = test->param_value;
	struct sim *sim = sim_alloc(test, 0, CHUNKED_PAGES);
	struct sim_outcome stock = {}, ctxra = {}, one, other;
	unsigned int way, seed, more_ios = 0, more_waits = 0;

	for (way = 0; way < SIM_NR_WAYS; way++) {
		for (seed = 1; seed <= SEEDS; seed++) {
			struct sim_work work = mixed_work(test, m, seed);

			one = sim_eval(sim, &work, way, m->win, SIM_STOCK);
			sum_outcome(&stock, &one);
			other = sim_eval(sim, &work, way, m->win, SIM_ALL_PATTERNS);
			sum_outcome(&ctxra, &other);
			more_ios += other.ios > one.ios + 1;
			more_waits += other.missed > one.missed + 1;
			kunit_kfree(test, work.requests);
		}
	}
	kunit_info(test, "%s: I/Os %lu -> %lu, pages %lu -> %lu, waits %lu -> %lu\n", m->name,
		   stock.ios, ctxra.ios, stock.read, ctxra.read, stock.missed, ctxra.missed);
	kunit_info(test, "runs with more I/Os %u, with more waits %u\n", more_ios, more_waits);
	KUNIT_EXPECT_LE(test, ctxra.ios * 1000, stock.ios * 1005);
	KUNIT_EXPECT_LE(test, ctxra.read * 1000, stock.read * 1002);
	KUNIT_EXPECT_LE(test, ctxra.missed * 100, stock.missed * 101);
	KUNIT_EXPECT_LE(test, more_ios, WORSE_IOS);
	KUNIT_EXPECT_LE(test, more_waits, WORSE_WAITS);
}

/* Near a stride or a backward stream a reader in order is the stock code's, and changes neither. */
static void passes_by_other_kinds(struct kunit *test)
{
	static const u8 kinds[] = { CTXRA_BACKWARD, CTXRA_STRIDED };
	unsigned int i, marker;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		for (marker = 0; marker < 2; marker++) {
			struct ctxra_stream s = {
				.start = 64, .end = 128, .step = 64, .last_index = 64,
				.last_nr = 16, .equal_steps = 3, .kind = kinds[i],
				.trust = U8_MAX,
			};
			const struct ctxra_request rq = {
				.index = 136, .nr = 8, .win = 32, .ahead = 32, .eof = 1000,
				.cached = 16, .patterns = SIM_ALL_PATTERNS, .in_order = true,
				.marker = marker, .read_behind = true,
			};
			struct ctxra_budget budget = {};
			struct ctxra_window win;

			KUNIT_EXPECT_EQ(test, ctxra_stream_follow(&s, &budget, &rq, &win),
					CTXRA_STOCK);
			KUNIT_EXPECT_EQ(test, s.end, 128UL);
			KUNIT_EXPECT_EQ(test, s.last_index, 64UL);
			KUNIT_EXPECT_EQ(test, s.direction, (s8)0);
		}
	}
}

static struct kunit_case in_order_cases[] = {
	KUNIT_CASE(passes_by_other_kinds),
	KUNIT_CASE_PARAM(never_slower, extents_gen_params),
	KUNIT_CASE_PARAM(upon_each_other, mixed_gen_params),
	{}
};

static struct kunit_suite in_order_suite = {
	.name = "ctxra_in_order",
	.test_cases = in_order_cases,
};

kunit_test_suite(in_order_suite);

MODULE_LICENSE("GPL");
