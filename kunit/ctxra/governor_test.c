// SPDX-License-Identifier: GPL-2.0-only
/*
 * What ctxra costs for random and semi-random loads, as databases make them, compared with
 * the stock code of each generation. The bar is 2 % more I/Os and pages in each run, and 1 %
 * more pages in the sum of all runs of a load.
 */
#include <kunit/test.h>

#include "ctxra/budget.h"
#include "ctxra/governor.h"
#include "sim/simwork.h"

#define FILE_PAGES	262144UL	/* 1 GiB */
#define REQUESTS	32768UL
#define TRIALS		128UL

/**
 * struct load - a load without streams
 * @name: for messages
 * @lay: fills in the requests
 * @nr: pages of a request
 * @win: window, pages
 * @readers: number of readers
 * @shared_fd: one descriptor for all
 */
struct load {
	const char *name;
	void (*lay)(struct sim_request *rq, unsigned long n, unsigned long nr,
		    struct rnd_state *rnd);
	unsigned long nr;
	unsigned long win;
	unsigned int readers;
	bool shared_fd;
};

static void uniform(struct sim_request *rq, unsigned long n, unsigned long nr,
		    struct rnd_state *rnd)
{
	unsigned long i;

	for (i = 0; i < n; i++)
		rq[i] = sim_random_request(nr, FILE_PAGES, rnd);
}

/* The page of rank r is requested 1/r times as often as the first. @near: ranks are indexes. */
static unsigned long zipf(struct rnd_state *rnd, bool near)
{
	unsigned long rank = prandom_u32_state(rnd) % (1UL << (prandom_u32_state(rnd) % 19));

	return near ? rank : hash_long(rank, 18);
}

static void zipf_scattered(struct sim_request *rq, unsigned long n, unsigned long nr,
			   struct rnd_state *rnd)
{
	unsigned long i;

	for (i = 0; i < n; i++)
		rq[i] = (struct sim_request){ zipf(rnd, false) / nr * nr, nr };
}

static void zipf_near(struct sim_request *rq, unsigned long n, unsigned long nr,
		      struct rnd_state *rnd)
{
	unsigned long i;

	for (i = 0; i < n; i++)
		rq[i] = (struct sim_request){ zipf(rnd, true) / nr * nr, nr };
}

/* Runs of 2 to 4 requests at random places. */
static void short_runs(struct sim_request *rq, unsigned long n, unsigned long nr,
		       struct rnd_state *rnd)
{
	struct sim_request next = {};
	unsigned long i, left = 0;

	for (i = 0; i < n; i++, left--) {
		if (!left) {
			next = sim_random_request(4 * nr, FILE_PAGES, rnd);
			next.nr = nr;
			left = 2 + prandom_u32_state(rnd) % 3;
		}
		rq[i] = next;
		next.index += nr;
	}
}

/* Random requests in areas of 1 MiB, such as an index or hot tables. */
static void hot_areas(struct sim_request *rq, unsigned long n, unsigned long nr,
		      struct rnd_state *rnd)
{
	unsigned long i;

	for (i = 0; i < n; i++) {
		unsigned long area = prandom_u32_state(rnd) % 256;

		rq[i] = (struct sim_request){
			.index = area * 1024 + prandom_u32_state(rnd) % 256, .nr = nr,
		};
	}
}

#define LOAD(lay_, nr_, win_, readers_, shared_fd_) {				\
	.name = #lay_ ", " #nr_ " pages, window " #win_ ", readers " #readers_	\
		", shared " #shared_fd_,					\
	.lay = lay_, .nr = nr_, .win = win_, .readers = readers_, .shared_fd = shared_fd_, \
}

