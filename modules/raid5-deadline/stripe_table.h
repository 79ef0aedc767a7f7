/* SPDX-License-Identifier: GPL-2.0-only */
/* What we know of an array's stripes. The caller holds the array's device_lock. */
#ifndef RAID5_DEADLINE_STRIPE_TABLE_H
#define RAID5_DEADLINE_STRIPE_TABLE_H

#include <linux/list.h>
#include <linux/types.h>

#include "predict.h"

/**
 * enum r5d_stripe_phase - where a stripe is between its first write and the end of the work on it
 * @R5D_STRIPE_HELD: it is held, or a writer took it to add to it
 * @R5D_STRIPE_PASSED: it was not held
 * @R5D_STRIPE_RELEASED: it was held and released, full or not
 */
enum r5d_stripe_phase {
	R5D_STRIPE_HELD,
	R5D_STRIPE_PASSED,
	R5D_STRIPE_RELEASED,
};

/**
 * struct r5d_stripe - what we know of a stripe
 * @hash: in &r5d_stripe_table.buckets or .free
 * @order: in one of &r5d_stripe_table.held, by @first, while %R5D_STRIPE_HELD
 * @sh: the stripe
 * @sector: of the stripe, to tell it from a later one at the same address
 * @first: time of its first write in ns
 * @released: when it was released to raid456, in ns, unless it is held
 * @written: data disks that have been written to since, a bit for each
 * @ticket: for r5d_learn()
 * @phase: an enum r5d_stripe_phase
 * @settled: the predictor has learned what became of it, or has nothing to learn from it
 * @begun: it was released while work on it was under way, so it is not part of a batch
 * @had_preread_active: we have cleared its STRIPE_PREREAD_ACTIVE
 * @trial: it is held on trial
 * @expired: it was held to its deadline
 * @would_hold: it is not held, only because the module observes
 * @unread: raid456 has not been seen to read for it
 * @watched: it has this entry only because of @unread
 */
struct r5d_stripe {
	struct hlist_node hash;
	struct list_head order;
	void *sh;
	u64 sector;
	u64 first;
	u64 released;
	u64 written;
	struct r5d_ticket ticket;
	u8 phase;
	bool settled;
	bool begun;
	bool had_preread_active;
	bool trial;
	bool expired;
	bool would_hold;
	bool unread;
	bool watched;
};

/*
 * Between two releases these are the legal combinations:
 *
 *	phase		settled	begun	had_preread_active
 *	HELD		no	no	any
 *	PASSED		any	any	no
 *	RELEASED	no	any	no
 *	RELEASED	yes	yes	no
 *	RELEASED	yes	no	any
 *
 * A held stripe has neither been filled nor worked on. STRIPE_PREREAD_ACTIVE is restored when we
 * release the stripe, or at its next release if a writer has it and has filled it.
 */
static inline bool r5d_stripe_is_legal(const struct r5d_stripe *stripe)
{
	if (stripe->phase == R5D_STRIPE_HELD)
		return !stripe->settled && !stripe->begun;
	return !stripe->had_preread_active ||
	       (stripe->phase == R5D_STRIPE_RELEASED && stripe->settled && !stripe->begun);
}

/* Two lists, because each has a deadline of its own, and the oldest is the first to expire. */
enum { R5D_HELD_TRIAL, R5D_HELD_OTHERS, R5D_HELD_LISTS };

/**
 * struct r5d_stripe_table - the stripes of an array
 * @pool: all entries
 * @buckets: the entries in use, by address of the stripe
 * @free: the entries not in use
 * @held: the held stripes, oldest first: those on trial, and the others
 * @nr_held: their number
 * @nr: entries in use
 * @room: all entries, in use or not
 * @bits: log2 of the number of @buckets
 */
struct r5d_stripe_table {
	struct r5d_stripe *pool;
	struct hlist_head *buckets;
	struct hlist_head free;
	struct list_head held[R5D_HELD_LISTS];
	unsigned int nr_held;
	unsigned int nr;
	unsigned int room;
	unsigned int bits;
};

static inline bool r5d_stripes_half_used(const struct r5d_stripe_table *table)
{
	return table->nr >= table->room / 2;
}

void r5d_stripes_init(struct r5d_stripe_table *table);
int r5d_stripes_create(struct r5d_stripe_table *table, unsigned int nr);
void r5d_stripes_destroy(struct r5d_stripe_table *table);
struct r5d_stripe *r5d_stripe_find(struct r5d_stripe_table *table, void *sh, u64 sector);
struct r5d_stripe *r5d_stripe_add(struct r5d_stripe_table *table, void *sh, u64 sector);
void r5d_stripe_remove(struct r5d_stripe_table *table, struct r5d_stripe *stripe);
void r5d_stripe_set_held(struct r5d_stripe_table *table, struct r5d_stripe *stripe, bool trial);
void r5d_stripe_clear_held(struct r5d_stripe_table *table, struct r5d_stripe *stripe);

#endif
