/* SPDX-License-Identifier: GPL-2.0-only */
/* The busiest files. */
#ifndef RA_TRACE_TOP_H
#define RA_TRACE_TOP_H

#include <linux/types.h>

struct ra_call;
struct seq_file;

int ra_top_create(void);
void ra_top_destroy(void);
void ra_top_count(const struct ra_call *call);
void ra_top_reset(void);
int ra_top_show(struct seq_file *m);

#endif
