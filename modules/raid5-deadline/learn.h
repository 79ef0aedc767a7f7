/* SPDX-License-Identifier: GPL-2.0-only */
/* What the predictor learns. Pure, as predict.h. */
#ifndef RAID5_DEADLINE_LEARN_H
#define RAID5_DEADLINE_LEARN_H

#include "predict.h"

void r5d_learn(struct r5d_predictor *p, const struct r5d_ticket *ticket,
	       enum r5d_outcome outcome, u64 waited_ns);
unsigned int r5d_trust_percent(u32 trust);

#endif
