/* SPDX-License-Identifier: GPL-2.0-only */
/* The streams of all files, in a table of fixed size, found by mapping. */
#ifndef CTXRA_TABLE_H
#define CTXRA_TABLE_H

#include "decide.h"

struct address_space;

int ctxra_table_create(void);
void ctxra_table_destroy(void);
enum ctxra_verdict ctxra_table_follow(struct address_space *mapping, const struct ctxra_file *file,
				      const struct ctxra_args *args, struct ctxra_window *win,
				      int *slot);
void ctxra_table_window_done(const void *mapping, int slot);

#endif
