// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of stripes. If an entry outlived its stripe, or counted as held when it is not, the
 * module would read or list a stripe that belongs to another user by now.
 */
#include <kunit/test.h>
#include <linux/prandom.h>

#include "raid5-deadline/stripe_table.h"

/* No power of two, which the number of buckets is. */
#define NR	20

/* The table uses the address of a stripe only: it reads nothing there. */
static char stripes[NR + 1];

static int table_init(struct kunit *test)
{
	struct r5d_stripe_table *table = kunit_kzalloc(test, sizeof(*table), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, table);
	test->priv = table;
	r5d_stripes_init(table);
	return r5d_stripes_create(table, NR);
}

static void table_exit(struct kunit *test)
{
	r5d_stripes_destroy(test->priv);
}

static struct r5d_stripe *added(struct kunit *test, unsigned int i, u64 sector)
{
	struct r5d_stripe *stripe = r5d_stripe_add(test->priv, &stripes[i], sector);

	KUNIT_ASSERT_NOT_NULL(test, stripe);
	return stripe;
}

/* The lists of held stripes, and their length. */
static void expect_held(struct kunit *test, unsigned int nr)
{
	struct r5d_stripe_table *table = test->priv;
	struct r5d_stripe *stripe;
	unsigned int listed = 0, list;

	for (list = 0; list < R5D_HELD_LISTS; list++) {
		list_for_each_entry(stripe, &table->held[list], order) {
			KUNIT_EXPECT_EQ(test, (int)stripe->phase, (int)R5D_STRIPE_HELD);
			KUNIT_EXPECT_EQ(test, (int)stripe->trial, list == R5D_HELD_TRIAL);
			listed++;
		}
	}
	KUNIT_EXPECT_EQ(test, listed, nr);
	KUNIT_EXPECT_EQ(test, table->nr_held, nr);
}

static struct r5d_stripe *first_held(const struct r5d_stripe_table *table)
{
	return list_first_entry(&table->held[R5D_HELD_OTHERS], struct r5d_stripe, order);
}

static void found_by_address(struct kunit *test)
{
	struct r5d_stripe_table *table = test->priv;
	struct r5d_stripe *a = added(test, 0, 8), *b = added(test, 1, 16);

	KUNIT_EXPECT_PTR_EQ(test, r5d_stripe_find(table, &stripes[0], 8), a);
	KUNIT_EXPECT_PTR_EQ(test, r5d_stripe_find(table, &stripes[1], 16), b);
	KUNIT_EXPECT_NULL(test, r5d_stripe_find(table, &stripes[2], 8));
	KUNIT_EXPECT_PTR_EQ(test, a->sh, (void *)&stripes[0]);
	KUNIT_EXPECT_EQ(test, a->sector, 8ULL);
}

/* raid456 reuses the memory for another stripe: the entry goes, also from @held. */
static void another_stripe_at_the_address(struct kunit *test)
{
	struct r5d_stripe_table *table = test->priv;
	struct r5d_stripe *stripe = added(test, 0, 8);

	r5d_stripe_set_held(table, stripe, true);
	expect_held(test, 1);
	KUNIT_EXPECT_NULL(test, r5d_stripe_find(table, &stripes[0], 800));
	expect_held(test, 0);
	KUNIT_EXPECT_NULL(test, r5d_stripe_find(table, &stripes[0], 8));
	stripe = added(test, 0, 800);
	KUNIT_EXPECT_PTR_EQ(test, r5d_stripe_find(table, &stripes[0], 800), stripe);
}

/* A full table adds no entry. */
static void room_is_bounded(struct kunit *test)
{
	struct r5d_stripe_table *table = test->priv;
	unsigned int i;

	for (i = 0; i < NR; i++)
		added(test, i, i * 8);
	KUNIT_EXPECT_NULL(test, r5d_stripe_add(table, &stripes[NR], NR * 8));
	for (i = 0; i < NR; i++)
		KUNIT_EXPECT_NOT_NULL(test, r5d_stripe_find(table, &stripes[i], i * 8));
	r5d_stripe_remove(table, r5d_stripe_find(table, &stripes[3], 24));
	KUNIT_EXPECT_NULL(test, r5d_stripe_find(table, &stripes[3], 24));
	added(test, NR, NR * 8);
	KUNIT_EXPECT_NULL(test, r5d_stripe_add(table, &stripes[3], 24));
}

