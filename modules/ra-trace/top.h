/* SPDX-License-Identifier: GPL-2.0-only */
/* The files with the most pages read ahead. */
#ifndef RA_TRACE_TOP_H
#define RA_TRACE_TOP_H

#include <linux/types.h>

struct rat_call;
struct seq_file;

int rat_top_create(void);
void rat_top_destroy(void);
void rat_top_count(const struct rat_call *call);
void rat_top_reset(void);
int rat_top_show(struct seq_file *m);

#endif
