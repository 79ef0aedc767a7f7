/* SPDX-License-Identifier: GPL-2.0-only */
/* How much may be read ahead for a stream, by how its earlier readahead was used. Pure. */
#ifndef CTXRA_GOVERNOR_H
#define CTXRA_GOVERNOR_H

#include "ctxra.h"

void ctxra_governor_init(struct ctxra_stream *s);
bool ctxra_governor_has_proof(const struct ctxra_stream *s);
void ctxra_governor_use_trust(struct ctxra_stream *s);
void ctxra_governor_demote(struct ctxra_stream *s);
struct ctxra_request ctxra_governor_limit(struct ctxra_stream *s, const struct ctxra_request *rq);
void ctxra_governor_trust_fully(struct ctxra_stream *s);
bool ctxra_governor_is_trusted(const struct ctxra_stream *s);
bool ctxra_governor_trusts(const struct ctxra_stream *s);
unsigned long ctxra_governor_first_limit(const struct ctxra_stream *s,
					 const struct ctxra_request *rq);
unsigned long ctxra_governor_next_size(const struct ctxra_stream *s, unsigned long next);
bool ctxra_governor_is_other_reader(const struct ctxra_stream *s, const struct ctxra_request *rq);
void ctxra_governor_shrink(struct ctxra_stream *s, unsigned long least);
void ctxra_governor_count_window(struct ctxra_stream *s, const struct ctxra_request *rq,
				 const struct ctxra_window *win);
bool ctxra_governor_probe_due(const struct ctxra_stream *s, const struct ctxra_request *rq,
			      struct ctxra_window *probe);
void ctxra_governor_judge(struct ctxra_stream *s, struct ctxra_budget *budget,
			  unsigned long win, const struct ctxra_use *use);

#endif
