// SPDX-License-Identifier: GPL-2.0-only
/*
 * Many streams: in one file, in the table as a whole, and more of them than a set has room for.
 */
#include <kunit/test.h>

#include "ctxra/recent.h"
#include "ctxra/set.h"
#include "sim/simwork.h"

#define SEEDS		20
#define WINDOW		32UL

/* 1 MiB per stream, or as much as one allocation can tell of. */
static unsigned long pages_of(unsigned int streams)
{
	return min(256U, 320000 / streams / 16 * 16);
}

static const unsigned int counts[] = { 65, 130, 200, 500, 2000 };

static void count_desc(const unsigned int *count, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%u streams", *count);
}

KUNIT_ARRAY_PARAM(counts, counts, count_desc);

static void sum_of_seeds(struct kunit *test, struct sim *sim, unsigned int streams,
			 struct sim_outcome *stock, struct sim_outcome *ctxra)
{
	u32 seed;

	for (seed = 1; seed <= SEEDS; seed++) {
		struct sim_shape shape = {
			.name = "many streams", .pages = streams * pages_of(streams), .nr = 16,
			.win = WINDOW, .readers = 16, .share = SIM_POOL, .shared_fd = true,
			.streams = streams, .group = 2, .seed = seed,
		};
		struct sim_work work = sim_work_create(test, &shape, sim->cache.eof);
		unsigned int way = seed % SIM_NR_WAYS;
		struct sim_outcome one = sim_eval(sim, &work, way, WINDOW, SIM_STOCK);

		stock->ios += one.ios;
		stock->missed += one.missed;
		one = sim_eval(sim, &work, way, WINDOW, SIM_ALL_PATTERNS);
		ctxra->ios += one.ios;
		ctxra->missed += one.missed;
		ctxra->opened += one.opened;
		kunit_kfree(test, work.requests);
	}
}

/* Streams one behind the other look like readers of a stride, too: see streams_apart(). */
static void in_one_file(struct kunit *test)
{
	unsigned int streams = *(const unsigned int *)test->param_value;
	struct sim_outcome stock = {}, ctxra = {};
	struct sim *sim = sim_alloc(test, 0, streams * pages_of(streams));

	sum_of_seeds(test, sim, streams, &stock, &ctxra);
	/* The table has room for all, so that as much is gained as with few streams. */
	KUNIT_EXPECT_LE(test, ctxra.ios * 100, stock.ios * 80);
	kunit_info(test, "%u streams: I/Os %lu -> %lu (%lu %%), waits %lu -> %lu, windows %lu of %lu\n",
		   streams, stock.ios, ctxra.ios, ctxra.ios * 100 / stock.ios, stock.missed,
		   ctxra.missed, ctxra.opened, SEEDS * streams * pages_of(streams) / WINDOW);
}

#define APART_STREAMS	65
/* Pages of a stream, and the most between two streams. */
#define APART_PAGES	1024UL
#define APART_GAP	1024UL

/*
 * struct apart - requests of such streams, and what they may cost in percent of stock
 * @nr: pages of a request
 * @ios: I/Os
 * @pages: pages read. Behind each stream there is a window that nobody reads
 */
struct apart {
	unsigned int nr;
	unsigned int ios;
	unsigned int pages;
};

static const struct apart aparts[] = {
	{ 16, 84, 105 },
	/* As long as the window: no I/O can be saved. */
	{ 32, 102, 102 },
};

static void apart_desc(const struct apart *apart, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "requests of %u pages", apart->nr);
}

KUNIT_ARRAY_PARAM(aparts, aparts, apart_desc);

/* Move the streams, which lie one behind the other, as far apart as chance has it. */
static void move_apart(struct sim_request *rq, unsigned long nr, struct rnd_state *rnd)
{
	unsigned long place[APART_STREAMS], at = 0, i;

	for (i = 0; i < APART_STREAMS; i++) {
		place[i] = at;
		at += APART_PAGES + prandom_u32_state(rnd) % (APART_GAP / WINDOW) * WINDOW;
	}
	for (i = 0; i < nr; i++)
		rq[i].index = place[rq[i].index / APART_PAGES] + rq[i].index % APART_PAGES;
}

