// SPDX-License-Identifier: GPL-2.0-only
/*
 * Does a readahead land in its row, on every generation of the stock code? What
 * that code does with a call is computed by the model in stock.h; ra-trace sees
 * the windows before and after.
 */
#include <kunit/test.h>
#include <linux/string.h>

#include "ra-trace/pattern.h"
#include "sim/stock.h"

#define WIN	32UL	/* readahead setting, pages */
#define IO	64UL	/* bdi->io_pages */
#define NEVER	-1LL	/* prev_pos of a file that was not read yet */
#define MISS0	-1UL	/* page_cache_prev_miss() of pages that are cached from 0 on */
#define LAST	100000UL

/**
 * struct call - a call as the stock code gets it
 * @name: what it is
 * @index: first page, or the marker
 * @nr: pages asked for
 * @prev: page that was read before; NEVER: none
 * @before: the window in the state
 * @miss: the page that is not cached, before or behind @index
 * @order: of the marker's folio
 * @async: whether it is a marker
 * @row: what is expected, by generation
 */
struct call {
	const char *name;
	unsigned long index;
	unsigned long nr;
	long long prev;
	struct ra_window before;
	unsigned long miss;
	unsigned int order;
	bool async;
	enum ra_pattern row[STOCK_NR_GENS];
};

#define ALWAYS(pattern)	{ pattern, pattern, pattern }

