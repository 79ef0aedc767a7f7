// SPDX-License-Identifier: GPL-2.0-only
#include <linux/kernel.h>

#include "step.h"
#include "stream.h"

/* Do requests at the stream's step leave out more than is worth reading? */
bool ctxra_step_leaves_gap(const struct ctxra_stream *s, const struct ctxra_request *rq)
{
	return s->step >= rq->nr + ctxra_wide_gap(rq->nr);
}

/**
 * ctxra_step_measure - compare a miss's distance from the last one with the step
 * @s: the stream; updated
 * @rq: the miss
 *
 * In a strided stream any multiple of the step will do, because readers that share the pieces come
 * in any order.
 */
void ctxra_step_measure(struct ctxra_stream *s, const struct ctxra_request *rq)
{
	unsigned long step = ctxra_stream_step_to(s, rq);

	s->last_index = rq->index;
	s->last_nr = rq->nr;
	if (!step)
		return;
	if (rq->cached) {
		/* A reader came up to this page, so there is no gap. */
		s->equal_steps = 0;
	} else if (step == s->step ||
		   (s->kind == CTXRA_STRIDED && s->step && step % s->step == 0)) {
		s->equal_steps = min_t(int, s->equal_steps + 1, U8_MAX);
	} else {
		s->step = step;
		s->equal_steps = 0;
	}
}

/* Do a candidate's misses show that it is strided? @rq is the last one, measured. */
bool ctxra_step_is_strided(const struct ctxra_stream *s, const struct ctxra_request *rq)
{
	return rq->patterns & BIT(CTXRA_STRIDE) && s->equal_steps > CTXRA_EQUAL_STEPS &&
	       ctxra_step_leaves_gap(s, rq);
}
