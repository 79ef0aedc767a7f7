// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sequence of a decision, from the arguments of a call to what is to be read. The hooks turn
 * registers into struct ctxra_args; whatever else the decision needs it asks for by struct
 * ctxra_facts_ops. Plain values in, plain values out, so that KUnit runs this very sequence
 * on a simulated page cache (kunit/sim).
 *
 *   ctxra_request_init()	what the call tells, and the pages around it (request.c)
 *   ctxra_decide()		whose stream, of which kind, which window; the caller has the
 *				lock of the set
 *   ctxra_confirm()		the window, cut to what is missing
 */
#include <linux/kernel.h>
#include <linux/log2.h>

#include "ahead.h"
#include "decide.h"
#include "follow.h"
#include "governor.h"
#include "stream.h"
#include "thrash.h"
#include "window.h"

/* Reaches behind a reader where no reader of its stream is any more. */
#define GAP_LAG	3

/*
 * Pages cached without a hole just before a miss. If they may reach down to the end of its stream,
 * look that far.
 */
static unsigned long trail(const struct ctxra_stream *s, const struct ctxra_request *rq,
			   const struct ctxra_facts *facts)
{
	unsigned long most = min(rq->ahead, CTXRA_MAX_TRAIL);

	if (rq->marker || rq->cached <= rq->nr || s->end >= rq->index - rq->cached)
		return rq->cached;
	return facts->ops->cached_before(facts->ctx, rq->index, min(rq->index - s->end, most));
}

/*
 * Pages cached before a miss of a candidate, if just the request before it is still to come: its
 * pages were read ahead and are unread, and those before them were used. If some of these are
 * unread, too, readers leave gaps.
 */
static unsigned long trail_beyond_one(const struct ctxra_stream *s, const struct ctxra_request *rq,
				      const struct ctxra_facts *facts)
{
	unsigned long behind = rq->index - min(rq->index, rq->nr), nr = min(behind, 4 * rq->nr);
	unsigned long most = min(rq->ahead, CTXRA_MAX_TRAIL);
	struct ctxra_use use;

	if (!nr || s->end > behind)
		return 0;
	use = facts->ops->sample_use(facts->ctx, behind - nr, nr);
	if (!ctxra_use_all_read(&use))
		return 0;
	return rq->nr + facts->ops->cached_before(facts->ctx, behind, min(behind, most));
}

/*
 * A marker must not be skipped if its reader would come to a missing page before the next marker.
 * A window that ctxra_window_ahead() left out does not count, because its own miss opens it and
 * brings a marker: it is a whole window, and the next page is cached. Open another hole.
 */
static enum ctxra_verdict look_before_skip(struct ctxra_stream *s, const struct ctxra_request *rq,
					   const struct ctxra_facts *facts,
					   struct ctxra_window *win)
{
	unsigned long hole = ctxra_sat_add(rq->index, rq->cached), end;

	if (s->kind != CTXRA_FORWARD || s->drops || s->win_cap || ctxra_stream_goes_down(s) ||
	    !rq->cached || hole >= rq->eof)
		return CTXRA_SKIP_MARKER;
	if (rq->in_order && facts->ops->is_cached(facts->ctx, hole))
		return CTXRA_SKIP_MARKER;
	if (!s->reordered || !s->win_size)
		return CTXRA_STOCK;
	ctxra_window_bounds(s, s->win_size, hole, &end);
	if (end >= rq->eof || facts->ops->is_cached(facts->ctx, end))
		return CTXRA_SKIP_MARKER;
	ctxra_window_fill(s, rq, hole, win);
	return CTXRA_OPEN;
}

/**
 * ctxra_confirm - cut a window to its missing pages
 * @rq: the request
 * @facts: asked for the pages of the window
 * @win: from ctxra_decide(); cut
 *
 * Return: CTXRA_OPEN, or what to do instead because all of the window is cached.
 */
enum ctxra_verdict ctxra_confirm(const struct ctxra_request *rq, const struct ctxra_facts *facts,
				 struct ctxra_window *win)
{
	if (facts->ops->trim(facts->ctx, win, rq->index))
		return CTXRA_OPEN;
	return rq->marker ? CTXRA_SKIP_MARKER : CTXRA_FILLED;
}

/*
 * Pages that the stock code would read at a miss because of the cached pages before it
 * ("context readahead"), 0 if it would read just the request.
 */
static unsigned long stock_window(const struct ctxra_request *rq, const struct ctxra_facts *facts)
{
	unsigned long trail;

	if (!rq->followed)
		return 0;
	trail = facts->ops->trail(facts->ctx, rq->index, rq->win);
	return min3(trail + rq->nr, rq->win, rq->eof - rq->index);
}

/*
 * Leave a miss to the stock code if it opens a window that reaches farther than ours. It is judged
 * as ours would be, so that the stream can be trusted. The stock code reads upwards, so it is no
 * help to a reader that goes down.
 */
