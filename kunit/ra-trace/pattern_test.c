// SPDX-License-Identifier: GPL-2.0-only
/*
 * Check that a readahead lands in its row, on every generation of the stock code. The model in
 * sim/stock.c computes what that code does with a call; ra-trace sees the windows before and after.
 */
#include <kunit/test.h>
#include <linux/string.h>

#include "ra-trace/pattern.h"
#include "sim/stock.h"

#define WIN	32UL	/* readahead setting, pages */
#define IO	64UL	/* bdi->io_pages */
#define NEVER	-1LL	/* prev_pos of a file without a read */
#define MISS0	-1UL	/* page_cache_prev_miss(): all pages from 0 on are cached */
#define LAST	100000UL

/**
 * struct call - a call of the stock code
 * @name: description
 * @index: first page of the request, or the marker
 * @nr: size of the request, pages
 * @prev: last page of the previous read, or NEVER
 * @before: window in the state
 * @miss: the page before or after @index that is not cached
 * @order: folio order of the marker
 * @async: the call is for a marker
 * @row: expected pattern, by generation
 */
struct call {
	const char *name;
	unsigned long index;
	unsigned long nr;
	long long prev;
	struct rat_window before;
	unsigned long miss;
	unsigned int order;
	bool async;
	enum rat_pattern row[STOCK_NR_GENS];
};

#define ALWAYS(pattern)	{ pattern, pattern, pattern }

static const struct call calls[] = {
	{ "start of file", 0, 4, NEVER, { }, MISS0, 0, false, ALWAYS(RAT_INITIAL0) },
	{ "start of file, large", 0, 200, NEVER, { }, MISS0, 0, false, ALWAYS(RAT_INITIAL0) },
	{ "start of file, again", 0, 4, 99, { 64, 32, 32 }, MISS0, 0, false, ALWAYS(RAT_INITIAL0) },
	{ "next to the last read", 501, 2, 500, { }, 500, 0, false, ALWAYS(RAT_INITIAL) },
	{ "same page as the last read", 500, 2, 500, { }, 499, 0, false, ALWAYS(RAT_INITIAL) },
	{ "next to it, windows elsewhere", 501, 2, 500, { 64, 32, 32 }, 500, 0, false,
	  ALWAYS(RAT_INITIAL) },
	{ "missing inside the window", 510, 1, 509, { 500, 32, 16 }, 509, 0, false,
	  ALWAYS(RAT_INITIAL) },
	{ "end of the window, in full", 532, 32, 531, { 500, 32, 32 }, 499, 0, false,
	  ALWAYS(RAT_SUBSEQUENT) },
	{ "end of the window, begun anew", 532, 4, 531, { 500, 32, 32 }, 499, 0, false,
	  { RAT_SUBSEQUENT, RAT_INITIAL, RAT_INITIAL } },
	{ "behind cached pages", 800, 1, 5, { 64, 32, 32 }, 795, 0, false, ALWAYS(RAT_TRAIL) },
	{ "behind a file's cached start", 20, 1, NEVER, { }, MISS0, 0, false, ALWAYS(RAT_TRAIL) },
	{ "standing alone", 800, 4, 5, { 64, 32, 32 }, 799, 0, false, ALWAYS(RAT_RANDOM) },
	{ "backwards", 799, 1, 800, { 64, 32, 32 }, 798, 0, false, ALWAYS(RAT_RANDOM) },
	{ "fewer cached than requested", 800, 4, 5, { }, 796, 0, false, ALWAYS(RAT_RANDOM) },
	{ "larger than a device's I/O", 800, 100, 5, { }, 799, 0, false, ALWAYS(RAT_OVERSIZE) },
	{ "larger than the window", 800, 50, 5, { }, 799, 0, false, ALWAYS(RAT_OVERSIZE) },
	{ "larger, and next", 501, 100, 500, { }, 500, 0, false, ALWAYS(RAT_OVERSIZE) },
	{ "marker that is expected", 516, 1, 515, { 500, 32, 16 }, 532, 0, true,
	  ALWAYS(RAT_SUBSEQUENT) },
	{ "marker of a full window", 532, 4, 531, { 532, 32, 32 }, 564, 0, true,
	  ALWAYS(RAT_SUBSEQUENT) },
	{ "marker in a large folio", 512, 4, 511, { 500, 32, 16 }, 532, 3, true,
	  ALWAYS(RAT_SUBSEQUENT) },
	{ "marker of another window", 700, 1, 699, { 500, 32, 16 }, 708, 0, true,
	  ALWAYS(RAT_MARKER) },
	{ "marker without a window", 700, 1, NEVER, { }, 708, 0, true, ALWAYS(RAT_MARKER) },
	{ "marker on the first page", 0, 1, NEVER, { 64, 32, 32 }, 8, 0, true,
	  { RAT_INITIAL0, RAT_MARKER, RAT_MARKER } },
};

#define NR_CALLS	ARRAY_SIZE(calls)

