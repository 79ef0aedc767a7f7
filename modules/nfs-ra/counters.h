/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters. nfs-ra(4) has a line for each. */
#ifndef NFS_RA_COUNTERS_H
#define NFS_RA_COUNTERS_H

#include "common/stats.h"

#define NRA_COUNTERS(C)					\
	C(SET_MOUNT, "set_mount")			\
	C(SET_APPLY, "set_apply")			\
	C(APPLY_UNSURE, "apply_unsure")			\
	C(LEFT_SAME, "left_same")			\
	C(LEFT_BY_HAND, "left_by_hand")			\
	C(LEFT_MEMORY, "left_memory")			\
	C(LEFT_FOREIGN, "left_foreign")			\
	C(OVERRIDDEN, "overridden")			\
	C(RESTORED, "restored")				\
	C(NOT_RESTORED, "not_restored")			\
	C(AUTO_GROWN, "auto_grown")			\
	C(AUTO_FULL, "auto_full")			\
	C(AUTO_UNPROVEN, "auto_unproven")		\
	C(AUTO_IGNORED, "auto_ignored")			\
	C(AUTO_TAKEN_OVER, "auto_taken_over")		\
	C(LIMITED, "limited")				\
	C(WOULD_SET, "would_set")			\
	C(WOULD_GROW, "would_grow")			\
	C(WOULD_LIMIT, "would_limit")

#define NRA_COUNTER(name, string)	NRA_C_##name,
enum nra_counter { NRA_COUNTERS(NRA_COUNTER) NRA_C_NR };

extern struct stats nra_stats;

static inline void nra_count(enum nra_counter counter)
{
	stats_add(&nra_stats, counter, 1);
}

#endif
