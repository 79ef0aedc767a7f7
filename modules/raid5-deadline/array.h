/* SPDX-License-Identifier: GPL-2.0-only */
/* The life cycle of arrays. */
#ifndef RAID5_DEADLINE_ARRAY_H
#define RAID5_DEADLINE_ARRAY_H

struct r5conf;
struct work_struct;

void r5d_arrays_stop(void);
void r5d_array_work(struct work_struct *work);
void r5d_array_detach(const struct r5conf *conf);

#endif
