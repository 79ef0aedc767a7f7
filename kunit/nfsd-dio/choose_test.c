// SPDX-License-Identifier: GPL-2.0-only
/* Simulates writers of a device on which each way takes a time of its own, drawn by chance. */
#include <kunit/test.h>
#include <linux/prandom.h>

#include "nfsd-dio/choose.h"

#define DEPTH	16
#define SIZES	2

/**
 * struct sim - writers and their device
 * @choice: what is tested, for each size
 * @sizes: of the writes, by chance
 * @rnd: chance
 * @now: ns
 * @mean: per way, the mean latency, ns
 * @fit: direct writes in flight that find memory; 0: all
 * @locks: a write through the cache waits for the direct ones in flight
 * @tail: one write of so many takes 200 times as long, 0: one of 20 five times
 * @direct_tail: one direct write of so many takes 50 times as long
 * @read_back_percent: of the direct writes are read soon after
 * @done: per way, the writes that have ended
 */
struct sim {
	struct nd_choice choice[SIZES];
	unsigned int sizes;
	struct rnd_state rnd;
	u64 now;
	u64 mean[ND_NR_WAYS];
	unsigned int fit;
	bool locks;
	unsigned int tail;
	unsigned int direct_tail;
	unsigned int read_back_percent;
	unsigned int done[ND_NR_WAYS];
	struct {
		struct nd_choice *choice;
		u64 run;
		enum nd_way way;
		bool gave_up;
		u64 begin, end;
	} writer[DEPTH];
};

static u32 sim_draw(struct sim *sim, u32 below)
{
	return prandom_u32_state(&sim->rnd) % below;
}

/* From a fifth of the mean to nine fifths, and some take longer. */
static u64 sim_latency(struct sim *sim, enum nd_way way)
{
	u64 ns = div_u64(sim->mean[way] * (200 + sim_draw(sim, 1600)), 1000);

	if (way == ND_BY_DIRECT && sim->direct_tail && !sim_draw(sim, sim->direct_tail))
		return 50 * ns;
	if (sim->tail)
		return sim_draw(sim, sim->tail) ? ns : 200 * ns;
	return sim_draw(sim, 20) ? ns : 5 * ns;
}

/* When the last of the direct writes in flight ends; @now if there is none. */
static u64 sim_direct_end(const struct sim *sim)
{
	u64 end = sim->now;
	unsigned int i;

	for (i = 0; i < DEPTH; i++)
		if (sim->writer[i].way == ND_BY_DIRECT)
			end = max(end, sim->writer[i].end);
	return end;
}

/* Whether the write that a writer begins finds memory; the writer itself has none. */
static bool sim_fits(const struct sim *sim)
{
	unsigned int i, nr = 0;

	for (i = 0; i < DEPTH; i++)
		nr += sim->writer[i].way == ND_BY_DIRECT;
	return !sim->fit || nr < sim->fit;
}

static void sim_begin_write(struct sim *sim, unsigned int i)
{
	unsigned int size = sim->sizes > 1 ? sim_draw(sim, sim->sizes) : 0;
	enum nd_way way = ND_BY_CACHE;
	u64 begin = sim->now;

	sim->writer[i].choice = &sim->choice[size];
	sim->writer[i].run = 0;
	sim->writer[i].way = ND_BY_CACHE;
	if (nd_choice_wants(sim->writer[i].choice, sim->now))
		way = nd_choose(sim->choice, sim->sizes, size, sim->now, &sim->writer[i].run);
	sim->writer[i].gave_up = way == ND_BY_DIRECT && !sim_fits(sim);
	if (!sim->writer[i].gave_up)
		sim->writer[i].way = way;
	if (sim->locks && sim->writer[i].way == ND_BY_CACHE)
		begin = sim_direct_end(sim);
	sim->writer[i].begin = sim->now;
	sim->writer[i].end = begin + sim_latency(sim, sim->writer[i].way);
}

static void sim_end_write(struct sim *sim, unsigned int i)
{
	struct nd_choice *choice = sim->writer[i].choice;
	enum nd_way way = sim->writer[i].way;
	u64 took = sim->writer[i].end - sim->writer[i].begin;

	sim->now = sim->writer[i].end;
	if (sim->writer[i].gave_up)
		nd_choice_gave_up(choice, sim->writer[i].run, sim->now);
	else
		nd_chosen(choice, sim->writer[i].run, took, sim->now);
	if (way == ND_BY_DIRECT && !sim_draw(sim, 10))
		nd_choice_read_back(choice, sim_draw(sim, 100) < sim->read_back_percent);
	sim->done[way]++;
}

