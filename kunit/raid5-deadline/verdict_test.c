// SPDX-License-Identifier: GPL-2.0-only
#include <kunit/test.h>

#include "raid5-deadline/verdict.h"

/* A stripe of four data disks that may be held, in an array with free stripes. */
static struct r5d_stripe_state partial(void)
{
	return (struct r5d_stripe_state) {
		.handle = true,
		.fresh = true,
		.written = 3,
		.overwritten = 1,
		.data_disks = 4,
	};
}

static struct r5d_array_conditions idle_array(void)
{
	return (struct r5d_array_conditions) { .held = 10, .max = 256 };
}

/* As release.c asks: the writes last. */
static enum r5d_verdict judge(const struct r5d_stripe_state *sh,
			      const struct r5d_array_conditions *array)
{
	enum r5d_verdict verdict = r5d_judge(sh, array);

	return verdict == R5D_HOLD ? r5d_judge_writes(sh, array) : verdict;
}

static void partial_is_held(struct kunit *test)
{
	struct r5d_stripe_state sh = partial();
	struct r5d_array_conditions array = idle_array();

	KUNIT_EXPECT_EQ(test, judge(&sh, &array), R5D_HOLD);
	/* A page that is written in part may still be completed. */
	sh.overwritten = 0;
	KUNIT_EXPECT_EQ(test, judge(&sh, &array), R5D_HOLD);
}

/* One change to the two, and the verdict. */
struct change_case {
	const char *name;
	void (*change)(struct r5d_stripe_state *sh, struct r5d_array_conditions *array);
	enum r5d_verdict verdict;
};

#define CHANGE(what, statement)								\
	static void what(struct r5d_stripe_state *sh, struct r5d_array_conditions *array)	\
	{										\
		statement;								\
	}

CHANGE(idle, sh->handle = false)
CHANGE(handled, sh->fresh = false)
CHANGE(no_writes, sh->written = 0)
CHANGE(full, sh->overwritten = 4)
CHANGE(more_than_full, sh->overwritten = 5)
CHANGE(batched, sh->batched = true)
CHANGE(full_write, sh->full_write = true)
CHANGE(special, sh->special = true)
CHANGE(overlap, sh->overlap = true)
CHANGE(urgent, sh->urgent = true)
CHANGE(off, array->off = true)
CHANGE(journal, array->journal = true)
CHANGE(degraded, array->degraded = true)
CHANGE(reshaping, array->reshaping = true)
CHANGE(draining, array->draining = true)
CHANGE(reclaim, array->reclaim = true)
CHANGE(half_held, array->held = 128)
CHANGE(just_not_half, array->held = 127)
/* Which of several reasons comes first. */
CHANGE(idle_and_special, sh->handle = false; sh->special = true)
CHANGE(full_and_off, sh->overwritten = 4; array->off = true)
CHANGE(special_and_handled, sh->special = true; sh->fresh = false)
CHANGE(reclaim_and_overlap, array->reclaim = true; sh->overlap = true)
CHANGE(urgent_and_pressure, sh->urgent = true; array->held = 200)
CHANGE(journal_and_pressure, array->journal = true; array->held = 200)

static const struct change_case cases[] = {
	{ "idle", idle, R5D_IDLE },
	{ "handled", handled, R5D_HANDLED },
	{ "no writes", no_writes, R5D_HANDLED },
	{ "full", full, R5D_PASSED_FULL },
	{ "more than full", more_than_full, R5D_PASSED_FULL },
	{ "batched", batched, R5D_PASSED_FULL },
	{ "special", special, R5D_LEFT_SYNC },
	{ "overlap", overlap, R5D_LEFT_OVERLAP },
	{ "urgent", urgent, R5D_LEFT_URGENT },
	{ "off", off, R5D_LEFT_OFF },
	{ "journal", journal, R5D_LEFT_JOURNAL },
	{ "degraded", degraded, R5D_LEFT_DEGRADED },
	{ "reshaping", reshaping, R5D_LEFT_RESHAPE },
	{ "draining", draining, R5D_LEFT_DRAIN },
	{ "reclaim", reclaim, R5D_LEFT_RECLAIM },
	{ "half held", half_held, R5D_LEFT_PRESSURE },
	{ "just not half", just_not_half, R5D_HOLD },
	{ "idle and special", idle_and_special, R5D_IDLE },
	{ "full and off", full_and_off, R5D_PASSED_FULL },
	{ "special and handled", special_and_handled, R5D_LEFT_SYNC },
	{ "reclaim and overlap", reclaim_and_overlap, R5D_LEFT_RECLAIM },
	{ "urgent and pressure", urgent_and_pressure, R5D_LEFT_URGENT },
	{ "journal and pressure", journal_and_pressure, R5D_LEFT_JOURNAL },
};

