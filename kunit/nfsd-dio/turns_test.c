// SPDX-License-Identifier: GPL-2.0-only
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/sched.h>

#include "nfsd-dio/turns.h"

static const char file_a, file_b;

/* A writer that may wait. */
struct writer {
	struct nd_turns *turns;
	int round;
	enum nd_turn turn;
	long asked;
	struct completion done;
	struct task_struct *task;
};

static int writer_fn(void *data)
{
	struct writer *w = data;

	w->turn = nd_turn_take(w->turns, &file_a, w->round, &w->asked);
	complete(&w->done);
	return 0;
}

/* Start a writer of file_a, which waits for the owner. */
static void start_waiter(struct kunit *test, struct nd_turns *turns, struct writer *w)
{
	unsigned int i;

	w->turns = turns;
	init_completion(&w->done);
	w->task = kthread_run(writer_fn, w, "nd-writer");
	KUNIT_ASSERT_FALSE(test, IS_ERR(w->task));
	for (i = 0; i < 1000 && !wq_has_sleeper(&turns->wait); i++)
		usleep_range(1000, 2000);
	KUNIT_EXPECT_TRUE(test, wq_has_sleeper(&turns->wait));
	KUNIT_EXPECT_FALSE(test, completion_done(&w->done));
}

static struct nd_turns *turns_alloc(struct kunit *test)
{
	struct nd_turns *turns = kunit_kzalloc(test, sizeof(*turns), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, turns);
	nd_turns_init(turns);
	return turns;
}

static void one_after_the_other(struct kunit *test)
{
	struct nd_turns *turns = turns_alloc(test);
	long asked;

	KUNIT_EXPECT_EQ(test, nd_turn_take(turns, &file_a, -1, &asked), ND_TURN_OWNER);
	nd_turn_end(turns, true, asked, 0);
	/* It was served before this one asked. */
	KUNIT_EXPECT_EQ(test, nd_turn_take(turns, &file_a, -1, &asked), ND_TURN_OWNER);
	nd_turn_end(turns, true, asked, 0);
}

/* The owner of another file is never waited for. */
static void other_file(struct kunit *test)
{
	struct nd_turns *turns = turns_alloc(test);
	long asked, other;

	KUNIT_EXPECT_EQ(test, nd_turn_take(turns, &file_b, -1, &asked), ND_TURN_OWNER);
	KUNIT_EXPECT_EQ(test, nd_turn_take(turns, &file_a, -1, &other), ND_TURN_ALONE);
	nd_turn_end(turns, true, asked, 0);
	KUNIT_EXPECT_EQ(test, nd_turn_take(turns, &file_a, -1, &asked), ND_TURN_OWNER);
	nd_turn_end(turns, true, asked, 0);
}

/* Writers that asked during a turn are not served by it, but the first of them serves all. */
static void waiters(struct kunit *test)
{
	struct nd_turns *turns = turns_alloc(test);
	struct writer w = { .round = -1 };
	long asked;

	KUNIT_EXPECT_EQ(test, nd_turn_take(turns, &file_a, -1, &asked), ND_TURN_OWNER);
	start_waiter(test, turns, &w);
	nd_turn_end(turns, true, asked, 0);
	wait_for_completion(&w.done);
	KUNIT_EXPECT_EQ(test, w.turn, ND_TURN_OWNER);
	KUNIT_EXPECT_EQ(test, w.asked, 2L);
	nd_turn_end(turns, true, w.asked, 0);
}

/* Served with a ticket that the waiter has by then. */
static void served(struct kunit *test)
{
	struct nd_turns *turns = turns_alloc(test);
	struct writer w = { .round = -1 };
	long asked;

	KUNIT_EXPECT_EQ(test, nd_turn_take(turns, &file_a, -1, &asked), ND_TURN_OWNER);
	start_waiter(test, turns, &w);
	nd_turn_end(turns, true, asked + 1, 0);
	wait_for_completion(&w.done);
	KUNIT_EXPECT_EQ(test, w.turn, ND_TURN_DONE);
}

