/* SPDX-License-Identifier: GPL-2.0-only */
/* Check that the counters agree with one another. Pure. */
#ifndef RA_TRACE_CHECK_H
#define RA_TRACE_CHECK_H

#include <linux/types.h>

/**
 * struct rat_span - bounds of a counter's increase since a reset, while counting goes on
 * @first: lower bound: from the second reading of the reset to the first reading of today
 * @last: upper bound: from the first reading of the reset to the second reading of today
 */
struct rat_span {
	u64 first;
	u64 last;
};

bool rat_check_sum(struct rat_span rows, struct rat_span all, unsigned int cpus);
bool rat_check_actual(struct rat_span actual, struct rat_span entered, u64 running);
bool rat_check_block(struct rat_span entered, struct rat_span block, u64 running);

#endif
