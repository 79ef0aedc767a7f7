// SPDX-License-Identifier: GPL-2.0-only
/*
 * Streams that end soon, and free-running readers of columns: there is little to gain, and they
 * must cost no more I/Os and pages than with the stock code.
 */
#include <kunit/test.h>

#include "ctxra/budget.h"
#include "ctxra/candidate.h"
#include "ctxra/stream.h"
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

/*
 * Streams in an image, with neighbours swapped and two random lookups after each request. They are
 * read again and again, with a pause in which the page cache is dropped: the lookups near those
 * that ended must not open their windows.
 */
#define LOOKUP_STREAMS	8U
#define LOOKUP_AREA	4096UL
#define LOOKUP_ROUNDS	96U
#define LOOKUP_RUNS	4U
#define LOOKUP_PAGES	4UL
#define PAUSE_MS	3000U

static void lay_lookups(struct sim_request *rq, struct rnd_state *rnd)
{
	struct sim_request streams[LOOKUP_STREAMS];
	unsigned long places = LOOKUP_STREAMS * LOOKUP_AREA / LOOKUP_PAGES;
	unsigned int round, i, k;

	for (round = 0; round < LOOKUP_ROUNDS; round++) {
		for (i = 0; i < LOOKUP_STREAMS; i++)
			streams[i] = (struct sim_request){
				i * LOOKUP_AREA + (round ^ 1) * REQUEST, REQUEST,
			};
		sim_shuffle(streams, LOOKUP_STREAMS, rnd);
		for (i = 0; i < LOOKUP_STREAMS; i++) {
			*rq++ = streams[i];
			for (k = 0; k < 2; k++)
				*rq++ = (struct sim_request){
					.index = prandom_u32_state(rnd) % places * LOOKUP_PAGES,
					.nr = LOOKUP_PAGES,
				};
		}
	}
}

static void lookups_near_streams_that_ended(struct kunit *test)
{
	unsigned long n = 3 * LOOKUP_STREAMS * LOOKUP_ROUNDS;
	struct sim *stock = sim_alloc(test, 0, LOOKUP_STREAMS * LOOKUP_AREA);
	struct sim *sim = sim_alloc(test, 0, LOOKUP_STREAMS * LOOKUP_AREA);
	struct sim_request *rq = kunit_kcalloc(test, n, sizeof(*rq), GFP_KERNEL);
	struct sim_outcome sums[2] = {};
	unsigned int run;
	u32 seed;

	KUNIT_ASSERT_NOT_NULL(test, rq);
	for (seed = 1; seed <= SEEDS; seed++) {
		const struct sim_work work = {
			.requests = rq, .nr = n, .readers = 16, .share = SIM_POOL,
			.shared_fd = true, .seed = seed,
		};
		const struct sim_way *way = &sim_ways[seed % SIM_NR_WAYS];
		struct rnd_state rnd = sim_random(seed);

		sim_reset(sim, way, 32, SIM_ALL_PATTERNS);
		for (run = 0; run < LOOKUP_RUNS; run++) {
			u32 now = sim->cache.now + PAUSE_MS * SIM_TICKS_PER_MS;
			struct sim_outcome one;

			lay_lookups(rq, &rnd);
			one = sim_eval(stock, &work, seed % SIM_NR_WAYS, 32, SIM_STOCK);
			sums[0].ios += one.ios;
			sums[0].read += one.read;
			simcache_reset(&sim->cache, way);
			sim->cache.now = now;
			sim_run(sim, &work);
			sums[1].ios += sim->cache.ios;
			sums[1].read += sim->cache.read;
		}
	}
	kunit_info(test, "I/Os %lu -> %lu, pages %lu -> %lu\n", sums[0].ios, sums[1].ios,
		   sums[0].read, sums[1].read);
	KUNIT_EXPECT_LE(test, sums[1].ios * 100, sums[0].ios * 97);
	KUNIT_EXPECT_LE(test, sums[1].read * 100, sums[0].read * 115);
}

/* A stream to which nobody came goes on at its end, behind pages that were read since, or anew. */
static void goes_on_at_its_end(struct kunit *test)
{
	static const struct {
		unsigned long index;
		unsigned long cached;
		bool left;
	} cases[] = {
		{ 900, 0, true }, { 999, 0, true }, { 1000, 0, false }, { 1002, 0, false },
		{ 1003, 0, true }, { 1040, 39, true }, { 1040, 40, false }, { 1100, 0, true },
	};
	struct ctxra_stream s = { .kind = CTXRA_FORWARD, .start = 800, .end = 1000, .used = -500 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ctxra_request rq = {
			.index = cases[i].index, .nr = 8, .cached = cases[i].cached,
		};

		KUNIT_EXPECT_EQ_MSG(test, ctxra_stream_was_left(&s, &rq, 501), cases[i].left,
				    "%lu", rq.index);
		/* A second is not long. */
		KUNIT_EXPECT_FALSE(test, ctxra_stream_was_left(&s, &rq, 500));
		rq.in_order = true;
		KUNIT_EXPECT_FALSE(test, ctxra_stream_was_left(&s, &rq, 501));
		rq.in_order = false;
		rq.evicted = true;
		KUNIT_EXPECT_FALSE(test, ctxra_stream_was_left(&s, &rq, 501));
		rq.evicted = false;
		rq.marker = true;
		KUNIT_EXPECT_FALSE(test, ctxra_stream_was_left(&s, &rq, 501));
	}
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
	KUNIT_CASE(lookups_near_streams_that_ended),
	KUNIT_CASE(goes_on_at_its_end),
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