/* Half of the entries, not of the buckets. */
static void half_used(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < NR / 2; i++) {
		KUNIT_EXPECT_FALSE(test, r5d_stripes_half_used(test->priv));
		added(test, i, i * 8);
	}
	KUNIT_EXPECT_TRUE(test, r5d_stripes_half_used(test->priv));
}

/* The oldest is first; to set or clear twice changes nothing. */
static void held_in_order(struct kunit *test)
{
	struct r5d_stripe_table *table = test->priv;
	struct r5d_stripe *stripe[3];
	unsigned int i;

	for (i = 0; i < 3; i++) {
		stripe[i] = added(test, i, i * 8);
		KUNIT_EXPECT_EQ(test, (int)stripe[i]->phase, (int)R5D_STRIPE_PASSED);
		r5d_stripe_set_held(table, stripe[i], false);
		r5d_stripe_set_held(table, stripe[i], true);
	}
	expect_held(test, 3);
	KUNIT_EXPECT_PTR_EQ(test, first_held(table), stripe[0]);
	KUNIT_EXPECT_PTR_EQ(test, list_last_entry(&table->held[R5D_HELD_OTHERS],
						  struct r5d_stripe, order), stripe[2]);

	r5d_stripe_clear_held(table, stripe[0]);
	r5d_stripe_clear_held(table, stripe[0]);
	KUNIT_EXPECT_EQ(test, (int)stripe[0]->phase, (int)R5D_STRIPE_RELEASED);
	expect_held(test, 2);
	KUNIT_EXPECT_PTR_EQ(test, first_held(table), stripe[1]);
	/* A removed entry is not held. */
	r5d_stripe_remove(table, stripe[1]);
	expect_held(test, 1);
	r5d_stripe_remove(table, stripe[0]);
	expect_held(test, 1);
}

/* To clear held does nothing to a stripe that never was. */
static void passed_stays_passed(struct kunit *test)
{
	struct r5d_stripe *stripe = added(test, 0, 8);

	r5d_stripe_clear_held(test->priv, stripe);
	KUNIT_EXPECT_EQ(test, (int)stripe->phase, (int)R5D_STRIPE_PASSED);
	expect_held(test, 0);
}

/* A reused entry has nothing of the former stripe. */
static void entries_begin_empty(struct kunit *test)
{
	struct r5d_stripe_table *table = test->priv;
	struct r5d_stripe *stripe;
	unsigned int i;

	for (i = 0; i < NR; i++) {
		stripe = added(test, i, i * 8);
		r5d_stripe_set_held(table, stripe, true);
		stripe->first = 1;
		stripe->released = 1;
		stripe->written = ~0ULL;
		stripe->ticket.stream = 7;
		stripe->expired = true;
		stripe->settled = true;
		stripe->begun = true;
		stripe->had_preread_active = true;
	}
	for (i = 0; i < NR; i++)
		r5d_stripe_remove(table, r5d_stripe_find(table, &stripes[i], i * 8));
	expect_held(test, 0);
	for (i = 0; i < NR; i++) {
		stripe = added(test, i, i * 8);
		KUNIT_EXPECT_EQ(test, stripe->first, 0ULL);
		KUNIT_EXPECT_EQ(test, stripe->written, 0ULL);
		KUNIT_EXPECT_EQ(test, stripe->released, 0ULL);
		KUNIT_EXPECT_FALSE(test, r5d_is_ticket(&stripe->ticket));
		KUNIT_EXPECT_FALSE(test, stripe->trial);
		KUNIT_EXPECT_FALSE(test, stripe->expired);
		KUNIT_EXPECT_EQ(test, (int)stripe->phase, (int)R5D_STRIPE_PASSED);
		KUNIT_EXPECT_FALSE(test, stripe->settled);
		KUNIT_EXPECT_FALSE(test, stripe->begun);
		KUNIT_EXPECT_FALSE(test, stripe->had_preread_active);
		KUNIT_EXPECT_TRUE(test, list_empty(&stripe->order));
	}
}

