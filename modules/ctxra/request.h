/* SPDX-License-Identifier: GPL-2.0-only */
/* A call to the readahead code, and what may be asked about its file. Pure. */
#ifndef CTXRA_REQUEST_H
#define CTXRA_REQUEST_H

#include "ctxra.h"

/* Pages before a miss that are looked up for a trail, or before a marker for a step. */
#define CTXRA_MAX_TRAIL	1024UL

/**
 * struct ctxra_args - a call to the readahead code, as plain values
 * @index: first page requested; of a marker, the first page of its folio
 * @nr: pages requested, 1 to @win
 * @folio_nr: pages of the folio with the marker; 0 for a miss
 * @win: largest window that may be opened by one call, at least 1
 * @ahead: how far to read ahead; more than @win if windows are submitted in parts
 * @grown: window of FORWARD streams that are trusted in full, if more than @win; 0: the windows of
 *	the device are the user's
 * @eof: pages in the file
 * @patterns: bit set of enum ctxra_pattern that may open windows
 * @ra_start: first page of the window in the open file's own state
 * @ra_size: pages of that window
 * @ra_async_size: pages of it from its marker on
 * @prev_index: page of the byte behind the last one that was read by the open file
 * @now_ms: the time, ms; wraps
 */
struct ctxra_args {
	unsigned long index;
	unsigned long nr;
	unsigned long folio_nr;
	unsigned long win;
	unsigned long ahead;
	unsigned long grown;
	unsigned long eof;
	unsigned long patterns;
	unsigned long ra_start;
	unsigned int ra_size;
	unsigned int ra_async_size;
	unsigned long prev_index;
	u32 now_ms;
};

/**
 * struct ctxra_facts_ops - what ctxra_decide() may ask about the file of a call
 * @is_cached: is the page cached, or being read?
 * @is_evicted: was the page cached and reclaimed?
 * @is_in_flight: is another call adding a window with this page to the page cache?
 * @cached_before: pages cached without a hole just before @index, up to @max; 0 if the
 *	nearest of them was read ahead and is unread
 * @trail: pages cached without a hole just before @index, up to @max, as the stock code counts them
 * @cached_from: pages cached without a hole from @index on; 0 if there is no hole in @max pages
 * @sample_use: how up to CTXRA_SAMPLES of the pages have been used
 * @opens: a window is to be opened, and pages of it will be in flight; called with the set's lock
 * @trim: cut a window to one hole in the page cache; false if all of it is cached
 *
 * @ctx is that of struct ctxra_facts.
 */
struct ctxra_facts_ops {
	bool (*is_cached)(void *ctx, unsigned long index);
	bool (*is_evicted)(void *ctx, unsigned long index);
	bool (*is_in_flight)(void *ctx, unsigned long index);
	unsigned long (*cached_before)(void *ctx, unsigned long index, unsigned long max);
	unsigned long (*trail)(void *ctx, unsigned long index, unsigned long max);
	unsigned long (*cached_from)(void *ctx, unsigned long index, unsigned long max);
	struct ctxra_use (*sample_use)(void *ctx, unsigned long start, unsigned long nr);
	void (*opens)(void *ctx, const struct ctxra_window *win);
	bool (*trim)(void *ctx, struct ctxra_window *win, unsigned long index);
};

/**
 * struct ctxra_facts - whom to ask
 * @ops: the questions
 * @ctx: passed to them
 */
struct ctxra_facts {
	const struct ctxra_facts_ops *ops;
	void *ctx;
};

bool ctxra_args_in_order(const struct ctxra_args *args);
bool ctxra_stock_reads_all(const struct ctxra_args *args);
void ctxra_request_init(struct ctxra_request *rq, const struct ctxra_args *args,
			const struct ctxra_facts *facts);

#endif
