/* SPDX-License-Identifier: GPL-2.0-only */
/* Do the counters agree with one another? Pure. */
#ifndef RA_TRACE_CHECK_H
#define RA_TRACE_CHECK_H

#include <linux/types.h>

/**
 * struct ra_span - a counter, read twice while it counts
 * @first: its value before any other was read the second time
 * @last: its value after all others were read the first time
 */
struct ra_span {
	u64 first;
	u64 last;
};

bool ra_check_sum(u64 rows, struct ra_span all, unsigned int cpus);
bool ra_check_actual(struct ra_span actual, struct ra_span entered, u64 running);
bool ra_check_block(struct ra_span entered, struct ra_span block, u64 running);

#endif
