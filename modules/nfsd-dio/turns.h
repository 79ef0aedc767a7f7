/* SPDX-License-Identifier: GPL-2.0-only */
/* Which of several writers does something for all of them. */
#ifndef NFSD_DIO_TURNS_H
#define NFSD_DIO_TURNS_H

#include <linux/cache.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

/**
 * struct nd_turns - writers of the files of one hash value
 * @lock: protects the next five; innermost
 * @asked: tickets issued, one per writer
 * @finished: turns that have ended
 * @owner: the file of the writer whose turn it is; NULL: nobody's
 * @served: the file of @done
 * @done: the last ticket that was served, if it is one of @served
 * @wait: writers of @owner wait here for the end of its turn
 *
 * A file is an address, which is compared and never followed.
 */
struct nd_turns {
	/* Protects all of this but @wait. */
	spinlock_t lock;
	long asked;
	unsigned long finished;
	const void *owner;
	const void *served;
	long done;
	wait_queue_head_t wait;
} ____cacheline_aligned_in_smp;

/**
 * enum nd_turn - what a writer has to do
 * @ND_TURN_DONE: nothing, another writer has done it since
 * @ND_TURN_OWNER: do it for all, then call nd_turn_end()
 * @ND_TURN_ALONE: do it for itself
 */
enum nd_turn { ND_TURN_DONE, ND_TURN_OWNER, ND_TURN_ALONE };

void nd_turns_init(struct nd_turns *turns);
enum nd_turn nd_turn_take(struct nd_turns *turns, const void *file, long *asked);
void nd_turn_end(struct nd_turns *turns, const void *served, long asked);

#endif
