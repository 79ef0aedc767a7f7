/* SPDX-License-Identifier: GPL-2.0-only */
/* What a request tells about its stream, and what to do with the call. Pure. */
#ifndef CTXRA_FOLLOW_H
#define CTXRA_FOLLOW_H

#include "ctxra.h"

/*
 * A dense stream is given up when more than this many requests in a row leave a hole.
 * Shuffled readers fill their holes within a few requests, random reads never do.
 */
#define CTXRA_MAX_HOLES_IN_ROW	16

enum ctxra_verdict ctxra_stream_follow(struct ctxra_stream *s, struct ctxra_budget *budget,
				       const struct ctxra_request *rq, struct ctxra_window *win);

#endif
