/* SPDX-License-Identifier: GPL-2.0-only */
/* The size of an array's stripe cache. */
#ifndef RAID5_DEADLINE_CACHE_H
#define RAID5_DEADLINE_CACHE_H

#include <linux/ktime.h>
#include <linux/types.h>

struct r5d_array;

int r5d_cache_wanted(const struct r5d_array *array);
bool r5d_cache_raise(struct r5d_array *array);
ktime_t r5d_cache_lock_deadline(void);
void r5d_cache_restore(struct r5d_array *array, ktime_t end);

#endif