static bool leave_window(struct ctxra_stream *s, const struct ctxra_request *rq,
			 const struct ctxra_facts *facts, struct ctxra_window *win)
{
	unsigned long nr, end = win->start + win->nr;

	if (s->kind != CTXRA_FORWARD || !s->early || ctxra_governor_is_trusted(s) || s->win_cap ||
	    win->ahead || s->direction < 0)
		return false;
	nr = stock_window(rq, facts);
	if (!nr || end >= rq->index + nr)
		return false;
	*win = (struct ctxra_window){ .start = rq->index, .nr = nr, .marker = rq->index + nr - 1 };
	s->end = max(s->end, rq->index + nr);
	if (nr < rq->win)
		nr = rounddown_pow_of_two(nr);
	s->win_size = max_t(unsigned long, s->win_size, nr);
	ctxra_governor_count_window(s, rq, win);
	return true;
}

/*
 * Count a window that is to be opened. If it will be judged, cut it first: pages that were cached
 * before tell nothing of this readahead. Other windows are cut later, without the lock of the set,
 * but note what will be cut: these pages may be missing, and not read.
 */
static enum ctxra_verdict count_window(struct ctxra_stream *s, const struct ctxra_request *rq,
				       const struct ctxra_facts *facts, struct ctxra_window *win)
{
	struct ctxra_window cut = *win;
	enum ctxra_verdict verdict = ctxra_confirm(rq, facts, &cut);

	if (verdict == CTXRA_OPEN)
		ctxra_ahead_note_cut(s, &cut, win->start, win->start + win->nr);
	if (s->probe_nr)
		verdict = CTXRA_OPEN;
	else
		*win = cut;
	if (verdict == CTXRA_OPEN)
		ctxra_governor_count_window(s, rq, win);
	return verdict;
}

/*
 * Are some of the gaps in a range of a stream wide enough to be left out? Readers that leave out
 * pages here and there read through the others.
 */
static bool has_wide_gaps(const struct ctxra_facts *facts, unsigned long start, unsigned long nr)
{
	unsigned int i, wide = 0;

	for (i = 0; i < CTXRA_SAMPLES && wide < CTXRA_SPARSE_GAPS; i++) {
		const struct ctxra_use use =
			facts->ops->sample_use(facts->ctx, start + i * (nr / CTXRA_SAMPLES),
					       CTXRA_MIN_GAP);

		wide += use.unused + use.absent == CTXRA_MIN_GAP;
	}
	return wide >= CTXRA_SPARSE_GAPS;
}

/*
 * Do the readers of a stream leave gaps that nobody reads, as free-running readers of columns do?
 * Some may be far behind the foremost one, so look where none is any more, from the window on that
 * is judged next. Pages that were read ahead before are unread there, and others are missing.
 * Missing pages alone may be those that some of the readers drop.
 */
static bool leaves_gaps(const struct ctxra_stream *s, const struct ctxra_request *rq,
			const struct ctxra_facts *facts)
{
	unsigned long reach = ctxra_reach(rq), end = rq->index - min(rq->index, GAP_LAG * reach);
	struct ctxra_use use;
	unsigned long nr;

	if (s->kind != CTXRA_FORWARD || rq->in_order || s->drops || !s->probe_nr ||
	    end < s->probe_start + reach)
		return false;
	nr = min(end - s->probe_start, 4 * reach);
	use = facts->ops->sample_use(facts->ctx, end - nr, nr);
	return use.used && min(use.unused, use.gaps) >= CTXRA_SPARSE_GAPS &&
	       ctxra_use_known(&use) >= CTXRA_SAMPLES / 2 &&
	       4 * (use.unused + use.absent) >= ctxra_use_known(&use) &&
	       has_wide_gaps(facts, end - nr, nr);
}

/* Were pages above a marker read, as they were if its reader goes backwards? */
static bool is_read_behind(const struct ctxra_stream *s, const struct ctxra_request *rq,
			   const struct ctxra_facts *facts)
{
	unsigned long start = ctxra_sat_add(rq->index, rq->nr);
	struct ctxra_use use;

	if (start >= s->end)
		return true;
	use = facts->ops->sample_use(facts->ctx, start, min(s->end - start, 2 * rq->win));
	return s->drops || 3 * use.used >= use.unused + use.absent;
}

/*
 * Is a miss that leaves a gap a step, or some, from the last miss near it? Those of a connection
 * are. Random reads are by chance, and seldom, because most steps between them are many requests.
 */
static bool is_in_step(const struct ctxra_stream *near, const struct ctxra_request *rq)
{
	return near->step && ctxra_stream_step_to(near, rq) % near->step == 0;
}

