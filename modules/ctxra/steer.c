// SPDX-License-Identifier: GPL-2.0-only
/*
 * Values that make page_cache_sync_ra() and page_cache_async_ra() of every kernel from 6.1
 * on (ondemand_readahead() up to 6.11) read a given window.
 *
 * The stock code computes a window from file_ra_state and the request. Its arithmetic has a
 * fixed point: with ra_pages equal to the window's size, both "sequential cache miss" and
 * "expected marker" return that size unchanged. kunit/ctxra/steer_test.c checks this against
 * a model of each generation.
 */
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/minmax.h>

#include "steer.h"

/**
 * ctxra_steer_miss - steer page_cache_sync_ra()
 * @win: the window
 * @page_shift: PAGE_SHIFT
 * @st: filled in
 *
 * prev_pos, the byte before the window, makes it a sequential miss. That branch reads
 * get_init_ra_size(req, ra_pages) pages, which is ra_pages if req is more than a quarter of
 * it, and puts the marker behind the request. So req places the marker, but not before the
 * first quarter of the window.
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
 * From 6.17 on, page_cache_async_ra() rounds a window's end down to a multiple of its folios, but
 * of no more pages than the lowest bit set in the largest window. An odd largest window keeps any
 * end. There it does not make this window smaller, because none is smaller than the one before.
 * (Some kernels before 6.13 lack that.)
 */
static unsigned int ra_pages_for_end(unsigned long nr, unsigned long end)
{
	return __ffs(end) < __ffs(nr) ? nr - 1 : nr;
}

/**
 * ctxra_steer_marker - steer page_cache_async_ra()
 * @win: the window
 * @index: page with the marker
 * @folio_order: of the folio that carries it
 * @rounds_end: the kernel is 6.17 or later, and has &file_ra_state.order
 * @st: filled in
 *
 * The state describes a window of the same size that ends where this one starts, and whose
 * marker is the one that was met, so that the stock code expects it. Its start may wrap below
 * 0, because the stock code uses start + size only.
 *
 * A marker is never behind its window's end. For a window below @index we pretend that the
 * folio before the window had the marker: the stock code uses the index for this test only.
 * At the start of the file there is no folio before. There 6.1 takes the start-of-file
 * branch, and needs req to read all of the window.
 */
void ctxra_steer_marker(const struct ctxra_window *win, unsigned long index,
			unsigned int folio_order, bool rounds_end, struct ctxra_steering *st)
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
	st->ra_pages = rounds_end ? ra_pages_for_end(win->nr, win->start + win->nr) : win->nr;
	st->prev_pos = -1;
	st->order = folio_order;
}
