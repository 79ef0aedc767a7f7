/* SPDX-License-Identifier: GPL-2.0-only */
/* How many new streams a file may try at a time. Pure. */
#ifndef CTXRA_BUDGET_H
#define CTXRA_BUDGET_H

#include "ctxra.h"

void ctxra_budget_init(struct ctxra_budget *budget);
bool ctxra_budget_take(struct ctxra_budget *budget);
bool ctxra_budget_take_early(struct ctxra_budget *budget);
void ctxra_budget_give(struct ctxra_budget *budget, u32 nr);
void ctxra_budget_give_early(struct ctxra_budget *budget, u32 nr);
void ctxra_budget_halve(struct ctxra_budget *budget);
void ctxra_budget_count_call(struct ctxra_budget *budget);

#endif
