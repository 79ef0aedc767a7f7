// SPDX-License-Identifier: GPL-2.0-only
#include <kunit/test.h>
#include <linux/prandom.h>

#include "raid5-deadline/predict.h"

#define STRIPE		8
#define USEC		1000ULL
#define MSEC		(1000 * USEC)

/* One write of stripes, all of which are filled or not. Returns how many are held. */
static int write_stripes(struct r5d_predictor *p, u64 sector, u32 span, bool filled)
{
	int held = 0, stream, i;

	for (i = 0; i < span; i++) {
		held += r5d_predict(p, sector + i * STRIPE, span, &stream);
		r5d_learn(p, stream, sector + i * STRIPE, filled);
	}
	return held;
}

static struct r5d_predictor *new_predictor(struct kunit *test)
{
	struct r5d_predictor *p = kunit_kzalloc(test, sizeof(*p), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, p);
	r5d_predict_init(p);
	return p;
}

/* A deep sequential writer: all stripes are held, from the first write on. */
static void streams_are_held(struct kunit *test)
{
	struct r5d_predictor *p = new_predictor(test);
	int i;

	for (i = 0; i < 100; i++)
		KUNIT_EXPECT_EQ(test, write_stripes(p, i * 64 * STRIPE, 64, true), 64);
}

/* A writer that waits for each write is recognised within its first. */
static void lone_writer_pays_once(struct kunit *test)
{
	struct r5d_predictor *p = new_predictor(test);
	int i, held = write_stripes(p, 0, 64, false);

	KUNIT_EXPECT_LE(test, held, 8);
	for (i = 1; i < 100; i++)
		held += write_stripes(p, i * 64 * STRIPE, 64, false);
	KUNIT_EXPECT_LE(test, held, 8);
}

/* It is retried, ever more rarely. */
static void tries_become_rare(struct kunit *test)
{
	struct r5d_predictor *p = new_predictor(test);
	int first = 0, later = 0, i;

	for (i = 0; i < 1000; i++)
		first += write_stripes(p, i * 64 * STRIPE, 64, false);
	for (; i < 2000; i++)
		later += write_stripes(p, i * 64 * STRIPE, 64, false);
	KUNIT_EXPECT_GT(test, first, 8);
	KUNIT_EXPECT_LE(test, first, 32);
	KUNIT_EXPECT_LE(test, later, 8);
}

/* Single blocks are never held. */
static void blocks_pass(struct kunit *test)
{
	struct r5d_predictor *p = new_predictor(test);
	struct rnd_state rnd;
	int held = 0, stream, i;

	prandom_seed_state(&rnd, 5);
	for (i = 0; i < 10000; i++) {
		u64 sector = (u64)prandom_u32_state(&rnd) * STRIPE;

		held += r5d_predict(p, sector, 1, &stream);
		r5d_learn(p, stream, sector, false);
	}
	KUNIT_EXPECT_EQ(test, held, 0);
}

/* A stream is trusted again when its stripes would have been filled, although none is held. */
static void learns_from_those_that_passed(struct kunit *test)
{
	struct r5d_predictor *p = new_predictor(test);
	int i;

	for (i = 0; i < 50; i++)
		write_stripes(p, i * 64 * STRIPE, 64, false);
	KUNIT_EXPECT_EQ(test, write_stripes(p, i++ * 64 * STRIPE, 64, false), 0);
	write_stripes(p, i++ * 64 * STRIPE, 64, true);
	KUNIT_EXPECT_EQ(test, write_stripes(p, i * 64 * STRIPE, 64, true), 64);
}

/* Two interleaved streams, one filled and one not: each has its own trust. */
static void streams_are_told_apart(struct kunit *test)
{
	struct r5d_predictor *p = new_predictor(test);
	const u64 far = 1ULL << 30;
	int deep = 0, lone = 0, i;

	for (i = 0; i < 64; i++) {
		deep += write_stripes(p, i * 32 * STRIPE, 32, true);
		lone += write_stripes(p, far + i * 32 * STRIPE, 32, false);
	}
	KUNIT_EXPECT_EQ(test, deep, 64 * 32);
	KUNIT_EXPECT_LE(test, lone, 16);
}

/* Stripes may come somewhat out of order. */
static void gaps_are_allowed(struct kunit *test)
{
	struct r5d_predictor *p = new_predictor(test);
	int stream, first, i;

	for (i = 0; i < 8; i++)
		r5d_predict(p, i * STRIPE, 1, &first);
	KUNIT_EXPECT_TRUE(test, r5d_predict(p, 40 * STRIPE, 1, &stream));
	KUNIT_EXPECT_EQ(test, stream, first);
	KUNIT_EXPECT_FALSE(test, r5d_predict(p, 400 * STRIPE, 1, &stream));
	KUNIT_EXPECT_EQ(test, stream, -1);
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
	struct r5d_predictor *p = new_predictor(test);
	int i;

	KUNIT_EXPECT_EQ(test, p->deadline_ns, 20 * MSEC);
	for (i = 0; i < 200; i++)
		r5d_learn_time(p, c->ns);
	KUNIT_EXPECT_GE(test, p->deadline_ns, c->least);
	KUNIT_EXPECT_LE(test, p->deadline_ns, c->most);
}

