/* SPDX-License-Identifier: GPL-2.0-only */
/* The module parameters. */
#ifndef RAID5_DEADLINE_PARAMS_H
#define RAID5_DEADLINE_PARAMS_H

#include "common/param.h"

/* Deadlines that are no number of ms: learned, and, of an array only, that of the parameter. */
#define R5D_AUTO	(-1U)
#define R5D_DEFAULT	(-2U)

/* Also says which values the stripe_deadline of an array has. */
extern struct param_range r5d_deadline;
extern struct param_range r5d_cache_mb;

#endif
