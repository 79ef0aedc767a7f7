// SPDX-License-Identifier: GPL-2.0-only
#include <linux/sched.h>

#include "turns.h"

void nd_turns_init(struct nd_turns *turns)
{
	spin_lock_init(&turns->lock);
	INIT_LIST_HEAD(&turns->waiters);
	init_waitqueue_head(&turns->wait);
	init_waitqueue_head(&turns->gather);
}

/* Whose writers have the turns, or NULL. */
static const void *nd_turns_file(struct nd_turns *turns)
{
	const void *file;

	spin_lock(&turns->lock);
	file = turns->owner;
	if (!file && (turns->expected[0] || turns->expected[1]))
		file = turns->expected_of;
	spin_unlock(&turns->lock);
	return file;
}

/**
 * nd_turns_second_is_better - choose between the two turns that the writers of a file may take
 * @first: the turns to take if nobody has either
 * @second: the others
 * @file: the file
 *
 * Writers of one file gain by taking the same turns. Those that meet writers of another file go on
 * alone, and files that are always written to would share turns for ever. The answer is a hint.
 */
bool nd_turns_second_is_better(struct nd_turns *first, struct nd_turns *second, const void *file)
{
	const void *first_file = nd_turns_file(first), *second_file;

	if (first_file == file)
		return false;
	second_file = nd_turns_file(second);
	return second_file == file || (first_file && !second_file);
}

/**
 * nd_turn_expect - announce a writer that will take a turn, so that an owner can wait for it
 * @turns: the turns
 * @file: the file
 *
 * Return: for nd_turn_take() or nd_turn_cancel(), of which one must follow; negative: not
 * announced, because writers of another file are.
 */
int nd_turn_expect(struct nd_turns *turns, const void *file)
{
	int round = -1;

	spin_lock(&turns->lock);
	if (!turns->expected[0] && !turns->expected[1])
		turns->expected_of = file;
	if (turns->expected_of == file) {
		round = turns->round;
		turns->expected[round]++;
	}
	spin_unlock(&turns->lock);
	return round;
}

static void nd_turn_arrive(struct nd_turns *turns, int round)
{
	if (round < 0)
		return;
	WRITE_ONCE(turns->expected[round], turns->expected[round] - 1);
	if (!turns->expected[round])
		wake_up_all(&turns->gather);
}

/**
 * nd_turn_cancel - take no turn after nd_turn_expect()
 * @turns: the turns
 * @round: what that returned
 */
void nd_turn_cancel(struct nd_turns *turns, int round)
{
	spin_lock(&turns->lock);
	nd_turn_arrive(turns, round);
	spin_unlock(&turns->lock);
}

/**
 * nd_turn_gather - wait for the writers of the owner's file that were announced before its turn
 * @turns: the turns, which the caller is the owner of
 * @timeout: wait no longer than this, jiffies
 * @asked: for nd_turn_end(); set anew, so that the turn serves those that came
 *
 * Context: may sleep.
 */
void nd_turn_gather(struct nd_turns *turns, unsigned long timeout, long *asked)
{
	int round = -1;

	spin_lock(&turns->lock);
	if (turns->expected_of == turns->owner) {
		round = turns->round;
		turns->round = !round;
	}
	spin_unlock(&turns->lock);
	if (round < 0)
		return;
	wait_event_timeout(turns->gather, !READ_ONCE(turns->expected[round]), timeout);
	spin_lock(&turns->lock);
	*asked = turns->asked;
	spin_unlock(&turns->lock);
}

/**
 * nd_turn_take - take a turn, or wait for a writer of the same file that has it
 * @turns: the turns
 * @file: the file
 * @round: of nd_turn_expect(); negative: this writer was not announced
 * @asked: set: for the owner, what nd_turn_end() takes; for %ND_TURN_DONE, the error given to that
 *
 * The owner may be of another file system, and block there for ever: a writer never waits for the
 * owner of another file. If the turn passes to one while it waits, it goes on alone.
 *
 * Context: may sleep.
 */
enum nd_turn nd_turn_take(struct nd_turns *turns, const void *file, int round, long *asked)
{
	struct nd_waiter waiter = { .node = LIST_HEAD_INIT(waiter.node), .file = file };
	enum nd_turn turn = ND_TURN_DONE;

	spin_lock(&turns->lock);
	waiter.ticket = ++turns->asked;
	nd_turn_arrive(turns, round);
	list_add_tail(&waiter.node, &turns->waiters);
	while (!waiter.done) {
		unsigned long finished = turns->finished;

		if (!turns->owner) {
			turns->owner = file;
			turn = ND_TURN_OWNER;
			break;
		}
		if (turns->owner != file) {
			turn = ND_TURN_ALONE;
			break;
		}
		spin_unlock(&turns->lock);
		wait_event(turns->wait, READ_ONCE(turns->finished) != finished);
		spin_lock(&turns->lock);
	}
	list_del(&waiter.node);
	*asked = turn == ND_TURN_DONE ? waiter.error : turns->asked;
	spin_unlock(&turns->lock);
	return turn;
}

/**
 * nd_turn_end - end the turn of an owner
 * @turns: the turns
 * @served: whether it served its file; else the waiting writers do it themselves
 * @asked: of nd_turn_take() or nd_turn_gather(): all tickets up to this are served
 * @error: 0, or the negative errno that all these have
 */
void nd_turn_end(struct nd_turns *turns, bool served, long asked, int error)
{
	struct nd_waiter *waiter;

	spin_lock(&turns->lock);
	if (served) {
		list_for_each_entry(waiter, &turns->waiters, node) {
			if (waiter->done || waiter->file != turns->owner ||
			    waiter->ticket - asked > 0)
				continue;
			waiter->error = error;
			waiter->done = true;
		}
	}
	turns->owner = NULL;
	WRITE_ONCE(turns->finished, turns->finished + 1);
	spin_unlock(&turns->lock);
	wake_up_all(&turns->wait);
}
