// SPDX-License-Identifier: GPL-2.0-only
/*
 * A dense stream is read in aligned windows, which start and end at multiples of the window size,
 * or where long requests do that begin elsewhere (note_phase() of follow.c). Whichever of its pages
 * is requested first, the whole window is read once, by one I/O. A strided stream is read in
 * pieces, each as large as the request.
 */
#include <linux/kernel.h>
#include <linux/log2.h>

#include "ahead.h"
#include "governor.h"
#include "window.h"

/* Pieces of a strided stream that may be read ahead: as many readers may share the stream. */
#define PIECES_AHEAD	16

/* The next window size, in the stock code's steps (get_next_ra_size()). */
static unsigned long next_size(unsigned long size, unsigned long win)
{
	if (size < win / 16)
		return 4 * size;
	if (size <= win / 2)
		return 2 * size;
	return win;
}

/**
 * ctxra_window_bounds - the bounds of the aligned window with a page
 * @s: the stream
 * @size: of the window, pages
 * @index: the page
 * @end: set to the index after the window's last page
 *
 * Return: the index of its first page.
 */
unsigned long ctxra_window_bounds(const struct ctxra_stream *s, unsigned long size,
				  unsigned long index, unsigned long *end)
{
	unsigned long phase = s->phase % size, start;

	if (index < phase) {
		*end = phase;
		return 0;
	}
	start = index - (index - phase) % size;
	*end = ctxra_sat_add(start, size);
	return start;
}

/*
 * Bounds of the aligned window around @index. If the request goes on behind it, @size grows until
 * the request fits, if it can. In a new stream that goes down they are those of two windows or
 * more, because it may end before it has used a larger one.
 */
static void ctxra_aligned_bounds(const struct ctxra_stream *s, unsigned long size,
				 const struct ctxra_request *rq,
				 unsigned long index, unsigned long nr,
				 unsigned long *start, unsigned long *end)
{
	unsigned long rq_end = ctxra_sat_add(index, nr), last_end;

	*start = ctxra_window_bounds(s, size, index, end);
	if (rq_end > *end && s->direction < 0 && !ctxra_governor_is_trusted(s)) {
		ctxra_window_bounds(s, size, rq_end - 1, &last_end);
		if (last_end - *start <= rq->win)
			*end = last_end;
	}
	while (size < rq->win && rq_end > *end) {
		size = next_size(size, rq->win);
		*start = ctxra_window_bounds(s, size, index, end);
	}
	*end = min(*end, rq->eof);
}

static void ctxra_update_win_size(struct ctxra_stream *s, const struct ctxra_request *rq,
				  unsigned long first, bool may_grow)
{
	unsigned long size = s->win_size;

	if (!size)
		size = roundup_pow_of_two(max(min(first, ctxra_governor_first_limit(s, rq)), 1UL));
	else if (may_grow)
		size = ctxra_governor_next_size(s, next_size(size, rq->win));
	s->win_size = min(size, rq->win);
}

static enum ctxra_verdict open_ahead(struct ctxra_window *win, unsigned long start,
				     unsigned long end, enum ctxra_pattern pattern)
{
	win->start = start;
	win->nr = end - start;
	win->marker = start;
	win->ahead = true;
	win->pattern = pattern;
	return CTXRA_OPEN;
}

/**
 * ctxra_window_ahead - open the aligned window at a stream's end
 * @s: the stream
 * @rq: a marker, or a miss whose page is in flight
 * @max_windows: windows that may already be ahead of the request
 * @win: set for CTXRA_OPEN
 *
 * In order, one window is read ahead while another is used, as in the stock code. Out of
 * order, readers meet the marker late, because it is on a window's first page, so two
 * windows are kept ahead. If windows are submitted in parts, as many are kept ahead as make up
 * twice @rq->ahead, as in the stock code just behind a marker, and one for a part that is left out.
 * If fewer are ahead, leave out the next window, once, and open the one after it.
 * The miss in the gap opens the window left out, with a marker of its own, so the lead stays.
 *
 * Return: CTXRA_OPEN or CTXRA_SKIP_MARKER.
 */