/* Count from zero, and write so many times. */
static void sim_run(struct sim *sim, unsigned int writes)
{
	unsigned int i, next;

	memset(sim->done, 0, sizeof(sim->done));
	while (writes--) {
		for (next = 0, i = 1; i < DEPTH; i++)
			if (sim->writer[i].end < sim->writer[next].end)
				next = i;
		sim_end_write(sim, next);
		sim_begin_write(sim, next);
	}
}

/* No write comes for so long. */
static void sim_idle(struct sim *sim, u64 ns)
{
	unsigned int i;

	for (i = 0; i < DEPTH; i++)
		sim->writer[i].end += ns;
	sim->now += ns;
}

/* Writers of one size. */
static struct sim *sim_new(struct kunit *test, u64 cache_us, u64 direct_us)
{
	const unsigned int *seed = test->param_value;
	struct sim *sim = kunit_kzalloc(test, sizeof(*sim), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, sim);
	prandom_seed_state(&sim->rnd, *seed);
	sim->sizes = 1;
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

/* Each is a device of its own. */
static const unsigned int seeds[] = {
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23,
};

static void seed_desc(const unsigned int *seed, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "seed %u", *seed);
}

KUNIT_ARRAY_PARAM(seed, seeds, seed_desc);

/* Chance may choose direct writes for a while where they are as fast. */
static void choose_keeps_cache(struct kunit *test)
{
	static const struct {
		unsigned int direct_us, tail, most_percent;
	} cases[] = {
		{ 5000, 0, 20 }, { 5500, 0, 10 }, { 8000, 0, 2 }, { 50000, 0, 2 },
		{ 5000, 64, 25 }, { 6000, 32, 10 }, { 8000, 64, 2 },
	};
	struct sim *sim;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		sim = sim_new(test, 5000, cases[i].direct_us);
		sim->tail = cases[i].tail;
		sim_run(sim, 50000);
		KUNIT_EXPECT_LE_MSG(test, sim_percent_direct(sim), cases[i].most_percent,
				    "direct %u us, tail %u", cases[i].direct_us, cases[i].tail);
	}
}

/* The share of direct writes, unless a trial takes a second. */
static void choose_bounds_trials(struct kunit *test)
{
	static const struct {
		unsigned int us, most_percent;
	} cases[] = { { 100, 3 }, { 20000, 3 }, { 400000, 9 } };
	struct sim *sim;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		sim = sim_new(test, cases[i].us, cases[i].us);
		sim->choice[0].read_back = ND_READ_BACK_ALL;
		sim->read_back_percent = 100;
		sim_run(sim, 50000);
		sim_run(sim, 100000);
		KUNIT_EXPECT_GT(test, sim->done[ND_BY_DIRECT], 5);
		KUNIT_EXPECT_LE_MSG(test, sim_percent_direct(sim), cases[i].most_percent, "%u us",
				    cases[i].us);
	}
}

static void choose_finds_direct(struct kunit *test)
{
	static const unsigned int cache_us[] = { 15000, 50000, 600000 };
	struct sim *sim;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cache_us); i++) {
		sim = sim_new(test, cache_us[i], 5000);
		sim_run(sim, 4000);
		sim_run(sim, 20000);
		KUNIT_EXPECT_GT_MSG(test, sim_percent_direct(sim), 90, "cache %u us", cache_us[i]);
	}
}

/* One direct write of 20 takes 50 times as long: the mean is larger than the cache's. */
static void choose_minds_long_writes(struct kunit *test)
{
	struct sim *sim = sim_new(test, 5000, 2500);

	sim->direct_tail = 20;
	sim_run(sim, 200000);
	sim_run(sim, 200000);
	KUNIT_EXPECT_LT(test, sim_percent_direct(sim), 25);
}

/* Time between bursts ends no pause. */
static void choose_minds_bursts(struct kunit *test)
{
	struct sim *sim = sim_new(test, 5000, 10000);
	unsigned int i, direct = 0;

	sim_run(sim, 5000);
	for (i = 0; i < 100; i++) {
		sim_idle(sim, 35 * NSEC_PER_SEC);
		sim_run(sim, 100);
		direct += sim->done[ND_BY_DIRECT];
	}
	KUNIT_EXPECT_LT(test, direct, 1200);
}

