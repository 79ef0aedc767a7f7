// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which stream does a request belong to, and does it begin a new one? Plain values
 * in, plain values out: no hook, no lock, no page cache, so that KUnit can replay
 * any order of requests.
 */
#include <linux/kernel.h>

#include "ahead.h"
#include "governor.h"
#include "stream.h"

/* A stream comes to requests this far away, or to others than at its end, if it was used lately. */
#define COMING_REACHES	8
#define COMING_MS	1000

static bool is_same_file(const struct ctxra_file *a, const struct ctxra_file *b)
{
	return a->mapping == b->mapping && a->ino == b->ino && a->generation == b->generation;
}

/* Pages between the request and the stream; 0 if they touch or overlap. */
static unsigned long distance(const struct ctxra_stream *s, const struct ctxra_request *rq)
{
	unsigned long end = ctxra_sat_add(rq->index, rq->nr);

	if (rq->index > s->end)
		return rq->index - s->end;
	if (end < s->start)
		return s->start - end;
	return 0;
}

/**
 * ctxra_stream_find - find the stream that a request belongs to
 * @streams: the streams of the file's set
 * @nr: entries in @streams
 * @file: the file
 * @rq: the request
 *
 * The nearest stream within reach wins. Of two equally near a recognised one wins.
 *
 * Return: the stream, or NULL if none is within reach.
 */
struct ctxra_stream *ctxra_stream_find(struct ctxra_stream *streams, unsigned int nr,
				       const struct ctxra_file *file,
				       const struct ctxra_request *rq)
{
	unsigned long best = ctxra_reach(rq);
	/* A stream within reach ends at min_end or later, and starts at max_start or before. */
	const unsigned long min_end = rq->index - min(best, rq->index);
	const unsigned long max_start = ctxra_sat_add(ctxra_sat_add(rq->index, rq->nr), best);
	struct ctxra_stream *found = NULL;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		struct ctxra_stream *s = &streams[i];
		unsigned long d;

		/* This test rejects almost every stream, so it has to be cheap. */
		if (s->file.mapping != file->mapping || s->end < min_end || s->start > max_start)
			continue;
		if (!is_same_file(&s->file, file))
			continue;
		d = distance(s, rq);
		if (d > best || (d == best && found && (found->kind || !s->kind)))
			continue;
		best = d;
		found = s;
	}
	return found;
}

/**
 * ctxra_stream_comes_to - whether a stream will probably come to a request beyond its reach
 * @s: the stream
 * @file: the file
 * @rq: a miss, or a marker
 * @now: time, ms
 *
 * An NFS client sends its READs by several connections in turn, and the server may serve one of
 * them far ahead of the others. Its requests are a step apart, and the stream comes to the gaps.
 * They are as large as those of the stream; smaller ones are somebody's random reads.
 */
bool ctxra_stream_comes_to(const struct ctxra_stream *s, const struct ctxra_file *file,
			   const struct ctxra_request *rq, u32 now)
{
	return is_same_file(&s->file, file) && s->kind == CTXRA_FORWARD && s->reordered &&
	       s->win_size && !s->win_cap && ctxra_governor_has_proof(s) &&
	       ctxra_governor_trusts(s) && (s32)(now - s->used) <= COMING_MS &&
	       2 * rq->nr >= s->last_nr && rq->index > s->end &&
	       rq->index - s->end <= COMING_REACHES * ctxra_reach(rq);
}

/**
 * ctxra_stream_was_left - whether a miss shows that the readers of a stream have left it
 * @s: the stream
 * @rq: the miss, with @rq->cached as far as the stream's end
 * @now: time, ms
 *
 * If nobody came to a stream for a while, it goes on at its end. A miss elsewhere near it is a
 * random read, or of readers that begin anew, and opens no window of this stream. An evicted page
 * may be one that was read ahead.
 *
 * Return: true if the stream must not be followed for this miss.
 */
bool ctxra_stream_was_left(const struct ctxra_stream *s, const struct ctxra_request *rq, u32 now)
{
	if (s->kind != CTXRA_FORWARD || s->on_trial || rq->marker || rq->in_order || rq->evicted ||
	    (s32)(now - s->used) <= COMING_MS)
		return false;
	return rq->index < s->end || rq->index - s->end > max(rq->cached, ctxra_narrow_gap(rq));
}

/* Make the stream a candidate again, with this request alone. */
void ctxra_stream_restart(struct ctxra_stream *s, const struct ctxra_request *rq)
{
	ctxra_governor_demote(s);
	s->start = rq->index;
	s->end = ctxra_sat_add(rq->index, rq->nr);
	s->requested = rq->nr;
	ctxra_ahead_reset(s, rq->index);
	s->holes_in_row = 0;
	s->reordered = false;
	s->again = rq->evicted;
}

/**
 * ctxra_stock_follows - whether the stock code follows the reader of a request well
 * @rq: the request
 *
 * It does if the request is in order for the file's own state, and there is nothing else to
 * improve: windows in parts, windows that are evicted before they are read, or strides.
 */
bool ctxra_stock_follows(const struct ctxra_request *rq)
{
	return rq->in_order && rq->ahead <= rq->win && !rq->sparse &&
	       !(rq->evicted_window && rq->patterns & BIT(CTXRA_THRASH));
}

/*
 * Does the reader go on from where its own descriptor was read last, within one request? Readers
 * that share a stream are a request or more apart.
 */
