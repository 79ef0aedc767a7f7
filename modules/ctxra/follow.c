// SPDX-License-Identifier: GPL-2.0-only
/*
 * The state machine of a stream. Plain values in, plain values out, as in stream.c.
 *
 * A request that joins a stream at its end, or fills a hole that earlier requests left, is a
 * hit; in a candidate only if the stock code does not follow its reader well. Hits make a
 * stream dense. Misses at a constant step, with gaps that nobody reads, make it strided.
 * window.c decides what is read then, and governor.c how much of it.
 */
#include <linux/kernel.h>
#include <linux/log2.h>

#include "ahead.h"
#include "budget.h"
#include "candidate.h"
#include "follow.h"
#include "governor.h"
#include "step.h"
#include "stream.h"
#include "thrash.h"
#include "window.h"

/* So many misses in a row at other steps show that a stream is not strided after all. */
#define MAX_UNEQUAL_STEPS	4
/*
 * Random reads are small compared to a large window. A stream on trial with requests smaller than
 * this fraction of the window leaves markers to the stock code.
 */
#define SMALL_REQUEST		32
#define MAX_DIRECTION		100
/* Windows end where requests do that have this fraction of a window or more. */
#define LONG_REQUEST		4
/* So many long requests in a row that begin elsewhere move the windows of a recognised stream. */
#define OTHER_PHASE_MISSES	4

/*
 * A reader in order with a descriptor of its own needs nothing from us, even if others read the
 * same stream, unless its windows do not fit into memory.
 */
static bool leave_to_stock(const struct ctxra_stream *s, const struct ctxra_request *rq)
{
	return ctxra_stock_follows(rq) && !s->reordered && !s->win_cap;
}

/*
 * A reader in order is near a stream of another kind, to which it does not belong. It does if it is
 * where a piece ends that was read ahead: in 6.1 the rest of a longer piece looks in order.
 */
static bool passes_by(const struct ctxra_stream *s, const struct ctxra_request *rq)
{
	if (s->kind == CTXRA_STRIDED && s->step && rq->index > s->last_index &&
	    (rq->index - s->last_index) % s->step == s->last_nr)
		return false;
	return (s->kind == CTXRA_BACKWARD || s->kind == CTXRA_STRIDED) && ctxra_stock_follows(rq);
}

/* A request extended the stream's range at its end, or at its start. */
static void note_direction(struct ctxra_stream *s, bool upwards)
{
	if (upwards)
		s->direction = min_t(int, max_t(int, s->direction, 0) + 1, MAX_DIRECTION);
	else
		s->direction = max_t(int, min_t(int, s->direction, 0) - 1, -MAX_DIRECTION);
}

/*
 * A stream is BACKWARD once it has gone down for longer than requests are out of order.
 * Until then its misses open aligned windows as in any dense stream. A reader in order may
 * be below the stream, too, on its way to it.
 */
static void ctxra_update_direction(struct ctxra_stream *s, const struct ctxra_request *rq)
{
	u8 kind = s->kind;

	if (s->direction >= CTXRA_DIRECTION_REQUESTS)
		s->kind = CTXRA_FORWARD;
	else if (ctxra_stream_goes_down(s) && !rq->in_order &&
		 rq->patterns & BIT(CTXRA_REVERSE) &&
		 s->end - min(s->start, rq->index) >= ctxra_reach(rq))
		s->kind = CTXRA_BACKWARD;
	if (s->kind != kind)
		ctxra_ahead_reset(s, rq->index);
}

/*
 * A reader met a marker: open the next window at the stream's end. The stock code would
 * open one here too, but does not know where the stream ends and how large its windows are.
 */
static enum ctxra_verdict ctxra_follow_marker(struct ctxra_stream *s, struct ctxra_budget *budget,
					      const struct ctxra_request *rq,
					      struct ctxra_window *win)
{
	enum ctxra_verdict verdict;
	unsigned long end;

