/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters; each has a line in nfsd-dio(4). */
#ifndef NFSD_DIO_COUNTERS_H
#define NFSD_DIO_COUNTERS_H

#include "common/stats.h"
#include "verdict.h"

/*
 * The verdicts come first, by their own numbers. Each write is counted by one verdict or one
 * fallback, so %ND_DIRECT counts what direct I/O served, not what it tried.
 */
enum nd_counter {
	ND_C_BOUNCED_BYTES = ND_NR_VERDICTS,
	ND_C_FALLBACK_EINVAL,
	ND_C_FALLBACK_ENOTBLK,
	ND_C_FALLBACK_EBUSY,
	ND_C_FALLBACK_EIO,
	ND_C_FALLBACK_ENOSPC,
	ND_C_FALLBACK_OTHER,
	ND_C_FALLBACK_SHORT,
	ND_C_FALLBACK_CACHED,
	ND_C_SYNC_ERRORS,
	ND_C_LATENCY,
	ND_C_NR = ND_C_LATENCY + ND_NR_BUCKETS,
};

extern struct stats nd_stats;

static inline void nd_count(unsigned int counter)
{
	stats_add(&nd_stats, counter, 1);
}

#endif
