// SPDX-License-Identifier: GPL-2.0-only
/*
 * Streams that begin anywhere. A client's requests do not begin at multiples of their length, nor
 * do the pieces of a file that others read before. Windows of ctxra that do, as where requests are
 * short or no power of two, end within requests. That must cost no I/O and no wait.
 */
#include <kunit/test.h>

#include "sim/simwork.h"

#define PAGES		8192UL	/* 32 MiB */
#define MOST_FIRST	256UL
#define SEEDS		24	/* of each kernel a sixth */

#define SHAPE(nr_, win_, readers_, share_, fd_, group_) {				\
	.name = #nr_ " pages, window " #win_ ", " #readers_ " readers, " #share_	\
		", fd " #fd_ ", groups of " #group_,					\
	.pages = PAGES, .nr = nr_, .win = win_, .readers = readers_, .share = share_,	\
	.shared_fd = fd_, .group = group_,						\
}

static const struct sim_shape shapes[] = {
	SHAPE(16, 32, 4, SIM_TURN, false, 1), SHAPE(16, 32, 4, SIM_TURN, true, 1),
	SHAPE(16, 32, 4, SIM_FREE, false, 1), SHAPE(16, 32, 4, SIM_FREE, true, 1),
	SHAPE(16, 32, 4, SIM_POOL, true, 1), SHAPE(16, 32, 4, SIM_TURN, false, 2),
	SHAPE(16, 32, 4, SIM_POOL, false, 2), SHAPE(16, 32, 8, SIM_POOL, true, 4),
	SHAPE(16, 32, 8, SIM_POOL, false, 8), SHAPE(16, 32, 16, SIM_POOL, true, 16),
	SHAPE(8, 32, 4, SIM_POOL, true, 1), SHAPE(8, 32, 8, SIM_POOL, true, 4),
	SHAPE(4, 32, 8, SIM_POOL, false, 2), SHAPE(24, 32, 4, SIM_POOL, true, 2),
	SHAPE(16, 256, 4, SIM_POOL, true, 1), SHAPE(16, 256, 8, SIM_POOL, false, 4),
	SHAPE(16, 256, 16, SIM_POOL, true, 16), SHAPE(64, 256, 8, SIM_POOL, true, 4),
	SHAPE(16, 1024, 8, SIM_POOL, true, 4),
};

static void shape_desc(const struct sim_shape *shape, char *desc)
{
	strscpy(desc, shape->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(shapes, shapes, shape_desc);

static struct sim_totals from_anywhere(struct kunit *test, struct sim_shape shape)
{
	struct sim *sim = sim_alloc(test, 0, PAGES + MOST_FIRST);
	struct rnd_state rnd = sim_random(1);
	struct sim_totals sum = {};

	for (shape.seed = 1; shape.seed <= SEEDS; shape.seed++) {
		struct sim_work work;

		shape.first = prandom_u32_state(&rnd) % MOST_FIRST;
		work = sim_work_create(test, &shape, PAGES + MOST_FIRST);
		sim_compare(sim, &work, shape.seed % SIM_NR_WAYS, shape.win, &sum);
		kunit_kfree(test, work.requests);
	}
	sim_report_totals(test, shape.name, &sum);
	KUNIT_EXPECT_LE(test, sum.read[1] * 100, sum.read[0] * 102);
	return sum;
}

/* As few as stock's, and one more for the start of each stream. */
static void begins_anywhere(struct kunit *test)
{
	const struct sim_shape *shape = test->param_value;
	const struct sim_totals sum = from_anywhere(test, *shape);

	KUNIT_EXPECT_LE(test, sum.ios[1] * 100, (sum.ios[0] + SEEDS) * 101);
	KUNIT_EXPECT_LE(test, sum.waits[1] * 100, (sum.waits[0] + SEEDS) * 101);
}

/*
 * Requests as long as the window. Stock reads each by one I/O, wherever it begins, and each waits.
 */
static void long_requests(struct kunit *test)
{
	const struct sim_shape shape = SHAPE(32, 32, 4, SIM_POOL, true, 2);
	const struct sim_totals sum = from_anywhere(test, shape);

	KUNIT_EXPECT_LE(test, sum.ios[1] * 100, (sum.ios[0] + SEEDS) * 101);
	KUNIT_EXPECT_LE(test, sum.waits[1], sum.waits[0]);
}

static struct kunit_case anywhere_cases[] = {
	KUNIT_CASE_PARAM(begins_anywhere, shapes_gen_params),
	KUNIT_CASE(long_requests),
	{}
};

static struct kunit_suite anywhere_suite = {
	.name = "ctxra_anywhere",
	.test_cases = anywhere_cases,
};

kunit_test_suite(anywhere_suite);

MODULE_LICENSE("GPL");
