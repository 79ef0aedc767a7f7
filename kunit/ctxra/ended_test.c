// SPDX-License-Identifier: GPL-2.0-only
/*
 * What must not be taken for a pattern, or for a reason to read less: where the stock code's own
 * windows end, what is evicted of a stream after its readers have left, and what others drop.
 */
#include <kunit/test.h>

#include "sim/simwork.h"

#define SEEDS	20
#define NR	16UL		/* a request of 64 KiB */
#define PAGES	65536UL		/* a file of 256 MiB */

/*
 * A reader of one page of every few. The windows that the stock code opens for its context end at
 * equal distances, because they end at multiples of their size, and the gaps are as long. They are
 * no strides: read as such, a reader waited 222 times as often at 4 MiB.
 */
static void spaced_by_stock(struct kunit *test)
{
	static const unsigned long steps[] = { 2, 3, 4, 5, 7 }, wins[] = { 32, 256, 1024 };
	struct sim *sim = sim_alloc(test, 0, PAGES / 4);
	struct sim_request *rq = kunit_kcalloc(test, PAGES / 8, sizeof(*rq), GFP_KERNEL);
	unsigned int i, way;

	KUNIT_ASSERT_NOT_NULL(test, rq);
	for (i = 0; i < ARRAY_SIZE(steps) * ARRAY_SIZE(wins); i++) {
		unsigned long step = steps[i / 3], win = wins[i % 3], n;

		for (n = 0; n < PAGES / 4 / step; n++)
			rq[n] = (struct sim_request){ .index = n * step, .nr = 1 };
		for (way = 0; way < SIM_NR_WAYS; way++) {
			const struct sim_work work = {
				.requests = rq, .nr = n, .readers = 1, .share = SIM_FREE,
				.seed = way + 1,
			};
			struct sim_totals sum = {};

			sim_compare(sim, &work, way, win, &sum);
			KUNIT_EXPECT_LE_MSG(test, sum.ios[1], sum.ios[0] + 1,
					    "one of %lu, window %lu, way %u", step, win, way);
			KUNIT_EXPECT_LE_MSG(test, sum.waits[1], sum.waits[0] + 1,
					    "one of %lu, window %lu, way %u", step, win, way);
		}
	}
}

#define RUN_REQUESTS	4000UL
#define RUN_PARTS	8U

/* Runs of 4 to 12 requests at random places, as of a torrent's peers. */
static void lay_runs(struct sim_request *rq, struct rnd_state *rnd)
{
	unsigned long n = 0, at, end;

	while (n < RUN_REQUESTS) {
		at = prandom_u32_state(rnd) % (PAGES / NR - 12) * NR;
		end = at + (4 + prandom_u32_state(rnd) % 9) * NR;
		for (; at < end && n < RUN_REQUESTS; at += NR)
			rq[n++] = (struct sim_request){ .index = at, .nr = NR };
	}
}

/*
 * Memory has room for an eighth of the file. The last window of each run is evicted unread. The
 * windows of the next runs there must not be smaller for that: after a while most would be, and
 * readers waited 1.3 times as often as with the stock code.
 */
static void runs_where_memory_is_short(struct kunit *test)
{
	struct sim *sim = sim_alloc(test, 0, PAGES);
	struct sim_request *rq = kunit_kcalloc(test, RUN_REQUESTS, sizeof(*rq), GFP_KERNEL);
	unsigned long ios[2] = {}, waits[2] = {};
	unsigned int seed, part, arm;

	KUNIT_ASSERT_NOT_NULL(test, rq);
	simcache_limit(&sim->cache, PAGES / 8);
	for (seed = 1; seed <= SEEDS; seed++) {
		for (arm = 0; arm < 2; arm++) {
			struct rnd_state rnd = sim_random(seed);

			sim_reset(sim, &sim_ways[seed % SIM_NR_WAYS], 32,
				  arm ? SIM_ALL_PATTERNS : SIM_STOCK);
			for (part = 0; part < RUN_PARTS; part++) {
				const struct sim_work work = {
					.requests = rq, .nr = RUN_REQUESTS, .readers = 8,
					.share = SIM_POOL, .seed = seed * RUN_PARTS + part,
				};
				unsigned long before[] = { sim->cache.ios, sim->missed };

				lay_runs(rq, &rnd);
				sim_run(sim, &work);
				if (part < RUN_PARTS / 2)
					continue;
				ios[arm] += sim->cache.ios - before[0];
				waits[arm] += sim->missed - before[1];
			}
		}
	}
	kunit_info(test, "second half: I/Os %lu -> %lu, waits %lu -> %lu\n", ios[0], ios[1],
		   waits[0], waits[1]);
	KUNIT_EXPECT_LE(test, ios[1] * 100, ios[0] * 101);
	KUNIT_EXPECT_LE(test, waits[1] * 100, waits[0] * 90);
}

#define DROPS		40U
#define DROP_REQUESTS	100UL

/*
 * Random reads of a file whose pages are dropped again and again, as an NFS client does when it
 * sees that the file has changed. Absent pages are no proof that readahead was read.
 */
