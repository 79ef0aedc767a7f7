// SPDX-License-Identifier: GPL-2.0-only
#include <linux/bitops.h>
#include <linux/hash.h>

#include "lru.h"

/* A proven stream that had no request for so long, in ms, is replaced first. */
#define IDLE_MS		10000
/* Proven streams leave so many entries to others. */
#define MIN_CANDIDATES	2
/* Candidates that are started while one that is kept is not replaced. */
#define KEPT_STARTS	128

/**
 * ctxra_lru_init - set up the lists of an empty set
 * @lru: filled in
 * @streams: the set's entries, all free
 * @nr: their number, 1 to 32
 */
void ctxra_lru_init(struct ctxra_lru *lru, struct ctxra_stream *streams, unsigned int nr)
{
	unsigned int i;

	INIT_LIST_HEAD(&lru->candidates);
	INIT_LIST_HEAD(&lru->proven);
	lru->streams = streams;
	lru->all_mask = GENMASK(nr - 1, 0);
	lru->free_mask = lru->all_mask;
	lru->proven_mask = 0;
	lru->recognised_mask = 0;
	lru->kept_mask = 0;
	lru->starts = 0;
	lru->picks = 0;
	for (i = 0; i < nr; i++)
		list_add_tail(&streams[i].lru, &lru->candidates);
}

/**
 * ctxra_lru_touch - make a stream the most recently used of its set
 * @lru: the set's
 * @s: the stream, with the kind that it has from now on
 * @now: for a proven stream the time, ms; for another &ctxra_budget.starts
 */
void ctxra_lru_touch(struct ctxra_lru *lru, struct ctxra_stream *s, u32 now)
{
	u32 bit = BIT(s - lru->streams);
	bool proven = ctxra_stream_is_proven(s);

	s->used = now;
	lru->free_mask &= ~bit;
	WRITE_ONCE(lru->recognised_mask, (lru->recognised_mask & ~bit) | (s->kind ? bit : 0));
	lru->proven_mask = (lru->proven_mask & ~bit) | (proven ? bit : 0);
	list_move(&s->lru, proven ? &lru->proven : &lru->candidates);
}

/* Make an entry free: it is the next victim. */
void ctxra_lru_free(struct ctxra_lru *lru, struct ctxra_stream *s)
{
	u32 bit = BIT(s - lru->streams);

	s->file.mapping = NULL;
	lru->free_mask |= bit;
	lru->proven_mask &= ~bit;
	WRITE_ONCE(lru->recognised_mask, lru->recognised_mask & ~bit);
	/* To the front, away from the candidate that is replaced next. */
	list_move(&s->lru, &lru->candidates);
}

/* A proven stream at random. */
static struct ctxra_stream *ctxra_lru_pick(struct ctxra_lru *lru)
{
	unsigned int n = hash_32(++lru->picks, 16) % hweight32(lru->proven_mask);
	u32 left = lru->proven_mask;

	while (n--)
		left &= left - 1;
	return &lru->streams[__ffs(left)];
}

/* The candidate that is unused for longest among those that are not kept; NULL: no candidate. */
static struct ctxra_stream *ctxra_lru_oldest_candidate(struct ctxra_lru *lru)
{
	struct ctxra_stream *s, *oldest = NULL;

	list_for_each_entry_reverse(s, &lru->candidates, lru) {
		u32 bit = BIT(s - lru->streams);

		if (lru->free_mask & bit)
			continue;
		/* Negative, so kept, where @starts of two files differ. */
		if (!(lru->kept_mask & bit) || (s32)(lru->starts - s->used) > KEPT_STARTS)
			return s;
		if (!oldest)
			oldest = s;
	}
	return oldest;
}

/**
 * ctxra_lru_start - note that an entry has a new candidate
 * @lru: the set's
 * @s: the entry, from ctxra_lru_victim()
 * @starts: &ctxra_budget.starts now
 *
 * Half of the candidates are kept for a while. If there are more than the set has room for, and
 * they take turns, then each would be replaced before it comes again.
 */
void ctxra_lru_start(struct ctxra_lru *lru, const struct ctxra_stream *s, u32 starts)
{
	u32 candidates = lru->all_mask & ~lru->proven_mask;
	u32 bit = BIT(s - lru->streams);

	lru->starts = starts;
	lru->kept_mask &= ~bit;
	if (2 * hweight32(lru->kept_mask & candidates) < hweight32(candidates | bit))
		lru->kept_mask |= bit;
}

/**
 * ctxra_lru_victim - choose the entry for a new stream
 * @lru: the set's
 * @now: the time, ms; wraps
 *
 * Chooses a free entry, or a proven stream that is idle, or the oldest candidate. Candidates
 * replace each other, because random reads start a candidate each and would push proven streams
 * out. If nearly all streams are proven, one of them is replaced at random: if more are read in
 * turn than there is room for, the least recently used is the one that comes next.
 *
 * Return: the entry, never NULL.
 */
struct ctxra_stream *ctxra_lru_victim(struct ctxra_lru *lru, u32 now)
{
	unsigned int nr = hweight32(lru->all_mask & ~(lru->free_mask | lru->proven_mask));
	struct ctxra_stream *proven;

	if (lru->free_mask)
		return &lru->streams[__ffs(lru->free_mask)];
	if (!lru->proven_mask)
		return ctxra_lru_oldest_candidate(lru);
	proven = list_last_entry(&lru->proven, struct ctxra_stream, lru);
	/*
	 * Compare the difference, because the time wraps. It is negative where another CPU used
	 * the stream after this call read the clock.
	 */
	if ((s32)(now - proven->used) > IDLE_MS)
		return proven;
	return nr >= MIN_CANDIDATES ? ctxra_lru_oldest_candidate(lru) : ctxra_lru_pick(lru);
}