	if (passes_by(s, rq))
		return CTXRA_STOCK;
	if (s->kind == CTXRA_STRIDED && s->equal_steps < CTXRA_EQUAL_STEPS)
		/*
		 * The step is open: only the next misses of the reader that leaves gaps tell it.
		 * The stock code would read the gap behind a piece that is cached.
		 */
		return rq->sparse || (rq->index >= s->start && rq->index < s->end) ?
			       CTXRA_SKIP_MARKER : CTXRA_STOCK;
	if (s->kind == CTXRA_STRIDED)
		return ctxra_governor_trusts(s) ? ctxra_window_next_piece(s, rq, win) :
						  CTXRA_SKIP_MARKER;
	if (s->kind == CTXRA_BACKWARD) {
		/* A reader that goes towards the end of the file meets the marker, too. */
		note_direction(s, !rq->read_behind);
		return rq->read_behind ? ctxra_window_below(s, rq, win) : CTXRA_STOCK;
	}
	/* Do not reset holes_in_row: a random reader meets the marker of its own window. */
	ctxra_stream_count_hit(s, rq);
	/* The stock code may have opened the window, so the page cache knows its end best. */
	end = max(s->end, ctxra_sat_add(rq->index, max(rq->cached, 1UL)));
	s->requested = min_t(unsigned long, U32_MAX, s->requested + (end - s->end));
	s->end = end;
	if (!s->kind && !ctxra_candidate_try(s, budget, rq, s->start, end))
		return CTXRA_STOCK;
	if (!(rq->patterns & BIT(CTXRA_TRAIL)) || leave_to_stock(s, rq))
		return CTXRA_STOCK;
	if (ctxra_stream_goes_down(s))
		return CTXRA_SKIP_MARKER;
	if (!ctxra_governor_trusts(s)) {
		/* The stock code's windows leave few misses that could show it. */
		note_direction(s, true);
		return CTXRA_STOCK;
	}
	if (!s->reordered && !s->drops && !s->win_cap && rq->ahead <= rq->win) {
		if (!rq->cached || (s->on_trial && rq->nr < rq->win / SMALL_REQUEST))
			return CTXRA_STOCK;
		note_direction(s, true);
		return ctxra_window_next(s, rq, win);
	}
	verdict = ctxra_window_ahead(s, rq, s->reordered ? 2 : 1, win);
	if (verdict == CTXRA_OPEN)
		note_direction(s, true);
	return verdict;
}

/* Is the pattern that this miss would open a window for switched on? */
static bool may_open(const struct ctxra_stream *s, const struct ctxra_request *rq, bool joins)
{
	return s->kind == CTXRA_BACKWARD ||
	       rq->patterns & (joins ? BIT(CTXRA_TRAIL) : BIT(CTXRA_REORDER));
}

static enum ctxra_verdict ctxra_follow_candidate(struct ctxra_stream *s,
						 struct ctxra_budget *budget,
						 const struct ctxra_request *rq, bool joins,
						 struct ctxra_window *win)
{
	unsigned long start, end;

	ctxra_candidate_count_pages(s, rq, joins);
	if (ctxra_step_is_strided(s, rq)) {
		s->kind = CTXRA_STRIDED;
		ctxra_governor_init(s);
		s->hits = 0;
		ctxra_window_piece(s, rq, win);
		return CTXRA_OPEN;
	}
	if (!ctxra_candidate_range(s, rq, &start, &end)) {
		ctxra_stream_restart(s, rq);
		return CTXRA_STOCK;
	}
	if (!may_open(s, rq, joins) || !ctxra_candidate_try(s, budget, rq, start, end)) {
		s->start = start;
		s->end = end;
		return CTXRA_STOCK;
	}
	ctxra_window_aligned(s, rq, joins, win);
	return CTXRA_OPEN;
}

