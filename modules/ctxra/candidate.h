/* SPDX-License-Identifier: GPL-2.0-only */
/* When is a candidate a dense stream? Pure. */
#ifndef CTXRA_CANDIDATE_H
#define CTXRA_CANDIDATE_H

#include "ctxra.h"

/*
 * Random reads have one hit by chance, some have two. A stream recognised by mistake costs
 * more than one recognised a request late.
 */
#define CTXRA_DENSE_HITS	3

void ctxra_stream_count_hit(struct ctxra_stream *s, const struct ctxra_request *rq);
void ctxra_candidate_count_pages(struct ctxra_stream *s, const struct ctxra_request *rq,
				 bool joins);
bool ctxra_candidate_range(struct ctxra_stream *s, const struct ctxra_request *rq,
			   unsigned long *start, unsigned long *end);
bool ctxra_candidate_try(struct ctxra_stream *s, struct ctxra_budget *budget,
			 const struct ctxra_request *rq, unsigned long start, unsigned long end);

#endif
