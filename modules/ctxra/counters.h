/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters of ctxra; each has a line in ctxra(4). */
#ifndef CTXRA_COUNTERS_H
#define CTXRA_COUNTERS_H

#include "common/stats.h"

#define CTXRA_COUNTERS(C)					\
	C(TRAIL_WINDOWS, "trail_windows")			\
	C(TRAIL_PAGES, "trail_pages")				\
	C(REORDER_WINDOWS, "reorder_windows")			\
	C(REORDER_PAGES, "reorder_pages")			\
	C(REVERSE_WINDOWS, "reverse_windows")			\
	C(REVERSE_PAGES, "reverse_pages")			\
	C(STRIDE_WINDOWS, "stride_windows")			\
	C(STRIDE_PAGES, "stride_pages")				\
	C(THRASH_WINDOWS, "thrash_windows")			\
	C(THRASH_PAGES, "thrash_pages")				\
	C(MARKERS_SKIPPED, "markers_skipped")			\
	C(RESIZED, "resized")					\
	C(GROWN_WINDOWS, "grown_windows")			\
	C(GROWN_PAGES, "grown_pages")				\
	C(AUTO_GREW, "auto_grew")				\
	C(AUTO_ALONE, "auto_alone")				\
	C(AUTO_NO_GAIN, "auto_no_gain")				\
	C(AUTO_NO_SEEKS, "auto_no_seeks")			\
	C(AUTO_OTHERS, "auto_others")				\
	C(AUTO_MEMORY, "auto_memory")				\
	C(AUTO_UNKNOWN, "auto_unknown")				\
	C(LEFT_IN_ORDER, "left_in_order")			\
	C(LEFT_UNSURE, "left_unsure")				\
	C(LEFT_CACHED, "left_cached")				\
	C(LEFT_NOT_A_FILE, "left_not_a_file")			\
	C(LEFT_DEVICE, "left_device")				\
	C(LEFT_RANDOM_HINT, "left_random_hint")			\
	C(LEFT_READAHEAD_OFF, "left_readahead_off")		\
	C(LEFT_OVERSIZE, "left_oversize")			\
	C(LEFT_CONGESTED, "left_congested")			\
	C(WOULD_OPEN_WINDOWS, "would_open_windows")		\
	C(WOULD_SKIP_MARKERS, "would_skip_markers")

#define CTXRA_COUNTER(name, string)	CTXRA_C_##name,
enum ctxra_counter { CTXRA_COUNTERS(CTXRA_COUNTER) CTXRA_C_NR };

extern struct stats ctxra_stats;

#endif
