// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which pages ahead of its readers has a stream read? A window may be left out on purpose, or cut,
 * and such a page may have been evicted long before, when the file was read the last time. So a
 * stream knows a part of its range in which nothing was left out: from @unbroken to @end, or for
 * BACKWARD from @start to @unbroken. Differences are modulo 2^32, because ranges are far shorter.
 */
#include "ahead.h"

/* Does a window overlap or touch the unbroken part, and extend it? */
static bool extends_unbroken(const struct ctxra_stream *s, unsigned long start, unsigned long end)
{
	u32 nr = end - start, below = s->unbroken - (u32)start;

	return s->kind == CTXRA_BACKWARD ? below < nr : below && below <= nr;
}

/* A stream begins, or it changed its direction or its place: none of its windows is ahead. */
void ctxra_ahead_reset(struct ctxra_stream *s, unsigned long reader_pos)
{
	s->reader_pos = reader_pos;
	s->unbroken = s->kind == CTXRA_BACKWARD ? s->start : s->end;
}

/**
 * ctxra_ahead_note_window - note that a window is to be opened
 * @s: its stream; its range is still the one before
 * @start: first page of the window
 * @end: index after its last page
 */
void ctxra_ahead_note_window(struct ctxra_stream *s, unsigned long start, unsigned long end)
{
	if (s->kind == CTXRA_BACKWARD) {
		if (end < s->start || extends_unbroken(s, start, end))
			s->unbroken = end;
	} else if (start > s->end || extends_unbroken(s, start, end)) {
		s->unbroken = start;
	}
}

/**
 * ctxra_ahead_note_cut - note that a window was cut to its missing pages
 * @s: its stream; its range has the whole window
 * @win: the window as it was cut
 * @start: first page of the whole window
 * @end: index after its last page
 *
 * The other pages are cached, or they are missing behind one that is cached. Within the unbroken
 * part that changes nothing, because the stream has read all of that before.
 */
void ctxra_ahead_note_cut(struct ctxra_stream *s, const struct ctxra_window *win,
			  unsigned long start, unsigned long end)
{
	unsigned long win_end = win->start + win->nr;

	if (s->kind == CTXRA_BACKWARD) {
		if (win->start > start && start == s->start)
			s->unbroken = start;
		else if ((u32)end == s->unbroken)
			s->unbroken = win->start > start ? start : win_end;
	} else if (win_end < end && end == s->end) {
		s->unbroken = end;
	} else if ((u32)start == s->unbroken) {
		s->unbroken = win_end < end ? end : win->start;
	}
}

/**
 * ctxra_ahead_is_unread - whether a page was read ahead, and no reader has come as far
 * @s: the stream
 * @rq: a request for the page
 *
 * Not at the end of the file: no call would follow that could tell that its last window was read.
 */
bool ctxra_ahead_is_unread(const struct ctxra_stream *s, const struct ctxra_request *rq)
{
	u32 index = rq->index;

	if (s->kind == CTXRA_BACKWARD)
		return rq->index >= s->start && rq->index < s->reader_pos &&
		       index - (u32)s->start < s->unbroken - (u32)s->start;
	return rq->index >= s->reader_pos && rq->index < s->end && s->end < rq->eof &&
	       (u32)s->end - index <= (u32)s->end - s->unbroken;
}
