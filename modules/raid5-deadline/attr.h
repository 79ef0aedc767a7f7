/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RAID5_DEADLINE_ATTR_H
#define RAID5_DEADLINE_ATTR_H

struct r5d_array;

void r5d_counters_create(void);
void r5d_file_create(struct r5d_array *array);
void r5d_file_remove(struct r5d_array *array);

#endif
