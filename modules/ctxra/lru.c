// SPDX-License-Identifier: GPL-2.0-only
#include "lru.h"

/* A recognised stream is kept this many calls on its set longer than a candidate. */
#define RECOGNISED_BONUS	1024

/**
 * ctxra_lru_init - set up the lists of an empty set
 * @lru: filled in
 * @streams: the set's entries, all free
 * @nr: their number, at least 1
 */
void ctxra_lru_init(struct ctxra_lru *lru, struct ctxra_stream *streams, unsigned int nr)
{
	unsigned int i;

	INIT_LIST_HEAD(&lru->candidates);
	INIT_LIST_HEAD(&lru->recognised);
	for (i = 0; i < nr; i++)
		list_add(&streams[i].lru, &lru->candidates);
}

/**
 * ctxra_lru_touch - make a stream the most recently used of its set
 * @lru: the set's
 * @s: the stream, with the kind that it has from now on
 * @now: the set's clock; never goes back
 */
void ctxra_lru_touch(struct ctxra_lru *lru, struct ctxra_stream *s, u32 now)
{
	s->last_used = now;
	list_move(&s->lru, s->kind ? &lru->recognised : &lru->candidates);
}

/**
 * ctxra_lru_victim - choose the entry for a new stream
 * @lru: the set's
 * @now: the set's clock
 *
 * Chooses a free entry, or else the one unused for longest. Recognised streams have a bonus,
 * because random reads start a stream each and would push them out.
 *
 * Return: the entry, never NULL.
 */
struct ctxra_stream *ctxra_lru_victim(const struct ctxra_lru *lru, u32 now)
{
	struct ctxra_stream *candidate, *recognised;

	if (list_empty(&lru->recognised))
		return list_last_entry(&lru->candidates, struct ctxra_stream, lru);
	recognised = list_last_entry(&lru->recognised, struct ctxra_stream, lru);
	if (list_empty(&lru->candidates))
		return recognised;
	candidate = list_last_entry(&lru->candidates, struct ctxra_stream, lru);
	if (!candidate->file.mapping)
		return candidate;
	/* Compare differences, because the clock wraps. */
	if ((u64)(now - recognised->last_used) >
	    (u64)(now - candidate->last_used) + RECOGNISED_BONUS)
		return recognised;
	return candidate;
}