/*
 * A reader that is far ahead of its stream misses a page, or meets a marker of such a piece: read
 * the window that the stream would read there, instead of a piece of it. The stream stays where it
 * is. It is not judged by these windows, because it comes to them late, but they use up its trust,
 * until that is full.
 */
static bool open_beyond(struct ctxra_set *set, const struct ctxra_file *file,
			const struct ctxra_request *rq, struct ctxra_stream *found,
			struct ctxra_window *win)
{
	unsigned long hole = ctxra_sat_add(rq->index, rq->cached);
	struct ctxra_stream *s;

	if (ctxra_stock_follows(rq) || !(rq->patterns & BIT(CTXRA_REORDER)) ||
	    rq->index >= rq->eof || rq->nr > rq->win)
		return false;
	if (found && found->kind != CTXRA_CANDIDATE && found->kind != CTXRA_STRIDED)
		return false;
	/* A miss behind cached pages is of a stream of its own. */
	if (rq->marker ? !found || !found->kind || !rq->cached || hole >= rq->eof : rq->cached)
		return false;
	if (!rq->marker && (!found || !is_in_step(found, rq)))
		return false;
	s = ctxra_set_find_behind(set, file, rq);
	if (!s)
		return false;
	if (found && found->kind)
		ctxra_lru_free(&set->lru, found);
	if (rq->marker) {
		ctxra_window_fill(s, rq, hole, win);
		win->pattern = CTXRA_REORDER;
	} else {
		ctxra_window_beyond(s, rq, win);
	}
	ctxra_governor_use_trust(s);
	return true;
}

/**
 * ctxra_decide - find or start the stream of a request, and follow it
 * @set: the streams of the file's set; updated
 * @file: the file
 * @rq: the request, from ctxra_request_init()
 * @facts: asked for up to 12 * CTXRA_SAMPLES + 2 pages, for up to a window (CTXRA_MAX_TRAIL) at a
 *	marker, and to trim a window that is opened
 * @win: set for CTXRA_OPEN, see ctxra_stream_follow()
 *
 * Context: any; the caller serialises calls for one set.
 * Return: what to do with the call. After CTXRA_OPEN the caller asks ctxra_confirm().
 */
enum ctxra_verdict ctxra_decide(struct ctxra_set *set, const struct ctxra_file *file,
				const struct ctxra_request *rq, const struct ctxra_facts *facts,
				struct ctxra_window *win)
{
	const struct ctxra_facts_ops *ask = facts->ops;
	struct ctxra_request full = *rq;
	enum ctxra_verdict verdict;
	struct ctxra_window probe;
	struct ctxra_stream *s;
	unsigned long page;

	s = ctxra_set_find(set, file, rq);
	if (open_beyond(set, file, rq, s, win))
		return CTXRA_OPEN;
	if (s)
		full.cached = trail(s, rq, facts);
	else if (ctxra_stream_should_start(rq))
		s = ctxra_set_start(set, file, rq);
	else
		return CTXRA_STOCK;
	if (ctxra_stream_was_left(s, &full, set->now)) {
		/* As many would restart it if it were in use. */
		if (++s->holes_in_row > CTXRA_MAX_HOLES_IN_ROW)
			ctxra_lru_free(&set->lru, s);
		return CTXRA_STOCK;
	}
	ctxra_thrash_rest(s, rq, set->now);
	if (ctxra_stream_probe_due(s, rq, &probe)) {
		struct ctxra_use use = ask->sample_use(facts->ctx, probe.start, probe.nr);

		ctxra_stream_judge(s, set->budget, rq->win, &use);
	}
	if (leaves_gaps(s, rq, facts)) {
		ctxra_stream_restart(s, rq);
		s->gappy = true;
	}
	full.in_flight = !rq->marker && ask->is_in_flight(facts->ctx, rq->index);
	if (!rq->marker && !rq->in_order && !ctxra_governor_is_trusted(s))
		full.followed = ask->trail(facts->ctx, rq->index, rq->nr + 1) > rq->nr;
	if (!s->kind && full.followed && !full.cached)
		full.cached = trail_beyond_one(s, rq, facts);
	if (ctxra_stream_may_be_stale(s, &full, &page))
		full.dropped = !ask->is_cached(facts->ctx, page) &&
			       !ask->is_in_flight(facts->ctx, page);
	if (s->kind == CTXRA_BACKWARD && rq->marker)
		full.read_behind = is_read_behind(s, rq, facts);
	verdict = ctxra_stream_follow(s, set->budget, &full, win);
	if (verdict == CTXRA_SKIP_MARKER)
		verdict = look_before_skip(s, rq, facts, win);
	if (verdict == CTXRA_OPEN && leave_window(s, &full, facts, win))
		verdict = CTXRA_STOCK;
	if (verdict == CTXRA_OPEN)
		verdict = count_window(s, rq, facts, win);
	ctxra_set_touch(set, s);
	return verdict;
}
