/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The deadline "auto": which stripes will be filled, and how long that takes. Pure: plain values in
 * and out, the caller's lock, the caller's clock.
 */
#ifndef RAID5_DEADLINE_PREDICT_H
#define RAID5_DEADLINE_PREDICT_H

#include <linux/types.h>

#define R5D_STREAMS	16
/* Buckets of the histogram: below 16 us, below 32 us, and so on, up to 8 s and more. */
#define R5D_BUCKETS	21

/**
 * struct r5d_stream - stripes that are written one after the other
 * @next: first sector behind its last stripe
 * @run: its length in stripes, up to a limit
 * @trust: share of its stripes that were filled or would have been, 0 to 65535
 * @used: &r5d_predictor.tick at its last stripe
 */
struct r5d_stream {
	u64 next;
	u32 run;
	u32 trust;
	u32 used;
};

/**
 * struct r5d_predictor - what was learned of one array
 * @streams: the most recently used
 * @trust: of a new stream
 * @tick: stripes seen
 * @untried: unheld stripes since a distrusted stream was last retried
 * @try_after: value of @untried at which a stream is retried
 * @fills: histogram of times to fill, aged
 * @nr_fills: sum of @fills
 * @deadline_ns: learned from @fills
 */
struct r5d_predictor {
	struct r5d_stream streams[R5D_STREAMS];
	u32 trust;
	u32 tick;
	u32 untried;
	u32 try_after;
	u32 fills[R5D_BUCKETS];
	u32 nr_fills;
	u64 deadline_ns;
};

void r5d_predict_init(struct r5d_predictor *p);
bool r5d_predict(struct r5d_predictor *p, u64 sector, u32 span, int *stream);
void r5d_learn(struct r5d_predictor *p, int stream, u64 sector, bool filled);
void r5d_learn_time(struct r5d_predictor *p, u64 ns);
unsigned int r5d_bucket(u64 ns);
u64 r5d_bucket_end_us(unsigned int bucket);
unsigned int r5d_trust_percent(u32 trust);

#endif
