// SPDX-License-Identifier: GPL-2.0-only
/* max_kb=auto: streams that get windows larger than the device's, and lose them again. */
#include <kunit/test.h>

#include "sim/simwork.h"

#define SEEDS		20
#define WINDOW		32UL
#define PAGES		16384UL

struct grown {
	unsigned long pages;	/* window */
	enum sim_share share;
	unsigned int group;
};

static const struct grown cases[] = {
	{ 256, SIM_POOL, 2 }, { 1024, SIM_POOL, 2 }, { 2048, SIM_POOL, 2 }, { 1024, SIM_POOL, 8 },
	{ 1024, SIM_TURN, 2 }, { 1024, SIM_FREE, 2 },
};

static void grown_desc(const struct grown *g, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%lu pages, %s, groups of %u", g->pages,
		 sim_share_names[g->share], g->group);
}

KUNIT_ARRAY_PARAM(cases, cases, grown_desc);

static struct sim_outcome run(struct kunit *test, struct sim *sim, const struct grown *g, u32 seed,
			      unsigned long grown, unsigned long flips)
{
	struct sim_shape shape = {
		.name = "grown", .pages = PAGES, .nr = 16, .win = WINDOW, .readers = 16,
		.share = g->share, .shared_fd = true, .group = g->group, .seed = seed,
	};
	struct sim_work work = sim_work_create(test, &shape, sim->cache.eof);
	struct sim_outcome outcome;

	sim->grown = grown;
	sim->flips = flips;
	sim->calls = 0;
	outcome = sim_eval(sim, &work, seed % SIM_NR_WAYS, WINDOW, SIM_ALL_PATTERNS);
	kunit_kfree(test, work.requests);
	return outcome;
}

static void larger_windows(struct kunit *test)
{
	const struct grown *g = test->param_value;
	struct sim *sim = sim_alloc(test, 0, PAGES);
	unsigned long small = 0, large = 0, flipped = 0, most = 0;
	u32 seed;

	for (seed = 1; seed <= SEEDS; seed++) {
		struct sim_outcome one = run(test, sim, g, seed, 0, 0), other;

		small += one.ios;
		other = run(test, sim, g, seed, g->pages, 0);
		KUNIT_EXPECT_EQ_MSG(test, other.read, PAGES, "seed %u", seed);
		large += other.ios;
		most = max(most, other.ios);
		/* The window changes all the time: the stream is found as before. */
		other = run(test, sim, g, seed, g->pages, 20);
		KUNIT_EXPECT_EQ_MSG(test, other.read, PAGES, "seed %u, changing", seed);
		flipped += other.ios;
	}
	kunit_info(test, "I/Os of %lu: %lu, with larger windows %lu (at most %lu), changing %lu\n",
		   SEEDS * PAGES / WINDOW, small, large, most, flipped);
	/* Not every stream is trusted in full, and so gets larger windows. */
	KUNIT_EXPECT_LE(test, large, small / 3);
	KUNIT_EXPECT_LE(test, flipped, small * 105 / 100);
}

static struct kunit_case grown_cases[] = {
	KUNIT_CASE_PARAM(larger_windows, cases_gen_params),
	{}
};

static struct kunit_suite grown_suite = {
	.name = "ctxra_grown",
	.test_cases = grown_cases,
};

kunit_test_suite(grown_suite);