static enum ctxra_verdict ctxra_follow_strided(struct ctxra_stream *s,
					       const struct ctxra_request *rq,
					       struct ctxra_window *win)
{
	/* Here hits count requests that leave no gap. Enough of them are another pattern. */
	if (!rq->cached && ctxra_step_leaves_gap(s, rq))
		s->hits = 0;
	else
		ctxra_stream_count_hit(s, rq);
	s->holes_in_row = s->equal_steps >= CTXRA_EQUAL_STEPS ? 0 : s->holes_in_row + 1;
	if (s->hits >= CTXRA_DENSE_HITS || s->holes_in_row > MAX_UNEQUAL_STEPS) {
		ctxra_stream_restart(s, rq);
		return CTXRA_STOCK;
	}
	ctxra_window_piece(s, rq, win);
	return CTXRA_OPEN;
}

/*
 * Where does a request begin, relative to multiples of its length? A client's requests begin
 * anywhere. If they are long, one that windows split waits twice. The rest of a request whose first
 * pages are cached tells nothing.
 */
static void note_phase(struct ctxra_stream *s, const struct ctxra_request *rq)
{
	u8 phase;

	if (rq->nr < s->last_nr || rq->nr < rq->win / LONG_REQUEST || rq->nr > U8_MAX ||
	    !is_power_of_2(rq->nr))
		return;
	/* Windows as long as the requests would be no readahead, and never grow. */
	if (rq->nr >= rq->win && max(rq->ahead, rq->grown) > rq->win)
		return;
	phase = rq->index % rq->nr;
	if (phase == s->phase % rq->nr) {
		s->other_phase = 0;
	} else if (!s->kind || ++s->other_phase >= OTHER_PHASE_MISSES) {
		s->phase = phase;
		s->other_phase = 0;
	}
}

/*
 * Is a miss less than a request away from its stream's range? Where windows end within requests, as
 * where a client's requests do not begin at multiples of their length, the request between has its
 * other pages in the range, and will miss the rest. The window of this miss reads that.
 */
static bool is_beside(const struct ctxra_stream *s, const struct ctxra_request *rq)
{
	unsigned long rq_end = ctxra_sat_add(rq->index, rq->nr);

	if (s->kind == CTXRA_BACKWARD)
		return rq_end < s->start && s->start - rq_end < rq->nr;
	return s->kind && rq->index > s->end && rq->index - s->end < rq->nr;
}

static enum ctxra_verdict ctxra_follow_miss(struct ctxra_stream *s, struct ctxra_budget *budget,
					    const struct ctxra_request *rq,
					    struct ctxra_window *win)
{
	unsigned long rq_end = ctxra_sat_add(rq->index, rq->nr), narrow = ctxra_narrow_gap(rq);
	/* At the stream's end, or behind pages that were read since. */
	bool joins = (s->kind || s->end > s->start) && rq->index >= s->end &&
		     rq->index - s->end <= max(rq->cached, narrow);
	/* In a hole, or just below the range. */
	bool fills = rq->index < s->end && ctxra_sat_add(rq_end, narrow) >= s->start;

	if (passes_by(s, rq))
		return CTXRA_STOCK;
	note_phase(s, rq);
	ctxra_step_measure(s, rq);
	if (rq_end > s->end && s->end > s->start)
		note_direction(s, true);
	else if (rq->index < s->start)
		note_direction(s, false);
	if (s->kind == CTXRA_STRIDED)
		return ctxra_follow_strided(s, rq, win);
	if (joins || fills)
		ctxra_stream_count_hit(s, rq);
	if (joins || fills || is_beside(s, rq))
		s->holes_in_row = 0;
	else
		s->holes_in_row = min_t(int, s->holes_in_row + 1, U8_MAX);
	if (!s->kind)
		return ctxra_follow_candidate(s, budget, rq, joins, win);

	ctxra_update_direction(s, rq);
	/*
	 * Two readers that open one window at the same time would split it into small I/Os.
	 * Open the next window instead. When that is done, this reader's page is cached.
	 */
	if (rq->in_flight && s->kind == CTXRA_FORWARD && ctxra_governor_trusts(s) &&
	    rq->patterns & BIT(CTXRA_TRAIL) &&
	    ctxra_window_ahead(s, rq, 4, win) == CTXRA_OPEN)
		return CTXRA_OPEN;
	if (s->holes_in_row > CTXRA_MAX_HOLES_IN_ROW) {
		ctxra_stream_restart(s, rq);
		return CTXRA_STOCK;
	}
	if (!may_open(s, rq, joins) || !ctxra_governor_trusts(s) ||
	    (leave_to_stock(s, rq) && (!joins || s->on_trial))) {
		s->start = min(s->start, rq->index);
		s->end = max(s->end, rq_end);
		return CTXRA_STOCK;
	}
	ctxra_window_aligned(s, rq, joins, win);
	return CTXRA_OPEN;
}

