// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stream policy of ctxra: see stream.h for the terms, docs/ctxra.md for why.
 *
 * In short: a request that joins on to an earlier one, or fills a hole that
 * earlier ones left, is a hit. Three hits on a stretch of which at least half
 * was asked for make a stream sure. A sure stream is read in cells: windows
 * that start and end at multiples of the window size, so that whichever of a
 * cell's pages is asked for first, the whole cell is read once, by one I/O.
 */
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/minmax.h>

#include "stream.h"

/*
 * Hits that make a stream sure. Random reads have one by chance, some of them
 * two; a stream that is sure by mistake costs more than one found a request late.
 */
#define SURE_HITS	3
/*
 * Requests in a row that may leave holes before a sure stream is doubted. Shuffled
 * readers fill their holes within a few requests, a stride never does.
 */
#define MAX_LAPSES	16
/* How much longer a sure stream stays than one just seen, in calls on its set. */
#define SURE_BONUS	1024

static unsigned long sat_add(unsigned long a, unsigned long b)
{
	return a + b < a ? ULONG_MAX : a + b;
}

/*
 * How far from a stream's ends a request may be and still belong to it. 16
 * requests: the spread of 16 server threads; two windows: what may be in flight.
 */
static unsigned long reach(const struct ctxra_request *rq)
{
	return max(2 * rq->win, 16 * rq->nr);
}

static bool same_file(const struct ctxra_file *a, const struct ctxra_file *b)
{
	return a->mapping == b->mapping && a->ino == b->ino && a->generation == b->generation;
}

/* Pages between the request and the stream; 0 if they touch or overlap. */
static unsigned long distance(const struct ctxra_stream *s, const struct ctxra_request *rq)
{
	unsigned long end = sat_add(rq->index, rq->nr);

	if (rq->index > s->edge)
		return rq->index - s->edge;
	if (end < s->base)
		return s->base - end;
	return 0;
}

/**
 * ctxra_stream_find - find the stream that a request belongs to
 * @streams: the table's set for this file
 * @nr: entries in @streams
 * @file: the file asked of
 * @rq: the request
 *
 * The nearest stream within reach wins; of two equally near, the sure one.
 *
 * Return: the stream, or NULL if none is near.
 */
struct ctxra_stream *ctxra_stream_find(struct ctxra_stream *streams, unsigned int nr,
				       const struct ctxra_file *file,
				       const struct ctxra_request *rq)
{
	unsigned long best = reach(rq);
	struct ctxra_stream *found = NULL;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		struct ctxra_stream *s = &streams[i];
		unsigned long d;

		if (!same_file(&s->file, file))
			continue;
		d = distance(s, rq);
		if (d > best || (d == best && found && (found->sure || !s->sure)))
			continue;
		best = d;
		found = s;
	}
	return found;
}

/**
 * ctxra_stream_victim - choose the entry that a new stream takes
 * @streams: the table's set
 * @nr: entries in @streams
 * @now: the table's clock
 *
 * Free entries first, then the longest unused; sure streams have a bonus, so
 * that random reads, each of which starts a stream, do not push them out.
 *
 * Return: the entry, never NULL.
 */
struct ctxra_stream *ctxra_stream_victim(struct ctxra_stream *streams, unsigned int nr, u32 now)
{
	struct ctxra_stream *victim = &streams[0];
	unsigned int i;
	long oldest = -1;

	for (i = 0; i < nr; i++) {
		struct ctxra_stream *s = &streams[i];
		long age;

		if (!s->file.mapping)
			return s;
		age = (long)(now - s->used) + (s->sure ? 0 : SURE_BONUS);
		if (age > oldest) {
			oldest = age;
			victim = s;
		}
	}
	return victim;
}

/* Observe anew from this request on. */
static void restart(struct ctxra_stream *s, const struct ctxra_request *rq)
{
	s->base = rq->index;
	s->edge = sat_add(rq->index, rq->nr);
	s->asked = rq->nr;
	s->cell = 0;
	s->hits = 0;
	s->lapses = 0;
	s->sure = false;
	s->reordered = false;
}

