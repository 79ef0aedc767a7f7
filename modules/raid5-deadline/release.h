/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RAID5_DEADLINE_RELEASE_H
#define RAID5_DEADLINE_RELEASE_H

#include <linux/types.h>

struct r5d_array;
struct stripe_head;

bool r5d_release(struct r5d_array *array, struct stripe_head *sh, bool *read_for);

#endif
