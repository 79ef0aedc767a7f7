// SPDX-License-Identifier: GPL-2.0-only
/*
 * Will a stripe be filled while it is held, and does it pay to wait for that?
 *
 * Writes that follow each other are a stream. We learn from the writes of a stream what becomes of
 * its next ones: from held stripes and, at no cost, from others. If the rest of a stripe is written
 * before its first part is done, holding would have filled it. If not, either the writer waits for
 * the first part, and holding would have been in vain; or the disks happened to be done a little
 * earlier than the writer came. How far a stream gets while its writes are on the disks
 * tells the one from the other.
 *
 * The pace of a stream says how long its stripes wait. If that is longer than raid456 takes for a
 * partial stripe, stock serves the writer better.
 *
 * The first write of a stream says nothing about what follows. We learn from the first writes of
 * its length: random writes of that length teach us to hold none, and a file that is written in
 * order teaches us to hold them. Nothing is held before something was learned.
 *
 * A write that follows no other is a candidate: writes here and there stay candidates, and push out
 * no stream.
 */
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "predict.h"
#include "stripe.h"

#define TRUST_MAX	65535U
/* Holding pays if half of the writes are filled. */
#define TRUST_ENOUGH	(TRUST_MAX / 2)
/* Before anything is learned: one write that would have been filled is enough. */
#define TRUST_FIRST	(TRUST_ENOUGH - 1)
/* Shifts of the moving averages. */
#define STREAM_SHIFT	3
#define YOUNG_SHIFT	1
#define KIND_SHIFT	2
#define ARRAY_SHIFT	5
/* Fewer stripes than this are no stream. */
#define RUN_MIN		4U
/* A write may be so far from where its stream ends: writes are not always in order. */
#define REACH_SECTORS	64U
#define REACH_WRITES	8U
/* ns: a stream that was not written to for so long has ended. */
#define STREAM_NS	(1000ULL * 1000 * 1000)
/* Stripes in which a stream that was tried in vain is not tried again; doubled each time. */
#define BACKOFF_FIRST	8192U
#define BACKOFF_MAX	1048576U
/*
 * If holding delays a stream, one in so many of its writes is not held, so that we know how long
 * it would take without us.
 */
#define CONTROL		64U

/**
 * r5d_predict_init - forget everything
 * @p: the predictor
 */
void r5d_predict_init(struct r5d_predictor *p)
{
	int i;

	memset(p, 0, sizeof(*p));
	for (i = 0; i < R5D_KINDS; i++)
		p->kinds[i] = TRUST_FIRST;
	p->trust = TRUST_FIRST;
	r5d_times_init(&p->times);
}

/* Stripes of a write: those that it writes in part, too. */
static u32 span_of(const struct r5d_write *w)
{
	return ((u32)(w->start % R5D_STRIPE_SECTORS) + w->sectors + R5D_STRIPE_SECTORS - 1) /
	       R5D_STRIPE_SECTORS;
}

static int kind_of(const struct r5d_write *w)
{
	return min(ilog2(max(span_of(w), 1U)), R5D_KINDS - 1);
}

/* Another stripe of the stream's last write, and not the same write again. */
static bool is_same_write(const struct r5d_stream *s, const struct r5d_write *w)
{
	return s->left && s->start == w->start && s->sectors == w->sectors;
}

/*
 * Of a row whose stripes are held we see the first chunk only, because later writes find the
 * stripes known. So the stream may go on behind the rest of the row.
 */
static bool is_near(const struct r5d_stream *s, const struct r5d_write *w, u64 now)
{
	u64 reach = REACH_SECTORS +
		    max(REACH_WRITES * (u64)min(s->sectors, w->sectors), (u64)w->rest);

	return s->run && w->start + reach >= s->next && w->start <= s->next + reach &&
	       now - s->seen_ns < STREAM_NS;
}

/*
 * The stream that a write belongs to, or NULL. @oldest: set to the one to replace then.
 *
 * All of them are compared for each random write, so what most writes need comes first. The same
 * write is within reach, too.
 */
