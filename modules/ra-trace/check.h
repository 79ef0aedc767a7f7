/* SPDX-License-Identifier: GPL-2.0-only */
/* Do the counters agree with one another? Pure. */
#ifndef RA_TRACE_CHECK_H
#define RA_TRACE_CHECK_H

#include <linux/types.h>

/**
 * struct rat_span - what was counted since a reset, where counting never stops
 * @first: the least that it can be: from after the reset to before any counter was read again
 * @last: the most: from before the reset to after all counters were read once
 */
struct rat_span {
	u64 first;
	u64 last;
};

bool rat_check_sum(struct rat_span rows, struct rat_span all, unsigned int cpus);
bool rat_check_actual(struct rat_span actual, struct rat_span entered, u64 running);
bool rat_check_block(struct rat_span entered, struct rat_span block, u64 running);

#endif