static void choose_minds_reads(struct kunit *test)
{
	struct sim *sim = sim_new(test, 5000, 3000);

	sim->read_back_percent = 100;
	sim_run(sim, 50000);
	sim_run(sim, 20000);
	KUNIT_EXPECT_LT(test, sim_percent_direct(sim), 2);
}

static void choose_follows_load(struct kunit *test)
{
	struct sim *sim = sim_new(test, 20000, 5000);

	sim_run(sim, 20000);
	KUNIT_EXPECT_EQ(test, sim->choice[0].way, ND_BY_DIRECT);
	sim->mean[ND_BY_CACHE] = 3000;
	sim_run(sim, 100000);
	sim_run(sim, 20000);
	KUNIT_EXPECT_LT(test, sim_percent_direct(sim), 3);
}

/*
 * One write through the cache among direct ones takes longer than it would among its like, also if
 * the direct ones have another size.
 */
static void choose_leaves_what_locks(struct kunit *test)
{
	struct sim *sim;
	unsigned int i, sizes;

	for (sizes = 1; sizes <= SIZES; sizes++) {
		sim = sim_new(test, 34000, 44000);
		sim->sizes = sizes;
		sim->locks = true;
		for (i = 0; i < sizes; i++)
			sim->choice[i].way = ND_BY_DIRECT;
		sim_run(sim, 30000);
		sim_run(sim, 20000);
		KUNIT_EXPECT_LT_MSG(test, sim_percent_direct(sim), 5, "%u sizes", sizes);
	}
}

/* Few writes that find no memory end nothing. */
static void choose_minds_memory(struct kunit *test)
{
	struct sim *sim = sim_new(test, 330000, 10000);

	sim->fit = DEPTH - 1;
	sim_run(sim, 20000);
	sim_run(sim, 100000);
	KUNIT_EXPECT_GT(test, sim_percent_direct(sim), 90);
}

/* A write that did not go its way is not waited for, and a phase that is left waits for none. */
static void choose_goes_on(struct kunit *test)
{
	struct nd_choice choice = {};
	u64 now = NSEC_PER_SEC;
	unsigned int i;
	u64 run;

	for (i = 0; i < ND_MEASURED; i++) {
		nd_choose(&choice, 1, 0, now, &run);
		KUNIT_EXPECT_NE(test, run, 0ULL);
	}
	nd_choice_skip(&choice, run);
	nd_choose(&choice, 1, 0, now, &run);
	KUNIT_EXPECT_NE(test, run, 0ULL);
	nd_choose(&choice, 1, 0, now, &run);
	KUNIT_EXPECT_EQ(test, run, 0ULL);
	nd_choose(&choice, 1, 0, now + ND_STALE_NS, &run);
	KUNIT_EXPECT_EQ(test, choice.phase, ND_PAUSE);
}

/* A phase that takes too long ends, with the cache as the way, also if no write begins. */
static void choose_is_stale(struct kunit *test)
{
	static const enum nd_phase phases[] = { ND_BEFORE, ND_SETTLE, ND_TRIAL };
	unsigned int i;
	u64 run;

	for (i = 0; i < ARRAY_SIZE(phases); i++) {
		struct nd_choice choice = {
			.way = ND_BY_DIRECT, .phase = phases[i], .since = NSEC_PER_SEC, .run = 1,
			.begun = ND_MEASURED - 1, .ended = ND_MEASURED - 1,
		};
		u64 late = NSEC_PER_SEC + ND_STALE_NS;

		nd_chosen(&choice, 1, ND_STALE_NS, late);
		KUNIT_EXPECT_EQ(test, choice.phase, ND_PAUSE);
		KUNIT_EXPECT_EQ(test, choice.way, ND_BY_CACHE);
		KUNIT_EXPECT_LE(test, choice.next, late + ND_LONG_NS);
		choice.way = ND_BY_DIRECT;
		choice.phase = phases[i];
		choice.begun = 0;
		choice.since = NSEC_PER_SEC;
		KUNIT_EXPECT_EQ(test, nd_choose(&choice, 1, 0, late, &run), ND_BY_CACHE);
		KUNIT_EXPECT_EQ(test, choice.phase, ND_PAUSE);
	}
}

