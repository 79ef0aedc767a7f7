// SPDX-License-Identifier: GPL-2.0-only
/*
 * Values that make page_cache_sync_ra() and page_cache_async_ra() of every
 * kernel from 6.1 on (ondemand_readahead() up to 6.11) read a given window.
 *
 * The stock code derives a window from file_ra_state and the request. Its
 * arithmetic has a fixed point: with ra_pages equal to the window's size, both
 * "sequential cache miss" and "expected marker" give that size back unchanged.
 * kunit/steer_test.c checks this against a model of each generation.
 */
#include <linux/kernel.h>
#include <linux/minmax.h>

#include "steer.h"

/**
 * ctxra_steer_miss - steer the synchronous door
 * @win: the window
 * @page_shift: PAGE_SHIFT
 * @st: filled in
 *
 * prev_pos, the byte before the window, makes it a sequential miss. That branch
 * reads get_init_ra_size(request, ra_pages) pages, which is ra_pages once the
 * request is more than a quarter of it, and puts the marker after the request:
 * the request size is how the marker is placed, and cannot be less than that.
 */
void ctxra_steer_miss(const struct ctxra_window *win, unsigned int page_shift,
		      struct ctxra_steering *st)
{
	unsigned long req = win->marker - win->start;

	st->index = win->start;
	st->req = clamp(req, min(win->nr / 4 + 1, win->nr), win->nr);
	st->start = 0;
	st->size = 0;
	st->async_size = 0;
	st->ra_pages = win->nr;
	st->prev_pos = ((long long)win->start << page_shift) - 1;
}

/**
 * ctxra_steer_marker - steer the asynchronous door
 * @win: the window
 * @index: the marker that was met
 * @folio_pages: pages of the folio that carries it
 * @st: filled in
 *
 * The state is made that of a window of the same size which ends where this one
 * starts and whose marker is the one that was met: the "expected" marker.
 * @start may wrap below 0, as only start + size is used.
 *
 * No marker is later than its window's end. For a window below @index, the place of
 * the marker is a pretended one, the folio before: the stock function uses it for
 * this test alone. At the start of the file there is none; there 6.1 begins anew, and
 * needs a request to make it read all of the window.
 */
void ctxra_steer_marker(const struct ctxra_window *win, unsigned long index,
			unsigned long folio_pages, struct ctxra_steering *st)
{
	if (win->start < index) {
		index = round_down(win->start, folio_pages);
		if (index > folio_pages)
			index -= folio_pages;
	}
	st->index = index;
	st->req = min(win->nr / 4 + 1, win->nr);
	st->start = win->start - win->nr;
	st->size = win->nr;
	st->async_size = win->start - index;
	st->ra_pages = win->nr;
	st->prev_pos = -1;
}
