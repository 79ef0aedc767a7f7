/* SPDX-License-Identifier: GPL-2.0-only */
/* Shrinks windows that do not fit into memory. Pure. */
#ifndef CTXRA_THRASH_H
#define CTXRA_THRASH_H

#include "ctxra.h"

void ctxra_thrash_rest(struct ctxra_stream *s, const struct ctxra_request *rq, u32 now);
void ctxra_thrash_note(struct ctxra_stream *s, const struct ctxra_request *rq);

#endif