/* One slow stripe in a thousand does not count, one in ten does. */
static void deadline_covers_nearly_all(struct kunit *test)
{
	struct r5d_predictor *p = new_predictor(test);
	int i;

	for (i = 0; i < 1000; i++)
		r5d_learn_time(p, i % 1000 == 500 ? 40 * MSEC : 200 * USEC);
	KUNIT_EXPECT_LE(test, p->deadline_ns, 1 * MSEC);
	for (i = 0; i < 1000; i++)
		r5d_learn_time(p, i % 10 == 5 ? 40 * MSEC : 200 * USEC);
	KUNIT_EXPECT_GE(test, p->deadline_ns, 40 * MSEC);
}

/* Old times are forgotten. */
static void deadline_ages(struct kunit *test)
{
	struct r5d_predictor *p = new_predictor(test);
	int i;

	for (i = 0; i < 10000; i++)
		r5d_learn_time(p, 20 * MSEC);
	for (i = 0; i < 20000; i++)
		r5d_learn_time(p, 200 * USEC);
	KUNIT_EXPECT_LE(test, p->deadline_ns, 1 * MSEC);
}

/* A stripe without a stream changes nothing, in the predictor or beside it. */
static void no_stream_teaches_nothing(struct kunit *test)
{
	struct {
		struct r5d_stream before;	/* where streams[-1] would be */
		struct r5d_predictor p;
	} *is, *was;
	int filled;

	is = kunit_kzalloc(test, sizeof(*is), GFP_KERNEL);
	was = kunit_kzalloc(test, sizeof(*was), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, is);
	KUNIT_ASSERT_NOT_NULL(test, was);
	r5d_predict_init(&is->p);
	write_stripes(&is->p, 0, 64, true);
	is->before = (struct r5d_stream){ .next = 16, .run = 8, .trust = 30000 };
	memcpy(was, is, sizeof(*is));
	for (filled = 0; filled < 2; filled++) {
		r5d_learn(&is->p, -1, 8, filled);
		KUNIT_EXPECT_EQ(test, memcmp(is, was, sizeof(*is)), 0);
	}
}

/* A stream that another one has replaced: its stripes do not change the new one's trust. */
static void a_place_taken_since(struct kunit *test)
{
	struct r5d_predictor *p = new_predictor(test);
	const u64 far = 1ULL << 40;
	u32 trust;
	int stream, i;

	r5d_predict(p, far, 64, &stream);
	trust = p->streams[stream].trust;
	for (i = 0; i < 20; i++)
		r5d_learn(p, stream, 8, false);
	KUNIT_EXPECT_EQ(test, p->streams[stream].trust, trust);
	/* The array's trust does change. */
	KUNIT_EXPECT_LT(test, p->trust, trust);
	r5d_learn(p, stream, far + 8, false);
	KUNIT_EXPECT_EQ(test, p->streams[stream].trust, trust);
	r5d_learn(p, stream, far, false);
	KUNIT_EXPECT_LT(test, p->streams[stream].trust, trust);
}

/* A distrusted stream is retried once after so many stripes, and not at each from then on. */
static void tries_count_anew(struct kunit *test)
{
	struct r5d_predictor *p = new_predictor(test);
	int i, held = 0, stream;

	write_stripes(p, 0, 64, false);
	for (i = 64; i < 64 + 8192 && !held; i++) {
		held = r5d_predict(p, i * STRIPE, 64, &stream);
		if (!held)
			r5d_learn(p, stream, i * STRIPE, false);
	}
	KUNIT_EXPECT_EQ(test, held, 1);
	KUNIT_EXPECT_EQ(test, p->untried, 0U);
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

static void trust_in_percent(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, r5d_trust_percent(0), 0U);
	KUNIT_EXPECT_EQ(test, r5d_trust_percent(65534), 99U);
	KUNIT_EXPECT_EQ(test, r5d_trust_percent(65535), 100U);
}

static struct kunit_case predict_cases[] = {
	KUNIT_CASE(streams_are_held),
	KUNIT_CASE(lone_writer_pays_once),
	KUNIT_CASE(tries_become_rare),
	KUNIT_CASE(blocks_pass),
	KUNIT_CASE(learns_from_those_that_passed),
	KUNIT_CASE(streams_are_told_apart),
	KUNIT_CASE(gaps_are_allowed),
	KUNIT_CASE_PARAM(deadline_follows, fill_gen_params),
	KUNIT_CASE(deadline_covers_nearly_all),
	KUNIT_CASE(deadline_ages),
	KUNIT_CASE(no_stream_teaches_nothing),
	KUNIT_CASE(a_place_taken_since),
	KUNIT_CASE(tries_count_anew),
	KUNIT_CASE(buckets),
	KUNIT_CASE(trust_in_percent),
	{}
};

static struct kunit_suite predict_suite = {
	.name = "raid5_predict",
	.test_cases = predict_cases,
};

kunit_test_suite(predict_suite);

MODULE_LICENSE("GPL");