static void dropped_by_others(struct kunit *test)
{
	struct sim *sim = sim_alloc(test, 0, PAGES);
	struct sim_request *rq = kunit_kcalloc(test, DROP_REQUESTS, sizeof(*rq), GFP_KERNEL);
	unsigned long read[2] = {}, i;
	unsigned int seed, drop, arm;

	KUNIT_ASSERT_NOT_NULL(test, rq);
	for (seed = 1; seed <= SEEDS; seed++) {
		const struct sim_way *way = &sim_ways[seed % SIM_NR_WAYS];

		for (arm = 0; arm < 2; arm++) {
			struct rnd_state rnd = sim_random(seed);

			sim_reset(sim, way, 32, arm ? SIM_ALL_PATTERNS : SIM_STOCK);
			for (drop = 0; drop < DROPS; drop++) {
				const struct sim_work work = {
					.requests = rq, .nr = DROP_REQUESTS, .readers = 8,
					.share = SIM_POOL, .shared_fd = true,
					.seed = seed * DROPS + drop,
				};
				u32 now = sim->cache.now;

				simcache_reset(&sim->cache, way);
				sim->cache.now = now;
				for (i = 0; i < DROP_REQUESTS; i++)
					rq[i] = sim_random_request(NR, PAGES, &rnd);
				sim_run(sim, &work);
				read[arm] += sim->cache.read;
			}
		}
	}
	kunit_info(test, "pages %lu -> %lu\n", read[0], read[1]);
	KUNIT_EXPECT_LE(test, read[1] * 100, read[0] * 104);
}

#define BACK_REQUESTS	16U
#define BACK_NR		4UL

/* A run of requests that goes down from @top. */
static void lay_backwards(struct sim_request *rq, unsigned long top)
{
	unsigned int i;

	for (i = 0; i < BACK_REQUESTS; i++)
		rq[i] = (struct sim_request){ .index = top - i * BACK_NR, .nr = BACK_NR };
}

/*
 * Short runs that go backwards, as in a mailbox that is read from its newest message. Where a
 * request lies across the end of a large window, a stream that has just begun read all of that: 17
 * times the pages at 4 MiB.
 */
static void backwards_from_anywhere(struct kunit *test)
{
	static const unsigned long wins[] = { 32, 256, 1024 };
	struct sim *sim = sim_alloc(test, 0, PAGES);
	struct sim_request rq[BACK_REQUESTS];
	unsigned int place, way, i;

	for (i = 0; i < ARRAY_SIZE(wins); i++) {
		struct sim_totals sum = {};

		for (place = 0; place < 64; place++) {
			lay_backwards(rq, PAGES / 2 + 5 * place + place / 16);
			for (way = 0; way < SIM_NR_WAYS; way++) {
				const struct sim_work work = {
					.requests = rq, .nr = BACK_REQUESTS, .readers = 1,
					.share = SIM_FREE, .seed = way + 1,
				};
				struct sim_totals one = {};

				sim_compare(sim, &work, way, wins[i], &one);
				KUNIT_EXPECT_LE_MSG(test, one.read[1], 2 * one.read[0],
						    "window %lu, place %u", wins[i], place);
				sum.ios[0] += one.ios[0];
				sum.ios[1] += one.ios[1];
			}
		}
		KUNIT_EXPECT_LE_MSG(test, sum.ios[1] * 100, sum.ios[0] * 42, "window %lu",
				    wins[i]);
	}
}

#define PAUSE_PAGES	4096UL	/* 16 MiB */

/* Read a file in order, and evict all of it after each PAUSE_PAGES, about. Returns the I/Os. */
static unsigned long read_with_pauses(struct sim *sim, unsigned long win, long ctxra, u32 seed)
{
	struct stock_ra ra = { .ra_pages = win, .prev_pos = -1 };
	struct sim_reader r = { .ra = &ra };
	struct rnd_state rnd = sim_random(seed);
	unsigned long at, i, pause = PAUSE_PAGES;

	sim_reset(sim, &sim_ways[seed % SIM_NR_WAYS], win, ctxra);
	for (at = 0; at < PAGES; at += NR) {
		r.pos = at;
		r.end = at + NR;
		sim_finish(sim, &r);
		if (at < pause)
			continue;
		pause = at + PAUSE_PAGES / 2 + prandom_u32_state(&rnd) % PAUSE_PAGES;
		for (i = 0; i < PAGES; i++)
			if (sim_cached(&sim->cache, i))
				*sim_page(&sim->cache, i) = (struct sim_page){ .evicted = true };
		sim->cache.now += 60000 * SIM_TICKS_PER_MS;
	}
	return sim->cache.ios;
}

/*
 * A reader that pauses until its readahead is evicted goes on where it was, as a slow one does that
 * competes for memory. Its windows are made smaller, but not for long: it made 1.8 times the I/Os.
 */
static void reader_that_pauses(struct kunit *test)
{
	static const unsigned long wins[] = { 32, 256 };
	struct sim *sim = sim_alloc(test, 0, PAGES);
	unsigned long ios[2];
	unsigned int i;
	u32 seed;

	for (i = 0; i < ARRAY_SIZE(wins); i++) {
		ios[0] = 0;
		ios[1] = 0;
		for (seed = 1; seed <= SEEDS; seed++) {
			ios[0] += read_with_pauses(sim, wins[i], SIM_STOCK, seed);
			ios[1] += read_with_pauses(sim, wins[i], SIM_ALL_PATTERNS, seed);
		}
		kunit_info(test, "window %lu: I/Os %lu -> %lu\n", wins[i], ios[0], ios[1]);
		KUNIT_EXPECT_LE_MSG(test, ios[1] * 100, ios[0] * 130, "window %lu", wins[i]);
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(spaced_by_stock),
	KUNIT_CASE(runs_where_memory_is_short),
	KUNIT_CASE(dropped_by_others),
	KUNIT_CASE(backwards_from_anywhere),
	KUNIT_CASE(reader_that_pauses),
	{}
};

static struct kunit_suite suite = {
	.name = "ctxra_ended",
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_LICENSE("GPL");
