// SPDX-License-Identifier: GPL-2.0-only
#include <kunit/test.h>

#include "raid5-deadline/learn_time.h"

#define USEC		1000ULL
#define MSEC		(1000 * USEC)

static struct r5d_times *new_times(struct kunit *test)
{
	struct r5d_times *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	r5d_times_init(t);
	return t;
}

/* A time to fill, and the deadline that it leads to. */
struct fill_case {
	const char *name;
	u64 ns;
	u64 least;
	u64 most;
};

static const struct fill_case fill_cases[] = {
	{ "nothing", 0, 100 * USEC, 100 * USEC },
	{ "50 us", 50 * USEC, 100 * USEC, 200 * USEC },
	{ "300 us", 300 * USEC, 600 * USEC, 1200 * USEC },
	{ "3 ms", 3 * MSEC, 6 * MSEC, 12 * MSEC },
	{ "30 ms", 30 * MSEC, 60 * MSEC, 100 * MSEC },
	{ "a second", 1000 * MSEC, 100 * MSEC, 100 * MSEC },
	{ "for ever", U64_MAX, 100 * MSEC, 100 * MSEC },
};

static void fill_desc(const struct fill_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(fill, fill_cases, fill_desc);

static void deadline_follows(struct kunit *test)
{
	const struct fill_case *c = test->param_value;
	struct r5d_times *t = new_times(test);
	int i;

	KUNIT_EXPECT_EQ(test, t->fill_ns, 20 * MSEC);
	for (i = 0; i < 200; i++)
		r5d_learn_fill(t, c->ns);
	KUNIT_EXPECT_GE(test, t->fill_ns, c->least);
	KUNIT_EXPECT_LE(test, t->fill_ns, c->most);
}

/* One slow stripe in a thousand does not count, one in ten does. */
static void deadline_covers_nearly_all(struct kunit *test)
{
	struct r5d_times *t = new_times(test);
	int i;

	for (i = 0; i < 1000; i++)
		r5d_learn_fill(t, i % 1000 == 500 ? 40 * MSEC : 200 * USEC);
	KUNIT_EXPECT_LE(test, t->fill_ns, 1 * MSEC);
	for (i = 0; i < 1000; i++)
		r5d_learn_fill(t, i % 10 == 5 ? 40 * MSEC : 200 * USEC);
	KUNIT_EXPECT_GE(test, t->fill_ns, 40 * MSEC);
}

/* Old times are forgotten. */
static void deadline_ages(struct kunit *test)
{
	struct r5d_times *t = new_times(test);
	int i;

	for (i = 0; i < 10000; i++)
		r5d_learn_fill(t, 20 * MSEC);
	for (i = 0; i < 20000; i++)
		r5d_learn_fill(t, 200 * USEC);
	KUNIT_EXPECT_LE(test, t->fill_ns, 1 * MSEC);
}

/* The first counts in full, later ones in part, and a stall hardly. */
static void service_follows(struct kunit *test)
{
	struct r5d_times *t = new_times(test);
	int i;

	r5d_learn_service(t, 2 * MSEC);
	KUNIT_EXPECT_EQ(test, t->service_ns, 2 * MSEC);
	r5d_learn_service(t, 1000 * MSEC);
	KUNIT_EXPECT_LE(test, t->service_ns, 3 * MSEC);
	for (i = 0; i < 100; i++)
		r5d_learn_service(t, 10 * MSEC);
	KUNIT_EXPECT_GE(test, t->service_ns, 9 * MSEC);
	KUNIT_EXPECT_LE(test, t->service_ns, 10 * MSEC);
	for (i = 0; i < 100; i++)
		r5d_learn_service(t, 200 * USEC);
	KUNIT_EXPECT_LE(test, t->service_ns, 250 * USEC);
	for (i = 0; i < 100; i++)
		r5d_learn_service(t, U64_MAX);
	KUNIT_EXPECT_LE(test, t->service_ns, 100 * MSEC);
}

/* Nobody waits for longer than what he can win. */
static void deadline_is_bounded_by_service(struct kunit *test)
{
	struct r5d_times *t = new_times(test);
	int i;

	KUNIT_EXPECT_EQ(test, r5d_auto_deadline(t, true), 15 * MSEC);
	KUNIT_EXPECT_EQ(test, r5d_auto_deadline(t, false), 20 * MSEC);
	r5d_learn_service(t, 2 * MSEC);
	KUNIT_EXPECT_EQ(test, r5d_auto_deadline(t, true), 3 * MSEC);
	KUNIT_EXPECT_EQ(test, r5d_auto_deadline(t, false), 8 * MSEC);
	for (i = 0; i < 100; i++)
		r5d_learn_fill(t, 200 * USEC);
	KUNIT_EXPECT_LE(test, r5d_auto_deadline(t, true), 1 * MSEC);
	KUNIT_EXPECT_EQ(test, r5d_auto_deadline(t, false), r5d_auto_deadline(t, true));
	for (i = 0; i < 100; i++)
		r5d_learn_service(t, 0);
	KUNIT_EXPECT_EQ(test, r5d_auto_deadline(t, true), 100 * USEC);
}

static void buckets(struct kunit *test)
{
	unsigned int i;

	KUNIT_EXPECT_EQ(test, r5d_bucket(0), 0);
	for (i = 0; i + 1 < R5D_BUCKETS; i++) {
		KUNIT_EXPECT_EQ(test, r5d_bucket((1ULL << (i + 14)) - 1), i);
		KUNIT_EXPECT_EQ(test, r5d_bucket(1ULL << (i + 14)), i + 1);
	}
	KUNIT_EXPECT_EQ(test, r5d_bucket(U64_MAX), R5D_BUCKETS - 1);
	KUNIT_EXPECT_EQ(test, r5d_bucket_end_us(0), 16ULL);
	KUNIT_EXPECT_EQ(test, r5d_bucket_end_us(R5D_BUCKETS - 1), 17179869ULL);
}

static struct kunit_case learn_time_cases[] = {
	KUNIT_CASE_PARAM(deadline_follows, fill_gen_params),
	KUNIT_CASE(deadline_covers_nearly_all),
	KUNIT_CASE(deadline_ages),
	KUNIT_CASE(service_follows),
	KUNIT_CASE(deadline_is_bounded_by_service),
	KUNIT_CASE(buckets),
	{}
};

static struct kunit_suite learn_time_suite = {
	.name = "raid5_learn_time",
	.test_cases = learn_time_cases,
};

kunit_test_suite(learn_time_suite);

MODULE_LICENSE("GPL");