/* Keep only the part of a recognised stream's range that is near the end that moves. */
static void limit_range(struct ctxra_stream *s, unsigned long reach)
{
	if (!s->kind || s->end - s->start <= reach)
		return;
	if (s->kind == CTXRA_BACKWARD || (s->kind == CTXRA_STRIDED && s->direction < 0))
		s->end = s->start + reach;
	else
		s->start = s->end - reach;
}

/* The user may have switched a pattern off since the stream was recognised. */
static void apply_patterns(struct ctxra_stream *s, const struct ctxra_request *rq)
{
	if (s->kind == CTXRA_BACKWARD && !(rq->patterns & BIT(CTXRA_REVERSE)))
		s->kind = CTXRA_FORWARD;
	if (s->kind == CTXRA_STRIDED && !(rq->patterns & BIT(CTXRA_STRIDE)))
		ctxra_stream_restart(s, rq);
}

/* The readahead of a stream is no longer cached: move its end to this reader. */
static void rewind_to(struct ctxra_stream *s, const struct ctxra_request *rq)
{
	s->start = rq->index;
	s->end = rq->index;
	ctxra_ahead_reset(s, rq->index);
	s->direction = 0;
	s->reordered = false;
}

static void update_reader_pos(struct ctxra_stream *s, const struct ctxra_request *rq)
{
	if (s->kind == CTXRA_BACKWARD)
		s->reader_pos = min(s->reader_pos, rq->index);
	else
		s->reader_pos = max(s->reader_pos, ctxra_sat_add(rq->index, rq->nr));
}

/**
 * ctxra_stream_follow - add a request to its stream and decide what to read
 * @s: the stream, from ctxra_stream_find() or ctxra_stream_start(); updated
 * @budget: of the stream's file; updated
 * @rq: the request
 * @win: set for CTXRA_OPEN. The window ends at @rq->eof or before. It has at most @rq->win
 *	pages, or in a strided stream those of the last miss. It contains @rq->index if it is
 *	not @win->ahead. Pages of it may be cached: the caller trims it.
 *
 * Context: any; the caller serialises calls for one stream.
 * Return: what to do with the call.
 */
enum ctxra_verdict ctxra_stream_follow(struct ctxra_stream *s, struct ctxra_budget *budget,
				       const struct ctxra_request *rq, struct ctxra_window *win)
{
	struct ctxra_request capped;
	enum ctxra_verdict verdict;

	if (rq->index >= rq->eof || rq->nr > rq->win)
		return CTXRA_STOCK;
	ctxra_budget_count_call(budget);
	s->probe_age = min_t(int, s->probe_age + 1, U8_MAX);
	s->again |= rq->evicted;
	apply_patterns(s, rq);
	if (ctxra_governor_is_other_reader(s, rq))
		ctxra_stream_start(s, &s->file, rq);
	ctxra_thrash_note(s, rq);
	if (rq->dropped)
		rewind_to(s, rq);
	capped = ctxra_governor_limit(s, rq);
	if (rq->marker)
		verdict = ctxra_follow_marker(s, budget, &capped, win);
	else
		verdict = ctxra_follow_miss(s, budget, &capped, win);
	/*
	 * Requests are found by the device's window. If the stream's are larger, all its readers
	 * must be within the range: up to four windows from its end.
	 */
	limit_range(s, (1 + (capped.win > rq->win)) * ctxra_reach(&capped));
	update_reader_pos(s, rq);
	if (verdict == CTXRA_OPEN && s->win_cap)
		win->pattern = CTXRA_THRASH;
	return verdict;
}
