// SPDX-License-Identifier: GPL-2.0-only
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "stripe_table.h"

/* An empty table without room. */
void r5d_stripes_init(struct r5d_stripe_table *table)
{
	int i;

	for (i = 0; i < R5D_HELD_LISTS; i++)
		INIT_LIST_HEAD(&table->held[i]);
}

/**
 * r5d_stripes_create - allocate a table of stripes
 * @table: of r5d_stripes_init()
 * @nr: stripes that it has room for
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int r5d_stripes_create(struct r5d_stripe_table *table, unsigned int nr)
{
	unsigned int i;

	table->room = nr;
	table->bits = ilog2(roundup_pow_of_two(nr));
	table->buckets = kvcalloc(1U << table->bits, sizeof(*table->buckets), GFP_KERNEL);
	table->pool = kvcalloc(nr, sizeof(*table->pool), GFP_KERNEL);
	if (!table->buckets || !table->pool) {
		r5d_stripes_destroy(table);
		return -ENOMEM;
	}
	for (i = 0; i < nr; i++) {
		INIT_LIST_HEAD(&table->pool[i].order);
		hlist_add_head(&table->pool[i].hash, &table->free);
	}
	return 0;
}

/* May be called twice, and for a table that was not created. */
void r5d_stripes_destroy(struct r5d_stripe_table *table)
{
	kvfree(table->pool);
	kvfree(table->buckets);
	table->pool = NULL;
	table->buckets = NULL;
}

static struct hlist_head *bucket(struct r5d_stripe_table *table, const void *sh)
{
	return &table->buckets[hash_ptr(sh, table->bits)];
}

/**
 * r5d_stripe_find - find the entry of a stripe
 * @table: the table
 * @sh: the address of the stripe
 * @sector: of the stripe
 *
 * Removes an entry with another sector, which is of a former stripe at this address.
 *
 * Return: the entry or NULL.
 */
struct r5d_stripe *r5d_stripe_find(struct r5d_stripe_table *table, void *sh, u64 sector)
{
	struct r5d_stripe *stripe;

	/* Most arrays have none most of the time, and a bucket is a cache miss. */
	if (!table->nr)
		return NULL;
	hlist_for_each_entry(stripe, bucket(table, sh), hash) {
		if (stripe->sh != sh)
			continue;
		if (stripe->sector == sector)
			return stripe;
		r5d_stripe_remove(table, stripe);
		return NULL;
	}
	return NULL;
}

/**
 * r5d_stripe_add - add an entry for a stripe
 * @table: the table
 * @sh: the address of the stripe, which has no entry
 * @sector: of the stripe
 *
 * Return: the entry, or NULL if the table is full.
 */
struct r5d_stripe *r5d_stripe_add(struct r5d_stripe_table *table, void *sh, u64 sector)
{
	struct r5d_stripe *stripe;

	if (hlist_empty(&table->free))
		return NULL;
	stripe = hlist_entry(table->free.first, struct r5d_stripe, hash);
	hlist_del(&stripe->hash);
	stripe->sh = sh;
	stripe->sector = sector;
	stripe->first = 0;
	stripe->released = 0;
	stripe->written = 0;
	stripe->ticket = r5d_no_ticket();
	stripe->phase = R5D_STRIPE_PASSED;
	stripe->settled = false;
	stripe->begun = false;
	stripe->had_preread_active = false;
	stripe->trial = false;
	stripe->expired = false;
	stripe->would_hold = false;
	stripe->unread = true;
	stripe->watched = false;
	table->nr++;
	hlist_add_head(&stripe->hash, bucket(table, sh));
	return stripe;
}

/* Forget a stripe: its entry becomes free. This does not release the stripe to raid456. */
void r5d_stripe_remove(struct r5d_stripe_table *table, struct r5d_stripe *stripe)
{
	r5d_stripe_clear_held(table, stripe);
	hlist_del(&stripe->hash);
	hlist_add_head(&stripe->hash, &table->free);
	table->nr--;
}

/**
 * r5d_stripe_set_held - record that a stripe is held
 * @table: the table
 * @stripe: the entry, which was added just now, so that each list is in the order of first writes
 * @trial: which list
 */
void r5d_stripe_set_held(struct r5d_stripe_table *table, struct r5d_stripe *stripe, bool trial)
{
	if (!list_empty(&stripe->order))
		return;
	stripe->phase = R5D_STRIPE_HELD;
	stripe->trial = trial;
	list_add_tail(&stripe->order, &table->held[trial ? R5D_HELD_TRIAL : R5D_HELD_OTHERS]);
	table->nr_held++;
}

/* Does nothing if the stripe is not held. */
void r5d_stripe_clear_held(struct r5d_stripe_table *table, struct r5d_stripe *stripe)
{
	if (list_empty(&stripe->order))
		return;
	stripe->phase = R5D_STRIPE_RELEASED;
	list_del_init(&stripe->order);
	table->nr_held--;
}
