// SPDX-License-Identifier: GPL-2.0-only
#include <linux/sched.h>

#include "turns.h"

void nd_turns_init(struct nd_turns *turns)
{
	spin_lock_init(&turns->lock);
	init_waitqueue_head(&turns->wait);
	init_waitqueue_head(&turns->gather);
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
	enum nd_turn turn = ND_TURN_DONE;
	long ticket;

	*asked = 0;
	spin_lock(&turns->lock);
	ticket = ++turns->asked;
	nd_turn_arrive(turns, round);
	/* A new file at the address of an old one is harmless: its ticket is above @done. */
	while (turns->served != file || turns->done - ticket < 0) {
		unsigned long finished = turns->finished;

		if (!turns->owner) {
			turns->owner = file;
			*asked = turns->asked;
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
	if (turn == ND_TURN_DONE && turns->failed_after - ticket < 0 && turns->failed - ticket >= 0)
		*asked = turns->error;
	spin_unlock(&turns->lock);
	return turn;
}

/**
 * nd_turn_end - end the turn of an owner
 * @turns: the turns
 * @served: the file; NULL: not served, so that the waiting writers do it themselves
 * @asked: of nd_turn_take(): all tickets up to this are served
 * @error: 0, or the negative errno that all these have
 */
void nd_turn_end(struct nd_turns *turns, const void *served, long asked, int error)
{
	spin_lock(&turns->lock);
	if (error) {
		turns->error = error;
		turns->failed_after = turns->done;
		turns->failed = asked;
	}
	turns->served = served;
	turns->done = asked;
	turns->owner = NULL;
	WRITE_ONCE(turns->finished, turns->finished + 1);
	spin_unlock(&turns->lock);
	wake_up_all(&turns->wait);
}
