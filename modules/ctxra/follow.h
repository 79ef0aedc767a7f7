/* SPDX-License-Identifier: GPL-2.0-only */
/* What a request tells about its stream, and what to do with the call. Pure. */
#ifndef CTXRA_FOLLOW_H
#define CTXRA_FOLLOW_H

#include "ctxra.h"

enum ctxra_verdict ctxra_stream_follow(struct ctxra_stream *s, struct ctxra_budget *budget,
				       const struct ctxra_request *rq, struct ctxra_window *win);

#endif