/**
 * ctxra_stream_start - make an entry a new stream that this request may begin
 * @s: the entry, of ctxra_stream_victim()
 * @file: the file
 * @rq: the request, which ctxra_stream_follow() must be given next
 *
 * What the page cache holds next to the request counts as asked for before:
 * the trail that a stream leaves, also one that was never in the table.
 */
void ctxra_stream_start(struct ctxra_stream *s, const struct ctxra_file *file,
			const struct ctxra_request *rq)
{
	s->file = *file;
	restart(s, rq);
	if (rq->marker) {
		s->edge = sat_add(rq->index, max(rq->cached, 1UL));
		s->asked = s->edge - s->base;
	} else {
		/* Begin with what was there before; nothing (base == edge) joins nothing. */
		s->base = rq->index - min(rq->cached, rq->index);
		s->edge = rq->index;
		s->asked = s->edge - s->base;
	}
}

/* The next window size, in the stock code's steps (get_next_ra_size()). */
static unsigned long grow(unsigned long cell, unsigned long win)
{
	if (cell < win / 16)
		return 4 * cell;
	if (cell <= win / 2)
		return 2 * cell;
	return win;
}

/* Bounds of the cell that @index is in; the cell grows until the request fits, if it can. */
static void cell_bounds(unsigned long cell, const struct ctxra_request *rq, unsigned long index,
			unsigned long nr, unsigned long *start, unsigned long *end)
{
	for (;;) {
		*start = index - index % cell;
		*end = sat_add(*start, cell);
		if (cell >= rq->win || sat_add(index, nr) <= *end)
			break;
		cell = grow(cell, rq->win);
	}
	*end = min(*end, rq->eof);
}

static void next_cell(struct ctxra_stream *s, const struct ctxra_request *rq, unsigned long first,
		      bool may_grow)
{
	if (!s->cell)
		s->cell = min(rq->win, roundup_pow_of_two(max(first, 1UL)));
	else if (may_grow)
		s->cell = grow(s->cell, rq->win);
	else
		s->cell = min_t(unsigned long, s->cell, rq->win);
}

/*
 * Open the cell at the edge. In order, one window is read ahead while one is being
 * used, as in the stock code. Out of order, the marker, which is a window's first
 * page, is met late, and two are kept ahead: where there is one only, a cell is
 * left out, once, for its own miss to open. A window opened on a miss brings a
 * marker more than it used up, and so the lead stays.
 */
static enum ctxra_verdict open_ahead(struct ctxra_stream *s, const struct ctxra_request *rq,
				     unsigned int max_windows, struct ctxra_window *win)
{
	unsigned long lead = s->edge - rq->index, start, end;

	if (s->edge >= rq->eof || lead > max_windows * rq->win)
		return CTXRA_HUSH;
	next_cell(s, rq, 2 * lead, true);
	cell_bounds(s->cell, rq, s->edge, 1, &start, &end);
	start = s->edge;
	if (s->reordered && lead <= rq->win && end < rq->eof) {
		start = end;
		cell_bounds(s->cell, rq, start, 1, &start, &end);
	}
	win->start = start;
	win->nr = end - start;
	win->marker = start;
	win->ahead = true;
	win->pattern = CTXRA_TRAIL;
	s->edge = end;
	return CTXRA_OPEN;
}

/*
 * A reader met a marker: the stream is read on at its edge. The stock code opens
 * a window here too; what it lacks, without the stream's own state, is where the
 * edge is and how large the window should be.
 */
static enum ctxra_verdict follow_marker(struct ctxra_stream *s, const struct ctxra_request *rq,
					struct ctxra_window *win)
{
	enum ctxra_verdict verdict;

	/*
	 * No end of the lapses: who leaves a hole meets the marker of the window
	 * that was opened for it.
	 */
	s->hits = min(s->hits + 1, U8_MAX);
	/* The page cache knows better than we do what is there. */
	s->edge = max(s->edge, sat_add(rq->index, max(rq->cached, 1UL)));
	if (s->hits >= SURE_HITS)
		s->sure = true;