static const struct call calls[] = {
	{ "start of file", 0, 4, NEVER, { }, MISS0, 0, false, ALWAYS(RA_INITIAL0) },
	{ "start of file, large", 0, 200, NEVER, { }, MISS0, 0, false, ALWAYS(RA_INITIAL0) },
	{ "start of file, again", 0, 4, 99, { 64, 32, 32 }, MISS0, 0, false, ALWAYS(RA_INITIAL0) },
	{ "next to the last read", 501, 2, 500, { }, 500, 0, false, ALWAYS(RA_INITIAL) },
	{ "same page as the last read", 500, 2, 500, { }, 499, 0, false, ALWAYS(RA_INITIAL) },
	{ "next to it, windows elsewhere", 501, 2, 500, { 64, 32, 32 }, 500, 0, false,
	  ALWAYS(RA_INITIAL) },
	{ "missing inside the window", 510, 1, 509, { 500, 32, 16 }, 509, 0, false,
	  ALWAYS(RA_INITIAL) },
	{ "end of the window, in full", 532, 32, 531, { 500, 32, 32 }, 499, 0, false,
	  ALWAYS(RA_SUBSEQUENT) },
	{ "end of the window, begun anew", 532, 4, 531, { 500, 32, 32 }, 499, 0, false,
	  { RA_SUBSEQUENT, RA_INITIAL, RA_INITIAL } },
	{ "behind cached pages", 800, 1, 5, { 64, 32, 32 }, 795, 0, false, ALWAYS(RA_TRAIL) },
	{ "behind a file's cached start", 20, 1, NEVER, { }, MISS0, 0, false, ALWAYS(RA_TRAIL) },
	{ "standing alone", 800, 4, 5, { 64, 32, 32 }, 799, 0, false, ALWAYS(RA_RANDOM) },
	{ "backwards", 799, 1, 800, { 64, 32, 32 }, 798, 0, false, ALWAYS(RA_RANDOM) },
	{ "fewer cached than asked for", 800, 4, 5, { }, 796, 0, false, ALWAYS(RA_RANDOM) },
	{ "larger than a device's I/O", 800, 100, 5, { }, 799, 0, false, ALWAYS(RA_OVERSIZE) },
	{ "larger than the window", 800, 50, 5, { }, 799, 0, false, ALWAYS(RA_OVERSIZE) },
	{ "larger, and next", 501, 100, 500, { }, 500, 0, false, ALWAYS(RA_OVERSIZE) },
	{ "marker that is expected", 516, 1, 515, { 500, 32, 16 }, 532, 0, true,
	  ALWAYS(RA_SUBSEQUENT) },
	{ "marker of a full window", 532, 4, 531, { 532, 32, 32 }, 564, 0, true,
	  ALWAYS(RA_SUBSEQUENT) },
	{ "marker in a large folio", 512, 4, 511, { 500, 32, 16 }, 532, 3, true,
	  ALWAYS(RA_SUBSEQUENT) },
	{ "marker of another window", 700, 1, 699, { 500, 32, 16 }, 708, 0, true,
	  ALWAYS(RA_MARKER) },
	{ "marker without a window", 700, 1, NEVER, { }, 708, 0, true, ALWAYS(RA_MARKER) },
	{ "marker on the first page", 0, 1, NEVER, { 64, 32, 32 }, 8, 0, true,
	  { RA_INITIAL0, RA_MARKER, RA_MARKER } },
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

/* The call, done by the stock code and seen from without. */
static struct ra_seen see(enum stock_gen gen, const struct call *call)
{
	struct stock_ra ra = state_of(call);
	unsigned long max = stock_max_pages(&ra, call->nr, IO);
	enum stock_action action;
	struct ra_seen seen = {
		.door = call->async ? RA_ASYNC : RA_SYNC,
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
	seen.placed = action == STOCK_WINDOW;
	if (seen.placed)
		seen.after = (struct ra_window) { ra.start, ra.size, ra.async_size };
	seen.asked = action == STOCK_WINDOW ? ra.size : action == STOCK_REQUEST ? call->nr : 0;
	seen.actual = seen.asked;
	return seen;
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
		struct ra_seen seen = see(gen, call);

		KUNIT_ASSERT_TRUE(test, ra_happened(&seen));
		KUNIT_EXPECT_STREQ_MSG(test, ra_pattern_names[ra_classify(&seen)],
				       ra_pattern_names[call->row[gen]], "on %s", stock_names[gen]);
	}
}

/* Whoever steers with a mark decides the row; without one it is a shared stream. */
static void steered_calls_land_where_they_say(struct kunit *test)
{
	static const enum ra_pattern marks[] = { RA_TRAIL, RA_REVERSE, RA_STRIDE, RA_THRASH };
	unsigned int i, mark, gen;

	for (gen = 0; gen < STOCK_NR_GENS; gen++) {
		for (i = 0; i < NR_CALLS; i++) {
			struct ra_seen seen = see(gen, &calls[i]);

			seen.steered = true;
			KUNIT_EXPECT_EQ(test, ra_classify(&seen), RA_TRAIL);
			for (mark = 0; mark < ARRAY_SIZE(marks); mark++) {
				seen.mark = marks[mark];
				KUNIT_EXPECT_EQ(test, ra_classify(&seen), marks[mark]);
			}
		}
	}
}

static void other_doors_have_rows_of_their_own(struct kunit *test)
{
	struct ra_seen seen = { .door = RA_FAULT, .placed = true, .last_index = LAST };

	KUNIT_EXPECT_EQ(test, ra_classify(&seen), RA_MMAP);
	seen.door = RA_WILLNEED;
	seen.placed = false;
	/* Counted even where there is nothing to read: someone asked for it. */
	KUNIT_EXPECT_TRUE(test, ra_happened(&seen));
	KUNIT_EXPECT_EQ(test, ra_classify(&seen), RA_FADVISE);
	seen.door = RA_OTHER;
	KUNIT_EXPECT_FALSE(test, ra_happened(&seen));
	seen.asked = 1;
	KUNIT_EXPECT_TRUE(test, ra_happened(&seen));
	KUNIT_EXPECT_EQ(test, ra_classify(&seen), RA_NONE);
}

static void a_window_before_the_request_is_reverse(struct kunit *test)
{
	struct ra_seen seen = see(STOCK_6_12, &calls[3]);

	seen.after = (struct ra_window) { seen.index - 31, 32, 16 };
	KUNIT_EXPECT_EQ(test, ra_classify(&seen), RA_REVERSE);
}

static void what_is_forced_is_random(struct kunit *test)
{
	struct ra_seen seen = see(STOCK_6_12, &calls[0]);

	seen.forced = true;
	seen.placed = false;
	KUNIT_EXPECT_EQ(test, ra_classify(&seen), RA_RANDOM);
}

static void reads_without_readahead_have_a_reason(struct kunit *test)
{
	struct ra_seen sync = { .door = RA_SYNC, .index = 8, .nr = 4, .asked = 4, .actual = 4,
				.ra_pages = WIN, .last_index = LAST };
	struct ra_seen async = { .door = RA_ASYNC, .index = 8, .nr = 4, .ra_pages = WIN,
				 .last_index = LAST };
	struct ra_seen seen;

	KUNIT_EXPECT_EQ(test, ra_why(&sync), RA_WHY_FIRST_LOOK);
	seen = sync;
	seen.forced = true;
	KUNIT_EXPECT_EQ(test, ra_why(&seen), RA_WHY_CONGESTED);
	seen.hint = true;
	KUNIT_EXPECT_EQ(test, ra_why(&seen), RA_WHY_HINT);
	seen.ra_pages = 0;
	KUNIT_EXPECT_EQ(test, ra_why(&seen), RA_WHY_OFF);

	KUNIT_EXPECT_EQ(test, ra_why(&async), RA_WHY_CACHED);
	KUNIT_EXPECT_FALSE(test, ra_happened(&async));
	seen = async;
	seen.congested = true;
	KUNIT_EXPECT_EQ(test, ra_why(&seen), RA_WHY_CONGESTED);
	seen.writeback = true;
	KUNIT_EXPECT_EQ(test, ra_why(&seen), RA_WHY_WRITEBACK);
	seen.ra_pages = 0;
	KUNIT_EXPECT_EQ(test, ra_why(&seen), RA_WHY_OFF);

	seen = async;
	seen.placed = true;
	seen.after = (struct ra_window) { LAST, 32, 32 };
	KUNIT_EXPECT_EQ(test, ra_why(&seen), RA_WHY_CACHED);
	seen.after.start = LAST + 1;
	KUNIT_EXPECT_EQ(test, ra_why(&seen), RA_WHY_PAST_END);
	seen.actual = 1;
	KUNIT_EXPECT_EQ(test, ra_why(&seen), RA_WHY_NOT);
	seen = sync;
	seen.door = RA_WILLNEED;
	KUNIT_EXPECT_EQ(test, ra_why(&seen), RA_WHY_NOT);
}

static void readers_wait_for_what_is_missing(struct kunit *test)
{
	struct ra_seen seen = { .door = RA_SYNC };

	KUNIT_EXPECT_TRUE(test, ra_seen_waits(&seen));
	seen.door = RA_FAULT;
	KUNIT_EXPECT_TRUE(test, ra_seen_waits(&seen));
	seen.door = RA_ASYNC;
	KUNIT_EXPECT_FALSE(test, ra_seen_waits(&seen));
	seen.door = RA_WILLNEED;
	KUNIT_EXPECT_FALSE(test, ra_seen_waits(&seen));
	seen.door = RA_OTHER;
	KUNIT_EXPECT_FALSE(test, ra_seen_waits(&seen));
}

static void the_end_of_a_file_is_seen(struct kunit *test)
{
	struct ra_seen seen = { .door = RA_SYNC, .placed = true, .after = { 0, 10, 5 },
				.last_index = 9 };

	KUNIT_EXPECT_TRUE(test, ra_seen_eof(&seen));
	seen.last_index = 10;
	KUNIT_EXPECT_FALSE(test, ra_seen_eof(&seen));
	seen.placed = false;
	seen.index = 7;
	seen.asked = 3;
	KUNIT_EXPECT_FALSE(test, ra_seen_eof(&seen));
	seen.asked = 4;
	KUNIT_EXPECT_TRUE(test, ra_seen_eof(&seen));
	KUNIT_EXPECT_EQ(test, ra_seen_size(&seen), 4UL);
	seen.last_index = -1UL;
	seen.asked = 0;
	KUNIT_EXPECT_TRUE(test, ra_seen_eof(&seen));
}

static struct kunit_case pattern_cases[] = {
	KUNIT_CASE_PARAM(stock_calls_land_in_their_rows, calls_gen_params),
	KUNIT_CASE(steered_calls_land_where_they_say),
	KUNIT_CASE(other_doors_have_rows_of_their_own),
	KUNIT_CASE(a_window_before_the_request_is_reverse),
	KUNIT_CASE(what_is_forced_is_random),
	KUNIT_CASE(reads_without_readahead_have_a_reason),
	KUNIT_CASE(readers_wait_for_what_is_missing),
	KUNIT_CASE(the_end_of_a_file_is_seen),
	{ }
};

static struct kunit_suite pattern_suite = {
	.name = "ra_trace_pattern",
	.test_cases = pattern_cases,
};
kunit_test_suite(pattern_suite);