/* The way after many direct writes, of which one of so many finds no memory. */
static enum nd_way give_up_one_of(unsigned int share)
{
	struct nd_choice choice = { .way = ND_BY_DIRECT, .next = 2 * NSEC_PER_SEC };
	unsigned int i;
	u64 run;

	for (i = 0; i < 10000 && choice.way == ND_BY_DIRECT; i++) {
		nd_choose(&choice, 1, 0, NSEC_PER_SEC, &run);
		if (i % share)
			nd_chosen(&choice, run, NSEC_PER_MSEC, NSEC_PER_SEC);
		else
			nd_choice_gave_up(&choice, run, NSEC_PER_SEC);
	}
	return choice.way;
}

/* Where many find no memory, what the others took says nothing. */
static void choose_gives_up(struct kunit *test)
{
	struct nd_choice choice = { .way = ND_BY_DIRECT };
	unsigned int i;
	u64 run;

	KUNIT_EXPECT_EQ(test, give_up_one_of(ND_GAVE_UP_SHARE + 1), ND_BY_DIRECT);
	KUNIT_EXPECT_EQ(test, give_up_one_of(ND_GAVE_UP_SHARE - 1), ND_BY_CACHE);
	for (i = 0; i <= ND_GAVE_UP_MOST; i++) {
		KUNIT_EXPECT_EQ(test, choice.way, ND_BY_DIRECT);
		nd_choose(&choice, 1, 0, NSEC_PER_SEC, &run);
		nd_choice_gave_up(&choice, run, NSEC_PER_SEC);
	}
	KUNIT_EXPECT_EQ(test, choice.way, ND_BY_CACHE);
	KUNIT_EXPECT_FALSE(test, nd_choice_wants(&choice, NSEC_PER_SEC + ND_FAILED_NS - 1));
}

/*
 * Readers and writers of a file that fits in memory. While reads miss, write-back throttling lets
 * writes through the cache pass one at a time.
 */
#define SET_BLOCKS	4096
#define SET_IO_NS	(5 * NSEC_PER_MSEC)
#define SET_CPU_NS	(100 * NSEC_PER_USEC)
#define SET_WINDOW_NS	(100 * NSEC_PER_MSEC)

/**
 * struct set - the file and its device
 * @choice: what is tested
 * @is_auto: @choice decides; else all writes go through the cache
 * @rnd: chance
 * @now: ns
 * @missed: when a read last missed the cache, ns
 * @busy: until when the writes that are throttled take, ns
 * @cached: its blocks
 * @op: the reads and writes in flight
 */
struct set {
	struct nd_choice choice;
	bool is_auto;
	struct rnd_state rnd;
	u64 now;
	u64 missed;
	u64 busy;
	bool cached[SET_BLOCKS];
	struct {
		unsigned int block;
		bool is_write;
		bool is_free;
		enum nd_way way;
		u64 run;
		u64 begin, end;
	} op[DEPTH];
};

static u64 set_write_cached(struct set *set)
{
	if (set->now > set->missed + SET_WINDOW_NS)
		return set->now + SET_IO_NS;
	set->busy = max(set->busy, set->now) + SET_IO_NS;
	return set->busy;
}

static void set_begin(struct set *set, unsigned int i)
{
	/* Four of five go to a fifth of the file. */
	unsigned int blocks = prandom_u32_state(&set->rnd) % 5 ? SET_BLOCKS / 5 : SET_BLOCKS;
	unsigned int block = prandom_u32_state(&set->rnd) % blocks;
	bool is_cached = set->cached[block];

	set->op[i].block = block;
	set->op[i].is_write = prandom_u32_state(&set->rnd) % 5;
	set->op[i].is_free = false;
	set->op[i].way = ND_BY_CACHE;
	set->op[i].begin = set->now;
	if (!set->op[i].is_write) {
		if (!is_cached)
			set->missed = set->now;
		set->op[i].end = set->now + (is_cached ? SET_CPU_NS : SET_IO_NS);
		return;
	}
	if (set->is_auto && nd_choice_wants(&set->choice, set->now)) {
		set->op[i].is_free = !is_cached;
		if (is_cached)
			nd_choice_passes(&set->choice, true, set->now);
		else
			set->op[i].way = nd_choose(&set->choice, 1, 0, set->now, &set->op[i].run);
	}
	set->op[i].end = set->op[i].way == ND_BY_DIRECT ? set->now + SET_IO_NS :
							  set_write_cached(set);
}