	if (rq->in_order && !s->sure)
		return CTXRA_STOCK;
	if (!(rq->patterns & BIT(CTXRA_TRAIL)))
		return CTXRA_STOCK;
	verdict = open_ahead(s, rq, s->reordered ? 2 : 1, win);
	return verdict == CTXRA_HUSH && !s->sure ? CTXRA_STOCK : verdict;
}

static enum ctxra_verdict follow_miss(struct ctxra_stream *s, const struct ctxra_request *rq,
				      struct ctxra_window *win)
{
	unsigned long rq_end = sat_add(rq->index, rq->nr), start, end, low;
	/* In order: at the edge, or behind pages that were cached since. */
	bool joins = s->edge > s->base && rq->index >= s->edge &&
		     rq->index - s->edge <= rq->cached;
	/* In a hole, or just below the stretch. */
	bool fills = rq->index < s->edge && rq_end >= s->base;

	if (joins || fills) {
		s->hits = min(s->hits + 1, U8_MAX);
		s->lapses = 0;
	} else {
		s->lapses = min(s->lapses + 1, U8_MAX);
	}

	/*
	 * Two readers that open one window at the same time get it in pieces.
	 * This one opens the next window instead: by then its page is there.
	 */
	if (s->sure && rq->opening && rq->patterns & BIT(CTXRA_TRAIL) &&
	    open_ahead(s, rq, 4, win) == CTXRA_OPEN)
		return CTXRA_OPEN;

	if (s->sure && s->lapses > MAX_LAPSES) {
		restart(s, rq);
		return CTXRA_STOCK;
	}
	low = s->edge;
	if (!s->sure) {
		s->base = min(s->base, rq->index);
		s->edge = max(s->edge, rq_end);
		s->asked = min_t(unsigned long, U32_MAX, sat_add(s->asked, rq->nr));
		if (s->edge - s->base > reach(rq)) {
			restart(s, rq);
			return CTXRA_STOCK;
		}
		if (s->hits < SURE_HITS || 2UL * s->asked < s->edge - s->base)
			return CTXRA_STOCK;
		s->sure = true;
	}

	win->pattern = joins ? CTXRA_TRAIL : CTXRA_REORDER;
	if (!(rq->patterns & BIT(win->pattern)))
		return CTXRA_STOCK;
	/* A lapse is no reason to read more than last time. */
	next_cell(s, rq, max(4 * rq->nr, 2UL * s->asked), !s->lapses);
	cell_bounds(s->cell, rq, rq->index, rq->nr, &start, &end);
	if (joins)
		start = rq->index;	/* what is before was read, if now perhaps dropped */
	else if (rq->index > low)
		start = max(start, low);
	win->start = start;
	win->nr = end - start;
	win->ahead = false;
	/*
	 * A request that came early reads the hole too; the marker on its own
	 * first page makes its reader open the next window before it waits.
	 */
	if (rq->index > start)
		win->marker = rq->index;
	else if (rq_end < end)
		win->marker = rq_end;
	else
		win->marker = start + win->nr / 2;
	s->edge = max(s->edge, end);
	s->reordered |= !joins;
	return CTXRA_OPEN;
}

/**
 * ctxra_stream_follow - take a request into its stream and decide what to read
 * @s: the stream, of ctxra_stream_find() or ctxra_stream_start(); updated
 * @rq: the request
 * @win: set when CTXRA_OPEN is returned: not past @rq->eof, at most @rq->win
 *	pages, and with @rq->index in it unless it is @win->ahead. Some of it may
 *	be cached: the caller trims it to what is missing.
 *
 * Context: any; the caller serialises calls for one stream.
 * Return: what to do with the call.
 */
enum ctxra_verdict ctxra_stream_follow(struct ctxra_stream *s, const struct ctxra_request *rq,
				       struct ctxra_window *win)
{
	enum ctxra_verdict verdict;

	if (rq->index >= rq->eof || rq->nr > rq->win)
		return CTXRA_STOCK;
	verdict = rq->marker ? follow_marker(s, rq, win) : follow_miss(s, rq, win);
	/* Once sure, only the neighbourhood of the edge matters. */
	if (s->sure && s->edge > reach(rq))
		s->base = max(s->base, s->edge - reach(rq));
	return verdict;
}
