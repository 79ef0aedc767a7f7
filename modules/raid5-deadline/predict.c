// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two questions.
 *
 * Will this stripe be filled while it is held? A stripe that continues a stream, or is part of a
 * large write, is as likely to be filled as the earlier stripes of that stream. We learn that from
 * held stripes and, at no cost, from others: if another part of the stripe is written before the
 * first part is done, holding would have filled it. If not, the writer waited for the first part,
 * and holding would have been in vain. Single blocks belong to no stream and are never held.
 *
 * How long? As long as nearly all filled stripes took.
 */
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "predict.h"
#include "stripe.h"

#define TRUST_MAX	65535U
/* Holding pays if half of the stripes are filled. */
#define TRUST_ENOUGH	(TRUST_MAX / 2)
/* Shifts of the moving averages: a stream's trust follows faster than the array's. */
#define STREAM_SHIFT	3
#define ARRAY_SHIFT	7
/* Fewer stripes than this are no stream. */
#define RUN_MIN		4U
#define RUN_MAX		65536U
/* A stream may continue up to so many stripes ahead: writes are not always in order. */
#define GAP_MAX		64U
/*
 * Trust of a new stream, and of one retried despite its record: four unfilled stripes bring it
 * below TRUST_ENOUGH.
 */
#define TRUST_FIRST	(TRUST_MAX / 4 * 3)
/* Retry a distrusted stream after so many unheld stripes; then after twice as many, and so on. */
#define TRY_FIRST	8192U
#define TRY_MAX		1048576U
/* Halve the histogram when it has so many entries, so that it follows a change. */
#define FILLS_MAX	4096U
/* One in so many stripes may take longer than half of the deadline. */
#define LATE_MAX	512
/* The first bucket of the histogram ends at 2^BUCKET_SHIFT ns. */
#define BUCKET_SHIFT	14
/* ns: before the first stripe was filled, and the bounds of what is learned. */
#define DEADLINE_FIRST	(20ULL * 1000 * 1000)
#define DEADLINE_MIN	(100ULL * 1000)
#define DEADLINE_MAX	(100ULL * 1000 * 1000)

/**
 * r5d_predict_init - forget everything
 * @p: the predictor
 *
 * The first streams are trusted: a few stripes are enough to learn otherwise.
 */
void r5d_predict_init(struct r5d_predictor *p)
{
	memset(p, 0, sizeof(*p));
	p->trust = TRUST_FIRST;
	p->try_after = TRY_FIRST;
	p->deadline_ns = DEADLINE_FIRST;
}

static int r5d_find_stream(struct r5d_predictor *p, u64 sector)
{
	int i, oldest = 0;

	for (i = 0; i < R5D_STREAMS; i++) {
		struct r5d_stream *s = &p->streams[i];

		if (s->run && sector >= s->next &&
		    sector - s->next < (u64)GAP_MAX * R5D_STRIPE_SECTORS)
			return i;
		if (p->tick - s->used > p->tick - p->streams[oldest].used)
			oldest = i;
	}
	p->streams[oldest].run = 0;
	p->streams[oldest].trust = p->trust;
	return oldest;
}

/**
 * r5d_predict - predict whether a stripe will be filled, at its first write
 * @p: the predictor
 * @sector: of the stripe on the disks
 * @span: length of the longest write to it, in stripes
 * @stream: set to its stream, for r5d_learn(), or to -1 if it belongs to none
 *
 * Return: true if it is likely to be filled.
 */
bool r5d_predict(struct r5d_predictor *p, u64 sector, u32 span, int *stream)
{
	struct r5d_stream *s;
	int i;

	p->tick++;
	i = r5d_find_stream(p, sector);
	s = &p->streams[i];
	s->next = sector + R5D_STRIPE_SECTORS;
	s->used = p->tick;
	if (s->run < RUN_MAX)
		s->run++;
	if (s->run < RUN_MIN && span < RUN_MIN) {
		*stream = -1;
		return false;
	}
	*stream = i;
	if (s->trust >= TRUST_ENOUGH)
		return true;
	if (++p->untried < p->try_after)
		return false;
	p->untried = 0;
	s->trust = TRUST_FIRST;
	if (p->try_after < TRY_MAX)
		p->try_after *= 2;
	return true;
}

/* A moving average, which reaches 0 and TRUST_MAX. */
static void average(u32 *trust, bool filled, unsigned int shift)
{
	if (filled)
		*trust += ((TRUST_MAX - *trust) + (1U << shift) - 1) >> shift;
	else
		*trust -= (*trust + (1U << shift) - 1) >> shift;
}

/**
 * r5d_learn - learn whether a stripe was filled
 * @p: the predictor
 * @stream: of r5d_predict()
 * @sector: of the stripe
 * @filled: it was filled while it was held, or would have been
 *
 * If another stream has replaced this one since, only the array's trust changes.
 */
void r5d_learn(struct r5d_predictor *p, int stream, u64 sector, bool filled)
{
	struct r5d_stream *s;

	if (stream < 0)
		return;
	s = &p->streams[stream];
	if (sector < s->next && s->next - sector <= (u64)RUN_MAX * R5D_STRIPE_SECTORS)
		average(&s->trust, filled, STREAM_SHIFT);
	average(&p->trust, filled, ARRAY_SHIFT);
	if (filled)
		p->try_after = TRY_FIRST;
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

/* @trust: of a stream or of the array. */
unsigned int r5d_trust_percent(u32 trust)
{
	return trust * 100 / TRUST_MAX;
}

/**
 * r5d_learn_time - learn how long a stripe took to be filled
 * @p: the predictor
 * @ns: from its first write to its last
 *
 * Stripes that were filled after their deadline count too: otherwise the deadline could not grow.
 */
void r5d_learn_time(struct r5d_predictor *p, u64 ns)
{
	u32 above = 0;
	int i;

	p->fills[r5d_bucket(ns)]++;
	if (++p->nr_fills >= FILLS_MAX) {
		p->nr_fills = 0;
		for (i = 0; i < R5D_BUCKETS; i++) {
			p->fills[i] /= 2;
			p->nr_fills += p->fills[i];
		}
	}
	/* Twice the bucket in which all but 1 in 512 end, because each that expires costs reads. */
	for (i = R5D_BUCKETS - 1; i > 0; i--) {
		above += p->fills[i];
		if (above > p->nr_fills / LATE_MAX)
			break;
	}
	p->deadline_ns = clamp(2ULL << (i + BUCKET_SHIFT), DEADLINE_MIN, DEADLINE_MAX);
}
