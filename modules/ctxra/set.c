// SPDX-License-Identifier: GPL-2.0-only
#include <linux/bitops.h>
#include <linux/hash.h>

#include "set.h"
#include "stream.h"

/* Candidates that are started while one lasts; and if the file has so many tokens. */
#define FEW_STARTS	80U
#define MANY_STARTS	2048U
/* As long lasts a stream on trial. */
#define TRIAL_STARTS	512U
#define MANY_TOKENS	32U
/* One of so many lasts for MANY_STARTS in any case. */
#define LASTING_ONE_OF	64

/* Set up a set that no file has used, from zeroed memory. */
void ctxra_set_init(struct ctxra_set *set)
{
	ctxra_lru_init(&set->lru, set->streams, CTXRA_SET_STREAMS);
}

/* Whether a stream was recognised. Needs no lock: any recent answer will do. */
bool ctxra_set_has_recognised(const struct ctxra_set *set)
{
	return READ_ONCE(set->lru.recognised_mask);
}

static u32 tag_of(const struct ctxra_file *file, unsigned long end)
{
	return (u32)end + hash_ptr((void *)file->mapping, 32);
}

/* The streams that may be within reach of a request: a bit for each. */
static u32 ctxra_set_filter(const struct ctxra_set *set, const struct ctxra_file *file,
			    const struct ctxra_request *rq)
{
	unsigned long reach = ctxra_reach(rq), least = rq->index - min(reach, rq->index);
	u32 first = tag_of(file, least);
	u32 span = min_t(unsigned long, rq->index - least + rq->nr + reach + set->longest, U32_MAX);
	u32 found = 0;
	unsigned int i;

	for (i = 0; i < CTXRA_SET_STREAMS; i++)
		found |= (u32)(set->tags[i] - first <= span) << i;
	return found;
}

/*
 * Is a candidate too old to be joined? Age counts in candidates that were started meanwhile. Random
 * reads start one each: the more of them last, the more are joined by chance. Where streams proved
 * to be read, and so returned tokens, the file has many, and each waits for its turn. Some last
 * long in any case, so that the first of many streams is found.
 */
static bool is_expired(const struct ctxra_set *set, const struct ctxra_stream *s)
{
	bool lasts = set->lasting & BIT(s - set->streams) ||
		     READ_ONCE(set->budget->tokens) >= MANY_TOKENS;
	/* Negative after a change of @starts that another call's overwrote. */
	s32 age = READ_ONCE(set->budget->starts) - s->used;

	return !ctxra_stream_is_proven(s) &&
	       age > (s->kind ? TRIAL_STARTS : lasts ? MANY_STARTS : FEW_STARTS);
}

/**
 * ctxra_set_find - find the stream that a request belongs to
 * @set: the set
 * @file: the file
 * @rq: the request
 *
 * Return: as ctxra_stream_find() among all streams of the set.
 */
struct ctxra_stream *ctxra_set_find(struct ctxra_set *set, const struct ctxra_file *file,
				    const struct ctxra_request *rq)
{
	u32 found = ctxra_set_filter(set, file, rq);
	struct ctxra_stream *s;

	BUILD_BUG_ON(BITS_PER_TYPE(found) < CTXRA_SET_STREAMS);
	if (!found)
		return NULL;
	if (!(found & (found - 1)))
		s = ctxra_stream_find(&set->streams[__ffs(found)], 1, file, rq);
	else
		s = ctxra_stream_find(set->streams, CTXRA_SET_STREAMS, file, rq);
	if (s && is_expired(set, s)) {
		ctxra_lru_free(&set->lru, s);
		return NULL;
	}
	return s;
}

/**
 * ctxra_set_find_behind - find the stream that will come to a request from behind
 * @set: the set
 * @file: the file
 * @rq: a miss, or a marker
 *
 * Return: the nearest stream behind @rq that ctxra_stream_comes_to() it, or NULL.
 */
struct ctxra_stream *ctxra_set_find_behind(struct ctxra_set *set, const struct ctxra_file *file,
					   const struct ctxra_request *rq)
{
	struct ctxra_stream *found = NULL, *s;

	if (!ctxra_set_has_recognised(set))
		return NULL;
	for (s = set->streams; s < set->streams + CTXRA_SET_STREAMS; s++)
		if (ctxra_stream_comes_to(s, file, rq, set->now) &&
		    (!found || s->end > found->end))
			found = s;
	return found;
}

/* Replace a stream by one that begins at a request. */
struct ctxra_stream *ctxra_set_start(struct ctxra_set *set, const struct ctxra_file *file,
				     const struct ctxra_request *rq)
{
	struct ctxra_stream *s = ctxra_lru_victim(&set->lru, set->now);
	u32 starts = READ_ONCE(set->budget->starts) + 1, bit = BIT(s - set->streams);

	WRITE_ONCE(set->budget->starts, starts);
	set->lasting &= ~bit;
	if (!(hash_32(starts, 32) % LASTING_ONE_OF))
		set->lasting |= bit;
	ctxra_lru_start(&set->lru, s, starts);
	ctxra_stream_start(s, file, rq);
	return s;
}

/**
 * ctxra_set_touch - note that a stream of a set was used, and perhaps changed
 * @set: the set
 * @s: the stream
 */
void ctxra_set_touch(struct ctxra_set *set, struct ctxra_stream *s)
{
	u32 now = ctxra_stream_is_proven(s) ? set->now : READ_ONCE(set->budget->starts);

	set->longest = max_t(unsigned long, set->longest, min(s->end - s->start, U32_MAX / 2UL));
	set->tags[s - set->streams] = tag_of(&s->file, s->end);
	ctxra_lru_touch(&set->lru, s, now);
}

/**
 * ctxra_set_adopt - move the stream of a request here from the set of the neighbouring part
 * @set: the set of the request
 * @other: the set of the part that is within reach
 * @file: the file
 * @rq: the request
 *
 * A stream is in the set where its last request was.
 */
void ctxra_set_adopt(struct ctxra_set *set, struct ctxra_set *other, const struct ctxra_file *file,
		     const struct ctxra_request *rq)
{
	struct ctxra_stream *from, *here, *to, moved;
	u32 bit;

	other->budget = set->budget;
	from = ctxra_set_find(other, file, rq);
	if (!from)
		return;
	here = ctxra_set_find(set, file, rq);
	if (here) {
		struct ctxra_stream both[] = { *here, *from };

		if (ctxra_stream_find(both, 2, file, rq) == &both[0])
			return;
	}
	to = ctxra_lru_victim(&set->lru, set->now);
	bit = BIT(to - set->streams);
	moved = *from;
	moved.lru = to->lru;
	*to = moved;
	/* Its entry may be that of another candidate, which lasts longer or not. */
	set->lasting &= ~bit;
	if (other->lasting & BIT(from - other->streams))
		set->lasting |= bit;
	ctxra_set_touch(set, to);
	/* It was moved, not used. */
	to->used = moved.used;
	ctxra_lru_free(&other->lru, from);
}
