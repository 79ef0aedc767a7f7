/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters of the module and of each array; each has a line in raid5-deadline(4). */
#ifndef RAID5_DEADLINE_COUNTERS_H
#define RAID5_DEADLINE_COUNTERS_H

#include "common/stats.h"

enum r5d_counter {
	R5D_C_HELD,
	R5D_C_FILLED,
	R5D_C_EXPIRED,
	R5D_C_RELEASED_PRESSURE,
	R5D_C_RELEASED_DRAIN,
	R5D_C_RELEASED_OTHER,
	R5D_C_PASSED_FULL,
	R5D_C_PASSED_UNLIKELY,
	R5D_C_LEFT_OFF,
	R5D_C_LEFT_JOURNAL,
	R5D_C_LEFT_DEGRADED,
	R5D_C_LEFT_RESHAPE,
	R5D_C_LEFT_SYNC,
	R5D_C_LEFT_DRAIN,
	R5D_C_LEFT_OVERLAP,
	R5D_C_LEFT_URGENT,
	R5D_C_LEFT_RECLAIM,
	R5D_C_LEFT_PRESSURE,
	R5D_C_LEFT_UNKNOWN,
	R5D_C_LEFT_DM,
	R5D_C_NR,
};

extern const char *const r5d_counter_names[R5D_C_NR];
extern struct stats r5d_stats;

#endif
