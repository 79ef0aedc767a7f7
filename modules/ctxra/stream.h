/* SPDX-License-Identifier: GPL-2.0-only */
/* Which stream a request belongs to, and whether it begins one. Pure. */
#ifndef CTXRA_STREAM_H
#define CTXRA_STREAM_H

#include "ctxra.h"

/* Pages between a request and the last miss of a stream, in either direction. */
static inline unsigned long ctxra_stream_step_to(const struct ctxra_stream *s,
						 const struct ctxra_request *rq)
{
	return rq->index > s->last_index ? rq->index - s->last_index : s->last_index - rq->index;
}

struct ctxra_stream *ctxra_stream_find(struct ctxra_stream *streams, unsigned int nr,
				       const struct ctxra_file *file,
				       const struct ctxra_request *rq);
bool ctxra_stream_comes_to(const struct ctxra_stream *s, const struct ctxra_file *file,
			   const struct ctxra_request *rq, u32 now);
bool ctxra_stock_follows(const struct ctxra_request *rq);
bool ctxra_stream_tells_of_others(const struct ctxra_stream *s, const struct ctxra_request *rq);
bool ctxra_stream_should_start(const struct ctxra_request *rq);
void ctxra_stream_start(struct ctxra_stream *s, const struct ctxra_file *file,
			const struct ctxra_request *rq);
bool ctxra_stream_was_left(const struct ctxra_stream *s, const struct ctxra_request *rq, u32 now);
void ctxra_stream_restart(struct ctxra_stream *s, const struct ctxra_request *rq);
bool ctxra_stream_may_be_stale(const struct ctxra_stream *s, const struct ctxra_request *rq,
			       unsigned long *page);
bool ctxra_stream_probe_due(struct ctxra_stream *s, const struct ctxra_request *rq,
			    struct ctxra_window *probe);
void ctxra_stream_judge(struct ctxra_stream *s, struct ctxra_budget *budget,
			unsigned long win, const struct ctxra_use *use);

#endif
