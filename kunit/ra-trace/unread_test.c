// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of unread pages, with its counters: every page is found without a lock until it is
 * resolved, and each is counted once.
 */
#include <kunit/test.h>
#include <linux/bitmap.h>
#include <linux/fs.h>
#include <linux/prandom.h>

#include "ra-trace/account.h"
#include "ra-trace/calls.h"
#include "ra-trace/unread.h"

#define CHUNK		RAT_UNREAD_CHUNK
/* Of each file in the model. */
#define FILE_PAGES	8192UL
#define NR_FILES	4
#define NR_SEEDS	20
#define STEPS		2000

/* Only their addresses matter. */
static struct address_space files[NR_FILES];
static DECLARE_BITMAP(unread[NR_FILES], FILE_PAGES);

static int unread_init(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, rat_account_create(), 0);
	KUNIT_ASSERT_EQ(test, rat_calls_create(), 0);
	KUNIT_ASSERT_EQ(test, rat_unread_create(), 0);
	rat_unread_set_tracking(true);
	return 0;
}

static void unread_exit(struct kunit *test)
{
	rat_unread_destroy();
	rat_calls_destroy();
	rat_account_destroy();
}

static u64 counted(enum rat_column col)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += per_cpu_ptr(rat_counts, cpu)->all[col];
	return sum;
}

/* Add the pages of a range that the model does not have, as readahead does, run by run. */
static void add_missing(unsigned int file, unsigned long start, unsigned long end,
			enum rat_pattern pattern)
{
	while (start < end) {
		unsigned long from = find_next_zero_bit(unread[file], end, start);
		unsigned long to = find_next_bit(unread[file], end, from);

		if (to > from)
			rat_unread_add(&files[file], from, to - from, 1, pattern);
		start = to;
	}
}

static void expect_all_found(struct kunit *test, unsigned int file)
{
	unsigned long page;

	for_each_set_bit(page, unread[file], FILE_PAGES) {
		if (!rat_unread_may_have(&files[file], page))
			KUNIT_FAIL(test, "the filter does not have page %lu", page);
		if (rat_unread_count(&files[file], page, 1) != 1)
			KUNIT_FAIL(test, "the table does not have page %lu", page);
	}
}

/* Random readahead, reads and evictions agree with a bitmap of each file. */
static void agrees_with_a_bitmap(struct kunit *test)
{
	struct rnd_state rnd;
	unsigned int seed, i;

	for (seed = 1; seed <= NR_SEEDS; seed++) {
		u64 used = counted(RAT_COL_USED), unused = counted(RAT_COL_UNUSED);

		prandom_seed_state(&rnd, seed);
		rat_unread_set_tracking(true);
		memset(unread, 0, sizeof(unread));
		for (i = 0; i < STEPS; i++) {
			unsigned int file = prandom_u32_state(&rnd) % NR_FILES;
			unsigned long nr = 1 + prandom_u32_state(&rnd) % 300, end, pages;
			unsigned long start = prandom_u32_state(&rnd) % (FILE_PAGES - nr);
			unsigned int what = prandom_u32_state(&rnd) % 4;

			end = start + nr;
			pages = bitmap_weight(unread[file], end) -
				bitmap_weight(unread[file], start);
			KUNIT_ASSERT_EQ(test, rat_unread_count(&files[file], start, nr), pages);
			if (what == 0) {
				add_missing(file, start, end, RAT_INITIAL + i % 3);
				bitmap_set(unread[file], start, nr);
				continue;
			}
			rat_unread_resolve(&files[file], start, nr, what == 1 ?
					   RAT_OUTCOME_EVICTED : RAT_OUTCOME_READ);
			bitmap_clear(unread[file], start, nr);
			if (what == 1)
				unused += pages;
			else
				used += pages;
		}
		KUNIT_EXPECT_EQ(test, counted(RAT_COL_USED), used);
		KUNIT_EXPECT_EQ(test, counted(RAT_COL_UNUSED), unused);
		for (i = 0; i < NR_FILES; i++)
			expect_all_found(test, i);
	}
	KUNIT_EXPECT_EQ(test, counted(RAT_COL_UNKNOWN), 0ULL);
}

/* When a chunk leaves the table, another one with the same bit in the filter stays. */
static void chunks_share_a_bit(struct kunit *test)
{
	unsigned long other = CHUNK, most = CHUNK << 24;

	rat_unread_add(&files[0], 0, 1, 1, RAT_INITIAL);
	while (other < most && !rat_unread_may_have(&files[0], other))
		other += CHUNK;
	KUNIT_ASSERT_LT(test, other, most);
	KUNIT_EXPECT_EQ(test, rat_unread_count(&files[0], other, 1), 0UL);
	rat_unread_add(&files[0], other, 1, 1, RAT_INITIAL);
	rat_unread_resolve(&files[0], 0, 1, RAT_OUTCOME_READ);
	KUNIT_EXPECT_TRUE(test, rat_unread_may_have(&files[0], other));
	rat_unread_resolve(&files[0], other, 1, RAT_OUTCOME_READ);
	KUNIT_EXPECT_EQ(test, counted(RAT_COL_USED), 2ULL);
	KUNIT_EXPECT_FALSE(test, rat_unread_may_have(&files[0], other));
}

/* With 200 MiB unread, nearly all reads of another file end at the filter. */
static void other_reads_end_at_the_filter(struct kunit *test)
{
	unsigned long chunks = (200UL << 20) / PAGE_SIZE / CHUNK, i, passed = 0;

	rat_unread_add(&files[0], 0, chunks * CHUNK, 1, RAT_INITIAL);
	for (i = 0; i < 4096; i++)
		passed += rat_unread_may_have(&files[1], i * CHUNK);
	KUNIT_EXPECT_LT(test, passed, 4096UL * 3 / 100);
	for (i = 0; i < chunks; i++)
		if (!rat_unread_may_have(&files[0], i * CHUNK))
			KUNIT_FAIL(test, "the filter does not have chunk %lu", i);
}

/* A table with more pages than it has room for counts each once all the same. */
static void full_table_counts_each_page_once(struct kunit *test)
{
	unsigned long pages = 20000 * CHUNK;
	u64 sum;

	rat_unread_add(&files[0], 0, pages, 1, RAT_INITIAL);
	KUNIT_EXPECT_GT(test, counted(RAT_COL_UNKNOWN), 0ULL);
	KUNIT_EXPECT_EQ(test, counted(RAT_COL_UNKNOWN) + rat_unread_total(), (u64)pages);
	rat_unread_resolve(&files[0], 0, pages, RAT_OUTCOME_READ);
	sum = counted(RAT_COL_UNKNOWN) + counted(RAT_COL_USED);
	KUNIT_EXPECT_EQ(test, sum, (u64)pages);
	KUNIT_EXPECT_EQ(test, rat_unread_total(), 0ULL);
	KUNIT_EXPECT_EQ(test, find_first_bit(rat_unread_filter, RAT_UNREAD_FILTER_SIZE),
			RAT_UNREAD_FILTER_SIZE);
}

static struct kunit_case unread_cases[] = {
	KUNIT_CASE(agrees_with_a_bitmap),
	KUNIT_CASE(chunks_share_a_bit),
	KUNIT_CASE(other_reads_end_at_the_filter),
	KUNIT_CASE(full_table_counts_each_page_once),
	{}
};

static struct kunit_suite unread_suite = {
	.name = "ra_trace_unread",
	.init = unread_init,
	.exit = unread_exit,
	.test_cases = unread_cases,
};
kunit_test_suite(unread_suite);
