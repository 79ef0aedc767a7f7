// SPDX-License-Identifier: GPL-2.0-only
#include "lru.h"

/* How much longer than one just seen a known stream stays, in calls on its set. */
#define KNOWN_BONUS	1024

/**
 * ctxra_lru_init - put the streams of an empty set in order
 * @lru: filled in
 * @streams: the set's entries, all free
 * @nr: their number, at least 1
 */
void ctxra_lru_init(struct ctxra_lru *lru, struct ctxra_stream *streams, unsigned int nr)
{
	unsigned int i;

	INIT_LIST_HEAD(&lru->seen);
	INIT_LIST_HEAD(&lru->known);
	for (i = 0; i < nr; i++)
		list_add(&streams[i].lru, &lru->seen);
}

/**
 * ctxra_lru_use - a stream was used
 * @lru: the set's
 * @s: the stream, with the kind that it has from now on
 * @now: the set's clock; never goes back
 */
void ctxra_lru_use(struct ctxra_lru *lru, struct ctxra_stream *s, u32 now)
{
	s->used = now;
	list_move(&s->lru, s->kind ? &lru->known : &lru->seen);
}

/**
 * ctxra_lru_victim - choose the entry that a new stream takes
 * @lru: the set's
 * @now: the set's clock
 *
 * A free entry, or the one that is longest unused; known streams have a bonus, so
 * that random reads, each of which starts a stream, do not push them out.
 *
 * Return: the entry, never NULL.
 */
struct ctxra_stream *ctxra_lru_victim(const struct ctxra_lru *lru, u32 now)
{
	struct ctxra_stream *seen, *known;

	if (list_empty(&lru->known))
		return list_last_entry(&lru->seen, struct ctxra_stream, lru);
	known = list_last_entry(&lru->known, struct ctxra_stream, lru);
	if (list_empty(&lru->seen))
		return known;
	seen = list_last_entry(&lru->seen, struct ctxra_stream, lru);
	if (!seen->file.mapping)
		return seen;
	/* Differences, as the clock wraps. */
	return (u64)(now - known->used) > (u64)(now - seen->used) + KNOWN_BONUS ? known : seen;
}
