// SPDX-License-Identifier: GPL-2.0-only
/* Is a wrong table told from one that is read while it changes? */
#include <kunit/test.h>

#include "ra-trace/check.h"

static void rows_sum_to_all(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, ra_check_sum(0, 0, 0, 1));
	KUNIT_EXPECT_TRUE(test, ra_check_sum(1000, 1000, 1000, 1));
	/* Counted while it was read. */
	KUNIT_EXPECT_TRUE(test, ra_check_sum(1500, 1000, 2000, 1));
	KUNIT_EXPECT_TRUE(test, ra_check_sum(996, 1000, 1000, 1));
	KUNIT_EXPECT_FALSE(test, ra_check_sum(995, 1000, 1000, 1));
	KUNIT_EXPECT_TRUE(test, ra_check_sum(1004, 1000, 1000, 1));
	KUNIT_EXPECT_FALSE(test, ra_check_sum(1005, 1000, 1000, 1));
	KUNIT_EXPECT_TRUE(test, ra_check_sum(1064, 1000, 1000, 16));
	KUNIT_EXPECT_FALSE(test, ra_check_sum(0, 1000, 1000, 16));
}

static void pages_of_calls_are_those_that_entered(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, ra_check_actual(0, 0, 0));
	KUNIT_EXPECT_TRUE(test, ra_check_actual(100000, 100000, 0));
	KUNIT_EXPECT_TRUE(test, ra_check_actual(100000, 150000, 50000));
	KUNIT_EXPECT_FALSE(test, ra_check_actual(100000, 150000, 0));
	KUNIT_EXPECT_FALSE(test, ra_check_actual(150000, 100000, 0));
	KUNIT_EXPECT_FALSE(test, ra_check_actual(0, 5000, 0));
}

static void the_block_layer_was_asked_for_them(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, ra_check_block(0, 0, 0));
	KUNIT_EXPECT_TRUE(test, ra_check_block(256, 0, 0));
	KUNIT_EXPECT_FALSE(test, ra_check_block(300, 0, 0));
	KUNIT_EXPECT_FALSE(test, ra_check_block(0, 300, 0));
	KUNIT_EXPECT_TRUE(test, ra_check_block(1000000, 993000, 0));
	KUNIT_EXPECT_TRUE(test, ra_check_block(993000, 1000000, 0));
	KUNIT_EXPECT_FALSE(test, ra_check_block(1000000, 990000, 0));
	/* A window of 8 MiB is in the page cache, and no bio of it made yet. */
	KUNIT_EXPECT_TRUE(test, ra_check_block(2048, 0, 2048));
	KUNIT_EXPECT_FALSE(test, ra_check_block(0, 2048, 2048));
}

static struct kunit_case check_cases[] = {
	KUNIT_CASE(rows_sum_to_all),
	KUNIT_CASE(pages_of_calls_are_those_that_entered),
	KUNIT_CASE(the_block_layer_was_asked_for_them),
	{ }
};

static struct kunit_suite check_suite = {
	.name = "ra_trace_check",
	.test_cases = check_cases,
};
kunit_test_suite(check_suite);
