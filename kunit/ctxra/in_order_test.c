// SPDX-License-Identifier: GPL-2.0-only
/*
 * Readers with a descriptor each, that read in order from somewhere in a file: one that seeks, as
 * video players and torrents do, and workers that each read a chunk, as parallel scans do. The
 * stock code follows them well, so ctxra must not be slower, whatever the seed.
 */
#include <kunit/test.h>

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
		KUNIT_EXPECT_LE(test, ctxra.ios * 100, stock.ios * 102);
		KUNIT_EXPECT_LE(test, ctxra.read * 100, stock.read * 102);
		KUNIT_EXPECT_LE(test, ctxra.missed * 100, stock.missed * 104);
	}
}

static struct kunit_case in_order_cases[] = {
	KUNIT_CASE_PARAM(never_slower, extents_gen_params),
	{}
};

static struct kunit_suite in_order_suite = {
	.name = "ctxra_in_order",
	.test_cases = in_order_cases,
};

kunit_test_suite(in_order_suite);

MODULE_LICENSE("GPL");
