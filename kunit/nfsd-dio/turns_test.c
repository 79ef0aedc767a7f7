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
	enum nd_turn turn;
	long asked;
	struct completion done;
	struct task_struct *task;
};

static int writer_fn(void *data)
{
	struct writer *w = data;

	w->turn = nd_turn_take(w->turns, &file_a, &w->asked);
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

	KUNIT_EXPECT_EQ(test, nd_turn_take(turns, &file_a, &asked), ND_TURN_OWNER);
	nd_turn_end(turns, &file_a, asked);
	/* It was served before this one asked. */
	KUNIT_EXPECT_EQ(test, nd_turn_take(turns, &file_a, &asked), ND_TURN_OWNER);
	nd_turn_end(turns, &file_a, asked);
}

/* The owner of another file is never waited for. */
static void other_file(struct kunit *test)
{
	struct nd_turns *turns = turns_alloc(test);
	long asked, other;

	KUNIT_EXPECT_EQ(test, nd_turn_take(turns, &file_b, &asked), ND_TURN_OWNER);
	KUNIT_EXPECT_EQ(test, nd_turn_take(turns, &file_a, &other), ND_TURN_ALONE);
	nd_turn_end(turns, &file_b, asked);
	KUNIT_EXPECT_EQ(test, nd_turn_take(turns, &file_a, &asked), ND_TURN_OWNER);
	nd_turn_end(turns, &file_a, asked);
}

/* Writers that asked during a turn are not served by it, but the first of them serves all. */
static void waiters(struct kunit *test)
{
	struct nd_turns *turns = turns_alloc(test);
	struct writer w = {};
	long asked;

	KUNIT_EXPECT_EQ(test, nd_turn_take(turns, &file_a, &asked), ND_TURN_OWNER);
	start_waiter(test, turns, &w);
	nd_turn_end(turns, &file_a, asked);
	wait_for_completion(&w.done);
	KUNIT_EXPECT_EQ(test, w.turn, ND_TURN_OWNER);
	KUNIT_EXPECT_EQ(test, w.asked, 2L);
	nd_turn_end(turns, &file_a, w.asked);
}

/* Served with a ticket that the waiter has by then. */
static void served(struct kunit *test)
{
	struct nd_turns *turns = turns_alloc(test);
	struct writer w = {};
	long asked;

	KUNIT_EXPECT_EQ(test, nd_turn_take(turns, &file_a, &asked), ND_TURN_OWNER);
	start_waiter(test, turns, &w);
	nd_turn_end(turns, &file_a, asked + 1);
	wait_for_completion(&w.done);
	KUNIT_EXPECT_EQ(test, w.turn, ND_TURN_DONE);
}

/* The turn ends without an update: the waiter makes its own. */
static void not_served(struct kunit *test)
{
	struct nd_turns *turns = turns_alloc(test);
	struct writer w = {};
	long asked;

	KUNIT_EXPECT_EQ(test, nd_turn_take(turns, &file_a, &asked), ND_TURN_OWNER);
	start_waiter(test, turns, &w);
	nd_turn_end(turns, NULL, asked + 1);
	wait_for_completion(&w.done);
	KUNIT_EXPECT_EQ(test, w.turn, ND_TURN_OWNER);
	nd_turn_end(turns, &file_a, w.asked);
}

/* While it waits, the turn passes to another file, whose owner may block for ever. */
static void passed_on(struct kunit *test)
{
	struct nd_turns *turns = turns_alloc(test);
	struct writer w = {};
	long asked;

	KUNIT_EXPECT_EQ(test, nd_turn_take(turns, &file_a, &asked), ND_TURN_OWNER);
	start_waiter(test, turns, &w);
	/* As nd_turn_end() and nd_turn_take() of another writer, before the waiter runs. */
	spin_lock(&turns->lock);
	turns->served = &file_a;
	turns->done = asked;
	turns->owner = &file_b;
	turns->finished++;
	spin_unlock(&turns->lock);
	wake_up_all(&turns->wait);
	wait_for_completion(&w.done);
	KUNIT_EXPECT_EQ(test, w.turn, ND_TURN_ALONE);
	nd_turn_end(turns, &file_b, asked);
}

static struct kunit_case turns_cases[] = {
	KUNIT_CASE(one_after_the_other),
	KUNIT_CASE(other_file),
	KUNIT_CASE(waiters),
	KUNIT_CASE(served),
	KUNIT_CASE(not_served),
	KUNIT_CASE(passed_on),
	{}
};

static struct kunit_suite turns_suite = {
	.name = "nfsd_dio_turns",
	.test_cases = turns_cases,
};

kunit_test_suite(turns_suite);

MODULE_LICENSE("GPL");
