// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random reads that look like a stream: because memory is short, so that they come back to pages
 * that were evicted, or because they are near a scan. governor_test.c has those of a file that fits
 * into memory.
 */
#include <kunit/test.h>

#include "ctxra/budget.h"
#include "ctxra/candidate.h"
#include "ctxra/follow.h"
#include "ctxra/governor.h"
#include "sim/simwork.h"

#define FILE_PAGES	32768UL	/* 128 MiB */
#define UNIFORM		8192UL
#define SEEDS		24	/* of each kernel a sixth */
#define SCANNERS	4U	/* and as many random readers */

/**
 * struct load - random reads
 * @name: for messages
 * @nr: pages of a request
 * @win: window, pages
 * @memory: pages that may be cached, 0 if all
 * @percent: of the pages of the stock code that ctxra may read
 */
struct load {
	const char *name;
	unsigned long nr;
	unsigned long win;
	unsigned long memory;
	unsigned int percent;
};

#define LOAD(nr_, win_, memory_, percent_) {					\
	.name = #nr_ " pages, window " #win_ ", memory " #memory_,		\
	.nr = nr_, .win = win_, .memory = memory_, .percent = percent_		\
}

static const struct load uniform_loads[] = {
	LOAD(8, 32, 8192, 102), LOAD(16, 32, 8192, 102), LOAD(32, 32, 8192, 102),
	LOAD(64, 256, 8192, 102), LOAD(64, 1024, 16384, 102),
};

/* What remains above the stock code: the pages near the scan, which comes to most of them. */
static const struct load scan_loads[] = {
	LOAD(8, 256, 0, 114), LOAD(16, 256, 8192, 114),
};

