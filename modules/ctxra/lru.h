/* SPDX-License-Identifier: GPL-2.0-only */
/* Which stream of a set has been unused for longest, without a search. Pure. */
#ifndef CTXRA_LRU_H
#define CTXRA_LRU_H

#include <linux/list.h>

#include "ctxra.h"

/**
 * struct ctxra_lru - the streams of a set, the most recently used first
 * @candidates: free entries and streams of kind CTXRA_CANDIDATE
 * @recognised: the others
 */
struct ctxra_lru {
	struct list_head candidates;
	struct list_head recognised;
};

void ctxra_lru_init(struct ctxra_lru *lru, struct ctxra_stream *streams, unsigned int nr);
void ctxra_lru_touch(struct ctxra_lru *lru, struct ctxra_stream *s, u32 now);
struct ctxra_stream *ctxra_lru_victim(const struct ctxra_lru *lru, u32 now);

#endif
