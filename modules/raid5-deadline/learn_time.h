/* SPDX-License-Identifier: GPL-2.0-only */
/* How long a stripe takes to be filled, and how long it pays to wait for that. Pure. */
#ifndef RAID5_DEADLINE_LEARN_TIME_H
#define RAID5_DEADLINE_LEARN_TIME_H

#include <linux/types.h>

/* Buckets of the histogram: below 16 us, below 32 us, and so on, up to 8 s and more. */
#define R5D_BUCKETS	21

/**
 * struct r5d_times - what was learned of an array
 * @fills: histogram of times to fill, aged
 * @nr_fills: sum of @fills
 * @fill_ns: nearly all stripes were filled in half of this time
 * @service_ns: how long raid456 takes for a partial stripe, pre-reads and all: a moving average
 * @measured: @service_ns was measured
 */
struct r5d_times {
	u32 fills[R5D_BUCKETS];
	u32 nr_fills;
	u64 fill_ns;
	u64 service_ns;
	bool measured;
};

void r5d_times_init(struct r5d_times *t);
void r5d_learn_fill(struct r5d_times *t, u64 ns);
void r5d_learn_service(struct r5d_times *t, u64 ns);
u64 r5d_auto_deadline(const struct r5d_times *t, bool trial);
unsigned int r5d_bucket(u64 ns);
u64 r5d_bucket_end_us(unsigned int bucket);

#endif
