/* SPDX-License-Identifier: GPL-2.0-only */
/* The stripes of an array that we keep something about. The caller locks. */
#ifndef RAID5_DEADLINE_STRIPE_TABLE_H
#define RAID5_DEADLINE_STRIPE_TABLE_H

#include <linux/list.h>
#include <linux/types.h>

/**
 * enum r5d_stripe_phase - where a stripe is between its first write and the end of its work
 * @R5D_STRIPE_HELD: it waits, or a writer took it to add to it
 * @R5D_STRIPE_PASSED: it went to the stock code at once
 * @R5D_STRIPE_EXPIRED: it went there after having waited, full or not
 */
enum r5d_stripe_phase {
	R5D_STRIPE_HELD,
	R5D_STRIPE_PASSED,
	R5D_STRIPE_EXPIRED,
};

/**
 * struct r5d_stripe - what we keep about a stripe
 * @hash: in &r5d_stripe_table.buckets, or @hash.next in the list of free ones
 * @order: in &r5d_stripe_table.held, by @first, while %R5D_STRIPE_HELD
 * @sh: the stripe; never looked into but under its array's lock
 * @sector: where it is, to see that it is still the same one
 * @first: when its first write was seen, ns
 * @written: data disks that were written since
 * @stream: for r5d_learn()
 * @phase: where it is
 * @settled: the predictor was told what became of it, or has nothing to learn from it
 * @begun: it was seen while work on it was under way: it is not one of a batch
 * @had_preread_active: its writer had it marked to be handled without delay
 */
struct r5d_stripe {
	struct hlist_node hash;
	struct list_head order;
	void *sh;
	u64 sector;
	u64 first;
	u64 written;
	s8 stream;
	u8 phase;
	bool settled;
	bool begun;
	bool had_preread_active;
};

/**
 * struct r5d_stripe_table - all of an array
 * @pool: the memory of them
 * @buckets: by address of the stripe
 * @free: those not in use
 * @held: those that wait, the one that has waited longest first
 * @nr_held: length of @held
 * @bits: log2 of the number of @buckets
 */
struct r5d_stripe_table {
	struct r5d_stripe *pool;
	struct hlist_head *buckets;
	struct hlist_head free;
	struct list_head held;
	unsigned int nr_held;
	unsigned int bits;
};

int r5d_stripes_create(struct r5d_stripe_table *table, unsigned int nr);
void r5d_stripes_destroy(struct r5d_stripe_table *table);
struct r5d_stripe *r5d_stripe_find(struct r5d_stripe_table *table, void *sh, u64 sector);
struct r5d_stripe *r5d_stripe_add(struct r5d_stripe_table *table, void *sh, u64 sector);
void r5d_stripe_remove(struct r5d_stripe_table *table, struct r5d_stripe *stripe);
void r5d_stripe_set_held(struct r5d_stripe_table *table, struct r5d_stripe *stripe);
void r5d_stripe_clear_held(struct r5d_stripe_table *table, struct r5d_stripe *stripe);

#endif
