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
 * @win: the window, which starts behind @index
 * @index: the marker that was met
 * @st: filled in
 *
 * The state is made that of a window of the same size which ends where this one
 * starts and whose marker is the one that was met: the "expected" marker.
 * @start may wrap below 0, as only start + size is used.
 */
void ctxra_steer_marker(const struct ctxra_window *win, unsigned long index,
			struct ctxra_steering *st)
{
	st->index = index;
	st->req = 1;
	st->start = win->start - win->nr;
	st->size = win->nr;
	st->async_size = win->start - index;
	st->ra_pages = win->nr;
	st->prev_pos = -1;
}

/**
 * ctxra_steer_hush - let the stock code clear a marker and read nothing
 * @index: the marker that was met
 * @folio_pages: pages of the folio that carries it
 * @st: filled in
 *
 * The marker is made unexpected, and the search for the end of what is cached
 * is limited to one page, which the stock code takes for "far enough ahead".
 */
void ctxra_steer_hush(unsigned long index, unsigned long folio_pages, struct ctxra_steering *st)
{
	st->index = index;
	st->req = 1;
	st->start = index + folio_pages;
	st->size = 0;
	st->async_size = 0;
	st->ra_pages = 1;
	st->prev_pos = -1;
}
