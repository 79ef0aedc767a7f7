// SPDX-License-Identifier: GPL-2.0-only
/*
 * A bounce buffer has the length that was asked for, shares no page with another, and is refused
 * if the pool has too few pages.
 */
#include <kunit/test.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "nfsd-dio/pool.h"

#define KB_OF(pages)	((unsigned int)((pages) * PAGE_SIZE / 1024))

static void fill_pool(struct kunit *test, unsigned int pages)
{
	KUNIT_ASSERT_EQ(test, nd_pool_create(KB_OF(pages)), 0);
}

static void pool_exit(struct kunit *test)
{
	nd_pool_destroy();
}

/* The buffers of one data page that the pool has pages for; each takes two, with its table. */
static unsigned int buffers_left(void)
{
	struct nd_bounce taken[16];
	unsigned int nr = 0, i;

	while (nr < ARRAY_SIZE(taken) && nd_bounce_get(&taken[nr], 1, false))
		nr++;
	for (i = 0; i < nr; i++)
		nd_bounce_put(&taken[i]);
	return nr;
}

static void buffer_has_its_length(struct kunit *test)
{
	static const size_t lens[] = {
		1, 512, PAGE_SIZE - 1, PAGE_SIZE, PAGE_SIZE + 1, 2 * PAGE_SIZE, 65536 + 512,
		ND_BOUNCE_MAX - 512, ND_BOUNCE_MAX,
	};
	struct nd_bounce bounce;
	unsigned int i, n;

	fill_pool(test, ND_BOUNCE_MAX / PAGE_SIZE + 1);
	for (n = 0; n < ARRAY_SIZE(lens); n++) {
		size_t sum = 0;

		KUNIT_ASSERT_TRUE(test, nd_bounce_get(&bounce, lens[n], false));
		KUNIT_EXPECT_EQ(test, (size_t)bounce.nr, DIV_ROUND_UP(lens[n], PAGE_SIZE));
		for (i = 0; i < bounce.nr; i++) {
			KUNIT_EXPECT_EQ(test, bounce.vec[i].bv_offset, 0U);
			/* To iov_iter they are one buffer, so only the last may be short. */
			if (i + 1 < bounce.nr)
				KUNIT_EXPECT_EQ(test, (size_t)bounce.vec[i].bv_len,
						(size_t)PAGE_SIZE);
			KUNIT_EXPECT_GT(test, bounce.vec[i].bv_len, 0U);
			sum += bounce.vec[i].bv_len;
		}
		KUNIT_EXPECT_EQ(test, sum, lens[n]);
		nd_bounce_put(&bounce);
	}
}

/* Neither another buffer nor a table overwrites the data of a buffer. */
static void buffers_share_nothing(struct kunit *test)
{
	struct nd_bounce bounce[3];
	unsigned int n, i;
	char *page;

	fill_pool(test, 3 * 3);
	for (n = 0; n < 3; n++) {
		KUNIT_ASSERT_TRUE(test, nd_bounce_get(&bounce[n], 2 * PAGE_SIZE, false));
		for (i = 0; i < 2; i++)
			memset(page_address(bounce[n].vec[i].bv_page), 16 * n + i, PAGE_SIZE);
	}
	for (n = 0; n < 3; n++) {
		KUNIT_ASSERT_EQ(test, bounce[n].nr, 2U);
		for (i = 0; i < 2; i++) {
			page = page_address(bounce[n].vec[i].bv_page);
			KUNIT_EXPECT_EQ(test, (unsigned int)page[0], 16 * n + i);
			KUNIT_EXPECT_EQ(test, (unsigned int)page[PAGE_SIZE - 1], 16 * n + i);
		}
	}
	for (n = 0; n < 3; n++)
		nd_bounce_put(&bounce[n]);
}

/* A table in a page that held a client's data keeps nothing of that data. */
static void table_begins_empty(struct kunit *test)
{
	struct nd_bounce two, one[2];
	unsigned int i;

	fill_pool(test, 4);
	KUNIT_ASSERT_TRUE(test, nd_bounce_get(&two, 2 * PAGE_SIZE, false));
	for (i = 0; i < 2; i++)
		memset(page_address(two.vec[i].bv_page), 0xff, PAGE_SIZE);
	nd_bounce_put(&two);
	/* They take all four pages, so that a table gets one of the pages written to above. */
	for (i = 0; i < 2; i++)
		KUNIT_ASSERT_TRUE(test, nd_bounce_get(&one[i], 512, false));
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, one[i].vec[0].bv_offset, 0U);
		KUNIT_EXPECT_EQ(test, one[i].vec[0].bv_len, 512U);
		nd_bounce_put(&one[i]);
	}
}

/*
 * The table needs a page, too: with pages for the data only, nd_bounce_get() would take the last
 * from an empty list. A refused request takes no page.
 */
static void one_page_short(struct kunit *test)
{
	struct nd_bounce bounce;
	unsigned int pages;

	for (pages = 2; pages <= 5; pages++) {
		fill_pool(test, pages);
		KUNIT_ASSERT_FALSE(test, nd_bounce_get(&bounce, pages * PAGE_SIZE, false));
		KUNIT_ASSERT_FALSE(test, nd_bounce_get(&bounce, (pages - 1) * PAGE_SIZE + 1,
						       false));
		KUNIT_EXPECT_EQ(test, buffers_left(), pages / 2);
		KUNIT_ASSERT_TRUE(test, nd_bounce_get(&bounce, (pages - 1) * PAGE_SIZE, false));
		KUNIT_EXPECT_EQ(test, buffers_left(), 0U);
		nd_bounce_put(&bounce);
		KUNIT_EXPECT_EQ(test, buffers_left(), pages / 2);
		nd_pool_destroy();
	}
}

/* A part of a page counts as a whole one. A destroyed pool is empty. */
static void sizes(struct kunit *test)
{
	struct nd_bounce bounce;

	KUNIT_ASSERT_EQ(test, nd_pool_create(KB_OF(1) + 1), 0);
	KUNIT_EXPECT_EQ(test, buffers_left(), 1U);
	nd_pool_destroy();
	KUNIT_EXPECT_FALSE(test, nd_bounce_get(&bounce, 1, false));
	fill_pool(test, 4);
	KUNIT_EXPECT_EQ(test, buffers_left(), 2U);
}

static void leaves_half(struct kunit *test)
{
	struct nd_bounce bounce[4];
	unsigned int i;

	fill_pool(test, 8);
	for (i = 0; i < 2; i++)
		KUNIT_ASSERT_TRUE(test, nd_bounce_get(&bounce[i], 1, true));
	KUNIT_EXPECT_FALSE(test, nd_bounce_get(&bounce[2], 1, true));
	KUNIT_EXPECT_EQ(test, buffers_left(), 2U);
	for (i = 0; i < 2; i++)
		nd_bounce_put(&bounce[i]);
}

static struct kunit_case pool_cases[] = {
	KUNIT_CASE(buffer_has_its_length),
	KUNIT_CASE(buffers_share_nothing),
	KUNIT_CASE(table_begins_empty),
	KUNIT_CASE(one_page_short),
	KUNIT_CASE(sizes),
	KUNIT_CASE(leaves_half),
	{}
};

static struct kunit_suite pool_suite = {
	.name = "nfsd_dio_pool",
	.exit = pool_exit,
	.test_cases = pool_cases,
};

kunit_test_suite(pool_suite);

MODULE_LICENSE("GPL");
