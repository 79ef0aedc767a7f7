/* SPDX-License-Identifier: GPL-2.0-only */
/* What became of a stripe that has an entry, and what the predictor learns from that. Pure. */
#ifndef RAID5_DEADLINE_OUTCOME_H
#define RAID5_DEADLINE_OUTCOME_H

#include "predict.h"
#include "stripe_table.h"

bool r5d_outcome_full(struct r5d_predictor *p, struct r5d_stripe *stripe);
bool r5d_outcome_full_now(struct r5d_predictor *p, struct r5d_stripe *stripe, u64 now);
bool r5d_outcome_idle(struct r5d_predictor *p, struct r5d_stripe *stripe, u64 now);

#endif
