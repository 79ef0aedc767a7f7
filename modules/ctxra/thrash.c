// SPDX-License-Identifier: GPL-2.0-only
/* Windows that do not fit into memory: their pages are evicted before they are read. */
#include <linux/kernel.h>

#include "ahead.h"
#include "governor.h"
#include "stream.h"
#include "thrash.h"

/* A stream without requests for so long is at rest. */
#define REST_MS			200
/* Pages. Evicted readahead makes no window smaller than this. */
#define MIN_CAP			8UL

/*
 * Forget what was evicted of a stream that nobody read for a while. Its readers had left. Each
 * stream that ends would halve the windows of those that come later. @now: time, ms.
 */
void ctxra_thrash_rest(struct ctxra_stream *s, const struct ctxra_request *rq, u32 now)
{
	s64 moved = (s64)rq->index - (s64)s->reader_pos;

	s->rested = (s32)(now - s->used) > REST_MS;
	/* A slow reader goes on where it was, and what was evicted before it came counts. */
	if (!ctxra_stream_is_proven(s) || !s->rested || abs(moved) <= 2 * (s64)rq->nr)
		return;
	s->win_cap = 0;
	ctxra_ahead_reset(s, rq->index);
}

/**
 * ctxra_thrash_note - shrink windows that do not fit into memory
 * @s: the stream
 * @rq: the request
 *
 * Windows do not fit if the page was read ahead and evicted before it was read. An evicted
 * window of the file's own state counts as well. Its reader is in order, and needs no trial.
 */
void ctxra_thrash_note(struct ctxra_stream *s, const struct ctxra_request *rq)
{
	if (!(rq->patterns & BIT(CTXRA_THRASH)) || !rq->evicted || rq->in_flight)
		return;
	/* Shrink once per evicted window, not once per missing page. */
	if (s->win_cap && (u32)rq->index - s->shrunk_at < 2 * s->win_cap)
		return;
	if (rq->evicted_window && !ctxra_governor_is_trusted(s)) {
		s->kind = CTXRA_FORWARD;
		ctxra_governor_trust_fully(s);
		s->win_size = rq->evicted_window;
		s->start = min(s->start, rq->index - min(rq->nr, rq->index));
		s->end = max(s->end, rq->index);
	} else if (!s->win_size || !ctxra_ahead_is_unread(s, rq)) {
		return;
	}
	ctxra_governor_shrink(s, max(rq->nr, MIN_CAP));
	s->shrunk_at = rq->index;
	s->paused = s->rested;
}
