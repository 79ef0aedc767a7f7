// SPDX-License-Identifier: GPL-2.0-only
/*
 * When is a candidate a dense stream? Plain values in, plain values out, as in stream.c.
 *
 * There are two kinds of hits. The stock code misreads one: it reads just the request. It follows
 * the other with a window, because of the cached pages before it or of a marker: there a stream has
 * less to gain, and must not cost anything.
 */
#include <linux/kernel.h>

#include "budget.h"
#include "candidate.h"
#include "governor.h"
#include "stream.h"

/*
 * A stream with so many hits opens its first window without a token; also one that the stock code
 * follows, if it has so many hits of that kind: it is long, and with many streams in a file each
 * would wait for tokens that others return late. Not where no I/O can be saved, so that the window
 * behind its end would be for nothing: requests as long as the window are an I/O each, and at a
 * marker the stock code has full windows already.
 */
#define TOKENLESS_HITS		16
#define TOKENLESS_FOLLOWED	12
/*
 * Where memory is short, random reads come back to all places of a file. So after an evicted page a
 * stream must have extended its range so often in a row the same way, too.
 */
#define TOKENLESS_MOVES		16

/* Does the stock code open a window for a request that it cannot follow by the file's state? */
static bool is_followed(const struct ctxra_request *rq)
{
	return rq->marker || rq->followed;
}

/**
 * ctxra_stream_count_hit - count a request that joins a stream or fills a hole in it
 * @s: the stream
 * @rq: the request
 *
 * Only requests that the stock code would misread show that a candidate is shared. A request in
 * order shows that a reader follows the candidate by a descriptor of its own.
 */
void ctxra_stream_count_hit(struct ctxra_stream *s, const struct ctxra_request *rq)
{
	if (!s->kind && ctxra_stock_follows(rq)) {
		s->hits = 0;
		s->followed = 0;
	} else if (!s->kind && !ctxra_stream_tells_of_others(s, rq)) {
		return;
	} else if (!s->kind && is_followed(rq)) {
		s->followed = min_t(int, s->followed + 1, U8_MAX);
	} else {
		s->hits = min_t(int, s->hits + (s->kind || !rq->sparse), U8_MAX);
	}
}

/**
 * ctxra_candidate_count_pages - count the pages of a candidate that were requested
 * @s: the candidate
 * @rq: a miss
 * @joins: it is at the candidate's end
 *
 * The windows of the stock code hide requests: what it read up to a miss that joins was requested.
 */
void ctxra_candidate_count_pages(struct ctxra_stream *s, const struct ctxra_request *rq,
				 bool joins)
{
	unsigned long hidden = joins ? min(rq->cached, rq->index - s->end) : 0;

	s->requested = min_t(unsigned long, U32_MAX, s->requested + hidden + rq->nr);
}

/**
 * ctxra_candidate_range - extend the range of a candidate by a miss
 * @s: the candidate; the requested pages are those in the new range then
 * @rq: the miss
 * @start: set to the start of the new range, which is a reach long at most
 * @end: set to its end
 *
 * Return: false if the candidate begins anew: it is longer than a reach, and not dense.
 */
bool ctxra_candidate_range(struct ctxra_stream *s, const struct ctxra_request *rq,
			   unsigned long *start, unsigned long *end)
{
	unsigned long reach = ctxra_reach(rq), length;

	*start = min(s->start, rq->index);
	*end = max(s->end, ctxra_sat_add(rq->index, rq->nr));
	length = *end - *start;
	if (length <= reach)
		return true;
	if (2UL * s->requested < length || rq->index < s->start)
		return false;
	s->requested = min_t(unsigned long, s->requested * reach / length, reach);
	*start = *end - reach;
	return true;
}

/* Does a candidate need a token to become a stream? */
static bool needs_token(const struct ctxra_stream *s, const struct ctxra_request *rq)
{
	/* The request at a marker may be shorter than those of the stream. */
	bool saves = s->last_nr < rq->win && !rq->marker;
	bool many = s->hits >= TOKENLESS_HITS || (s->followed >= TOKENLESS_FOLLOWED && saves);

	return !many || (s->again && abs(s->direction) < TOKENLESS_MOVES);
}

/**
 * ctxra_candidate_try - recognise a candidate as a dense stream
 * @s: the candidate
 * @budget: of its file
 * @rq: the request
 * @start: start of the candidate's range
 * @end: its end
 *
 * It is one after CTXRA_DENSE_HITS hits, if at least half of the range was requested; after a
 * stride, seven eighths of a whole reach. If that takes a token, the stream is on trial.
 *
 * Return: whether it was recognised.
 */
bool ctxra_candidate_try(struct ctxra_stream *s, struct ctxra_budget *budget,
			 const struct ctxra_request *rq, unsigned long start, unsigned long end)
{
	if (s->hits + s->followed < CTXRA_DENSE_HITS || 2UL * s->requested < end - start)
		return false;
	if (s->gappy && (end - start < ctxra_reach(rq) || 8UL * s->requested < 7 * (end - start)))
		return false;
	if (needs_token(s, rq)) {
		s->early = s->hits < CTXRA_DENSE_HITS;
		if (!(s->early ? ctxra_budget_take_early(budget) : ctxra_budget_take(budget)))
			return false;
		s->on_trial = true;
	}
	s->kind = CTXRA_FORWARD;
	ctxra_governor_init(s);
	return true;
}
