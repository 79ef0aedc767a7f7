// SPDX-License-Identifier: GPL-2.0-only
/*
 * Streams that end soon, and free-running readers of columns: there is little to gain, and they
 * must cost no more I/Os and pages than with the stock code.
 */
#include <kunit/test.h>

#include "ctxra/budget.h"
#include "ctxra/candidate.h"
#include "sim/simwork.h"

#define SEEDS	20

/* A reader reads a piece of each row: its column. */
#define PIECE	16UL
#define ROW	128UL
#define COLUMNS	4U
#define ROWS	768UL	/* 384 MiB */

/**
 * struct many - short streams in one file, of which each round reads a request in any order
 * @streams: their number
 * @requests: of each, with neighbours swapped
 * @win: window, pages
 * @pages: per mille of the stock code's pages that may be read
 */
struct many {
	unsigned int streams;
	unsigned int requests;
	unsigned long win;
	unsigned long pages;
};

#define REQUEST	8UL

static const struct many all[] = {
	{ 64, 32, 32, 1020 }, { 64, 32, 256, 1005 }, { 64, 32, 1024, 1005 },
	{ 16, 128, 32, 1025 }, { 16, 128, 256, 1020 }, { 130, 16, 32, 1020 },
};

static void many_desc(const struct many *many, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%u streams of %u requests, window %lu",
		 many->streams, many->requests, many->win);
}

KUNIT_ARRAY_PARAM(many, all, many_desc);

/* A request of each stream in turn, in an order of its own; behind a stream are as many pages. */
static void lay_streams(const struct many *many, struct sim_request *rq, u32 seed)
{
	unsigned long area = 2 * REQUEST * many->requests, i, n = 0;
	struct rnd_state rnd = sim_random(seed);
	unsigned int round;

	for (round = 0; round < many->requests; round++) {
		for (i = 0; i < many->streams; i++)
			rq[n + i] = (struct sim_request){
				.index = i * area + (round ^ 1) * REQUEST, .nr = REQUEST,
			};
		sim_shuffle(rq + n, many->streams, &rnd);
		n += many->streams;
	}
}

static void streams_that_end_soon(struct kunit *test)
{
	const struct many *many = test->param_value;
	unsigned long n = many->streams * many->requests;
	struct sim *sim = sim_alloc(test, 0, 2 * REQUEST * n);
	struct sim_request *rq = kunit_kcalloc(test, n, sizeof(*rq), GFP_KERNEL);
	struct sim_outcome sums[2] = {};
	unsigned int way;
	u32 seed;

	KUNIT_ASSERT_NOT_NULL(test, rq);
	for (seed = 1; seed <= SEEDS; seed++) {
		const struct sim_work work = {
			.requests = rq, .nr = n, .readers = 32, .share = SIM_POOL,
			.shared_fd = true, .seed = seed,
		};

		lay_streams(many, rq, seed);
		for (way = 0; way < SIM_NR_WAYS; way++) {
			struct sim_outcome one = sim_eval(sim, &work, way, many->win, SIM_STOCK);

			sums[0].ios += one.ios;
			sums[0].read += one.read;
			one = sim_eval(sim, &work, way, many->win, SIM_ALL_PATTERNS);
			sums[1].ios += one.ios;
			sums[1].read += one.read;
		}
	}
	kunit_info(test, "I/Os %lu -> %lu, pages %lu -> %lu\n", sums[0].ios, sums[1].ios,
		   sums[0].read, sums[1].read);
	KUNIT_EXPECT_LE(test, sums[1].ios * 1000, sums[0].ios * 1010);
	KUNIT_EXPECT_LE(test, sums[1].read * 1000, sums[0].read * many->pages);
}

/* Streams that the stock code follows with one wait for each window are found, if they last. */
static void long_streams(struct kunit *test)
{
	const unsigned long streams = 16, requests = 1024, area = REQUEST * requests;
	struct sim *sim = sim_alloc(test, 0, streams * area);
	unsigned long n = streams * requests, waits[2] = {}, i;
	struct sim_request *rq;
	unsigned int way;

	rq = kunit_kcalloc(test, n, sizeof(*rq), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, rq);
	for (i = 0; i < n; i++)
		rq[i] = (struct sim_request){
			.index = i % streams * area + (i / streams ^ 1) * REQUEST, .nr = REQUEST,
		};
	for (way = 0; way < SIM_NR_WAYS; way++) {
		const struct sim_work work = {
			.requests = rq, .nr = n, .readers = 32, .share = SIM_POOL,
			.shared_fd = true, .seed = way + 1,
		};
		struct sim_outcome stock = sim_eval(sim, &work, way, 32, SIM_STOCK);
		struct sim_outcome ctxra = sim_eval(sim, &work, way, 32, SIM_ALL_PATTERNS);

		sim_report(test, way, "long streams", &stock, &ctxra);
		kunit_info(test, "waits %lu -> %lu\n", stock.missed, ctxra.missed);
		KUNIT_EXPECT_LE(test, ctxra.ios * 100, stock.ios * 101);
		waits[0] += stock.missed;
		waits[1] += ctxra.missed;
	}
	KUNIT_EXPECT_LE(test, waits[1], waits[0] / 3);
}

