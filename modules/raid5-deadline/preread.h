/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts what raid456 reads for stripes that are written in part. */
#ifndef RAID5_DEADLINE_PREREAD_H
#define RAID5_DEADLINE_PREREAD_H

#include "r5d.h"

bool r5d_count_preread(struct r5d_array *array, struct r5d_stripe *stripe);

#endif