static void add_apart(struct kunit *test, struct sim *sim, unsigned int nr, u32 seed,
		      struct sim_totals *sum)
{
	struct sim_shape shape = {
		.name = "streams apart", .pages = APART_STREAMS * APART_PAGES, .nr = nr,
		.win = WINDOW, .readers = 16, .share = SIM_POOL, .shared_fd = true,
		.streams = APART_STREAMS, .group = 2, .seed = seed,
	};
	struct sim_work work = sim_work_create(test, &shape, sim->cache.eof);
	struct rnd_state rnd = sim_random(seed);
	struct sim_request *rq;

	rq = kunit_kmalloc(test, work.nr * sizeof(*rq), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, rq);
	memcpy(rq, work.requests, work.nr * sizeof(*rq));
	kunit_kfree(test, work.requests);
	work.requests = rq;
	move_apart(rq, work.nr, &rnd);
	sim_compare(sim, &work, seed % SIM_NR_WAYS, WINDOW, sum);
	kunit_kfree(test, rq);
}

/* The streams of a file do not wait for each other's tokens for long. */
static void streams_apart(struct kunit *test)
{
	struct sim *sim = sim_alloc(test, 0, APART_STREAMS * (APART_PAGES + APART_GAP));
	const struct apart *apart = test->param_value;
	struct sim_totals sum = {};
	u32 seed;

	for (seed = 1; seed <= SEEDS; seed++)
		add_apart(test, sim, apart->nr, seed, &sum);
	sim_report_totals(test, "streams apart", &sum);
	KUNIT_EXPECT_LE(test, sum.ios[1] * 100, sum.ios[0] * apart->ios);
	KUNIT_EXPECT_LE(test, sum.read[1] * 100, sum.read[0] * apart->pages);
}

/* Requests that are served of a recognised stream, if so many streams of one set take turns. */
static unsigned long served_in_turn(struct ctxra_set *set, unsigned int streams,
				    unsigned int rounds)
{
	static const struct ctxra_file file = { .mapping = &file, .ino = 1 };
	unsigned long served = 0;
	unsigned int round, i;

	for (round = 0; round < rounds; round++) {
		for (i = 0; i < streams; i++) {
			struct ctxra_request rq = {
				.index = i * 100000UL + round * 16, .nr = 16, .win = 32,
				.ahead = 32, .eof = -1UL,
			};
			struct ctxra_stream *s = ctxra_set_find(set, &file, &rq);

			if (!s)
				s = ctxra_set_start(set, &file, &rq);
			else if (s->kind)
				served++;
			else if (++s->hits == 3)
				s->kind = CTXRA_FORWARD;
			s->start = rq.index;
			s->end = rq.index + rq.nr;
			set->now++;
			ctxra_set_touch(set, s);
		}
	}
	return served;
}

/* The streams that a set has room for are served, however many others there are. */
static void more_than_a_set_has_room_for(struct kunit *test)
{
	static const unsigned int streams[] = { 31, 33, 40, 64, 100 };
	struct ctxra_budget budget = { .tokens = 64 };
	struct ctxra_set *set;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(streams); i++) {
		unsigned long served, rounds = 100;

		set = kunit_kzalloc(test, sizeof(*set), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, set);
		ctxra_set_init(set);
		set->budget = &budget;
		served = served_in_turn(set, streams[i], rounds);
		kunit_info(test, "%u streams: %lu of %lu requests\n", streams[i], served,
			   rounds * streams[i]);
		KUNIT_EXPECT_GE(test, served,
				rounds * min(streams[i], CTXRA_SET_STREAMS - 2U) * 80 / 100);
	}
}

static struct kunit_case scale_cases[] = {
	KUNIT_CASE_PARAM(in_one_file, counts_gen_params),
	KUNIT_CASE_PARAM(streams_apart, aparts_gen_params),
	KUNIT_CASE(more_than_a_set_has_room_for),
	{}
};

static struct kunit_suite scale_suite = {
	.name = "ctxra_scale",
	.test_cases = scale_cases,
};

kunit_test_suite(scale_suite);