static const struct load loads[] = {
	LOAD(uniform, 1, 32, 1, false), LOAD(uniform, 1, 32, 8, true),
	LOAD(uniform, 4, 256, 8, true),
	LOAD(zipf_scattered, 1, 32, 1, false), LOAD(zipf_scattered, 1, 32, 8, true),
	LOAD(zipf_scattered, 1, 256, 8, true), LOAD(zipf_scattered, 4, 32, 8, false),
	LOAD(zipf_near, 1, 32, 1, false), LOAD(zipf_near, 1, 32, 8, true),
	LOAD(zipf_near, 4, 32, 8, true),
	LOAD(short_runs, 1, 32, 1, false), LOAD(short_runs, 1, 32, 8, true),
	LOAD(short_runs, 1, 256, 8, true), LOAD(short_runs, 2, 32, 8, true),
	LOAD(short_runs, 1, 32, 8, false), LOAD(short_runs, 4, 32, 8, true),
	LOAD(hot_areas, 1, 32, 1, false), LOAD(hot_areas, 1, 32, 8, true),
	LOAD(hot_areas, 1, 256, 8, true), LOAD(hot_areas, 4, 32, 8, true),
	LOAD(uniform, 4, 1024, 8, true), LOAD(zipf_near, 1, 256, 8, true),
	LOAD(zipf_near, 4, 1024, 8, true), LOAD(short_runs, 2, 256, 8, false),
	LOAD(short_runs, 4, 1024, 8, true), LOAD(hot_areas, 1, 1024, 8, true),
};

