// SPDX-License-Identifier: GPL-2.0-only
/*
 * A held stripe waits as long as nearly all filled ones took, but no longer than what it can win:
 * the time that raid456 takes for a partial stripe, because a full one is spared the pre-reads.
 */
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "learn_time.h"

/* Halve the histogram when it has so many entries, so that it follows a change. */
#define FILLS_MAX	4096U
/* One in so many stripes may take longer than half of fill_ns. */
#define LATE_MAX	512
/* The first bucket of the histogram ends at 2^BUCKET_SHIFT ns. */
#define BUCKET_SHIFT	14
/* Shift of the moving average of service_ns. */
#define SERVICE_SHIFT	3
/* ns: before the first stripe was filled or measured. */
#define FILL_FIRST	(20ULL * 1000 * 1000)
#define SERVICE_FIRST	(10ULL * 1000 * 1000)
/* ns: the bounds of what is learned. */
#define DEADLINE_MIN	(100ULL * 1000)
#define DEADLINE_MAX	(100ULL * 1000 * 1000)

/* Forget everything. */
void r5d_times_init(struct r5d_times *t)
{
	memset(t, 0, sizeof(*t));
	t->fill_ns = FILL_FIRST;
	t->service_ns = SERVICE_FIRST;
}

/**
 * r5d_bucket - find the bucket of the histogram for a time
 * @ns: the time
 *
 * Return: 0 to R5D_BUCKETS - 1; bucket b ends at 2^(b + 14) ns.
 */
unsigned int r5d_bucket(u64 ns)
{
	unsigned int bucket = ns >> BUCKET_SHIFT ? ilog2(ns >> BUCKET_SHIFT) + 1 : 0;

	return bucket < R5D_BUCKETS ? bucket : R5D_BUCKETS - 1;
}

/**
 * r5d_bucket_end_us - where a bucket of the histogram ends
 * @bucket: its index
 *
 * Return: us, rounded down.
 */
u64 r5d_bucket_end_us(unsigned int bucket)
{
	return (1ULL << (bucket + BUCKET_SHIFT)) / 1000;
}

/**
 * r5d_learn_fill - learn how long a stripe took to be filled
 * @t: what was learned before
 * @ns: from its first write to its last
 *
 * Stripes that were filled after their deadline count too: otherwise the deadline could not grow.
 */
void r5d_learn_fill(struct r5d_times *t, u64 ns)
{
	u32 above = 0;
	int i;

	t->fills[r5d_bucket(ns)]++;
	if (++t->nr_fills >= FILLS_MAX) {
		t->nr_fills = 0;
		for (i = 0; i < R5D_BUCKETS; i++) {
			t->fills[i] /= 2;
			t->nr_fills += t->fills[i];
		}
	}
	/* Twice the bucket in which all but 1 in 512 end, because each that expires costs reads. */
	for (i = R5D_BUCKETS - 1; i > 0; i--) {
		above += t->fills[i];
		if (above > t->nr_fills / LATE_MAX)
			break;
	}
	t->fill_ns = clamp(2ULL << (i + BUCKET_SHIFT), DEADLINE_MIN, DEADLINE_MAX);
}

/**
 * r5d_learn_service - learn how long raid456 took for a partial stripe that stayed partial
 * @t: what was learned before
 * @ns: from its release to the end of the work on it
 *
 * A disk that stalls for once does not count in full.
 */
void r5d_learn_service(struct r5d_times *t, u64 ns)
{
	ns = min(ns, t->measured ? min(4 * t->service_ns, DEADLINE_MAX) : DEADLINE_MAX);
	if (t->measured)
		t->service_ns += (s64)(ns - t->service_ns) >> SERVICE_SHIFT;
	else
		t->service_ns = ns;
	t->measured = true;
}

/**
 * r5d_auto_deadline - how long a stripe may be held
 * @t: what was learned
 * @trial: its stream has filled no held stripe yet
 *
 * A writer waits in vain once, at the end of its stream: for no longer than four partial stripes
 * take. A stream that is tried may turn out to wait for its own writes: it gets one and a half.
 *
 * Return: ns.
 */
u64 r5d_auto_deadline(const struct r5d_times *t, bool trial)
{
	u64 most = trial ? t->service_ns * 3 / 2 : t->service_ns * 4;

	return clamp(min(t->fill_ns, most), DEADLINE_MIN, DEADLINE_MAX);
}