static struct r5d_stream *r5d_find_stream(struct r5d_stream *streams, int nr,
					  const struct r5d_write *w, u64 now,
					  struct r5d_stream **oldest)
{
	/* No reach is longer. */
	u64 longest = REACH_SECTORS + max(REACH_WRITES * (u64)w->sectors, (u64)w->rest);
	u64 least = w->start - longest;
	struct r5d_stream *s, *near = NULL, *last = streams, *empty = NULL;

	for (s = streams; s < streams + nr; s++) {
		if (!s->run) {
			empty = empty ?: s;
			continue;
		}
		if (s->next - least <= 2 * longest) {
			if (is_same_write(s, w))
				return s;
			if (!near && is_near(s, w, now))
				near = s;
		}
		if ((s32)(s->seq - last->seq) < 0)
			last = s;
	}
	/* An empty place has no seq that could be compared. */
	*oldest = empty ?: last;
	return near;
}

static void r5d_begin_candidate(struct r5d_stream *s, u32 tick, const struct r5d_write *w,
				u64 now)
{
	*s = (struct r5d_stream) {
		.id = tick,
		.next = w->start,
		.mark = w->start,
		.mark_ns = now,
		.backoff_next = BACKOFF_FIRST,
	};
}

static void r5d_learn_pace(struct r5d_stream *s, u32 rest, u64 now)
{
	u64 advance = s->next - s->mark;
	u64 took = min(now - s->mark_ns, STREAM_NS);

	if (!rest || advance < rest)
		return;
	took = div64_u64(took * rest, advance);
	s->pace_ns = s->pace_ns ? s->pace_ns - s->pace_ns / 4 + took / 4 : took;
	s->mark = s->next;
	s->mark_ns = now;
}

static void r5d_add_write(struct r5d_stream *s, u32 tick, const struct r5d_write *w, u64 now)
{
	u32 span = span_of(w);

	s->start = w->start;
	s->sectors = w->sectors;
	s->next = max(s->next, w->start + w->sectors);
	s->left = span;
	s->run = min(s->run + span, RUN_MIN);
	s->seq = tick;
	s->seen_ns = now;
	s->rest = w->rest;
	s->backoff -= min(s->backoff, span);
	r5d_learn_pace(s, w->rest, now);
}

static enum r5d_forecast r5d_forecast(const struct r5d_predictor *p, struct r5d_stream *s)
{
	u64 service = p->times.service_ns;

	if (s->trust < TRUST_ENOUGH)
		return R5D_UNLIKELY;
	/*
	 * Waiting would take longer than what it saves. But if a stripe was full before raid456 was
	 * done with it, the pre-reads are in the pace: holding makes the stream faster. As long as
	 * nothing was measured, that was so of all stripes.
	 */
	if (p->times.measured && !s->fills && s->pace_ns > service * 3 / 2)
		return R5D_UNLIKELY;
	if (s->pace_ns > service / 2 && ++s->held >= CONTROL) {
		s->held = 0;
		return R5D_UNLIKELY;
	}
	return s->proven ? R5D_LIKELY : R5D_TRIAL;
}

/* The first write of what may become a stream. */
static void r5d_predict_first(struct r5d_predictor *p, struct r5d_stream *candidate,
			      const struct r5d_write *w, u64 now, struct r5d_ticket *ticket)
{
	r5d_begin_candidate(candidate, p->tick, w, now);
	r5d_add_write(candidate, p->tick, w, now);
	if (candidate->run < RUN_MIN)
		return;
	ticket->kind = kind_of(w);
	if (p->kinds[ticket->kind] >= TRUST_ENOUGH)
		candidate->forecast = R5D_TRIAL;
}

/* A write that follows others. */
static void r5d_predict_next(struct r5d_predictor *p, struct r5d_stream *s,
			     const struct r5d_write *w, u64 now, struct r5d_ticket *ticket)
{
	ticket->stream = s - p->streams;
	ticket->id = s->id;
	ticket->begin = max(s->next, w->start);
	r5d_add_write(s, p->tick, w, now);
	s->forecast = r5d_forecast(p, s);
}

