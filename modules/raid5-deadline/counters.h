/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters of the module and of each array; each has a line in raid5-deadline(4). */
#ifndef RAID5_DEADLINE_COUNTERS_H
#define RAID5_DEADLINE_COUNTERS_H

#include "common/stats.h"
#include "verdict.h"

/* First the verdicts that are counted, by their own numbers. */
#define R5D_COUNTERS(C)					\
	C(PASSED_FULL, "passed_full")			\
	C(LEFT_OFF, "left_off")				\
	C(LEFT_JOURNAL, "left_journal")			\
	C(LEFT_DEGRADED, "left_degraded")		\
	C(LEFT_RESHAPE, "left_reshape")			\
	C(LEFT_SYNC, "left_sync")			\
	C(LEFT_DRAIN, "left_drain")			\
	C(LEFT_OVERLAP, "left_overlap")			\
	C(LEFT_URGENT, "left_urgent")			\
	C(LEFT_RECLAIM, "left_reclaim")			\
	C(LEFT_PRESSURE, "left_pressure")		\
	C(LEFT_UNKNOWN, "left_unknown")			\
	C(LEFT_DM, "left_dm")				\
	C(PASSED_UNLIKELY, "passed_unlikely")		\
	C(HELD, "held")					\
	C(FILLED, "filled")				\
	C(EXPIRED, "expired")				\
	C(RELEASED_PRESSURE, "released_pressure")	\
	C(RELEASED_DRAIN, "released_drain")		\
	C(RELEASED_OTHER, "released_other")		\
	C(WOULD_HOLD, "would_hold")			\
	C(WOULD_FILL, "would_fill")			\
	C(MOVED_FIRST, "moved_first")			\
	C(WRITTEN_RMW, "written_rmw")			\
	C(WRITTEN_RCW, "written_rcw")			\
	C(PRE_READ_SECTORS, "pre_read_sectors")

#define R5D_COUNTER(name, string)	R5D_C_##name,
enum r5d_counter { R5D_COUNTERS(R5D_COUNTER) R5D_C_NR };

static_assert((int)R5D_C_PASSED_FULL == R5D_PASSED_FULL);
static_assert((int)R5D_C_LEFT_SYNC == R5D_LEFT_SYNC);
static_assert((int)R5D_C_LEFT_PRESSURE == R5D_LEFT_PRESSURE);

extern const char *const r5d_counter_names[];
extern struct stats r5d_stats;

#endif
