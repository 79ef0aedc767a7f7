/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters. nfs-ra(4) has a line for each. */
#ifndef NFS_RA_COUNTERS_H
#define NFS_RA_COUNTERS_H

#include "common/stats.h"

enum nra_counter {
	NRA_C_SET_MOUNT,
	NRA_C_SET_APPLY,
	NRA_C_LEFT_SAME,
	NRA_C_LEFT_BY_HAND,
	NRA_C_LEFT_MEMORY,
	NRA_C_LEFT_FOREIGN,
	NRA_C_OVERRIDDEN,
	NRA_C_RESTORED,
	NRA_C_NOT_RESTORED,
	NRA_C_AUTO_GROWN,
	NRA_C_AUTO_FULL,
	NRA_C_AUTO_UNPROVEN,
	NRA_C_NR,
};

extern struct stats nra_stats;

static inline void nra_count(enum nra_counter counter)
{
	stats_add(&nra_stats, counter, 1);
}

#endif