/* A candidate of so many stripes that it is a stream. */
static void r5d_promote(struct r5d_predictor *p, struct r5d_stream *s,
			struct r5d_stream *candidate, const struct r5d_write *w,
			struct r5d_ticket *ticket)
{
	/* Its first blocks were too few for r5d_predict_first(). */
	if (candidate->run < RUN_MIN)
		ticket->kind = kind_of(w);
	*s = *candidate;
	s->trust = p->kinds[kind_of(w)];
	p->nr_streams = max(p->nr_streams, (int)(s - p->streams) + 1);
	memset(candidate, 0, sizeof(*candidate));
}

/* A write that belongs to none of the streams. @oldest: the stream to replace. */
static struct r5d_stream *r5d_predict_candidate(struct r5d_predictor *p,
						struct r5d_stream *oldest,
						const struct r5d_write *w, u64 now,
						struct r5d_ticket *ticket)
{
	struct r5d_stream *c, *unused;

	c = r5d_find_stream(p->candidates, R5D_CANDIDATES, w, now, &unused);
	if (c && is_same_write(c, w))
		return c;
	p->tick++;
	if (!c) {
		r5d_predict_first(p, unused, w, now, ticket);
		return unused;
	}
	if (c->run + span_of(w) < RUN_MIN) {
		r5d_add_write(c, p->tick, w, now);
		return c;
	}
	r5d_promote(p, oldest, c, w, ticket);
	r5d_predict_next(p, oldest, w, now, ticket);
	return oldest;
}

/**
 * r5d_predict - predict whether a stripe will be filled, at its first release
 * @p: the predictor
 * @w: the longest write to it
 * @now: time in ns
 * @ticket: set, for r5d_learn(), if there is something to learn from this stripe: r5d_is_ticket()
 *
 * Return: the forecast, the same for all stripes of a write.
 */
enum r5d_forecast r5d_predict(struct r5d_predictor *p, const struct r5d_write *w, u64 now,
			      struct r5d_ticket *ticket)
{
	struct r5d_stream *oldest, *s;

	*ticket = r5d_no_ticket();
	s = r5d_find_stream(p->streams, min(p->nr_streams + 1, R5D_STREAMS), w, now, &oldest);
	if (!s) {
		s = r5d_predict_candidate(p, oldest, w, now, ticket);
	} else if (!is_same_write(s, w)) {
		p->tick++;
		r5d_predict_next(p, s, w, now, ticket);
	}
	s->left -= min(s->left, 1U);
	return s->forecast;
}

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
 * that waits for its writes never has more than one row under way; half a write more may be one
 * that it made just before we learned that this one is done.
 */
static bool r5d_would_fill(struct r5d_stream *s, const struct r5d_ticket *ticket)
{
	u64 reach = s->next - min(s->next, ticket->begin);

	s->reach = s->reach ? s->reach - s->reach / 4 + reach / 4 : reach;
	return s->rest && s->reach > s->rest + s->sectors / 2;
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

static void r5d_learn_of_stream(struct r5d_predictor *p, struct r5d_stream *s,
				const struct r5d_ticket *ticket, enum r5d_outcome outcome)
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
	average(&s->trust, filled, s->proven ? STREAM_SHIFT : YOUNG_SHIFT);
	average(&p->trust, filled, ARRAY_SHIFT);
	if (outcome == R5D_OUTCOME_HELD_FILLED) {
		s->proven = true;
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
 *
 * If another stream has replaced this one since, nothing of the new one changes.
 */
void r5d_learn(struct r5d_predictor *p, const struct r5d_ticket *ticket,
	       enum r5d_outcome outcome)
{
	bool filled = outcome == R5D_OUTCOME_HELD_FILLED || outcome == R5D_OUTCOME_FILLED;
	struct r5d_stream *s = ticket->stream >= 0 ? &p->streams[ticket->stream] : NULL;

	if (s && (!s->run || s->id != ticket->id))
		s = NULL;
	if (outcome == R5D_OUTCOME_UNKNOWN)
		return;
	if (ticket->kind >= 0)
		average(&p->kinds[ticket->kind], filled, KIND_SHIFT);
	if (s)
		r5d_learn_of_stream(p, s, ticket, outcome);
}

/* @trust: of a stream or of the array. */
unsigned int r5d_trust_percent(u32 trust)
{
	return trust * 100 / TRUST_MAX;
}
