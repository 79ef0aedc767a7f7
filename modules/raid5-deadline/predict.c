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
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "predict.h"
#include "stripe.h"

/* So many fills pay for the longest wait, of four partial stripes: see r5d_learn_wait(). */
#define LONG_WAIT_FILLS	(4 * WAIT_WEIGHT * WAIT_CREDIT)
/* Fewer stripes than this are no stream. */
#define RUN_MIN		4U
/* ns: a stream that was not written to for so long has ended. */
#define STREAM_NS	(1000ULL * 1000 * 1000)
/*
 * If holding delays a stream, one in so many of its writes is not held, so that we know how long
 * it would take without us.
 */
#define CONTROL		64U
/* Gaps of a stream before its last so many rows count for less. */
#define DENSE_ROWS	16U

/**
 * r5d_predict_init - forget everything
 * @p: the predictor
 */
void r5d_predict_init(struct r5d_predictor *p)
{
	int i;

	memset(p, 0, sizeof(*p));
	for (i = 0; i < R5D_KINDS; i++) {
		p->kinds[i] = TRUST_FIRST;
		p->ends[i] = TRUST_MAX;
	}
	p->trust = TRUST_FIRST;
	r5d_times_init(&p->times);
}

/* Another stripe of the stream's last write, and not the same write again. */
static bool is_same_write(const struct r5d_stream *s, const struct r5d_write *w)
{
	return s->left && s->start == w->start && s->sectors == w->sectors;
}

/*
 * Of a row whose stripes are held we see the first chunk only, because later writes find the
 * stripes known. So the stream may go on behind the rest of the row.
 *
 * But a stream that is late has no row that fills. Then a much shorter write has to follow it
 * closely: near the end of each file that was just written there is room for many of others. The
 * last write of a file is often a short one, so the longer ones before it are the measure.
 */
static bool is_near(const struct r5d_stream *s, const struct r5d_write *w, u64 now)
{
	u64 reach = REACH_SECTORS;

	if (2 * (u64)w->sectors >= s->typical || now - s->seen_ns < 2 * s->pace_ns)
		reach += max(REACH_WRITES * (u64)min(s->sectors, w->sectors), (u64)w->rest);
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
		.origin = w->start,
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

static void r5d_cover(struct r5d_stream *s, const struct r5d_write *w)
{
	u64 area = s->next - s->origin;

	/* No more than what it has passed, or writes of the same place would make up for gaps. */
	s->covered = min(s->covered + (u64)w->sectors * w->data_disks, area + w->rest);
	if (area <= (u64)DENSE_ROWS * (w->rest + w->sectors))
		return;
	s->origin += area / 2;
	s->covered /= 2;
}

/*
 * Has it written at least half of where it has been? Random writes near each other look like a
 * stream that goes far while one of its writes is on the disks, and fill nothing. A stream of which
 * stripes were filled while they were held may have gaps, if these are the same in each chunk.
 */
static bool r5d_is_dense(const struct r5d_stream *s)
{
	return 2 * s->covered >= s->next - s->origin;
}

static void r5d_add_write(struct r5d_stream *s, u32 tick, const struct r5d_write *w, u64 now)
{
	u32 span = r5d_span_of(w);

	s->start = w->start;
	s->sectors = w->sectors;
	s->typical = max(w->sectors, s->typical - s->typical / 8);
	s->next = max(s->next, w->start + w->sectors);
	s->left = span;
	s->run = min(s->run + span, RUN_MIN);
	s->seq = tick;
	s->seen_ns = now;
	s->rest = w->rest;
	s->backoff -= min(s->backoff, span);
	r5d_cover(s, w);
	r5d_learn_pace(s, w->rest, now);
}

static enum r5d_forecast r5d_forecast(const struct r5d_predictor *p, struct r5d_stream *s)
{
	u64 service = p->times.service_ns;

	if (s->trust < TRUST_ENOUGH || !(s->proven || r5d_is_dense(s)))
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
	if (!s->proven)
		return R5D_TRIAL;
	/* The last row of a file would wait in vain for long, unless others have paid for that. */
	return s->credit >= LONG_WAIT_FILLS || !r5d_ends_waited_for(p, r5d_stream_kind(s)) ?
	       R5D_LIKELY : R5D_TRIAL;
}

/* The first write of what may become a stream. */
static void r5d_predict_first(struct r5d_predictor *p, struct r5d_stream *candidate,
			      const struct r5d_write *w, u64 now, struct r5d_ticket *ticket)
{
	r5d_begin_candidate(candidate, p->tick, w, now);
	r5d_add_write(candidate, p->tick, w, now);
	if (candidate->run < RUN_MIN)
		return;
	ticket->kind = r5d_kind_of(w);
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
		ticket->kind = r5d_kind_of(w);
	*s = *candidate;
	s->trust = p->kinds[r5d_kind_of(w)];
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
	if (c->run + r5d_span_of(w) < RUN_MIN) {
		r5d_add_write(c, p->tick, w, now);
		return c;
	}
	r5d_promote(p, oldest, c, w, ticket);
	r5d_predict_next(p, oldest, w, now, ticket);
	return oldest;
}

/**
 * r5d_fills_rows - whether a stream is longer than a row less a chunk, and dense
 * @p: the predictor
 * @ticket: of r5d_predict(), with a stream
 *
 * Dense is what r5d_is_dense() says: with many data disks a part of the area is enough, because a
 * write counts for all of them.
 *
 * Return: false for most random writes that came near each other, which are a stream for a moment.
 */
bool r5d_fills_rows(const struct r5d_predictor *p, const struct r5d_ticket *ticket)
{
	const struct r5d_stream *s = &p->streams[ticket->stream];

	return r5d_is_dense(s) && s->next - s->origin > s->rest;
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