static struct stock_ra state_of(const struct call *call)
{
	return (struct stock_ra) {
		.start = call->before.start,
		.size = call->before.size,
		.async_size = call->before.async_size,
		.ra_pages = WIN,
		.prev_pos = call->prev == NEVER ? NEVER : call->prev << PAGE_SHIFT,
	};
}

/* Have the model make the call, and return what ra-trace observes of it. */
static struct rat_observation observe(enum stock_gen gen, const struct call *call)
{
	struct stock_ra ra = state_of(call);
	unsigned long max = stock_max_pages(&ra, call->nr, IO);
	enum stock_action action;
	struct rat_observation obs = {
		.entry_point = call->async ? RAT_ENTRY_ASYNC : RAT_ENTRY_SYNC,
		.index = call->index,
		.nr = call->nr,
		.prev_index = (unsigned long long)ra.prev_pos >> PAGE_SHIFT,
		.ra_pages = WIN,
		.marker_pages = 1UL << call->order,
		.before = call->before,
		.last_index = LAST,
	};

	if (call->async)
		action = stock_async(gen, &ra, call->index, call->order, call->nr, max, call->miss);
	else
		action = stock_sync(gen, &ra, call->index, call->nr, max, call->miss);
	obs.has_window = action == STOCK_WINDOW;
	if (obs.has_window)
		obs.after = (struct rat_window) { ra.start, ra.size, ra.async_size };
	obs.nr_to_read = action == STOCK_WINDOW ? ra.size : action == STOCK_REQUEST ? call->nr : 0;
	obs.actual = obs.nr_to_read;
	return obs;
}

