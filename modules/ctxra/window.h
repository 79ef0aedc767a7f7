/* SPDX-License-Identifier: GPL-2.0-only */
/* What to read for a stream: the windows of each kind. Pure. */
#ifndef CTXRA_WINDOW_H
#define CTXRA_WINDOW_H

#include "ctxra.h"

unsigned long ctxra_window_bounds(const struct ctxra_stream *s, unsigned long size,
				  unsigned long index, unsigned long *end);
enum ctxra_verdict ctxra_window_ahead(struct ctxra_stream *s, const struct ctxra_request *rq,
				      unsigned int max_windows, struct ctxra_window *win);
enum ctxra_verdict ctxra_window_next(struct ctxra_stream *s, const struct ctxra_request *rq,
				     struct ctxra_window *win);
void ctxra_window_fill(const struct ctxra_stream *s, const struct ctxra_request *rq,
		       unsigned long hole, struct ctxra_window *win);
enum ctxra_verdict ctxra_window_below(struct ctxra_stream *s, const struct ctxra_request *rq,
				      struct ctxra_window *win);
enum ctxra_verdict ctxra_window_next_piece(struct ctxra_stream *s, const struct ctxra_request *rq,
					   struct ctxra_window *win);
void ctxra_window_aligned(struct ctxra_stream *s, const struct ctxra_request *rq, bool joins,
			  struct ctxra_window *win);
void ctxra_window_beyond(const struct ctxra_stream *s, const struct ctxra_request *rq,
			 struct ctxra_window *win);
void ctxra_window_piece(struct ctxra_stream *s, const struct ctxra_request *rq,
			struct ctxra_window *win);

#endif
