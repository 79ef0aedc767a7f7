/* SPDX-License-Identifier: GPL-2.0-only */
/* All attached arrays. */
#ifndef RAID5_DEADLINE_TABLE_H
#define RAID5_DEADLINE_TABLE_H

#include <linux/hashtable.h>
#include <linux/mutex.h>

#include "r5d.h"

extern struct mutex r5d_registry_mutex;
extern DECLARE_HASHTABLE(r5d_arrays, 6);

int r5d_table_open(void);
bool r5d_table_is_closed(void);
void r5d_table_close(void);
void r5d_table_stop_work(void);
void r5d_table_select(bool (*is_selected)(const char *name));
void r5d_array_queue(struct r5d_array *array, unsigned int ms);
void r5d_array_queue_raise(struct r5d_array *array, u64 now);
bool r5d_array_add(struct r5d_array *array);
void r5d_array_remove(struct r5d_array *array);
struct r5d_array *r5d_array_find(const struct r5conf *conf);
struct r5d_array *r5d_array_get_any(void);
void r5d_array_put(struct r5d_array *array);
void r5d_array_wait(struct r5d_array *array);

#endif
