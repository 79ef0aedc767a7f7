/* SPDX-License-Identifier: GPL-2.0-only */
/* Which stream of a set is replaced, without a search. Pure. */
#ifndef CTXRA_LRU_H
#define CTXRA_LRU_H

#include <linux/list.h>

#include "ctxra.h"

/**
 * struct ctxra_lru - the order in which the streams of a set are replaced
 * @candidates: entries that are free or not proven, the most recently used first
 * @proven: the others, the most recently used first: ctxra_stream_is_proven()
 * @streams: the set's entries
 * @all_mask: a bit for each entry
 * @free_mask: entries that are free
 * @proven_mask: entries that are in @proven
 * @recognised_mask: entries that are not of kind CTXRA_CANDIDATE; also read without a lock
 * @kept_mask: candidates that are not replaced for a while
 * @starts: &ctxra_budget.starts when a candidate was last started here
 * @picks: proven streams that were replaced
 */
struct ctxra_lru {
	struct list_head candidates;
	struct list_head proven;
	struct ctxra_stream *streams;
	u32 all_mask;
	u32 free_mask;
	u32 proven_mask;
	u32 recognised_mask;
	u32 kept_mask;
	u32 starts;
	u32 picks;
};

void ctxra_lru_init(struct ctxra_lru *lru, struct ctxra_stream *streams, unsigned int nr);
void ctxra_lru_touch(struct ctxra_lru *lru, struct ctxra_stream *s, u32 now);
void ctxra_lru_free(struct ctxra_lru *lru, struct ctxra_stream *s);
void ctxra_lru_start(struct ctxra_lru *lru, const struct ctxra_stream *s, u32 starts);
struct ctxra_stream *ctxra_lru_victim(struct ctxra_lru *lru, u32 now);

#endif
