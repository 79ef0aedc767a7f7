// SPDX-License-Identifier: GPL-2.0-only
#include <linux/sched.h>

#include "turns.h"

void nd_turns_init(struct nd_turns *turns)
{
	spin_lock_init(&turns->lock);
	init_waitqueue_head(&turns->wait);
}

/**
 * nd_turn_take - take a turn, or wait for a writer of the same file that has it
 * @turns: the turns
 * @file: the file
 * @asked: for nd_turn_end(); set for the owner
 *
 * The owner may be of another file system, and block there for ever: a writer never waits for the
 * owner of another file. If the turn passes to one while it waits, it goes on alone.
 *
 * Context: may sleep.
 */
enum nd_turn nd_turn_take(struct nd_turns *turns, const void *file, long *asked)
{
	enum nd_turn turn = ND_TURN_DONE;
	long ticket;

	spin_lock(&turns->lock);
	ticket = ++turns->asked;
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
	spin_unlock(&turns->lock);
	return turn;
}

/**
 * nd_turn_end - end the turn of an owner
 * @turns: the turns
 * @served: the file; NULL: not served, so that the waiting writers do it themselves
 * @asked: of nd_turn_take(): all tickets up to this are served
 */
void nd_turn_end(struct nd_turns *turns, const void *served, long asked)
{
	spin_lock(&turns->lock);
	turns->served = served;
	turns->done = asked;
	turns->owner = NULL;
	WRITE_ONCE(turns->finished, turns->finished + 1);
	spin_unlock(&turns->lock);
	wake_up_all(&turns->wait);
}