enum ctxra_verdict ctxra_window_ahead(struct ctxra_stream *s, const struct ctxra_request *rq,
				      unsigned int max_windows, struct ctxra_window *win)
{
	unsigned long parts = rq->ahead / rq->win;
	unsigned long lead = s->end - rq->index, least = rq->win, start, end;

	if (parts > 1) {
		least = 2 * (parts - 1) * rq->win;
		max_windows = 2 * parts + 1;
	}
	if (s->end >= rq->eof || lead > max_windows * rq->win)
		return CTXRA_SKIP_MARKER;
	ctxra_update_win_size(s, rq, 2 * lead, true);
	ctxra_aligned_bounds(s, s->win_size, rq, s->end, 1, &start, &end);
	start = s->end;
	if ((s->reordered || parts > 1) && lead <= least && end < rq->eof) {
		start = end;
		ctxra_aligned_bounds(s, s->win_size, rq, start, 1, &start, &end);
	}
	ctxra_ahead_note_window(s, start, end);
	s->end = end;
	return open_ahead(win, start, end, CTXRA_TRAIL);
}

/**
 * ctxra_window_next - open the window behind the cached pages that begin at a marker
 * @s: the stream, in order so far
 * @rq: the marker, with @rq->cached
 * @win: set for CTXRA_OPEN
 *
 * The page cache knows better than the table where this reader will miss a page: the end of the
 * stream is that of its foremost reader. The window is as large as the stock code's, which from
 * 6.17 on cuts its end.
 *
 * Return: CTXRA_OPEN or CTXRA_SKIP_MARKER.
 */
enum ctxra_verdict ctxra_window_next(struct ctxra_stream *s, const struct ctxra_request *rq,
				     struct ctxra_window *win)
{
	unsigned long start = ctxra_sat_add(rq->index, rq->cached), end, size, granule;

	if (start >= rq->eof)
		return CTXRA_SKIP_MARKER;
	ctxra_update_win_size(s, rq, rq->cached + rq->nr, true);
	size = max_t(unsigned long, s->win_size, next_size(rq->cached + rq->nr, rq->win));
	end = ctxra_sat_add(start, size);
	/* Large folios need a start and an end that are aligned. */
	granule = size >= 8 ? rounddown_pow_of_two(size / 4) : 1;
	if (end - end % granule > start)
		end -= end % granule;
	end = min(end, rq->eof);
	ctxra_ahead_note_window(s, start, end);
	s->end = max(s->end, end);
	return open_ahead(win, start, end, CTXRA_TRAIL);
}

/**
 * ctxra_window_fill - open the aligned window with a hole that lies ahead of a reader
 * @s: the stream, out of order
 * @rq: the marker that the reader met
 * @hole: the first missing page behind it
 * @win: set
 */
void ctxra_window_fill(const struct ctxra_stream *s, const struct ctxra_request *rq,
		       unsigned long hole, struct ctxra_window *win)
{
	unsigned long most = max(rq->win, rq->grown), start, end;

	ctxra_aligned_bounds(s, min_t(unsigned long, s->win_size, most), rq, hole, 1, &start,
			     &end);
	open_ahead(win, hole, end, CTXRA_TRAIL);
}

/**
 * ctxra_window_below - open the aligned window below a backward stream
 * @s: the stream
 * @rq: a marker
 * @win: set for CTXRA_OPEN
 *
 * A marker cannot be behind a window's first page, which a backward reader reads last. So
 * one window is left out, once, as in ctxra_window_ahead(). From then on a window is in the
 * page cache before the reader comes to it.
 *
 * Return: CTXRA_OPEN or CTXRA_SKIP_MARKER.
 */
enum ctxra_verdict ctxra_window_below(struct ctxra_stream *s, const struct ctxra_request *rq,
				      struct ctxra_window *win)
{
	unsigned long lead, start, end, unused;

	s->start = min(s->start, rq->index);
	lead = rq->index - s->start;
	if (!s->start || lead > 2 * rq->win)
		return CTXRA_SKIP_MARKER;
	ctxra_update_win_size(s, rq, 2 * rq->nr, true);
	end = s->start;
	start = ctxra_window_bounds(s, s->win_size, end - 1, &unused);
	if (lead < s->win_size && start) {
		end = start;
		start -= min_t(unsigned long, start, s->win_size);
	}
	ctxra_ahead_note_window(s, start, end);
	s->start = start;
	return open_ahead(win, start, end, CTXRA_REVERSE);
}

/**
 * ctxra_window_next_piece - open the next piece of a strided stream
 * @s: the stream
 * @rq: a marker
 * @win: set for CTXRA_OPEN
 *
 * A piece ends where the next begins, even if another reader near it missed more pages.
 *
 * Return: CTXRA_OPEN or CTXRA_SKIP_MARKER.
 */
