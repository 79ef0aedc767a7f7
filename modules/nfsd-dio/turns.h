/* SPDX-License-Identifier: GPL-2.0-only */
/* Which of several writers does something for all of them. */
#ifndef NFSD_DIO_TURNS_H
#define NFSD_DIO_TURNS_H

#include <linux/cache.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>

/**
 * struct nd_turns - writers of the files of one hash value
 * @lock: protects the rest but the queues, whose locks nest in it
 * @asked: tickets issued, one per writer
 * @finished: turns that have ended
 * @owner: the file of the writer whose turn it is; NULL: nobody's
 * @waiters: the writers that wait
 * @expected_of: the file of the writers that are announced
 * @expected: how many of them have not come yet, by @round
 * @round: which of the two a writer is counted in that is announced now
 * @wait: writers of @owner wait here for the end of its turn
 * @gather: the owner waits here for writers that are announced
 *
 * A file is an address, which is compared and never followed.
 */
struct nd_turns {
	/* Protects the rest but the queues. */
	spinlock_t lock;
	long asked;
	unsigned long finished;
	const void *owner;
	struct list_head waiters;
	const void *expected_of;
	unsigned int expected[2];
	int round;
	wait_queue_head_t wait;
	wait_queue_head_t gather;
} ____cacheline_aligned_in_smp;

/**
 * struct nd_waiter - a writer that waits, on its own stack
 * @node: in &nd_turns.waiters
 * @file: its file
 * @ticket: when it asked
 * @done: a turn has served it
 * @error: of that turn
 *
 * Each has its own result, because turns may end one after the other before it runs.
 */
struct nd_waiter {
	struct list_head node;
	const void *file;
	long ticket;
	bool done;
	int error;
};

/**
 * enum nd_turn - what a writer has to do
 * @ND_TURN_DONE: nothing, another writer has done it since
 * @ND_TURN_OWNER: do it for all, then call nd_turn_end()
 * @ND_TURN_ALONE: do it for itself
 */
enum nd_turn { ND_TURN_DONE, ND_TURN_OWNER, ND_TURN_ALONE };

void nd_turns_init(struct nd_turns *turns);
bool nd_turns_second_is_better(struct nd_turns *first, struct nd_turns *second, const void *file);
int nd_turn_expect(struct nd_turns *turns, const void *file);
void nd_turn_cancel(struct nd_turns *turns, int round);
void nd_turn_gather(struct nd_turns *turns, unsigned long timeout, long *asked);
enum nd_turn nd_turn_take(struct nd_turns *turns, const void *file, int round, long *asked);
void nd_turn_end(struct nd_turns *turns, bool served, long asked, int error);

#endif
