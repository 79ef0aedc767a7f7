// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two questions.
 *
 * Will this stripe be filled if it waits? A stripe that continues a stream, or
 * is part of a large write, is as likely to be as the stream's stripes before it
 * were. That is learned from stripes that waited and, at no cost, from those
 * that did not: if another part of the stripe is written before the first part
 * is done, it would have been filled; if not, the writer was waiting for the
 * first part, and holding it would have been in vain. Single blocks here and
 * there belong to no stream and never wait.
 *
 * How long? As long as nearly all stripes that were filled took.
 */
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "predict.h"

#define STRIPE_SECTORS	8
#define TRUST_MAX	65535U
/* Half of the stripes have to be filled for waiting to pay. */
#define TRUST_ENOUGH	(TRUST_MAX / 2)
/* A stream's own record counts for more than the array's: shifts of the moving averages. */
#define STREAM_SHIFT	3
#define ARRAY_SHIFT	7
/* Shorter than this is no stream, stripes. */
#define RUN_MIN		4U
#define RUN_MAX		65536U
/* How far ahead of its end a stream may go on, stripes: writes are not always in order. */
#define GAP_MAX		64U
/* Of who has no record, or is tried against the odds: gone after four stripes in vain. */
#define TRUST_FIRST	(TRUST_MAX / 4 * 3)
/* Tried after so many stripes that passed, then after twice as many, up to the limit. */
#define TRY_FIRST	8192U
#define TRY_MAX		1048576U
/* The histogram is halved when it has so many entries, so that it follows a change. */
#define FILLS_MAX	4096U
#define BUCKET_SHIFT	14
#define DEADLINE_FIRST	(20ULL * 1000 * 1000)
#define DEADLINE_MIN	(100ULL * 1000)
#define DEADLINE_MAX	(100ULL * 1000 * 1000)

/**
 * r5d_predict_init - know nothing
 * @p: the predictor
 *
 * The first streams are trusted: what is learned from them is quickly enough.
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
		    sector - s->next < (u64)GAP_MAX * STRIPE_SECTORS)
			return i;
		if (p->tick - s->used > p->tick - p->streams[oldest].used)
			oldest = i;
	}
	p->streams[oldest].run = 0;
	p->streams[oldest].trust = p->trust;
	return oldest;
}

/**
 * r5d_predict - whether a stripe that is written for the first time should wait
 * @p: the predictor
 * @sector: where the stripe is on the disks
 * @span: length of the write that it is part of, in stripes
 * @stream: set to the stream that it belongs to, for r5d_learn(); -1 if to none
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
	s->next = sector + STRIPE_SECTORS;
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

static void average(u32 *trust, bool filled, unsigned int shift)
{
	if (filled)
		*trust += ((TRUST_MAX - *trust) + (1U << shift) - 1) >> shift;
	else
		*trust -= (*trust + (1U << shift) - 1) >> shift;
}

/**
 * r5d_learn - learn what became of a stripe
 * @p: the predictor
 * @stream: of r5d_predict()
 * @sector: where the stripe is
 * @filled: whether it was filled while it waited, or would have been
 *
 * The stream's place may have been taken by another one since: then only the
 * array's record is kept.
 */
void r5d_learn(struct r5d_predictor *p, int stream, u64 sector, bool filled)
{
	struct r5d_stream *s;

	if (stream < 0)
		return;
	s = &p->streams[stream];
	if (sector < s->next && s->next - sector <= (u64)RUN_MAX * STRIPE_SECTORS)
		average(&s->trust, filled, STREAM_SHIFT);
	average(&p->trust, filled, ARRAY_SHIFT);
	if (filled)
		p->try_after = TRY_FIRST;
}

/**
 * r5d_bucket - the bucket of the histogram that a time belongs to
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
 * r5d_learn_time - learn how long a stripe took to be filled
 * @p: the predictor
 * @ns: from its first write to its last
 *
 * Stripes that were filled after their deadline count too, or it could not grow.
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
	/* Twice the bucket that all but 1 in 512 end in: each that expires is read for. */
	for (i = R5D_BUCKETS - 1; i > 0; i--) {
		above += p->fills[i];
		if (above > p->nr_fills / 512)
			break;
	}
	p->deadline_ns = clamp(2ULL << (i + BUCKET_SHIFT), DEADLINE_MIN, DEADLINE_MAX);
}
