/* SPDX-License-Identifier: GPL-2.0-only */
/* The streams of all files, in a table of sets with a lock each. */
#ifndef CTXRA_SETS_H
#define CTXRA_SETS_H

#include "decide.h"

struct ctxra_sets;

struct ctxra_sets *ctxra_sets_create(void);
void ctxra_sets_clear(struct ctxra_sets *sets);
void ctxra_sets_destroy(struct ctxra_sets *sets);
enum ctxra_verdict ctxra_sets_follow(struct ctxra_sets *sets, const struct ctxra_file *file,
				     const struct ctxra_args *args,
				     const struct ctxra_facts *facts, struct ctxra_window *win);

#endif
