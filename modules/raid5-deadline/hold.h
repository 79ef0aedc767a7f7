/* SPDX-License-Identifier: GPL-2.0-only */
/* Held stripes. The array's device_lock is held for all of this but r5d_timer_expired(). */
#ifndef RAID5_DEADLINE_HOLD_H
#define RAID5_DEADLINE_HOLD_H

#include "r5d.h"

void r5d_add(struct r5d_array *array, enum r5d_counter counter, unsigned int nr);
void r5d_count(struct r5d_array *array, enum r5d_counter counter);
void r5d_clear_preread_active(struct r5d_array *array, struct r5d_stripe *stripe);
void r5d_restore_preread_active(struct r5d_array *array, struct r5d_stripe *stripe);
void r5d_sweep_full(struct r5d_array *array);
void r5d_sweep_batch(struct r5d_array *array, struct r5d_stripe *head);
bool r5d_release_some(struct r5d_array *array);
void r5d_timer_start(struct r5d_array *array, const struct r5d_stripe *stripe, u64 now);
enum hrtimer_restart r5d_timer_expired(struct hrtimer *timer);

#endif
