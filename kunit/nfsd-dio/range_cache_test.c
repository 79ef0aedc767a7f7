// SPDX-License-Identifier: GPL-2.0-only
#include <kunit/test.h>
#include <linux/delay.h>

#include "nfsd-dio/range_cache.h"

/* The cache compares addresses only. Each case has a file of its own. */
static const struct inode *new_file(struct kunit *test)
{
	void *file = kunit_kzalloc(test, 64, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, file);
	return file;
}

static void range_cache_kinds(struct kunit *test)
{
	const struct inode *file = new_file(test);

	KUNIT_EXPECT_FALSE(test, nd_range_cache_lookup(ND_RANGE_DATA, file, 4096));
	nd_range_cache_add(ND_RANGE_DATA, file, 4096, 12288);
	KUNIT_EXPECT_FALSE(test, nd_range_cache_lookup(ND_RANGE_DATA, file, 4095));
	KUNIT_EXPECT_TRUE(test, nd_range_cache_lookup(ND_RANGE_DATA, file, 4096));
	KUNIT_EXPECT_TRUE(test, nd_range_cache_lookup(ND_RANGE_DATA, file, 12287));
	KUNIT_EXPECT_FALSE(test, nd_range_cache_lookup(ND_RANGE_DATA, file, 12288));
	KUNIT_EXPECT_FALSE(test, nd_range_cache_lookup(ND_RANGE_HOLE, file, 4096));
}

static void range_cache_keeps_longest(struct kunit *test)
{
	const struct inode *file = new_file(test);

	nd_range_cache_add(ND_RANGE_DATA, file, 40960, 81920);
	nd_range_cache_add(ND_RANGE_DATA, file, 0, 4096);
	KUNIT_EXPECT_TRUE(test, nd_range_cache_lookup(ND_RANGE_DATA, file, 40960));
	nd_range_cache_add(ND_RANGE_DATA, file, 4096, 81920);
	KUNIT_EXPECT_TRUE(test, nd_range_cache_lookup(ND_RANGE_DATA, file, 4096));
}

static void range_cache_expires(struct kunit *test)
{
	const struct inode *file = new_file(test);

	nd_range_cache_add(ND_RANGE_HOLE, file, 0, 81920);
	msleep(300);
	KUNIT_EXPECT_FALSE(test, nd_range_cache_lookup(ND_RANGE_HOLE, file, 0));
	/* A stale range is no reason to keep a shorter one out. */
	nd_range_cache_add(ND_RANGE_HOLE, file, 0, 4096);
	KUNIT_EXPECT_TRUE(test, nd_range_cache_lookup(ND_RANGE_HOLE, file, 0));
}

static void range_search_seldom(struct kunit *test)
{
	const struct inode *file = new_file(test);

	KUNIT_ASSERT_TRUE(test, nd_range_search_begin(file));
	KUNIT_EXPECT_FALSE(test, nd_range_search_begin(file));
	msleep(200);
	KUNIT_EXPECT_TRUE(test, nd_range_search_begin(file));
	KUNIT_EXPECT_FALSE(test, nd_range_search_begin(file));
}

/* A range that is found again is fresh for as long as a new one. */
static void range_cache_renews(struct kunit *test)
{
	const struct inode *file = new_file(test);

	nd_range_cache_add(ND_RANGE_DATA, file, 0, 81920);
	msleep(150);
	nd_range_cache_add(ND_RANGE_DATA, file, 0, 81920);
	msleep(150);
	KUNIT_EXPECT_TRUE(test, nd_range_cache_lookup(ND_RANGE_DATA, file, 0));
}

static struct kunit_case range_cache_cases[] = {
	KUNIT_CASE(range_cache_kinds),
	KUNIT_CASE(range_cache_keeps_longest),
	KUNIT_CASE(range_cache_expires),
	KUNIT_CASE(range_cache_renews),
	KUNIT_CASE(range_search_seldom),
	{}
};

static struct kunit_suite range_cache_suite = {
	.name = "nfsd_dio_range_cache",
	.test_cases = range_cache_cases,
};
kunit_test_suite(range_cache_suite);