enum ctxra_verdict ctxra_window_next_piece(struct ctxra_stream *s, const struct ctxra_request *rq,
					   struct ctxra_window *win)
{
	unsigned long step = s->step, nr = min_t(unsigned long, s->last_nr, step);
	unsigned long piece, next, ahead = 1;

	/* Start of the piece with the marker: pieces are whole steps from the last miss. */
	if (rq->index >= s->last_index)
		piece = rq->index - (rq->index - s->last_index) % step;
	else
		piece = s->last_index - roundup(s->last_index - rq->index, step);
	if (piece > rq->index)
		return CTXRA_SKIP_MARKER;	/* wrapped below the file's start */
	if (s->direction >= 0) {
		if (s->end > piece)
			ahead = max(1UL, DIV_ROUND_UP(s->end - piece, step));
		next = piece + ahead * step;
		if (ahead > PIECES_AHEAD || next < piece || next >= rq->eof)
			return CTXRA_SKIP_MARKER;
		s->end = min(ctxra_sat_add(next, nr), rq->eof);
		return open_ahead(win, next, s->end, CTXRA_STRIDE);
	}
	if (s->start < piece)
		ahead = (piece - s->start) / step + 1;
	if (ahead > PIECES_AHEAD || ahead * step > piece)
		return CTXRA_SKIP_MARKER;
	next = piece - ahead * step;
	s->start = next;
	return open_ahead(win, next, min(next + nr, rq->eof), CTXRA_STRIDE);
}

/**
 * ctxra_window_aligned - open the aligned window around a miss
 * @s: the stream, dense
 * @rq: the miss
 * @joins: the miss is at the stream's end
 * @win: set
 */
void ctxra_window_aligned(struct ctxra_stream *s, const struct ctxra_request *rq, bool joins,
			  struct ctxra_window *win)
{
	unsigned long rq_end = ctxra_sat_add(rq->index, rq->nr), start, end;
	bool backward = s->kind == CTXRA_BACKWARD;

	/* A request that left a hole may be no part of the stream: do not grow for it. */
	ctxra_update_win_size(s, rq, 4 * rq->nr, !s->holes_in_row);
	ctxra_aligned_bounds(s, s->win_size, rq, rq->index, rq->nr, &start, &end);
	if (backward && rq_end <= s->start)
		end = min(end, s->start);	/* pages from s->start on were read */
	else if (rq->index >= s->end && rq->index - s->end <= rq->cached)
		start = rq->index;	/* pages before were read, even if dropped since */
	else if (rq->index > s->end)
		start = max(start, s->end);
	win->start = start;
	win->nr = end - start;
	win->ahead = false;
	win->pattern = backward ? CTXRA_REVERSE : joins ? CTXRA_TRAIL : CTXRA_REORDER;
	/*
	 * A request that came early reads the hole before it, too. With the marker on its own
	 * first page, its reader opens the next window before it waits for this one.
	 */
	if (backward)
		win->marker = start;	/* or as near as the stock code can put it */
	else if (rq->index > start)
		win->marker = rq->index;
	else if (rq_end < end)
		win->marker = rq_end;
	else
		win->marker = start + win->nr / 2;
	ctxra_ahead_note_window(s, start, end);
	s->start = min(s->start, start);
	s->end = max(s->end, end);
	s->reordered |= !joins && !backward;
}

/**
 * ctxra_window_beyond - open the aligned window around a miss that a stream will come to
 * @s: the stream
 * @rq: the miss
 * @win: set
 *
 * It has no marker, because its reader is not where the stream is.
 */
void ctxra_window_beyond(const struct ctxra_stream *s, const struct ctxra_request *rq,
			 struct ctxra_window *win)
{
	unsigned long start, end;

	ctxra_aligned_bounds(s, min_t(unsigned long, s->win_size, rq->win), rq, rq->index, rq->nr,
			     &start, &end);
	win->start = start;
	win->nr = end - start;
	win->marker = end;
	win->ahead = false;
	win->pattern = CTXRA_REORDER;
}

/**
 * ctxra_window_piece - read just the pages of a miss
 * @s: the stream, strided
 * @rq: the miss
 * @win: set
 */
void ctxra_window_piece(struct ctxra_stream *s, const struct ctxra_request *rq,
			struct ctxra_window *win)
{
	win->start = rq->index;
	win->nr = min(rq->nr, rq->eof - rq->index);
	win->marker = rq->index;
	win->ahead = false;
	win->pattern = CTXRA_STRIDE;
	s->start = min(s->start, win->start);
	s->end = max(s->end, win->start + win->nr);
}