static void load_desc(const struct load *load, char *desc)
{
	strscpy(desc, load->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(loads, loads, load_desc);

/* Percent more pages than stock that any run may read. All runs of a load together: 1. */
#define WORST_PERCENT	2

static void costs_nothing(struct kunit *test)
{
	static const u32 load_seeds[] = { 20261121, 1, 2, 3 };
	const struct load *load = test->param_value;
	struct sim *sim = sim_alloc(test, 0, FILE_PAGES);
	struct sim_outcome sums[2] = {};
	struct sim_request *rq;
	unsigned long most;
	unsigned int way, i;

	rq = kunit_kcalloc(test, REQUESTS, sizeof(*rq), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, rq);
	for (i = 0; i < ARRAY_SIZE(load_seeds); i++) {
		struct rnd_state rnd = sim_random(load_seeds[i]);
		const struct sim_work work = {
			.requests = rq, .nr = REQUESTS, .readers = load->readers,
			.share = SIM_POOL, .shared_fd = load->shared_fd, .seed = 1,
		};

		load->lay(rq, REQUESTS, load->nr, &rnd);
		for (way = 0; way < SIM_NR_WAYS; way++) {
			struct sim_outcome stock, ctxra;

			stock = sim_eval(sim, &work, way, load->win, SIM_STOCK);
			ctxra = sim_eval(sim, &work, way, load->win, SIM_ALL_PATTERNS);
			sim_report(test, way, load->name, &stock, &ctxra);
			/* Or one window: in a short run a single mistake is more than that. */
			most = max(stock.read * WORST_PERCENT / 100, load->win);
			KUNIT_EXPECT_LE(test, ctxra.read, stock.read + most + TRIALS);
			KUNIT_EXPECT_LE(test, ctxra.ios * 100, stock.ios * 102);
			sums[0].read += stock.read;
			sums[1].read += ctxra.read;
		}
	}
	KUNIT_EXPECT_LE(test, sums[1].read, sums[0].read + sums[0].read / 100);
}

static void judge(struct ctxra_stream *s, struct ctxra_budget *budget, unsigned int used,
		  unsigned int unused)
{
	const struct ctxra_use use = { .used = used, .unused = unused };

	ctxra_governor_judge(s, budget, 32, &use);
}

/* A new stream is trusted once four fifths of a window are read. */
static void trust_has_to_be_earned(struct kunit *test)
{
	struct ctxra_stream s = { .kind = CTXRA_FORWARD, .on_trial = true };
	struct ctxra_budget budget = { .tokens = 1 };

	ctxra_governor_init(&s);
	s.windows_opened = s.trust;
	judge(&s, &budget, 11, 3);
	KUNIT_EXPECT_TRUE(test, s.distrusted);
	KUNIT_EXPECT_FALSE(test, ctxra_governor_trusts(&s));
	KUNIT_EXPECT_EQ(test, budget.tokens, 1U);
	judge(&s, &budget, 12, 3);
	KUNIT_EXPECT_FALSE(test, s.distrusted);
	KUNIT_EXPECT_TRUE(test, ctxra_governor_trusts(&s));
	KUNIT_EXPECT_FALSE(test, s.on_trial);
	KUNIT_EXPECT_EQ(test, budget.tokens, 5U);
}

/* In a mapped file unclear pages give no trust, and take none. */
static void unclear_use_proves_nothing(struct kunit *test)
{
	const struct ctxra_use unclear = { .used = 2, .unclear = 14 };
	const struct ctxra_use clear = { .used = 14, .unclear = 2 };
	struct ctxra_stream s = { .kind = CTXRA_FORWARD, .on_trial = true, .win_size = 32 };
	struct ctxra_budget budget = {};
	unsigned int i;

	ctxra_governor_init(&s);
	s.windows_opened = s.trust;
	ctxra_governor_judge(&s, &budget, 32, &unclear);
	KUNIT_EXPECT_FALSE(test, ctxra_governor_trusts(&s));
	for (i = 0; i < 2; i++)
		ctxra_governor_judge(&s, &budget, 32, &clear);
	s.windows_opened = U8_MAX;
	KUNIT_EXPECT_TRUE(test, ctxra_governor_trusts(&s));
	ctxra_governor_judge(&s, &budget, 32, &unclear);
	KUNIT_EXPECT_EQ(test, s.win_cap, 0U);
	KUNIT_EXPECT_TRUE(test, ctxra_governor_trusts(&s));
	KUNIT_EXPECT_FALSE(test, s.drops);
}

/*
 * Evicted pages give no trust: random reads that come back to a window that was evicted unread have
 * brought back just the pages that they used.
 */
static void evicted_use_proves_nothing(struct kunit *test)
{
	const struct ctxra_use evicted = { .used = 4, .evicted = 12 };
	const struct ctxra_use clear = { .used = 13, .evicted = 3 };
	struct ctxra_stream s = { .kind = CTXRA_FORWARD, .on_trial = true, .win_size = 32 };
	struct ctxra_budget budget = {};

	ctxra_governor_init(&s);
	s.windows_opened = s.trust;
	ctxra_governor_judge(&s, &budget, 32, &evicted);
	KUNIT_EXPECT_FALSE(test, ctxra_governor_trusts(&s));
	KUNIT_EXPECT_FALSE(test, s.distrusted);
	KUNIT_EXPECT_TRUE(test, s.on_trial);
	ctxra_governor_judge(&s, &budget, 32, &clear);
	KUNIT_EXPECT_TRUE(test, ctxra_governor_trusts(&s));
	KUNIT_EXPECT_FALSE(test, s.on_trial);
}

/*
 * A window that was evicted before it was judged is never found read, unless a reader brings it
 * back. Once they are far from it, its stream begins anew, or it would open no window any more.
 */
static void lost_window_ends_the_trial(struct kunit *test)
{
	const struct ctxra_use evicted = { .evicted = CTXRA_SAMPLES };
	static const unsigned long positions[] = { 200, 1000, 1139, 1140, 5000 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(positions); i++) {
		struct ctxra_stream s = {
			.kind = CTXRA_FORWARD, .on_trial = true, .early = true, .again = true,
			.probe_start = 100, .probe_nr = 16, .reader_pos = positions[i],
		};
		bool far = positions[i] >= 116 + 32 * 32;
		struct ctxra_budget budget = {};

		ctxra_governor_init(&s);
		s.windows_opened = s.trust;
		ctxra_governor_judge(&s, &budget, 32, &evicted);
		KUNIT_EXPECT_EQ_MSG(test, s.kind, far ? CTXRA_CANDIDATE : CTXRA_FORWARD,
				    "reader at %lu", positions[i]);
		KUNIT_EXPECT_TRUE(test, s.on_trial == !far);
		KUNIT_EXPECT_EQ(test, s.probe_nr, far ? 0U : 16U);
		KUNIT_EXPECT_EQ(test, budget.tokens, 0U);
	}
}

/* Before full trust the windows grow one step per proof, and that is when tokens come back. */
static void each_size_has_to_be_proved(struct kunit *test)
{
	struct ctxra_stream s = { .kind = CTXRA_FORWARD, .on_trial = true, .win_size = 4 };
	struct ctxra_budget budget = {};

	ctxra_governor_init(&s);
	KUNIT_EXPECT_EQ(test, ctxra_governor_next_size(&s, 8), 4UL);
	judge(&s, &budget, 4, 0);
	KUNIT_EXPECT_EQ(test, ctxra_governor_next_size(&s, 8), 16UL);
	s.win_size = 16;
	s.windows_opened = 1;
	KUNIT_EXPECT_EQ(test, ctxra_governor_next_size(&s, 32), 16UL);
	judge(&s, &budget, 16, 0);
	s.win_size = 32;
	KUNIT_EXPECT_EQ(test, budget.tokens, 1U);
	judge(&s, &budget, 16, 0);
	KUNIT_EXPECT_EQ(test, budget.tokens, 5U);
	s.windows_opened = U8_MAX;
	KUNIT_EXPECT_TRUE(test, ctxra_governor_trusts(&s));
}

/* The pages that a reader waits for are no proof, and no window of others is readahead. */
static void requested_pages_prove_nothing(struct kunit *test)
{
	static const struct {
		struct ctxra_window win;
		u32 start, nr;
	} all[] = {
		{ { .start = 64, .nr = 16 }, 0, 0 }, { { .start = 64, .nr = 20 }, 0, 0 },
		{ { .start = 64, .nr = 32 }, 80, 16 }, { { .start = 32, .nr = 56 }, 32, 32 },
		{ { .start = 96, .nr = 32, .ahead = true }, 96, 32 },
	};
	const struct ctxra_request rq = { .index = 64, .nr = 16, .win = 64, .ahead = 64 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		struct ctxra_stream s = { .kind = CTXRA_FORWARD };

		ctxra_governor_count_window(&s, &rq, &all[i].win);
		KUNIT_EXPECT_EQ(test, s.probe_nr, all[i].nr);
		KUNIT_EXPECT_EQ(test, s.windows_opened, (u8)(all[i].nr > 0));
		if (all[i].nr)
			KUNIT_EXPECT_EQ(test, s.probe_start, (unsigned long)all[i].start);
	}
}

/* A trusted stream whose windows stay unread gets smaller ones, and then is none any more. */
static void unread_stream_is_demoted(struct kunit *test)
{
	struct ctxra_stream s = { .kind = CTXRA_FORWARD, .win_size = 64, .last_nr = 16 };
	struct ctxra_budget budget = { .tokens = 4 };

	s.trust = U8_MAX;
	judge(&s, &budget, 8, 8);
	KUNIT_EXPECT_EQ(test, s.win_size, 64U);
	judge(&s, &budget, 7, 9);
	KUNIT_EXPECT_EQ(test, s.win_size, 32U);
	KUNIT_EXPECT_EQ(test, s.kind, (u8)CTXRA_FORWARD);
	judge(&s, &budget, 7, 9);
	KUNIT_EXPECT_EQ(test, s.kind, (u8)CTXRA_CANDIDATE);
	KUNIT_EXPECT_EQ(test, s.hits, (u8)0);
	KUNIT_EXPECT_EQ(test, budget.tokens, 2U);
}

/* A set gets a token for many calls, up to what it began with. */
static void tokens_come_back_slowly(struct kunit *test)
{
	struct ctxra_budget budget;
	unsigned int tokens, calls = 0;

	ctxra_budget_init(&budget);
	tokens = budget.tokens;
	budget.tokens = 0;
	while (!budget.tokens && calls < 100000) {
		ctxra_budget_count_call(&budget);
		calls++;
	}
	/* docs/design/ctxra.md */
	KUNIT_EXPECT_EQ(test, calls, 2048U);
	for (calls *= tokens + 2; calls; calls--)
		ctxra_budget_count_call(&budget);
	KUNIT_EXPECT_EQ(test, budget.tokens, tokens);
}

static struct kunit_case governor_cases[] = {
	KUNIT_CASE(trust_has_to_be_earned),
	KUNIT_CASE(unclear_use_proves_nothing),
	KUNIT_CASE(evicted_use_proves_nothing),
	KUNIT_CASE(lost_window_ends_the_trial),
	KUNIT_CASE(each_size_has_to_be_proved),
	KUNIT_CASE(requested_pages_prove_nothing),
	KUNIT_CASE(unread_stream_is_demoted),
	KUNIT_CASE(tokens_come_back_slowly),
	KUNIT_CASE_PARAM(costs_nothing, loads_gen_params),
	{}
};

static struct kunit_suite governor_suite = {
	.name = "ctxra_governor",
	.test_cases = governor_cases,
};

kunit_test_suite(governor_suite);

MODULE_LICENSE("GPL");
