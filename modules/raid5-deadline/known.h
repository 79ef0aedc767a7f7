/* SPDX-License-Identifier: GPL-2.0-only */
/* The stripes of an array that we keep something about. The caller locks. */
#ifndef RAID5_DEADLINE_KNOWN_H
#define RAID5_DEADLINE_KNOWN_H

#include <linux/list.h>
#include <linux/types.h>

/**
 * enum known_phase - where a stripe is between its first write and the end of its work
 * @KNOWN_HELD: it waits, or a writer took it to add to it
 * @KNOWN_PASSED: it went to the stock code at once
 * @KNOWN_EXPIRED: it went there after having waited, full or not
 */
enum known_phase {
	KNOWN_HELD,
	KNOWN_PASSED,
	KNOWN_EXPIRED,
};

/**
 * struct known_stripe - what we keep about a stripe
 * @hash: in &known_stripes.buckets, or @hash.next in the list of free ones
 * @order: in &known_stripes.held, by @first, while %KNOWN_HELD
 * @sh: the stripe; never looked into but under its array's lock
 * @sector: where it is, to see that it is still the same one
 * @first: when its first write was seen, ns
 * @written: data disks that were written since
 * @stream: for r5d_learn()
 * @phase: where it is
 * @settled: the predictor was told what became of it, or has nothing to learn from it
 * @begun: it was seen while work on it was under way: it is not one of a batch
 * @sync: its writer had it marked to be handled without delay
 */
struct known_stripe {
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
	bool sync;
};

/**
 * struct known_stripes - all of an array
 * @pool: the memory of them
 * @buckets: by address of the stripe
 * @free: those not in use
 * @held: those that wait, the one that has waited longest first
 * @nr_held: length of @held
 * @bits: log2 of the number of @buckets
 */
struct known_stripes {
	struct known_stripe *pool;
	struct hlist_head *buckets;
	struct hlist_head free;
	struct list_head held;
	unsigned int nr_held;
	unsigned int bits;
};

int known_create(struct known_stripes *known, unsigned int nr);
void known_destroy(struct known_stripes *known);
struct known_stripe *known_find(struct known_stripes *known, void *sh, u64 sector);
struct known_stripe *known_add(struct known_stripes *known, void *sh, u64 sector);
void known_drop(struct known_stripes *known, struct known_stripe *stripe);
void known_hold(struct known_stripes *known, struct known_stripe *stripe);
void known_let_go(struct known_stripes *known, struct known_stripe *stripe);

#endif