/* Random operations: counts are true, and no entry is lost. */
static void any_order(struct kunit *test)
{
	struct r5d_stripe_table *table = test->priv;
	bool is_held[NR + 1] = {}, is_added[NR + 1] = {};
	unsigned int i, step, nr_added = 0, nr_held = 0;
	struct r5d_stripe *stripe;
	struct rnd_state rnd;

	prandom_seed_state(&rnd, 9);
	for (step = 0; step < 20000; step++) {
		i = prandom_u32_state(&rnd) % (NR + 1);
		stripe = r5d_stripe_find(table, &stripes[i], i * 8);
		KUNIT_ASSERT_EQ(test, (int)is_added[i], (int)!!stripe);
		switch (prandom_u32_state(&rnd) % 4) {
		case 0:
			if (stripe)
				break;
			stripe = r5d_stripe_add(table, &stripes[i], i * 8);
			KUNIT_ASSERT_EQ(test, (int)!!stripe, (int)(nr_added < NR));
			is_added[i] = stripe;
			nr_added += is_added[i];
			break;
		case 1:
			if (!stripe)
				break;
			r5d_stripe_set_held(table, stripe, step % 2);
			nr_held += !is_held[i];
			is_held[i] = true;
			break;
		case 2:
			if (!stripe)
				break;
			r5d_stripe_clear_held(table, stripe);
			nr_held -= is_held[i];
			is_held[i] = false;
			break;
		case 3:
			if (!stripe)
				break;
			r5d_stripe_remove(table, stripe);
			nr_held -= is_held[i];
			is_held[i] = false;
			is_added[i] = false;
			nr_added--;
			break;
		}
		KUNIT_ASSERT_EQ(test, table->nr_held, nr_held);
	}
	expect_held(test, nr_held);
}

/* After r5d_stripes_create() failed, the end of the array destroys the table once more. */
static void destroyed_twice(struct kunit *test)
{
	struct r5d_stripe_table *table = test->priv;

	r5d_stripes_destroy(table);
	KUNIT_EXPECT_NULL(test, table->pool);
	KUNIT_EXPECT_NULL(test, table->buckets);
}

/* Each combination of phase and flags, settled first: one bit for each that is legal. */
static void legal_combinations(struct kunit *test)
{
	static const u8 legal[] = {
		[R5D_STRIPE_HELD] = BIT(0) | BIT(1),
		[R5D_STRIPE_PASSED] = BIT(0) | BIT(2) | BIT(4) | BIT(6),
		[R5D_STRIPE_RELEASED] = BIT(0) | BIT(2) | BIT(4) | BIT(5) | BIT(6),
	};
	unsigned int phase, flags;

	for (phase = 0; phase < ARRAY_SIZE(legal); phase++) {
		for (flags = 0; flags < 8; flags++) {
			struct r5d_stripe stripe = {
				.phase = phase,
				.settled = flags & 4,
				.begun = flags & 2,
				.had_preread_active = flags & 1,
			};

			KUNIT_EXPECT_EQ_MSG(test, (int)r5d_stripe_is_legal(&stripe),
					    (int)!!(legal[phase] & BIT(flags)),
					    "phase %u, flags %u", phase, flags);
		}
	}
}

static struct kunit_case table_cases[] = {
	KUNIT_CASE(found_by_address),
	KUNIT_CASE(another_stripe_at_the_address),
	KUNIT_CASE(room_is_bounded),
	KUNIT_CASE(half_used),
	KUNIT_CASE(held_in_order),
	KUNIT_CASE(passed_stays_passed),
	KUNIT_CASE(entries_begin_empty),
	KUNIT_CASE(any_order),
	KUNIT_CASE(destroyed_twice),
	KUNIT_CASE(legal_combinations),
	{}
};

static struct kunit_suite table_suite = {
	.name = "raid5_stripe_table",
	.init = table_init,
	.exit = table_exit,
	.test_cases = table_cases,
};

kunit_test_suite(table_suite);

MODULE_LICENSE("GPL");
