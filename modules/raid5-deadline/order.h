/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RAID5_DEADLINE_ORDER_H
#define RAID5_DEADLINE_ORDER_H

#include <linux/list.h>

struct r5d_array;
struct stripe_head;

void r5d_order_start(struct r5d_array *array);
void r5d_order_forget(struct r5d_array *array, const struct stripe_head *sh);
void r5d_order(struct r5d_array *array, struct stripe_head *sh, bool read_for);

/* Move the last entry of a list behind @front, or to its head if NULL. False: it is there. */
static inline bool r5d_order_move(struct list_head *list, struct list_head *front)
{
	struct list_head *entry = list->prev, *place = front ? front : list;

	if (place == entry->prev)
		return false;
	list_move(entry, place);
	return true;
}

#endif