static void set_end(struct set *set, unsigned int i)
{
	set->now = set->op[i].end;
	set->cached[set->op[i].block] = set->op[i].way == ND_BY_CACHE;
	if (set->op[i].is_free)
		nd_chosen(&set->choice, set->op[i].run, set->now - set->op[i].begin, set->now);
}

/* How long so many reads and writes take, from an empty cache, ns. */
static u64 set_run(struct kunit *test, bool is_auto, unsigned int ops)
{
	const unsigned int *seed = test->param_value;
	struct set *set = kunit_kzalloc(test, sizeof(*set), GFP_KERNEL);
	unsigned int i, next;

	KUNIT_ASSERT_NOT_NULL(test, set);
	prandom_seed_state(&set->rnd, *seed);
	set->is_auto = is_auto;
	set->now = NSEC_PER_SEC;
	for (i = 0; i < DEPTH; i++)
		set_begin(set, i);
	while (ops--) {
		for (next = 0, i = 1; i < DEPTH; i++)
			if (set->op[i].end < set->op[next].end)
				next = i;
		set_end(set, next);
		set_begin(set, next);
	}
	return set->now - NSEC_PER_SEC;
}

/* Direct writes leave the cache empty for longer. */
static void choose_minds_working_set(struct kunit *test)
{
	u64 stock = set_run(test, false, 100000), ours = set_run(test, true, 100000);

	KUNIT_EXPECT_LT_MSG(test, ours, stock + stock / 4, "stock %llu ms, ours %llu ms",
			    div_u64(stock, NSEC_PER_MSEC), div_u64(ours, NSEC_PER_MSEC));
}

/* Few writes that meet the cache end nothing, and many do. */
static void choose_counts_cached(struct kunit *test)
{
	struct nd_choice choice = { .way = ND_BY_DIRECT, .next = 2 * NSEC_PER_SEC };
	unsigned int i;
	u64 run;

	for (i = 0; i < 10000; i++) {
		nd_choose(&choice, 1, 0, NSEC_PER_SEC, &run);
		nd_choose(&choice, 1, 0, NSEC_PER_SEC, &run);
		nd_choice_passes(&choice, true, NSEC_PER_SEC);
		nd_choice_passes(&choice, false, NSEC_PER_SEC);
	}
	KUNIT_EXPECT_EQ(test, choice.way, ND_BY_DIRECT);
	for (i = 0; i < 64; i++)
		nd_choice_passes(&choice, true, NSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, choice.way, ND_BY_CACHE);
}

static void choose_passes(struct kunit *test)
{
	struct nd_choice choice = {};

	KUNIT_EXPECT_TRUE(test, nd_choice_wants(&choice, NSEC_PER_SEC));
	nd_choice_passes(&choice, false, NSEC_PER_SEC);
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
	KUNIT_CASE_PARAM(choose_keeps_cache, seed_gen_params),
	KUNIT_CASE_PARAM(choose_bounds_trials, seed_gen_params),
	KUNIT_CASE_PARAM(choose_finds_direct, seed_gen_params),
	KUNIT_CASE_PARAM(choose_minds_long_writes, seed_gen_params),
	KUNIT_CASE_PARAM(choose_minds_bursts, seed_gen_params),
	KUNIT_CASE_PARAM(choose_minds_reads, seed_gen_params),
	KUNIT_CASE_PARAM(choose_follows_load, seed_gen_params),
	KUNIT_CASE_PARAM(choose_leaves_what_locks, seed_gen_params),
	KUNIT_CASE_PARAM(choose_minds_memory, seed_gen_params),
	KUNIT_CASE_PARAM(choose_minds_working_set, seed_gen_params),
	KUNIT_CASE(choose_counts_cached),
	KUNIT_CASE(choose_goes_on),
	KUNIT_CASE(choose_is_stale),
	KUNIT_CASE(choose_gives_up),
	KUNIT_CASE(choose_passes),
	KUNIT_CASE(choose_pauses_after_failure),
	{}
};

static struct kunit_suite choose_suite = {
	.name = "nfsd_dio_choose",
	.test_cases = choose_cases,
};
kunit_test_suite(choose_suite);