static bool continues_own(const struct ctxra_stream *s, const struct ctxra_request *rq)
{
	return rq->since_prev < max_t(unsigned long, rq->nr, s->last_nr);
}

/* Is it another call of the read() that missed last? */
static bool is_same_read(const struct ctxra_stream *s, const struct ctxra_request *rq)
{
	return rq->index > s->last_index && rq->index + rq->nr == s->last_index + s->last_nr;
}

/**
 * ctxra_stream_tells_of_others - whether a request shows that several readers share a candidate
 * @s: the candidate
 * @rq: the request, which joins or fills it
 *
 * Return: false if one reader with a descriptor of its own may have made the last requests.
 */
bool ctxra_stream_tells_of_others(const struct ctxra_stream *s, const struct ctxra_request *rq)
{
	return rq->ahead > rq->win || rq->evicted_window ||
	       (!continues_own(s, rq) && !is_same_read(s, rq));
}

/**
 * ctxra_stream_should_start - whether a request that belongs to no stream begins one
 * @rq: the request
 *
 * A request that the stock code follows well begins none, so that files which one
 * reader reads in order take no entry of the table.
 */
bool ctxra_stream_should_start(const struct ctxra_request *rq)
{
	if (ctxra_stock_follows(rq))
		return false;
	/* The stock code ignores a marker with no hole within a window behind it. */
	return rq->in_order || !rq->marker || rq->cached || rq->ahead > rq->win || rq->sparse;
}

/**
 * ctxra_stream_start - overwrite an entry with a new stream that begins at this request
 * @s: the entry, from ctxra_lru_victim(), or a stream that another reader has taken over
 * @file: the file; may be @s->file
 * @rq: the request, which the stream does not contain yet
 *
 * The stream consists of the cached pages just before a miss, or from a marker on: probably it has
 * read them, even if it was never in the table. It is a candidate, or strided if @rq->sparse.
 */
void ctxra_stream_start(struct ctxra_stream *s, const struct ctxra_file *file,
			const struct ctxra_request *rq)
{
	*s = (struct ctxra_stream){
		.lru = s->lru, .file = *file, .last_index = rq->index, .last_nr = rq->nr,
	};
	ctxra_stream_restart(s, rq);
	if (rq->marker) {
		s->end = ctxra_sat_add(rq->index, max(rq->cached, 1UL));
		s->requested = s->end - s->start;
		/* The next misses will tell the step. */
		if (rq->sparse) {
			s->kind = CTXRA_STRIDED;
			ctxra_governor_init(s);
		}
		return;
	}
	/* An empty range (start == end) is joined by no request. */
	s->start = rq->index - min(rq->cached, rq->index);
	s->end = rq->index;
	s->requested = s->end - s->start;
}

/**
 * ctxra_stream_may_be_stale - whether the pages of a stream may have left the page cache
 * @s: the stream
 * @rq: the request; @rq->in_flight is filled in
 * @page: set on true to the last page that was read ahead for the stream
 *
 * A reader in order missed a page below the stream's end. Its window may have been left out
 * for its own miss. But if the last page is missing too, the readahead was dropped or
 * evicted, and the file is read once more.
 *
 * Return: true if the caller must set @rq->dropped.
 */
bool ctxra_stream_may_be_stale(const struct ctxra_stream *s, const struct ctxra_request *rq,
			       unsigned long *page)
{
	if (s->kind != CTXRA_FORWARD || rq->marker || rq->in_flight || !rq->in_order)
		return false;
	*page = min(s->end, rq->eof) - 1;
	return rq->index < *page;
}

/* The gap that a candidate left two pieces ago, with the page before it. */
static void stride_gap(const struct ctxra_stream *s, struct ctxra_window *probe)
{
	unsigned long piece = s->direction < 0 ? ctxra_sat_add(s->last_index, s->step) :
			      s->last_index - min(s->last_index, 2UL * s->step);

	probe->start = ctxra_sat_add(piece, s->last_nr - 1);
	probe->nr = s->step - s->last_nr + 1;
}

/**
 * ctxra_stream_probe_due - whether it is time to sample how pages were used
 * @s: the stream
 * @rq: its current request
 * @probe: set on true to the pages to sample
 *
 * For the windows of a recognised stream see ctxra_governor_probe_due(). In a candidate with
 * equal steps the gap is sampled, because late readers leave gaps too, and fill them.
 *
 * Return: true if the caller must sample @probe and call ctxra_stream_judge().
 */
bool ctxra_stream_probe_due(struct ctxra_stream *s, const struct ctxra_request *rq,
			    struct ctxra_window *probe)
{
	if (!s->kind && s->equal_steps == CTXRA_EQUAL_STEPS && s->step > s->last_nr) {
		stride_gap(s, probe);
		return true;
	}
	return ctxra_governor_probe_due(s, rq, probe);
}

/**
 * ctxra_stream_judge - adapt a stream to the use of the pages of ctxra_stream_probe_due()
 * @s: the stream
 * @budget: of its file
 * @win: largest window that may be opened, pages
 * @use: of those pages
 */
void ctxra_stream_judge(struct ctxra_stream *s, struct ctxra_budget *budget,
			unsigned long win, const struct ctxra_use *use)
{
	if (!s->kind) {
		/* The gap was read after all: count the step anew. */
		if (!ctxra_use_has_gap(use))
			s->equal_steps = 0;
		return;
	}
	ctxra_governor_judge(s, budget, win, use);
}