/* What failed for the owner failed for those that it served, whatever turns follow. */
static void fails_for_all(struct kunit *test)
{
	struct nd_turns *turns = turns_alloc(test);
	struct writer w = { .round = -1 };
	long asked;

	KUNIT_EXPECT_EQ(test, nd_turn_take(turns, &file_a, -1, &asked), ND_TURN_OWNER);
	start_waiter(test, turns, &w);
	/* The waiter need not run before the next two turns have ended. */
	nd_turn_end(turns, true, asked + 1, -EIO);
	KUNIT_EXPECT_EQ(test, nd_turn_take(turns, &file_b, -1, &asked), ND_TURN_OWNER);
	nd_turn_end(turns, true, asked, -ENOSPC);
	KUNIT_EXPECT_EQ(test, nd_turn_take(turns, &file_a, -1, &asked), ND_TURN_OWNER);
	nd_turn_end(turns, true, asked, 0);
	wait_for_completion(&w.done);
	KUNIT_EXPECT_EQ(test, w.turn, ND_TURN_DONE);
	KUNIT_EXPECT_EQ(test, w.asked, (long)-EIO);
	KUNIT_EXPECT_TRUE(test, list_empty(&turns->waiters));
}

/* The turn ends without an update: the waiter makes its own. */
static void not_served(struct kunit *test)
{
	struct nd_turns *turns = turns_alloc(test);
	struct writer w = { .round = -1 };
	long asked;

	KUNIT_EXPECT_EQ(test, nd_turn_take(turns, &file_a, -1, &asked), ND_TURN_OWNER);
	start_waiter(test, turns, &w);
	nd_turn_end(turns, false, asked + 1, 0);
	wait_for_completion(&w.done);
	KUNIT_EXPECT_EQ(test, w.turn, ND_TURN_OWNER);
	nd_turn_end(turns, true, w.asked, 0);
}

/* While it waits, the turn passes to another file, whose owner may block for ever. */
static void passed_on(struct kunit *test)
{
	struct nd_turns *turns = turns_alloc(test);
	struct writer w = { .round = -1 };
	long asked;

	KUNIT_EXPECT_EQ(test, nd_turn_take(turns, &file_a, -1, &asked), ND_TURN_OWNER);
	start_waiter(test, turns, &w);
	/* As nd_turn_end() and nd_turn_take() of another writer, before the waiter runs. */
	spin_lock(&turns->lock);
	turns->owner = &file_b;
	turns->finished++;
	spin_unlock(&turns->lock);
	wake_up_all(&turns->wait);
	wait_for_completion(&w.done);
	KUNIT_EXPECT_EQ(test, w.turn, ND_TURN_ALONE);
	nd_turn_end(turns, true, asked, 0);
}

static int gather_fn(void *data)
{
	struct writer *w = data;

	nd_turn_gather(w->turns, MAX_SCHEDULE_TIMEOUT, &w->asked);
	complete(&w->done);
	return 0;
}

/* Let the owner wait for the writers that are announced. */
static void start_gathering(struct kunit *test, struct nd_turns *turns, struct writer *owner)
{
	owner->turns = turns;
	init_completion(&owner->done);
	owner->task = kthread_run(gather_fn, owner, "nd-gather");
	KUNIT_ASSERT_FALSE(test, IS_ERR(owner->task));
	for (unsigned int i = 0; i < 1000 && !wq_has_sleeper(&turns->gather); i++)
		usleep_range(1000, 2000);
	KUNIT_EXPECT_FALSE(test, completion_done(&owner->done));
}

