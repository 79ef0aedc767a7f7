/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters; each has a line in nfsd-dio(4). */
#ifndef NFSD_DIO_COUNTERS_H
#define NFSD_DIO_COUNTERS_H

#include <linux/build_bug.h>

#include "common/stats.h"
#include "verdict.h"

#define ND_VERDICT_COUNTERS(C)				\
	C(DIRECT, "direct")				\
	C(PREFETCHED, "prefetched")			\
	C(NATIVE, "native")				\
	C(LEFT_ALIGNED, "left_aligned")			\
	C(LEFT_IO_CACHE_WRITE, "left_io_cache_write")	\
	C(LEFT_FLAGS, "left_flags")			\
	C(LEFT_FS, "left_fs")				\
	C(LEFT_DEVICE, "left_device")			\
	C(LEFT_EXPORT, "left_export")			\
	C(LEFT_FS_ERROR, "left_fs_error")		\
	C(LEFT_FILE, "left_file")			\
	C(LEFT_MAPPED, "left_mapped")			\
	C(LEFT_NO_DIRECT, "left_no_direct")		\
	C(LEFT_SECTOR, "left_sector")			\
	C(LEFT_EOF, "left_eof")				\
	C(LEFT_LARGE, "left_large")			\
	C(LEFT_CACHED, "left_cached")			\
	C(LEFT_HOLE, "left_hole")			\
	C(LEFT_POOL, "left_pool")			\
	C(WOULD_DIRECT, "would_direct")			\
	C(WOULD_PREFETCH, "would_prefetch")

/* The latency histogram, in the order of nd_latency_bucket(). */
#define ND_LATENCY_COUNTERS(C)				\
	C(BELOW_64_US, "below_64_us")			\
	C(BELOW_128_US, "below_128_us")			\
	C(BELOW_256_US, "below_256_us")			\
	C(BELOW_512_US, "below_512_us")			\
	C(BELOW_1_MS, "below_1_ms")			\
	C(BELOW_2_MS, "below_2_ms")			\
	C(BELOW_4_MS, "below_4_ms")			\
	C(BELOW_8_MS, "below_8_ms")			\
	C(BELOW_16_MS, "below_16_ms")			\
	C(BELOW_33_MS, "below_33_ms")			\
	C(BELOW_66_MS, "below_66_ms")			\
	C(BELOW_131_MS, "below_131_ms")			\
	C(BELOW_262_MS, "below_262_ms")			\
	C(BELOW_524_MS, "below_524_ms")			\
	C(BELOW_1_S, "below_1_s")			\
	C(BELOW_2_S, "below_2_s")			\
	C(ABOVE_2_S, "above_2_s")

#define ND_COUNTERS(C)					\
	ND_VERDICT_COUNTERS(C)				\
	C(BOUNCED_BYTES, "bounced_bytes")		\
	C(UNCOPIED, "uncopied")				\
	C(DIRECT_ALIGNED, "direct_aligned")		\
	C(TIMES_UNSEEN, "times_unseen")			\
	C(FALLBACK_EINVAL, "fallback_einval")		\
	C(FALLBACK_ENOTBLK, "fallback_enotblk")		\
	C(FALLBACK_EBUSY, "fallback_ebusy")		\
	C(FALLBACK_EIO, "fallback_eio")			\
	C(FALLBACK_ENOSPC, "fallback_enospc")		\
	C(FALLBACK_OTHER, "fallback_other")		\
	C(FALLBACK_SHORT, "fallback_short")		\
	C(FALLBACK_CACHED, "fallback_cached")		\
	C(SYNC_ERRORS, "sync_errors")			\
	ND_LATENCY_COUNTERS(C)

#define ND_COUNTER(name, string)	ND_C_##name,
enum nd_counter { ND_COUNTERS(ND_COUNTER) ND_C_NR };

/*
 * A verdict is counted by its own number. Each write of at least one byte is counted by one verdict
 * or one fallback, so ND_C_DIRECT counts what direct I/O served, not what it tried.
 */
#define ND_VERDICT_IS_COUNTER(name, string)	(int)ND_##name == (int)ND_C_##name &&
static_assert(ND_VERDICT_COUNTERS(ND_VERDICT_IS_COUNTER) true);

extern struct stats nd_stats;

static inline void nd_count(unsigned int counter)
{
	stats_add(&nd_stats, counter, 1);
}

#endif
