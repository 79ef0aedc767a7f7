/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The deadline "auto": which stripes will be filled, and how long that takes. Pure: plain values in
 * and out, the caller's lock, the caller's clock.
 */
#ifndef RAID5_DEADLINE_PREDICT_H
#define RAID5_DEADLINE_PREDICT_H

#include <linux/types.h>

#include "learn_time.h"
#include "trust.h"

#define R5D_STREAMS	16
#define R5D_CANDIDATES	16

/**
 * enum r5d_forecast - will a stripe be filled while it is held?
 * @R5D_UNLIKELY: no, or not in a time that pays
 * @R5D_TRIAL: it seems so, but no stripe of its stream has been filled while it was held
 * @R5D_LIKELY: yes
 */
enum r5d_forecast {
	R5D_UNLIKELY,
	R5D_TRIAL,
	R5D_LIKELY,
};

/**
 * enum r5d_outcome - what became of a stripe
 * @R5D_OUTCOME_HELD_FILLED: it was filled while it was held
 * @R5D_OUTCOME_FILLED: it was filled before the disks were done with it; holding would have worked
 * @R5D_OUTCOME_EXPIRED: it was held to its deadline in vain
 * @R5D_OUTCOME_DONE: it was not held, and was not filled before the disks were done with it
 * @R5D_OUTCOME_UNKNOWN: it was released early, which says nothing
 */
enum r5d_outcome {
	R5D_OUTCOME_HELD_FILLED,
	R5D_OUTCOME_FILLED,
	R5D_OUTCOME_EXPIRED,
	R5D_OUTCOME_DONE,
	R5D_OUTCOME_UNKNOWN,
};

/**
 * struct r5d_ticket - one stripe of each write has one, by which r5d_learn() learns from the write
 * @begin: the first sector that the write adds to its stream
 * @id: &r5d_stream.id
 * @stream: index of the stream, or -1
 * @kind: of the write, if it was the first of its stream; otherwise -1
 */
struct r5d_ticket {
	u64 begin;
	u32 id;
	s8 stream;
	s8 kind;
};

/**
 * struct r5d_stream - writes that follow each other; also a candidate, of which one was seen
 * @start: of its last write
 * @next: first sector behind its writes
 * @mark: @next at @mark_ns
 * @mark_ns: when @pace_ns was last computed
 * @pace_ns: how long it takes from a stripe's first chunk to its last; 0: not known
 * @seen_ns: time of its last write
 * @origin: where the area begins that @covered is of; it ends at @next
 * @covered: sectors of its writes there, times the data disks, because we see only the writes of
 *	the first chunk of a row that is held
 * @reach: sectors by which it went on while one of its writes was on the disks: a moving average
 * @sectors: length of its last write
 * @typical: length of its longest write, less an eighth for each write since
 * @rest: &r5d_write.rest of its last write
 * @left: stripes of that write that were not released yet
 * @run: stripes, up to RUN_MIN; 0: not in use
 * @id: &r5d_predictor.tick at its first write
 * @seq: &r5d_predictor.tick at its last write
 * @trust: share of its writes that were filled or would have been, 0 to 65535
 * @backoff: stripes in which @reach is no reason to trust it
 * @backoff_next: the next @backoff
 * @credit: writes that were filled while held, less what waits in vain have cost
 * @held: writes since one was not held to learn how long that takes
 * @fills: its last stripe was filled without being held
 * @proven: a stripe of it was filled while it was held
 * @forecast: enum r5d_forecast of its last write
 */
struct r5d_stream {
	u64 start;
	u64 next;
	u64 mark;
	u64 mark_ns;
	u64 pace_ns;
	u64 seen_ns;
	u64 origin;
	u64 covered;
	u64 reach;
	u32 sectors;
	u32 typical;
	u32 rest;
	u32 left;
	u32 run;
	u32 id;
	u32 seq;
	u32 trust;
	u32 backoff;
	u32 backoff_next;
	u16 credit;
	u8 held;
	bool fills;
	bool proven;
	u8 forecast;
};

/**
 * struct r5d_predictor - what was learned of one array
 * @streams: those seen last
 * @nr_streams: those in use, the first of @streams
 * @candidates: writes that may become a stream. Apart from @streams, so that blocks here and there
 *	push out no stream
 * @kinds: trust of the first writes of streams, by ilog2() of their length in stripes
 * @ends: share of the streams, by the kind of their last write, whose end was not waited for, 0
 *	to 65535
 * @trust: of all streams
 * @scarce: writers wait for stripes when raid456 is done with one, so that one that is held in vain
 *	costs others, too; to be set before what became of a stripe is learned
 * @tick: writes seen
 * @times: what was learned of times
 */
struct r5d_predictor {
	struct r5d_stream streams[R5D_STREAMS];
	int nr_streams;
	struct r5d_stream candidates[R5D_CANDIDATES];
	u32 kinds[R5D_KINDS];
	u32 ends[R5D_KINDS];
	u32 trust;
	bool scarce;
	u32 tick;
	struct r5d_times times;
};

void r5d_predict_init(struct r5d_predictor *p);
enum r5d_forecast r5d_predict(struct r5d_predictor *p, const struct r5d_write *w, u64 now,
			      struct r5d_ticket *ticket);
bool r5d_fills_rows(const struct r5d_predictor *p, const struct r5d_ticket *ticket);

/* The kind of a stream's last write. */
static inline int r5d_stream_kind(const struct r5d_stream *s)
{
	const struct r5d_write last = { .start = s->start, .sectors = s->sectors };

	return r5d_kind_of(&last);
}

/* Are files of such writes waited for, so that their last rows are not filled? */
static inline bool r5d_ends_waited_for(const struct r5d_predictor *p, int kind)
{
	return p->ends[kind] < TRUST_ENOUGH / 2;
}

/* A ticket that r5d_learn() learns nothing from. */
static inline struct r5d_ticket r5d_no_ticket(void)
{
	return (struct r5d_ticket) { .stream = -1, .kind = -1 };
}

static inline bool r5d_is_ticket(const struct r5d_ticket *ticket)
{
	return ticket->stream >= 0 || ticket->kind >= 0;
}

#endif
