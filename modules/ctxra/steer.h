/* SPDX-License-Identifier: GPL-2.0-only */
/* How to make the stock readahead code read just the window that we chose. */
#ifndef CTXRA_STEER_H
#define CTXRA_STEER_H

#include "stream.h"

/**
 * struct ctxra_steering - what the stock function is to be given
 * @index: for the readahead_control, pages
 * @req: the function's request size argument, pages
 * @start: file_ra_state.start
 * @size: file_ra_state.size
 * @async_size: file_ra_state.async_size
 * @ra_pages: file_ra_state.ra_pages
 * @prev_pos: file_ra_state.prev_pos, bytes
 * @order: file_ra_state.order, where there is one
 */
struct ctxra_steering {
	unsigned long index;
	unsigned long req;
	unsigned long start;
	unsigned int size;
	unsigned int async_size;
	unsigned int ra_pages;
	long long prev_pos;
	unsigned int order;
};

void ctxra_steer_miss(const struct ctxra_window *win, unsigned int page_shift,
		      struct ctxra_steering *st);
void ctxra_steer_marker(const struct ctxra_window *win, unsigned long index,
			unsigned int folio_order, struct ctxra_steering *st);

#endif
