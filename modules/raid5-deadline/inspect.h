/* SPDX-License-Identifier: GPL-2.0-only */
/* The state of an array and of a stripe at this moment, as plain values for verdict.c. */
#ifndef RAID5_DEADLINE_INSPECT_H
#define RAID5_DEADLINE_INSPECT_H

#include "r5d.h"
#include "raid456.h"
#include "verdict.h"

/* &r5d_stripe_state.handle and .fresh, for the calls that end with this question. */
static inline bool r5d_has_new_work(struct stripe_head *sh)
{
	unsigned long both = BIT(RAID456_STRIPE_HANDLE) | BIT(RAID456_STRIPE_BATCH_READY);

	return (READ_ONCE(*r456_sh_state(sh)) & both) == both;
}

unsigned int r5d_deadline_setting(const struct r5d_array *array);
u64 r5d_deadline_ns(const struct r5d_array *array, bool trial);
bool r5d_is_draining(const struct r5d_array *array);
void r5d_inspect_stripe(struct r5conf *conf, struct stripe_head *sh,
			struct r5d_stripe_state *state);
void r5d_inspect_writes(struct r5conf *conf, struct stripe_head *sh,
			struct r5d_stripe_state *state, struct r5d_write *longest);
void r5d_inspect_array(const struct r5d_array *array, struct r5d_array_conditions *conditions);

#endif
