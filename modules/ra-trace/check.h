/* SPDX-License-Identifier: GPL-2.0-only */
/* Do the counters agree with one another? Pure. */
#ifndef RA_TRACE_CHECK_H
#define RA_TRACE_CHECK_H

#include <linux/types.h>

bool ra_check_sum(u64 rows, u64 all_before, u64 all_after, unsigned int cpus);
bool ra_check_actual(u64 actual, u64 entered, u64 running);
bool ra_check_block(u64 entered, u64 block, u64 running);

#endif