static void call_desc(const struct call *call, char *to)
{
	strscpy(to, call->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(calls, calls, call_desc);

static void stock_calls_land_in_their_rows(struct kunit *test)
{
	const struct call *call = test->param_value;
	unsigned int gen;

	for (gen = 0; gen < STOCK_NR_GENS; gen++) {
		struct rat_observation obs = observe(gen, call);

		KUNIT_ASSERT_TRUE(test, rat_did_readahead(&obs));
		KUNIT_EXPECT_STREQ_MSG(test, rat_pattern_names[rat_classify(&obs)],
				       rat_pattern_names[call->row[gen]],
				       "on %s", stock_names[gen]);
	}
}

/* The mark of a steered call is its row; without a mark the call is of a shared stream. */
static void steered_calls_land_in_the_marked_row(struct kunit *test)
{
	static const enum rat_pattern marks[] = { RAT_TRAIL, RAT_REVERSE, RAT_STRIDE, RAT_THRASH };
	unsigned int i, mark, gen;

	for (gen = 0; gen < STOCK_NR_GENS; gen++) {
		for (i = 0; i < NR_CALLS; i++) {
			struct rat_observation obs = observe(gen, &calls[i]);

			obs.steered = true;
			KUNIT_EXPECT_EQ(test, rat_classify(&obs), RAT_TRAIL);
			for (mark = 0; mark < ARRAY_SIZE(marks); mark++) {
				obs.mark = marks[mark];
				KUNIT_EXPECT_EQ(test, rat_classify(&obs), marks[mark]);
			}
		}
	}
}

static void other_entry_points_have_rows_of_their_own(struct kunit *test)
{
	struct rat_observation obs = { .entry_point = RAT_ENTRY_FAULT, .has_window = true,
				       .last_index = LAST };

	KUNIT_EXPECT_EQ(test, rat_classify(&obs), RAT_MMAP);
	obs.entry_point = RAT_ENTRY_WILLNEED;
	obs.has_window = false;
	/* Counted even if there is nothing to read, because somebody requested it. */
	KUNIT_EXPECT_TRUE(test, rat_did_readahead(&obs));
	KUNIT_EXPECT_EQ(test, rat_classify(&obs), RAT_FADVISE);
	obs.entry_point = RAT_ENTRY_OTHER;
	KUNIT_EXPECT_FALSE(test, rat_did_readahead(&obs));
	obs.nr_to_read = 1;
	KUNIT_EXPECT_TRUE(test, rat_did_readahead(&obs));
	KUNIT_EXPECT_EQ(test, rat_classify(&obs), RAT_NONE);
}

static void a_window_before_the_request_is_reverse(struct kunit *test)
{
	struct rat_observation obs = observe(STOCK_6_12, &calls[3]);

	obs.after = (struct rat_window) { obs.index - 31, 32, 16 };
	KUNIT_EXPECT_EQ(test, rat_classify(&obs), RAT_REVERSE);
}

static void forced_reads_are_random(struct kunit *test)
{
	struct rat_observation obs = observe(STOCK_6_12, &calls[0]);

	obs.forced = true;
	obs.has_window = false;
	KUNIT_EXPECT_EQ(test, rat_classify(&obs), RAT_RANDOM);
}

static void reads_without_readahead_have_a_reason(struct kunit *test)
{
	struct rat_observation sync = { .entry_point = RAT_ENTRY_SYNC, .index = 8, .nr = 4,
					.nr_to_read = 4, .actual = 4, .ra_pages = WIN,
					.last_index = LAST };
	struct rat_observation async = { .entry_point = RAT_ENTRY_ASYNC, .index = 8, .nr = 4,
					 .ra_pages = WIN, .last_index = LAST };
	struct rat_observation obs;

	KUNIT_EXPECT_EQ(test, rat_why(&sync), RAT_WHY_FIRST_LOOK);
	obs = sync;
	obs.forced = true;
	KUNIT_EXPECT_EQ(test, rat_why(&obs), RAT_WHY_CONGESTED);
	obs.random_hint = true;
	KUNIT_EXPECT_EQ(test, rat_why(&obs), RAT_WHY_RANDOM_HINT);
	obs.ra_pages = 0;
	KUNIT_EXPECT_EQ(test, rat_why(&obs), RAT_WHY_READAHEAD_OFF);

	KUNIT_EXPECT_EQ(test, rat_why(&async), RAT_WHY_CACHED);
	KUNIT_EXPECT_FALSE(test, rat_did_readahead(&async));
	obs = async;
	obs.congested = true;
	KUNIT_EXPECT_EQ(test, rat_why(&obs), RAT_WHY_CONGESTED);
	obs.writeback = true;
	KUNIT_EXPECT_EQ(test, rat_why(&obs), RAT_WHY_WRITEBACK);
	obs.ra_pages = 0;
	KUNIT_EXPECT_EQ(test, rat_why(&obs), RAT_WHY_READAHEAD_OFF);

	obs = async;
	obs.has_window = true;
	obs.after = (struct rat_window) { LAST, 32, 32 };
	KUNIT_EXPECT_EQ(test, rat_why(&obs), RAT_WHY_CACHED);
	obs.after.start = LAST + 1;
	KUNIT_EXPECT_EQ(test, rat_why(&obs), RAT_WHY_PAST_END);
	obs.actual = 1;
	KUNIT_EXPECT_EQ(test, rat_why(&obs), RAT_WHY_NONE);
	obs = sync;
	obs.entry_point = RAT_ENTRY_WILLNEED;
	KUNIT_EXPECT_EQ(test, rat_why(&obs), RAT_WHY_NONE);
}

static void readers_wait_for_missing_pages(struct kunit *test)
{
	struct rat_observation obs = { .entry_point = RAT_ENTRY_SYNC };

	KUNIT_EXPECT_TRUE(test, rat_reader_waits(&obs));
	obs.entry_point = RAT_ENTRY_FAULT;
	KUNIT_EXPECT_TRUE(test, rat_reader_waits(&obs));
	obs.entry_point = RAT_ENTRY_ASYNC;
	KUNIT_EXPECT_FALSE(test, rat_reader_waits(&obs));
	obs.entry_point = RAT_ENTRY_WILLNEED;
	KUNIT_EXPECT_FALSE(test, rat_reader_waits(&obs));
	obs.entry_point = RAT_ENTRY_OTHER;
	KUNIT_EXPECT_FALSE(test, rat_reader_waits(&obs));
}

static void eof_is_detected(struct kunit *test)
{
	struct rat_observation obs = { .entry_point = RAT_ENTRY_SYNC, .has_window = true,
				       .after = { 0, 10, 5 }, .last_index = 9 };

	KUNIT_EXPECT_TRUE(test, rat_reaches_eof(&obs));
	obs.last_index = 10;
	KUNIT_EXPECT_FALSE(test, rat_reaches_eof(&obs));
	obs.has_window = false;
	obs.index = 7;
	obs.nr_to_read = 3;
	KUNIT_EXPECT_FALSE(test, rat_reaches_eof(&obs));
	obs.nr_to_read = 4;
	KUNIT_EXPECT_TRUE(test, rat_reaches_eof(&obs));
	KUNIT_EXPECT_EQ(test, rat_readahead_size(&obs), 4UL);
	obs.last_index = -1UL;
	obs.nr_to_read = 0;
	KUNIT_EXPECT_TRUE(test, rat_reaches_eof(&obs));
}

static struct kunit_case pattern_cases[] = {
	KUNIT_CASE_PARAM(stock_calls_land_in_their_rows, calls_gen_params),
	KUNIT_CASE(steered_calls_land_in_the_marked_row),
	KUNIT_CASE(other_entry_points_have_rows_of_their_own),
	KUNIT_CASE(a_window_before_the_request_is_reverse),
	KUNIT_CASE(forced_reads_are_random),
	KUNIT_CASE(reads_without_readahead_have_a_reason),
	KUNIT_CASE(readers_wait_for_missing_pages),
	KUNIT_CASE(eof_is_detected),
	{ }
};

static struct kunit_suite pattern_suite = {
	.name = "ra_trace_pattern",
	.test_cases = pattern_cases,
};
kunit_test_suite(pattern_suite);
