// SPDX-License-Identifier: GPL-2.0-only
#include <kunit/test.h>

#include "raid5-deadline/order.h"

enum { X, Y, A, B, NR_ENTRIES };

/* raid456's list: two stripes that are to be begun, and the next one that was released. */
static void make(struct list_head *list, struct list_head *entries)
{
	INIT_LIST_HEAD(list);
	list_add_tail(&entries[X], list);
	list_add_tail(&entries[Y], list);
	list_add_tail(&entries[A], list);
}

static void expect(struct kunit *test, const struct list_head *list,
		   const struct list_head *entries, const int *order)
{
	const struct list_head *entry = list->next;

	for (; *order >= 0; order++, entry = entry->next)
		KUNIT_EXPECT_PTR_EQ(test, entry, (const struct list_head *)&entries[*order]);
	KUNIT_EXPECT_PTR_EQ(test, entry, list);
}

static void begun_ones_stay_in_order(struct kunit *test)
{
	struct list_head list, entries[NR_ENTRIES];

	make(&list, entries);
	KUNIT_EXPECT_TRUE(test, r5d_order_move(&list, NULL));
	expect(test, &list, entries, (const int[]) { A, X, Y, -1 });
	list_add_tail(&entries[B], &list);
	KUNIT_EXPECT_TRUE(test, r5d_order_move(&list, &entries[A]));
	expect(test, &list, entries, (const int[]) { A, B, X, Y, -1 });
}

static void the_front_was_taken(struct kunit *test)
{
	struct list_head list, entries[NR_ENTRIES];

	make(&list, entries);
	r5d_order_move(&list, NULL);
	list_del(&entries[A]);
	list_add_tail(&entries[B], &list);
	KUNIT_EXPECT_TRUE(test, r5d_order_move(&list, NULL));
	expect(test, &list, entries, (const int[]) { B, X, Y, -1 });
}

static void nothing_to_move(struct kunit *test)
{
	struct list_head list, entries[NR_ENTRIES];

	INIT_LIST_HEAD(&list);
	list_add_tail(&entries[A], &list);
	KUNIT_EXPECT_FALSE(test, r5d_order_move(&list, NULL));
	list_add_tail(&entries[B], &list);
	KUNIT_EXPECT_FALSE(test, r5d_order_move(&list, &entries[A]));
	expect(test, &list, entries, (const int[]) { A, B, -1 });
}

static struct kunit_case order_cases[] = {
	KUNIT_CASE(begun_ones_stay_in_order),
	KUNIT_CASE(the_front_was_taken),
	KUNIT_CASE(nothing_to_move),
	{}
};

static struct kunit_suite order_suite = {
	.name = "raid5_order",
	.test_cases = order_cases,
};

kunit_test_suite(order_suite);

MODULE_LICENSE("GPL");
