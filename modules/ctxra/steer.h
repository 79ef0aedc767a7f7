/* SPDX-License-Identifier: GPL-2.0-only */
/* How to make the stock readahead code read just the window that we chose. Pure. */
#ifndef CTXRA_STEER_H
#define CTXRA_STEER_H

#include "ctxra.h"

/**
 * struct ctxra_steering - input of the stock function
 * @index: readahead_control._index
 * @req: the function's req_count, pages
 * @start: file_ra_state.start
 * @size: file_ra_state.size
 * @async_size: file_ra_state.async_size
 * @ra_pages: file_ra_state.ra_pages
 * @prev_pos: file_ra_state.prev_pos, bytes
 * @order: file_ra_state.order, on kernels that have it
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
			unsigned int folio_order, bool rounds_end, struct ctxra_steering *st);

#endif
