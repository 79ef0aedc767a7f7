// SPDX-License-Identifier: GPL-2.0-only
/*
 * Values that make page_cache_sync_ra() and page_cache_async_ra() of every
 * kernel from 6.1 on (ondemand_readahead() up to 6.11) read a given window.
 *
 * The stock code derives a window from file_ra_state and the request. Its
 * arithmetic has a fixed point: with ra_pages equal to the window's size, both
 * "sequential cache miss" and "expected marker" give that size back unchanged.
 * kunit/ctxra/steer_test.c checks this against a model of each generation.
 */
#include <linux/bitops.h>
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
	st->order = 0;
}

/*
 * From 6.16 on, a window's folios are four times as large as that with the marker, and its
 * end is cut to a multiple of them. The order to grow from, for an end that stays; but 4
 * pages are the least.
 */
static unsigned int order_for_end(unsigned long end, unsigned int folio_order)
{
	return min_t(unsigned int, folio_order, max(__ffs(end), 2UL) - 2);
}

/**
 * ctxra_steer_marker - steer the asynchronous door
 * @win: the window
 * @index: the marker that was met
 * @folio_order: of the folio that carries it
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
			unsigned int folio_order, struct ctxra_steering *st)
{
	unsigned long folio_pages = 1UL << folio_order;

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
	st->order = order_for_end(win->start + win->nr, folio_order);
}
