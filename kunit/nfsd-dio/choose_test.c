// SPDX-License-Identifier: GPL-2.0-only
/* Simulates writers of a device on which each way takes a time of its own, drawn by chance. */
#include <kunit/test.h>
#include <linux/prandom.h>

#include "nfsd-dio/choose.h"

#define DEPTH	16
#define SEEDS	24

/**
 * struct sim - writers and their device
 * @choice: what is tested
 * @rnd: chance
 * @now: ns
 * @elapsed: since the counts began, ns
 * @mean: per way, the mean latency, ns
 * @read_back_percent: of the direct writes are read soon after
 * @done: per way, the writes that have ended
 * @took: per way, the sum of their latencies, ns
 */
struct sim {
	struct nd_choice choice;
	struct rnd_state rnd;
	u64 now;
	u64 elapsed;
	u64 mean[ND_NR_WAYS];
	unsigned int read_back_percent;
	unsigned int done[ND_NR_WAYS];
	u64 took[ND_NR_WAYS];
	struct {
		bool measured;
		enum nd_way way;
		u64 begin, end;
	} writer[DEPTH];
};

static u32 sim_draw(struct sim *sim, u32 below)
{
	return prandom_u32_state(&sim->rnd) % below;
}

/* From a fifth of the mean to nine fifths, and one of 20 five times as long. */
static u64 sim_latency(struct sim *sim, enum nd_way way)
{
	u64 ns = div_u64(sim->mean[way] * (200 + sim_draw(sim, 1600)), 1000);

	return sim_draw(sim, 20) ? ns : 5 * ns;
}

static void sim_begin_write(struct sim *sim, unsigned int i)
{
	sim->writer[i].measured = nd_choice_wants(&sim->choice, sim->now);
	sim->writer[i].way = ND_BY_CACHE;
	if (sim->writer[i].measured)
		sim->writer[i].way = nd_choose(&sim->choice, sim->now);
	sim->writer[i].begin = sim->now;
	sim->writer[i].end = sim->now + sim_latency(sim, sim->writer[i].way);
}

static void sim_end_write(struct sim *sim, unsigned int i)
{
	enum nd_way way = sim->writer[i].way;
	u64 took = sim->writer[i].end - sim->writer[i].begin;

	sim->now = sim->writer[i].end;
	if (sim->writer[i].measured)
		nd_chosen(&sim->choice, way, took, sim->now);
	if (way == ND_BY_DIRECT && !sim_draw(sim, 10))
		nd_choice_read_back(&sim->choice, sim_draw(sim, 100) < sim->read_back_percent);
	sim->done[way]++;
	sim->took[way] += took;
}

/* Count from zero, and write so many times. */
static void sim_run(struct sim *sim, unsigned int writes)
{
	u64 began = sim->now;
	unsigned int i, next;

	memset(sim->done, 0, sizeof(sim->done));
	memset(sim->took, 0, sizeof(sim->took));
	while (writes--) {
		for (next = 0, i = 1; i < DEPTH; i++)
			if (sim->writer[i].end < sim->writer[next].end)
				next = i;
		sim_end_write(sim, next);
		sim_begin_write(sim, next);
	}
	sim->elapsed = sim->now - began;
}

static struct sim *sim_new(struct kunit *test, unsigned int seed, u64 cache_us, u64 direct_us)
{
	struct sim *sim = kunit_kzalloc(test, sizeof(*sim), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, sim);
	prandom_seed_state(&sim->rnd, seed);
	sim->now = NSEC_PER_SEC;
	sim->mean[ND_BY_CACHE] = cache_us * NSEC_PER_USEC;
	sim->mean[ND_BY_DIRECT] = direct_us * NSEC_PER_USEC;
	for (i = 0; i < DEPTH; i++)
		sim_begin_write(sim, i);
	return sim;
}

static unsigned int sim_percent_direct(const struct sim *sim)
{
	return sim->done[ND_BY_DIRECT] * 100 /
	       (sim->done[ND_BY_DIRECT] + sim->done[ND_BY_CACHE]);
}

/* Chance may choose direct writes for a while where they are as fast, or a little faster. */
static void choose_keeps_cache(struct kunit *test)
{
	static const struct {
		unsigned int direct_us, most_percent;
	} cases[] = { { 4500, 20 }, { 5000, 20 }, { 8000, 2 }, { 50000, 2 } };
	unsigned int i, seed;
	struct sim *sim;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		for (seed = 0; seed < SEEDS; seed++) {
			sim = sim_new(test, seed, 5000, cases[i].direct_us);
			sim_run(sim, 50000);
			KUNIT_EXPECT_LE_MSG(test, sim_percent_direct(sim), cases[i].most_percent,
					    "direct %u us, seed %u", cases[i].direct_us, seed);
			kunit_kfree(test, sim);
		}
	}
}

