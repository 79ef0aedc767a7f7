// SPDX-License-Identifier: GPL-2.0-only
/* Check that a wrong counter differs from one that changes while it is read. */
#include <kunit/test.h>

#include "ra-trace/check.h"

static struct rat_span span(u64 first, u64 last)
{
	return (struct rat_span){ first, last };
}

static struct rat_span still(u64 value)
{
	return span(value, value);
}

static void rows_sum_to_all(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, rat_check_sum(still(0), still(0), 1));
	KUNIT_EXPECT_TRUE(test, rat_check_sum(still(1000), still(1000), 1));
	/* Counted between the readings. */
	KUNIT_EXPECT_TRUE(test, rat_check_sum(still(1500), span(1000, 2000), 1));
	KUNIT_EXPECT_TRUE(test, rat_check_sum(still(996), still(1000), 1));
	KUNIT_EXPECT_FALSE(test, rat_check_sum(still(995), still(1000), 1));
	KUNIT_EXPECT_TRUE(test, rat_check_sum(still(1004), still(1000), 1));
	KUNIT_EXPECT_FALSE(test, rat_check_sum(still(1005), still(1000), 1));
	KUNIT_EXPECT_TRUE(test, rat_check_sum(still(1064), still(1000), 16));
	KUNIT_EXPECT_FALSE(test, rat_check_sum(still(0), still(1000), 16));
}

static void pages_of_calls_are_those_that_entered(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, rat_check_actual(still(0), still(0), 0));
	KUNIT_EXPECT_TRUE(test, rat_check_actual(still(100000), still(100000), 0));
	KUNIT_EXPECT_TRUE(test, rat_check_actual(still(100000), still(150000), 50000));
	KUNIT_EXPECT_FALSE(test, rat_check_actual(still(100000), still(150000), 0));
	KUNIT_EXPECT_FALSE(test, rat_check_actual(still(150000), still(100000), 0));
	KUNIT_EXPECT_FALSE(test, rat_check_actual(still(0), still(5000), 0));
}

static void the_block_layer_read_them(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, rat_check_block(still(0), still(0), 0));
	KUNIT_EXPECT_TRUE(test, rat_check_block(still(256), still(0), 0));
	KUNIT_EXPECT_FALSE(test, rat_check_block(still(300), still(0), 0));
	KUNIT_EXPECT_FALSE(test, rat_check_block(still(0), still(300), 0));
	KUNIT_EXPECT_TRUE(test, rat_check_block(still(1000000), still(993000), 0));
	KUNIT_EXPECT_TRUE(test, rat_check_block(still(993000), still(1000000), 0));
	KUNIT_EXPECT_FALSE(test, rat_check_block(still(1000000), still(990000), 0));
	/* A window of 8 MiB is in the page cache, and its first bio is not queued yet. */
	KUNIT_EXPECT_TRUE(test, rat_check_block(still(2048), still(0), 2048));
	KUNIT_EXPECT_FALSE(test, rat_check_block(still(0), still(2048), 2048));
}

/* The reader was preempted between its two readings, and 8 GiB were read ahead meanwhile. */
static void counting_goes_on_between_readings(struct kunit *test)
{
	const u64 many = 2 << 20;

	KUNIT_EXPECT_TRUE(test, rat_check_sum(span(0, many), still(many), 1));
	KUNIT_EXPECT_TRUE(test, rat_check_sum(still(0), span(0, many), 1));
	KUNIT_EXPECT_FALSE(test, rat_check_sum(still(many), span(0, many / 2), 1));
	KUNIT_EXPECT_TRUE(test, rat_check_actual(span(0, many), span(0, many), 0));
	/* All of it between the readings of two counters: one has it, the other does not. */
	KUNIT_EXPECT_TRUE(test, rat_check_actual(span(many, many), span(0, many), 0));
	KUNIT_EXPECT_TRUE(test, rat_check_actual(span(0, many), span(many, many), 0));
	KUNIT_EXPECT_TRUE(test, rat_check_block(span(0, many), span(many, many), 0));
	KUNIT_EXPECT_TRUE(test, rat_check_block(span(many, many), span(0, many), 0));
	KUNIT_EXPECT_FALSE(test, rat_check_block(still(0), span(many, many), 0));
	KUNIT_EXPECT_FALSE(test, rat_check_actual(still(many), span(0, many / 2), 0));
}

static struct kunit_case check_cases[] = {
	KUNIT_CASE(rows_sum_to_all),
	KUNIT_CASE(pages_of_calls_are_those_that_entered),
	KUNIT_CASE(the_block_layer_read_them),
	KUNIT_CASE(counting_goes_on_between_readings),
	{ }
};

static struct kunit_suite check_suite = {
	.name = "ra_trace_check",
	.test_cases = check_cases,
};
kunit_test_suite(check_suite);