/* Each reader at its own pace: no step from one miss to the next tells of the stride. */
static void columns(struct kunit *test)
{
	unsigned long n = ROWS * COLUMNS, i;
	struct sim *sim = sim_alloc(test, 0, ROWS * ROW);
	struct sim_request *rq = kunit_kcalloc(test, n, sizeof(*rq), GFP_KERNEL);
	struct sim_outcome sums[2] = {};
	unsigned int way;
	u32 seed;

	KUNIT_ASSERT_NOT_NULL(test, rq);
	for (i = 0; i < n; i++)
		rq[i] = (struct sim_request){
			.index = i / COLUMNS * ROW + i % COLUMNS * PIECE, .nr = PIECE,
		};
	for (seed = 1; seed <= SEEDS; seed++) {
		const struct sim_work work = {
			.requests = rq, .nr = n, .readers = COLUMNS, .share = SIM_FREE,
			.seed = seed,
		};

		for (way = 0; way < SIM_NR_WAYS; way++) {
			struct sim_outcome one = sim_eval(sim, &work, way, 32, SIM_STOCK);

			sums[0].ios += one.ios;
			sums[0].read += one.read;
			one = sim_eval(sim, &work, way, 32, SIM_ALL_PATTERNS);
			sums[1].ios += one.ios;
			sums[1].read += one.read;
		}
	}
	kunit_info(test, "I/Os %lu -> %lu, pages %lu -> %lu\n", sums[0].ios, sums[1].ios,
		   sums[0].read, sums[1].read);
	KUNIT_EXPECT_LE(test, sums[1].ios * 100, sums[0].ios * 101);
	KUNIT_EXPECT_LE(test, sums[1].read * 100, sums[0].read * 103);
}

/* Streams that the stock code follows have tokens of their own, which no other stream takes. */
static void early_tokens(struct kunit *test)
{
	struct ctxra_stream s = { .requested = 64, .followed = CTXRA_DENSE_HITS };
	struct ctxra_request rq = { .nr = 8, .win = 32, .ahead = 32 };
	struct ctxra_budget budget = { .tokens = 1 };

	KUNIT_EXPECT_FALSE(test, ctxra_candidate_try(&s, &budget, &rq, 0, 64));
	budget.early = 1;
	KUNIT_EXPECT_TRUE(test, ctxra_candidate_try(&s, &budget, &rq, 0, 64));
	KUNIT_EXPECT_TRUE(test, s.early);
	KUNIT_EXPECT_EQ(test, budget.early, 0U);
	KUNIT_EXPECT_EQ(test, budget.tokens, 1U);
	s = (struct ctxra_stream){ .requested = 64, .hits = CTXRA_DENSE_HITS };
	KUNIT_EXPECT_TRUE(test, ctxra_candidate_try(&s, &budget, &rq, 0, 64));
	KUNIT_EXPECT_FALSE(test, s.early);
	KUNIT_EXPECT_EQ(test, budget.tokens, 0U);
}

/* After a stride a candidate has to be dense for a whole reach. */
static void dense_after_gaps(struct kunit *test)
{
	struct ctxra_stream s = { .requested = 111, .hits = CTXRA_DENSE_HITS, .gappy = true };
	struct ctxra_request rq = { .nr = 8, .win = 32, .ahead = 32 };	/* reach: 128 */
	struct ctxra_budget budget = { .tokens = 1 };

	KUNIT_EXPECT_FALSE(test, ctxra_candidate_try(&s, &budget, &rq, 0, 111));
	KUNIT_EXPECT_FALSE(test, ctxra_candidate_try(&s, &budget, &rq, 0, 128));
	s.requested = 112;
	KUNIT_EXPECT_TRUE(test, ctxra_candidate_try(&s, &budget, &rq, 0, 128));
}

static struct kunit_case left_cases[] = {
	KUNIT_CASE_PARAM(streams_that_end_soon, many_gen_params),
	KUNIT_CASE(long_streams),
	KUNIT_CASE(columns),
	KUNIT_CASE(early_tokens),
	KUNIT_CASE(dense_after_gaps),
	{}
};

static struct kunit_suite left_suite = {
	.name = "ctxra_left",
	.test_cases = left_cases,
};

kunit_test_suite(left_suite);

MODULE_LICENSE("GPL");
