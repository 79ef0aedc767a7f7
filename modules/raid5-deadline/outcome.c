// SPDX-License-Identifier: GPL-2.0-only
#include "learn.h"
#include "outcome.h"

/**
 * r5d_outcome_full - all data disks of a stripe have been written to
 * @p: the predictor
 * @stripe: its entry
 *
 * Return: true if it was held, and this was not known before.
 */
bool r5d_outcome_full(struct r5d_predictor *p, struct r5d_stripe *stripe)
{
	bool held = stripe->phase == R5D_STRIPE_HELD;

	if (stripe->settled)
		return false;
	stripe->settled = true;
	r5d_learn(p, &stripe->ticket, held ? R5D_OUTCOME_HELD_FILLED : R5D_OUTCOME_FILLED, 0);
	return held;
}

/* The same, and learn how long it took: @now, in ns, is the time of the last write. */
bool r5d_outcome_full_now(struct r5d_predictor *p, struct r5d_stripe *stripe, u64 now)
{
	if (!stripe->settled)
		r5d_learn_fill(&p->times, now - stripe->first);
	return r5d_outcome_full(p, stripe);
}

/**
 * r5d_outcome_idle - raid456 is done with a stripe
 * @p: the predictor
 * @stripe: its entry
 * @now: time in ns
 *
 * Return: as r5d_outcome_full().
 */
bool r5d_outcome_idle(struct r5d_predictor *p, struct r5d_stripe *stripe, u64 now)
{
	enum r5d_outcome outcome = R5D_OUTCOME_UNKNOWN;

	if (stripe->settled)
		return false;
	/*
	 * No release was seen while work on it was under way: it was filled and joined a batch, of
	 * which raid456 releases the first stripe only.
	 */
	if (stripe->phase == R5D_STRIPE_HELD || !stripe->begun)
		return r5d_outcome_full(p, stripe);
	stripe->settled = true;
	r5d_learn_service(&p->times, now - stripe->released);
	if (stripe->phase == R5D_STRIPE_PASSED)
		outcome = R5D_OUTCOME_DONE;
	else if (stripe->expired)
		outcome = R5D_OUTCOME_EXPIRED;
	r5d_learn(p, &stripe->ticket, outcome, stripe->released - stripe->first);
	return false;
}
