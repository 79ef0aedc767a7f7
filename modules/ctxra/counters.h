/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters of ctxra; each has a line in ctxra(4). */
#ifndef CTXRA_COUNTERS_H
#define CTXRA_COUNTERS_H

#include "common/stats.h"
#include "stream.h"

enum ctxra_counter {
	/* Two for each pattern, in the order of enum ctxra_pattern. */
	CTXRA_TRAIL_WINDOWS,
	CTXRA_TRAIL_PAGES,
	CTXRA_REORDER_WINDOWS,
	CTXRA_REORDER_PAGES,
	CTXRA_REVERSE_WINDOWS,
	CTXRA_REVERSE_PAGES,
	CTXRA_STRIDE_WINDOWS,
	CTXRA_STRIDE_PAGES,
	CTXRA_THRASH_WINDOWS,
	CTXRA_THRASH_PAGES,
	CTXRA_HUSHED,
	CTXRA_RESIZED,
	CTXRA_LEFT_IN_ORDER,
	CTXRA_LEFT_UNSURE,
	CTXRA_LEFT_CACHED,
	CTXRA_LEFT_NOT_A_FILE,
	CTXRA_LEFT_DEVICE,
	CTXRA_LEFT_RANDOM,
	CTXRA_LEFT_OFF,
	CTXRA_LEFT_OVERSIZE,
	CTXRA_LEFT_CONGESTED,
	CTXRA_NR_COUNTERS,
};

extern struct stats ctxra_stats;

#endif
