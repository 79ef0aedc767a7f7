/* SPDX-License-Identifier: GPL-2.0-only */
/* Which of several writers does something for all of them. */
#ifndef NFSD_DIO_TURNS_H
#define NFSD_DIO_TURNS_H

#include <linux/cache.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

/**
 * struct nd_turns - writers of the files of one hash value
 * @lock: protects the rest but the queues; innermost
 * @asked: tickets issued, one per writer
 * @finished: turns that have ended
 * @owner: the file of the writer whose turn it is; NULL: nobody's
 * @served: the file of @done
 * @done: the last ticket that was served, if it is one of @served
 * @error: of the last turn that failed
 * @failed_after: its tickets are those above this
 * @failed: its last ticket
 * @expected_of: the file of the writers that are announced
 * @expected: how many of them have not come yet, by @round
 * @round: which of the two a writer is counted in that is announced now
 * @wait: writers of @owner wait here for the end of its turn
 * @gather: the owner waits here for writers that are announced
 *
 * A file is an address, which is compared and never followed.
 */
struct nd_turns {
	/* Protects all of this but the queues. */
	spinlock_t lock;
	long asked;
	unsigned long finished;
	const void *owner;
	const void *served;
	long done;
	int error;
	long failed_after;
	long failed;
	const void *expected_of;
	unsigned int expected[2];
	int round;
	wait_queue_head_t wait;
	wait_queue_head_t gather;
} ____cacheline_aligned_in_smp;

/**
 * enum nd_turn - what a writer has to do
 * @ND_TURN_DONE: nothing, another writer has done it since
 * @ND_TURN_OWNER: do it for all, then call nd_turn_end()
 * @ND_TURN_ALONE: do it for itself
 */
enum nd_turn { ND_TURN_DONE, ND_TURN_OWNER, ND_TURN_ALONE };

void nd_turns_init(struct nd_turns *turns);
int nd_turn_expect(struct nd_turns *turns, const void *file);
void nd_turn_cancel(struct nd_turns *turns, int round);
void nd_turn_gather(struct nd_turns *turns, unsigned long timeout, long *asked);
enum nd_turn nd_turn_take(struct nd_turns *turns, const void *file, int round, long *asked);
void nd_turn_end(struct nd_turns *turns, const void *served, long asked, int error);

#endif