static void case_desc(const struct change_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(change_case, cases, case_desc);

static void judged(struct kunit *test)
{
	const struct change_case *c = test->param_value;
	struct r5d_stripe_state sh = partial();
	struct r5d_array_conditions array = idle_array();

	c->change(&sh, &array);
	KUNIT_EXPECT_EQ(test, judge(&sh, &array), c->verdict);
}

/* Partial stripes on which work has begun go before others. */
static void begun_ones_go_first(struct kunit *test)
{
	static void (*const others[])(struct r5d_stripe_state *sh,
				      struct r5d_array_conditions *array) = {
		idle, special, batched, full_write,
	};
	struct r5d_array_conditions array = idle_array();
	struct r5d_stripe_state sh = partial();
	int i;

	KUNIT_EXPECT_FALSE(test, r5d_may_be_begun(&sh));
	sh.fresh = false;
	KUNIT_EXPECT_TRUE(test, r5d_may_be_begun(&sh));
	/* raid456 sets it to 0 when it copies the writes. */
	sh.overwritten = 0;
	KUNIT_EXPECT_TRUE(test, r5d_may_be_begun(&sh));
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		struct r5d_stripe_state other = sh;

		others[i](&other, &array);
		KUNIT_EXPECT_FALSE_MSG(test, r5d_may_be_begun(&other), "change %d", i);
	}
}

/*
 * Half of the stripes held leaves what a writer needs that waits for a free stripe: fewer than
 * three quarters in use, once the others are done.
 */
static void held_stripes_leave_room(struct kunit *test)
{
	struct r5d_stripe_state sh = partial();
	struct r5d_array_conditions array = {};

	for (array.max = 16; array.max < 1000; array.max++) {
		array.held = 0;
		while (array.held < array.max && judge(&sh, &array) == R5D_HOLD)
			array.held++;
		KUNIT_EXPECT_LT(test, array.held, array.max * 3 / 4);
		KUNIT_EXPECT_GT(test, array.held, array.max / 2 - 1);
	}
}

static void cache_size(struct kunit *test)
{
	/* Sixteen rows less one: 1 MiB chunks are 256 stripes, 64 KiB chunks are 16. */
	KUNIT_EXPECT_EQ(test, r5d_cache_stripes(2048, 3, 64), 4095);
	KUNIT_EXPECT_EQ(test, r5d_cache_stripes(128, 3, 64), 255);
	/* The bound: a stripe of 8 disks is between 35 and 37 KiB. */
	KUNIT_EXPECT_LE(test, r5d_cache_stripes(2048, 8, 16) * 35, 16 * 1024);
	KUNIT_EXPECT_GE(test, r5d_cache_stripes(2048, 8, 16) * 37, 16 * 1024);
	KUNIT_EXPECT_EQ(test, r5d_cache_stripes(2048, 3, 0), 0);
	/* No more than md takes, with chunks of 64 MiB and enough memory. */
	KUNIT_EXPECT_EQ(test, r5d_cache_stripes(131072, 3, 1024), 32767);
}

/* No memory makes a number that a user would choose. */
static void cache_size_is_odd(struct kunit *test)
{
	unsigned int mb;

	for (mb = 1; mb <= 1024; mb++)
		KUNIT_EXPECT_EQ(test, r5d_cache_stripes(2048, 4, mb) & 1, 1);
}

static void cache_beside_others(struct kunit *test)
{
	u64 stripe = r5d_stripe_bytes(4);

	/* What the array had before is no memory of ours. */
	KUNIT_EXPECT_EQ(test, r5d_cache_within(256, 1255, 4, 999 * stripe, 0), 1255);
	KUNIT_EXPECT_EQ(test, r5d_cache_within(256, 1255, 4, 998 * stripe, 0), 1253);
	KUNIT_EXPECT_EQ(test, r5d_cache_within(256, 1255, 4, 999 * stripe, 899 * stripe), 355);
	KUNIT_EXPECT_EQ(test, r5d_cache_within(256, 1255, 4, 999 * stripe, 999 * stripe), 256);
	/* Memory was taken away from the machine. */
	KUNIT_EXPECT_EQ(test, r5d_cache_within(256, 1255, 4, 999 * stripe, 2000 * stripe), 256);
	/* A larger cache takes nothing. */
	KUNIT_EXPECT_EQ(test, r5d_cache_within(8192, 1255, 4, 0, 0), 1255);
}

static struct kunit_case verdict_cases[] = {
	KUNIT_CASE(partial_is_held),
	KUNIT_CASE_PARAM(judged, change_case_gen_params),
	KUNIT_CASE(begun_ones_go_first),
	KUNIT_CASE(held_stripes_leave_room),
	KUNIT_CASE(cache_size),
	KUNIT_CASE(cache_size_is_odd),
	KUNIT_CASE(cache_beside_others),
	{}
};

static struct kunit_suite verdict_suite = {
	.name = "raid5_verdict",
	.test_cases = verdict_cases,
};

kunit_test_suite(verdict_suite);

MODULE_LICENSE("GPL");
