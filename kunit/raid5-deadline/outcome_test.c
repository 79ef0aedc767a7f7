// SPDX-License-Identifier: GPL-2.0-only
#include <kunit/test.h>

#include "raid5-deadline/outcome.h"

#define MSEC	(1000ULL * 1000)
/* A kind of write, by which we see what the predictor learned. */
#define KIND	5

static struct r5d_predictor *new_predictor(struct kunit *test)
{
	struct r5d_predictor *p = kunit_kzalloc(test, sizeof(*p), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, p);
	r5d_predict_init(p);
	return p;
}

static struct r5d_stripe new_stripe(enum r5d_stripe_phase phase)
{
	return (struct r5d_stripe) {
		.first = 10 * MSEC,
		.released = 10 * MSEC,
		.phase = phase,
		.ticket = { .stream = -1, .kind = KIND },
	};
}

/* What the predictor learned: 1: it was filled, -1: it was not, 0: nothing. */
static int learned(const struct r5d_predictor *p)
{
	/* Another kind, of which nothing was learned. */
	u32 before = p->kinds[KIND + 1];

	return p->kinds[KIND] > before ? 1 : p->kinds[KIND] < before ? -1 : 0;
}

static void held_and_filled(struct kunit *test)
{
	struct r5d_predictor *p = new_predictor(test);
	struct r5d_stripe stripe = new_stripe(R5D_STRIPE_HELD);

	KUNIT_EXPECT_TRUE(test, r5d_outcome_full_now(p, &stripe, 12 * MSEC));
	KUNIT_EXPECT_EQ(test, learned(p), 1);
	KUNIT_EXPECT_EQ(test, p->times.nr_fills, 1U);
	/* Once only. */
	KUNIT_EXPECT_FALSE(test, r5d_outcome_full_now(p, &stripe, 13 * MSEC));
	KUNIT_EXPECT_FALSE(test, r5d_outcome_idle(p, &stripe, 14 * MSEC));
	KUNIT_EXPECT_EQ(test, p->times.nr_fills, 1U);
	KUNIT_EXPECT_FALSE(test, p->times.measured);
}

static void passed_and_filled(struct kunit *test)
{
	struct r5d_predictor *p = new_predictor(test);
	struct r5d_stripe stripe = new_stripe(R5D_STRIPE_PASSED);

	KUNIT_EXPECT_FALSE(test, r5d_outcome_full(p, &stripe));
	KUNIT_EXPECT_EQ(test, learned(p), 1);
	KUNIT_EXPECT_EQ(test, p->times.nr_fills, 0U);
}

/* The disks were done first: that is how long a partial stripe takes. */
static void passed_and_done(struct kunit *test)
{
	struct r5d_predictor *p = new_predictor(test);
	struct r5d_stripe stripe = new_stripe(R5D_STRIPE_PASSED);

	stripe.begun = true;
	KUNIT_EXPECT_FALSE(test, r5d_outcome_idle(p, &stripe, 17 * MSEC));
	KUNIT_EXPECT_EQ(test, learned(p), -1);
	KUNIT_EXPECT_EQ(test, p->times.service_ns, 7 * MSEC);
	KUNIT_EXPECT_TRUE(test, stripe.settled);
}

static void expired_and_done(struct kunit *test)
{
	struct r5d_predictor *p = new_predictor(test);
	struct r5d_stripe stripe = new_stripe(R5D_STRIPE_RELEASED);

	stripe.begun = true;
	stripe.expired = true;
	stripe.released = 15 * MSEC;
	KUNIT_EXPECT_FALSE(test, r5d_outcome_idle(p, &stripe, 17 * MSEC));
	KUNIT_EXPECT_EQ(test, learned(p), -1);
	/* The time in which it was held does not count. */
	KUNIT_EXPECT_EQ(test, p->times.service_ns, 2 * MSEC);
}

/* It was filled after its deadline: that is too late, but the deadline has to grow. */
static void expired_and_filled(struct kunit *test)
{
	struct r5d_predictor *p = new_predictor(test);
	struct r5d_stripe stripe = new_stripe(R5D_STRIPE_RELEASED);

	stripe.expired = true;
	KUNIT_EXPECT_FALSE(test, r5d_outcome_full_now(p, &stripe, 40 * MSEC));
	KUNIT_EXPECT_EQ(test, learned(p), 1);
	KUNIT_EXPECT_GT(test, p->times.fill_ns, 40 * MSEC);
}

/* An early release says nothing of its stream. */
static void released_early(struct kunit *test)
{
	struct r5d_predictor *p = new_predictor(test);
	struct r5d_stripe stripe = new_stripe(R5D_STRIPE_RELEASED);

	stripe.begun = true;
	KUNIT_EXPECT_FALSE(test, r5d_outcome_idle(p, &stripe, 17 * MSEC));
	KUNIT_EXPECT_EQ(test, learned(p), 0);
}

/* raid456 releases only the first stripe of a batch before the work on it. */
static void filled_in_a_batch(struct kunit *test)
{
	struct r5d_predictor *p = new_predictor(test);
	struct r5d_stripe stripe = new_stripe(R5D_STRIPE_HELD);

	KUNIT_EXPECT_TRUE(test, r5d_outcome_idle(p, &stripe, 17 * MSEC));
	KUNIT_EXPECT_EQ(test, learned(p), 1);
	stripe = new_stripe(R5D_STRIPE_PASSED);
	KUNIT_EXPECT_FALSE(test, r5d_outcome_idle(p, &stripe, 17 * MSEC));
	KUNIT_EXPECT_FALSE(test, p->times.measured);
}

static struct kunit_case outcome_cases[] = {
	KUNIT_CASE(held_and_filled),
	KUNIT_CASE(passed_and_filled),
	KUNIT_CASE(passed_and_done),
	KUNIT_CASE(expired_and_done),
	KUNIT_CASE(expired_and_filled),
	KUNIT_CASE(released_early),
	KUNIT_CASE(filled_in_a_batch),
	{}
};

static struct kunit_suite outcome_suite = {
	.name = "raid5_outcome",
	.test_cases = outcome_cases,
};

kunit_test_suite(outcome_suite);

MODULE_LICENSE("GPL");
