// SPDX-License-Identifier: GPL-2.0-only
/* What the predictor learns from what became of a stripe. */
#include <linux/math64.h>
#include <linux/minmax.h>

#include "learn.h"

/* Shifts of the moving averages. */
#define STREAM_SHIFT	3
#define YOUNG_SHIFT	1
#define KIND_SHIFT	2
#define SLOW_SHIFT	5
#define ARRAY_SHIFT	5
#define BACKOFF_MAX	1048576U
/* Of WAIT_WEIGHT. That is enough to take any trust. */
#define WAIT_WEIGHT_MAX	64ULL
#define CREDIT_MAX	1000

/* A moving average, which reaches 0 and TRUST_MAX. */
static void average(u32 *trust, bool filled, unsigned int shift)
{
	if (filled)
		*trust += ((TRUST_MAX - *trust) + (1U << shift) - 1) >> shift;
	else
		*trust -= (*trust + (1U << shift) - 1) >> shift;
}

/*
 * The disks were done with a write before the rest of its stripes was written. Would holding them
 * have filled them? Only if the stream goes on for so long without that write being done. A writer
 * that waits for its writes never has more than one row under way, or than one write, which may be
 * longer; half a write more may be one that it made just before we learned that this one is done.
 */
static bool r5d_would_fill(struct r5d_stream *s, const struct r5d_ticket *ticket)
{
	u64 reach = s->next - min(s->next, ticket->begin);

	/* It has left this stripe behind, and did not fill it: it leaves gaps. */
	if (reach > s->rest + REACH_SECTORS + REACH_WRITES * (u64)s->sectors)
		return false;
	s->reach = s->reach ? s->reach - s->reach / 4 + reach / 4 : reach;
	return s->rest && s->reach > max(s->rest, s->sectors) + s->sectors / 2;
}

/* Holding this stream was in vain: its reach alone is no reason to try again soon. */
static void r5d_back_off(struct r5d_stream *s)
{
	if (!s->proven)
		s->trust = min(s->trust, TRUST_ENOUGH) / 2;
	if (s->trust >= TRUST_ENOUGH)
		return;
	s->proven = false;
	s->backoff = s->backoff_next;
	s->backoff_next = min(2 * s->backoff_next, BACKOFF_MAX);
}

/* Has another stream begun since the last write of this one? Then its end was not waited for. */
static bool r5d_went_on(const struct r5d_predictor *p, const struct r5d_stream *s)
{
	int i;

	for (i = 0; i < p->nr_streams; i++)
		if (p->streams[i].run && (s32)(p->streams[i].id - s->seq) > 0)
			return true;
	return false;
}

/*
 * A stripe was held in vain for @waited_ns. A writer that waits for all of a burst, as fsync()
 * does, loses that with each burst, at its last row. A short burst wins one pre-read by its full
 * rows, however many they are, because all are read for at once. So a long wait weighs more than a
 * fill, unless many were filled. The next file may end likewise, and is another stream. If nobody
 * waits for a file's end, it costs nothing, but where stripes are scarce the next file waits for
 * those that are held.
 */
static void r5d_learn_wait(struct r5d_predictor *p, struct r5d_stream *s, u64 waited_ns)
{
	u64 weight = div64_u64(waited_ns * WAIT_WEIGHT, max(p->times.service_ns, 1ULL));
	int kind = r5d_stream_kind(s);

	if (!p->scarce && r5d_went_on(p, s)) {
		average(&p->ends[kind], true, KIND_SHIFT);
		return;
	}
	weight = min(weight, WAIT_WEIGHT_MAX);
	if (s->credit >= WAIT_CREDIT * weight) {
		s->credit -= WAIT_CREDIT * weight;
		return;
	}
	s->credit = 0;
	for (; weight; weight--) {
		average(&s->trust, false, STREAM_SHIFT);
		average(&p->kinds[kind], false, KIND_SHIFT);
		average(&p->ends[kind], false, KIND_SHIFT);
	}
}

/* A new stream whose kind has waited in vain is trusted late. */
static unsigned int r5d_trust_shift(const struct r5d_predictor *p, const struct r5d_stream *s,
				    bool filled)
{
	if (s->proven)
		return STREAM_SHIFT;
	return filled && r5d_ends_waited_for(p, r5d_stream_kind(s)) ? SLOW_SHIFT : YOUNG_SHIFT;
}

static void r5d_learn_of_stream(struct r5d_predictor *p, struct r5d_stream *s,
				const struct r5d_ticket *ticket, enum r5d_outcome outcome,
				u64 waited_ns)
{
	bool filled = outcome == R5D_OUTCOME_HELD_FILLED || outcome == R5D_OUTCOME_FILLED;

	/*
	 * While nothing is held, a writer of limited depth moves on as its writes complete, and
	 * fills its stripes. If they are held, it cannot: so this is no reason to try again.
	 */
	if (outcome == R5D_OUTCOME_FILLED && s->backoff)
		return;
	s->fills = outcome == R5D_OUTCOME_FILLED;
	if (outcome == R5D_OUTCOME_DONE && r5d_would_fill(s, ticket)) {
		if (s->backoff)
			return;
		if (s->pace_ns)
			r5d_learn_fill(&p->times, s->pace_ns);
		filled = true;
	}
	if (outcome == R5D_OUTCOME_EXPIRED)
		r5d_learn_wait(p, s, waited_ns);
	average(&s->trust, filled, r5d_trust_shift(p, s, filled));
	average(&p->trust, filled, ARRAY_SHIFT);
	if (outcome == R5D_OUTCOME_HELD_FILLED) {
		s->proven = true;
		s->credit = min(s->credit + 1, CREDIT_MAX);
		s->backoff = 0;
		s->backoff_next = BACKOFF_FIRST;
	} else if (outcome == R5D_OUTCOME_EXPIRED) {
		r5d_back_off(s);
	}
}

/**
 * r5d_learn - learn what became of a stripe
 * @p: the predictor
 * @ticket: of r5d_predict()
 * @outcome: what became of the stripe
 * @waited_ns: how long it was held, if in vain
 *
 * If another stream has replaced this one since, nothing of the new one changes.
 */
void r5d_learn(struct r5d_predictor *p, const struct r5d_ticket *ticket,
	       enum r5d_outcome outcome, u64 waited_ns)
{
	bool filled = outcome == R5D_OUTCOME_HELD_FILLED || outcome == R5D_OUTCOME_FILLED;
	struct r5d_stream *s = ticket->stream >= 0 ? &p->streams[ticket->stream] : NULL;

	if (s && (!s->run || s->id != ticket->id))
		s = NULL;
	if (outcome == R5D_OUTCOME_UNKNOWN)
		return;
	if (ticket->kind >= 0)
		average(&p->kinds[ticket->kind], filled,
			filled && r5d_ends_waited_for(p, ticket->kind) ? SLOW_SHIFT : KIND_SHIFT);
	if (s)
		r5d_learn_of_stream(p, s, ticket, outcome, waited_ns);
}

/* @trust: of a stream or of the array. */
unsigned int r5d_trust_percent(u32 trust)
{
	return trust * 100 / TRUST_MAX;
}