static void load_desc(const struct load *load, char *desc)
{
	strscpy(desc, load->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(uniform, uniform_loads, load_desc);
KUNIT_ARRAY_PARAM(scan, scan_loads, load_desc);

static struct sim_request aligned_at_random(unsigned long nr, struct rnd_state *rnd)
{
	return (struct sim_request){ prandom_u32_state(rnd) % (FILE_PAGES / nr) * nr, nr };
}

static void compare(struct kunit *test, struct sim *sim, const struct load *load,
		    const struct sim_work *work, struct sim_outcome *sums)
{
	unsigned int way = work->seed % SIM_NR_WAYS, i;

	for (i = 0; i < 2; i++) {
		struct sim_outcome o = sim_eval(sim, work, way, load->win,
						i ? SIM_ALL_PATTERNS : SIM_STOCK);

		sums[i].ios += o.ios;
		sums[i].read += o.read;
	}
}

static void expect(struct kunit *test, const struct load *load, const struct sim_outcome *sums)
{
	kunit_info(test, "%s: I/Os %lu -> %lu, pages %lu -> %lu\n", load->name, sums[0].ios,
		   sums[1].ios, sums[0].read, sums[1].read);
	KUNIT_EXPECT_LE(test, sums[1].read * 100, sums[0].read * load->percent);
	KUNIT_EXPECT_LE(test, sums[1].ios * 100, sums[0].ios * 102);
}

static struct sim *alloc_sim(struct kunit *test, const struct load *load)
{
	struct sim *sim = sim_alloc(test, 0, FILE_PAGES);

	if (load->memory)
		simcache_limit(&sim->cache, load->memory);
	return sim;
}

static void uniform_with_little_memory(struct kunit *test)
{
	const struct load *load = test->param_value;
	struct sim *sim = alloc_sim(test, load);
	struct sim_outcome sums[2] = {};
	struct sim_request *rq;
	u32 seed;

	rq = kunit_kcalloc(test, UNIFORM, sizeof(*rq), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, rq);
	for (seed = 1; seed <= SEEDS; seed++) {
		const struct sim_work work = {
			.requests = rq, .nr = UNIFORM, .readers = 4, .share = SIM_FREE,
			.seed = seed,
		};
		struct rnd_state rnd = sim_random(seed);
		unsigned long i;

		for (i = 0; i < UNIFORM; i++)
			rq[i] = aligned_at_random(load->nr, &rnd);
		compare(test, sim, load, &work, sums);
	}
	expect(test, load, sums);
}

/*
 * As a database does: some processes scan a part of a table in turn, and others read at random in
 * all of it.
 */
static void beside_a_scan(struct kunit *test)
{
	const struct load *load = test->param_value;
	unsigned long n = FILE_PAGES / 4 / load->nr, i;
	struct sim *sim = alloc_sim(test, load);
	struct sim_outcome sums[2] = {};
	struct sim_request *rq;
	u32 seed;

	rq = kunit_kcalloc(test, 2 * n, sizeof(*rq), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, rq);
	for (seed = 1; seed <= SEEDS; seed++) {
		const struct sim_work work = {
			.requests = rq, .nr = 2 * n, .readers = 2 * SCANNERS, .share = SIM_FREE,
			.seed = seed,
		};
		struct rnd_state rnd = sim_random(seed);

		/* Reader k of K gets every Kth request. */
		for (i = 0; i < n; i++) {
			unsigned long at = i / SCANNERS * 2 * SCANNERS + i % SCANNERS;

			rq[at] = (struct sim_request){ FILE_PAGES / 8 + i * load->nr, load->nr };
			rq[at + SCANNERS] = aligned_at_random(load->nr, &rnd);
		}
		compare(test, sim, load, &work, sums);
	}
	expect(test, load, sums);
}

/* After an evicted page a window that was found read is a proof only in a stream that moves on. */
static void proof_needs_motion(struct kunit *test)
{
	const struct ctxra_use use = { .used = CTXRA_SAMPLES };
	struct ctxra_stream s = {
		.kind = CTXRA_FORWARD, .on_trial = true, .again = true, .direction = 7,
	};
	struct ctxra_budget budget = {};

	ctxra_governor_init(&s);
	s.windows_opened = s.trust;
	ctxra_governor_judge(&s, &budget, 32, &use);
	KUNIT_EXPECT_FALSE(test, ctxra_governor_trusts(&s));
	KUNIT_EXPECT_TRUE(test, s.on_trial);
	KUNIT_EXPECT_EQ(test, budget.tokens, 0U);
	s.direction = -8;
	ctxra_governor_judge(&s, &budget, 32, &use);
	KUNIT_EXPECT_TRUE(test, ctxra_governor_trusts(&s));
	KUNIT_EXPECT_FALSE(test, s.on_trial);
}

/* After an evicted page a candidate takes a token, whatever its hits, unless it moves on. */
static void evicted_page_takes_a_token(struct kunit *test)
{
	static const struct {
		bool again;
		s8 direction;
		bool recognised;
	} cases[] = {
		{ true, 0, false }, { true, 15, false }, { true, -15, false },
		{ true, 16, true }, { true, -16, true }, { false, 0, true },
	};
	const struct ctxra_request rq = { .index = 64, .nr = 4, .win = 32, .ahead = 32 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ctxra_stream s = {
			.hits = U8_MAX, .requested = 64, .again = cases[i].again,
			.direction = cases[i].direction,
		};
		struct ctxra_budget budget = {};

		KUNIT_EXPECT_EQ_MSG(test, ctxra_candidate_try(&s, &budget, &rq, 0, 64),
				    cases[i].recognised, "case %u", i);
		KUNIT_EXPECT_FALSE(test, s.on_trial);
	}
}

/* A stream that begins anew remembers no evicted page but the one that it begins with. */
static void restart_on_an_evicted_page(struct kunit *test)
{
	struct ctxra_request rq = { .index = 1000, .nr = 4, .win = 32, .ahead = 32, .eof = 4000 };
	struct ctxra_budget budget = {};
	unsigned int evicted;

	for (evicted = 0; evicted < 2; evicted++) {
		struct ctxra_stream s = {
			.end = 100, .requested = 8, .last_nr = 4, .again = !evicted,
		};
		struct ctxra_window win;

		rq.evicted = evicted;
		KUNIT_EXPECT_EQ(test, ctxra_stream_follow(&s, &budget, &rq, &win), CTXRA_STOCK);
		KUNIT_EXPECT_EQ(test, s.start, rq.index);
		KUNIT_EXPECT_TRUE(test, s.again == evicted);
	}
}

static struct kunit_case random_cases[] = {
	KUNIT_CASE(proof_needs_motion),
	KUNIT_CASE(evicted_page_takes_a_token),
	KUNIT_CASE(restart_on_an_evicted_page),
	KUNIT_CASE_PARAM(uniform_with_little_memory, uniform_gen_params),
	KUNIT_CASE_PARAM(beside_a_scan, scan_gen_params),
	{}
};

static struct kunit_suite random_suite = {
	.name = "ctxra_random",
	.test_cases = random_cases,
};

kunit_test_suite(random_suite);

MODULE_LICENSE("GPL");