/* The owner waits for a writer that was announced before its turn, and serves it. */
static void gathers(struct kunit *test)
{
	struct nd_turns *turns = turns_alloc(test);
	struct writer w = { .round = nd_turn_expect(turns, &file_a) }, owner = {};

	KUNIT_EXPECT_EQ(test, nd_turn_take(turns, &file_a, -1, &owner.asked), ND_TURN_OWNER);
	start_gathering(test, turns, &owner);
	start_waiter(test, turns, &w);
	wait_for_completion(&owner.done);
	KUNIT_EXPECT_EQ(test, owner.asked, 2L);
	nd_turn_end(turns, true, owner.asked, 0);
	wait_for_completion(&w.done);
	KUNIT_EXPECT_EQ(test, w.turn, ND_TURN_DONE);
	KUNIT_EXPECT_EQ(test, w.asked, 0L);
}

/* It does not wait for one that is announced later, nor for one that takes no turn after all. */
static void cancelled(struct kunit *test)
{
	struct nd_turns *turns = turns_alloc(test);
	struct writer owner = {};
	int early = nd_turn_expect(turns, &file_a), late;

	KUNIT_EXPECT_EQ(test, nd_turn_take(turns, &file_a, -1, &owner.asked), ND_TURN_OWNER);
	start_gathering(test, turns, &owner);
	late = nd_turn_expect(turns, &file_a);
	KUNIT_EXPECT_NE(test, late, early);
	nd_turn_cancel(turns, early);
	wait_for_completion(&owner.done);
	nd_turn_end(turns, true, owner.asked, 0);
	nd_turn_cancel(turns, late);
	KUNIT_EXPECT_EQ(test, turns->expected[0] + turns->expected[1], 0U);
}

/* Nor for ever, nor for a writer of another file. */
static void gathers_in_vain(struct kunit *test)
{
	struct nd_turns *turns = turns_alloc(test);
	int round = nd_turn_expect(turns, &file_a);
	long asked;

	KUNIT_EXPECT_LT(test, nd_turn_expect(turns, &file_b), 0);
	KUNIT_EXPECT_EQ(test, nd_turn_take(turns, &file_b, -1, &asked), ND_TURN_OWNER);
	nd_turn_gather(turns, MAX_SCHEDULE_TIMEOUT, &asked);
	nd_turn_end(turns, true, asked, 0);
	KUNIT_EXPECT_EQ(test, nd_turn_take(turns, &file_a, -1, &asked), ND_TURN_OWNER);
	nd_turn_gather(turns, 1, &asked);
	nd_turn_end(turns, true, asked, 0);
	nd_turn_cancel(turns, round);
}

/* Writers of a file keep together, and away from those of others. */
static void second_place(struct kunit *test)
{
	struct nd_turns *first = turns_alloc(test), *second = turns_alloc(test);
	int round = nd_turn_expect(first, &file_a);
	long asked;

	KUNIT_EXPECT_FALSE(test, nd_turns_second_is_better(first, second, &file_a));
	KUNIT_EXPECT_TRUE(test, nd_turns_second_is_better(first, second, &file_b));
	KUNIT_EXPECT_EQ(test, nd_turn_take(second, &file_b, -1, &asked), ND_TURN_OWNER);
	nd_turn_cancel(first, round);
	KUNIT_EXPECT_TRUE(test, nd_turns_second_is_better(first, second, &file_b));
	KUNIT_EXPECT_FALSE(test, nd_turns_second_is_better(first, second, &file_a));
	nd_turn_end(second, true, asked, 0);
	KUNIT_EXPECT_FALSE(test, nd_turns_second_is_better(first, second, &file_b));
}

static struct kunit_case turns_cases[] = {
	KUNIT_CASE(one_after_the_other),
	KUNIT_CASE(other_file),
	KUNIT_CASE(waiters),
	KUNIT_CASE(served),
	KUNIT_CASE(fails_for_all),
	KUNIT_CASE(not_served),
	KUNIT_CASE(passed_on),
	KUNIT_CASE(gathers),
	KUNIT_CASE(cancelled),
	KUNIT_CASE(gathers_in_vain),
	KUNIT_CASE(second_place),
	{}
};

static struct kunit_suite turns_suite = {
	.name = "nfsd_dio_turns",
	.test_cases = turns_cases,
};

kunit_test_suite(turns_suite);

MODULE_LICENSE("GPL");
