/* SPDX-License-Identifier: GPL-2.0-only */
/* The step of a strided stream. Pure. */
#ifndef CTXRA_STEP_H
#define CTXRA_STEP_H

#include "ctxra.h"

bool ctxra_step_leaves_gap(const struct ctxra_stream *s, const struct ctxra_request *rq);
void ctxra_step_measure(struct ctxra_stream *s, const struct ctxra_request *rq);
bool ctxra_step_is_strided(const struct ctxra_stream *s, const struct ctxra_request *rq);

#endif