/* In a hundredth of the time a direct write is in flight, as long as each takes 30 ms at most. */
static void choose_bounds_trials(struct kunit *test)
{
	static const struct {
		unsigned int us, most_percent;
	} cases[] = { { 100, 2 }, { 20000, 2 }, { 400000, 12 } };
	unsigned int i, seed;
	struct sim *sim;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		for (seed = 0; seed < SEEDS; seed++) {
			sim = sim_new(test, seed, cases[i].us, cases[i].us);
			sim->choice.read_back = ND_READ_BACK_ALL;
			sim->read_back_percent = 100;
			sim_run(sim, 10000);
			sim_run(sim, 50000);
			KUNIT_EXPECT_GT(test, sim->done[ND_BY_DIRECT], 5);
			KUNIT_EXPECT_LT_MSG(test, sim->took[ND_BY_DIRECT] * 100,
					    sim->elapsed * cases[i].most_percent,
					    "%u us, seed %u", cases[i].us, seed);
			kunit_kfree(test, sim);
		}
	}
}

static void choose_finds_direct(struct kunit *test)
{
	static const unsigned int cache_us[] = { 15000, 50000, 600000 };
	unsigned int i, seed;
	struct sim *sim;

	for (i = 0; i < ARRAY_SIZE(cache_us); i++) {
		for (seed = 0; seed < SEEDS; seed++) {
			sim = sim_new(test, seed, cache_us[i], 5000);
			sim_run(sim, 4000);
			sim_run(sim, 20000);
			KUNIT_EXPECT_GT_MSG(test, sim_percent_direct(sim), 90,
					    "cache %u us, seed %u", cache_us[i], seed);
			kunit_kfree(test, sim);
		}
	}
}

static void choose_minds_reads(struct kunit *test)
{
	unsigned int seed;
	struct sim *sim;

	for (seed = 0; seed < SEEDS; seed++) {
		sim = sim_new(test, seed, 5000, 3000);
		sim->read_back_percent = 100;
		sim_run(sim, 50000);
		sim_run(sim, 20000);
		KUNIT_EXPECT_LT_MSG(test, sim_percent_direct(sim), 2, "seed %u", seed);
		kunit_kfree(test, sim);
	}
}

static void choose_follows_load(struct kunit *test)
{
	unsigned int seed;
	struct sim *sim;

	for (seed = 0; seed < SEEDS; seed++) {
		sim = sim_new(test, seed, 20000, 5000);
		sim_run(sim, 20000);
		KUNIT_EXPECT_EQ_MSG(test, sim->choice.way, ND_BY_DIRECT, "seed %u", seed);
		sim->mean[ND_BY_CACHE] = 3000;
		sim_run(sim, 100000);
		sim_run(sim, 20000);
		KUNIT_EXPECT_LT_MSG(test, sim_percent_direct(sim), 3, "seed %u", seed);
		kunit_kfree(test, sim);
	}
}

static void choose_passes(struct kunit *test)
{
	struct nd_choice choice = {};

	KUNIT_EXPECT_TRUE(test, nd_choice_wants(&choice, NSEC_PER_SEC));
	nd_choice_passes(&choice, NSEC_PER_SEC);
	KUNIT_EXPECT_FALSE(test, nd_choice_wants(&choice, NSEC_PER_SEC + ND_PASS_NS - 1));
	KUNIT_EXPECT_TRUE(test, nd_choice_wants(&choice, NSEC_PER_SEC + ND_PASS_NS));
}

static void choose_pauses_after_failure(struct kunit *test)
{
	struct nd_choice choice = { .way = ND_BY_DIRECT };

	nd_choice_failed(&choice, NSEC_PER_SEC);
	KUNIT_EXPECT_FALSE(test, nd_choice_wants(&choice, NSEC_PER_SEC + ND_FAILED_NS - 1));
	KUNIT_EXPECT_TRUE(test, nd_choice_wants(&choice, NSEC_PER_SEC + ND_FAILED_NS));
}

static struct kunit_case choose_cases[] = {
	KUNIT_CASE(choose_keeps_cache),
	KUNIT_CASE(choose_bounds_trials),
	KUNIT_CASE(choose_finds_direct),
	KUNIT_CASE(choose_minds_reads),
	KUNIT_CASE(choose_follows_load),
	KUNIT_CASE(choose_passes),
	KUNIT_CASE(choose_pauses_after_failure),
	{}
};

static struct kunit_suite choose_suite = {
	.name = "nfsd_dio_choose",
	.test_cases = choose_cases,
};
kunit_test_suite(choose_suite);
