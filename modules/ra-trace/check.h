/* SPDX-License-Identifier: GPL-2.0-only */
/* Do the counters agree with one another? Pure. */
#ifndef RA_TRACE_CHECK_H
#define RA_TRACE_CHECK_H

#include <linux/types.h>

/**
 * struct ra_span - what was counted since a reset, where counting never stops
 * @first: the least that it can be: from after the reset to before any counter was read again
 * @last: the most: from before the reset to after all counters were read once
 */
struct ra_span {
	u64 first;
	u64 last;
};

bool ra_check_sum(struct ra_span rows, struct ra_span all, unsigned int cpus);
bool ra_check_actual(struct ra_span actual, struct ra_span entered, u64 running);
bool ra_check_block(struct ra_span entered, struct ra_span block, u64 running);

#endif
