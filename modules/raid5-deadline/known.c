// SPDX-License-Identifier: GPL-2.0-only
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "known.h"

/**
 * known_create - make room for stripes
 * @known: cleared
 * @nr: how many
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int known_create(struct known_stripes *known, unsigned int nr)
{
	unsigned int i;

	known->bits = ilog2(roundup_pow_of_two(nr));
	known->buckets = kvcalloc(1U << known->bits, sizeof(*known->buckets), GFP_KERNEL);
	known->pool = kvcalloc(nr, sizeof(*known->pool), GFP_KERNEL);
	if (!known->buckets || !known->pool) {
		known_destroy(known);
		return -ENOMEM;
	}
	INIT_LIST_HEAD(&known->held);
	for (i = 0; i < nr; i++) {
		INIT_LIST_HEAD(&known->pool[i].order);
		hlist_add_head(&known->pool[i].hash, &known->free);
	}
	return 0;
}

/**
 * known_destroy - free the memory
 * @known: of known_create()
 *
 * Context: may sleep.
 */
void known_destroy(struct known_stripes *known)
{
	kvfree(known->pool);
	kvfree(known->buckets);
	known->pool = NULL;
	known->buckets = NULL;
}

static struct hlist_head *bucket(struct known_stripes *known, const void *sh)
{
	return &known->buckets[hash_ptr(sh, known->bits)];
}

/**
 * known_find - look a stripe up
 * @known: the stripes
 * @sh: its address
 * @sector: where it is
 *
 * An entry with another sector is of a stripe that was at this address before:
 * it is dropped.
 *
 * Return: the entry or NULL.
 */
struct known_stripe *known_find(struct known_stripes *known, void *sh, u64 sector)
{
	struct known_stripe *stripe;

	hlist_for_each_entry(stripe, bucket(known, sh), hash) {
		if (stripe->sh != sh)
			continue;
		if (stripe->sector == sector)
			return stripe;
		known_drop(known, stripe);
		return NULL;
	}
	return NULL;
}

/**
 * known_add - keep something about a stripe from now on
 * @known: the stripes
 * @sh: its address, which must not be known yet
 * @sector: where it is
 *
 * Return: the entry, or NULL if there is no room.
 */
struct known_stripe *known_add(struct known_stripes *known, void *sh, u64 sector)
{
	struct known_stripe *stripe;

	if (hlist_empty(&known->free))
		return NULL;
	stripe = hlist_entry(known->free.first, struct known_stripe, hash);
	hlist_del(&stripe->hash);
	stripe->sh = sh;
	stripe->sector = sector;
	stripe->first = 0;
	stripe->written = 0;
	stripe->stream = -1;
	stripe->phase = KNOWN_PASSED;
	stripe->settled = false;
	stripe->begun = false;
	stripe->sync = false;
	hlist_add_head(&stripe->hash, bucket(known, sh));
	return stripe;
}

/**
 * known_drop - forget a stripe
 * @known: the stripes
 * @stripe: its entry
 */
void known_drop(struct known_stripes *known, struct known_stripe *stripe)
{
	known_let_go(known, stripe);
	hlist_del(&stripe->hash);
	hlist_add_head(&stripe->hash, &known->free);
}

/**
 * known_hold - note that a stripe waits
 * @known: the stripes
 * @stripe: its entry, added just now: the order of holding is that of first writes
 */
void known_hold(struct known_stripes *known, struct known_stripe *stripe)
{
	if (!list_empty(&stripe->order))
		return;
	stripe->phase = KNOWN_HELD;
	list_add_tail(&stripe->order, &known->held);
	known->nr_held++;
}

/**
 * known_let_go - note that a stripe does not wait any more
 * @known: the stripes
 * @stripe: its entry
 */
void known_let_go(struct known_stripes *known, struct known_stripe *stripe)
{
	if (list_empty(&stripe->order))
		return;
	stripe->phase = KNOWN_EXPIRED;
	list_del_init(&stripe->order);
	known->nr_held--;
}
