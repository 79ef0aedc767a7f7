// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stream policy of ctxra: see stream.h for the terms, docs/ctxra.md for why.
 *
 * In short: a request that joins on to an earlier one, or fills a hole that
 * earlier ones left, is a hit. Three hits on a stretch of which at least half
 * was asked for make a stream dense; requests that are the same step apart, with
 * gaps that nobody reads, make it strided. What is then read for it is decided in
 * window.c, and how much may be in governor.c.
 */
#include <linux/kernel.h>

#include "governor.h"
#include "stream.h"
#include "window.h"

/*
 * Hits that make a stream dense. Random reads have one by chance, some of them
 * two; a stream found by mistake costs more than one found a request late.
 */
#define DENSE_HITS	3
/* Hits that are proof enough to open a window without a token. */
#define TOKENLESS_HITS	16
/* Misses of one step after which a gap is looked at; one more makes a stream strided. */
#define EQUAL_STEPS	2
/* Gaps that are less are cheaper to read than to leave out, on any disk: pages. */
#define MIN_GAP	8UL
/* Stretches in a row, at the other end, that turn a stream around. */
#define DIRECTION_REQUESTS	3
#define MAX_DIRECTION	100
/*
 * Requests in a row that may leave holes before a dense stream is doubted. Shuffled
 * readers fill their holes within a few requests, random reads never do.
 */
#define MAX_HOLES_IN_ROW	16

static bool same_file(const struct ctxra_file *a, const struct ctxra_file *b)
{
	return a->mapping == b->mapping && a->ino == b->ino && a->generation == b->generation;
}

/* Pages between the request and the stream; 0 if they touch or overlap. */
static unsigned long distance(const struct ctxra_stream *s, const struct ctxra_request *rq)
{
	unsigned long end = ctxra_sat_add(rq->index, rq->nr);

	if (rq->index > s->end)
		return rq->index - s->end;
	if (end < s->start)
		return s->start - end;
	return 0;
}

/**
 * ctxra_stream_find - find the stream that a request belongs to
 * @streams: the table's set for this file
 * @nr: entries in @streams
 * @file: the file asked of
 * @rq: the request
 *
 * The nearest stream within reach wins; of two equally near, one that is known.
 *
 * Return: the stream, or NULL if none is near.
 */
struct ctxra_stream *ctxra_stream_find(struct ctxra_stream *streams, unsigned int nr,
				       const struct ctxra_file *file,
				       const struct ctxra_request *rq)
{
	unsigned long best = ctxra_reach(rq);
	/* A stream within reach ends here or later, and begins here or before. */
	const unsigned long min_end = rq->index - min(best, rq->index);
	const unsigned long max_start = ctxra_sat_add(ctxra_sat_add(rq->index, rq->nr), best);
	struct ctxra_stream *found = NULL;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		struct ctxra_stream *s = &streams[i];
		unsigned long d;

		/* Of most streams that is all there is to know: keep it short. */
		if (s->file.mapping != file->mapping || s->end < min_end || s->start > max_start)
			continue;
		if (!same_file(&s->file, file))
			continue;
		d = distance(s, rq);
		if (d > best || (d == best && found && (found->kind || !s->kind)))
			continue;
		best = d;
		found = s;
	}
	return found;
}

/* Observe anew from this request on. */
static void ctxra_stream_restart(struct ctxra_stream *s, const struct ctxra_request *rq)
{
	s->start = rq->index;
	s->end = ctxra_sat_add(rq->index, rq->nr);
	s->reader_pos = rq->index;
	s->requested = rq->nr;
	s->probe_nr = 0;
	s->win_size = 0;
	s->win_cap = 0;
	s->kind = CTXRA_CANDIDATE;
	s->hits = 0;
	s->holes_in_row = 0;
	s->direction = 0;
	s->trust = 0;
	s->reordered = false;
	s->on_trial = false;
	s->distrusted = false;
}

/**
 * ctxra_stream_should_start - whether a request of no known stream begins one
 * @rq: the request
 *
 * One that the stock code follows well does not, so that files which one reader
 * reads in order cost no entry.
 *
 * Return: true if ctxra_stream_start() is to be called.
 */
bool ctxra_stream_should_start(const struct ctxra_request *rq)
{
	if (rq->ahead > rq->win || (rq->evicted_window && rq->patterns & BIT(CTXRA_THRASH)) || rq->sparse)
		return true;
	/* A marker whose window has no end in sight: the stock code passes it by. */
	return !rq->in_order && !(rq->marker && !rq->cached);
}

/**
 * ctxra_stream_start - make an entry a new stream that this request may begin
 * @s: the entry, of ctxra_lru_victim()
 * @file: the file
 * @rq: the request, which ctxra_stream_follow() must be given next
 *
 * What the page cache holds next to the request counts as asked for before:
 * the trail that a stream leaves, also one that was never in the table.
 */
void ctxra_stream_start(struct ctxra_stream *s, const struct ctxra_file *file,
			const struct ctxra_request *rq)
{
	*s = (struct ctxra_stream){
		.lru = s->lru, .file = *file, .last_index = rq->index, .last_nr = rq->nr,
	};
	ctxra_stream_restart(s, rq);
	if (rq->marker) {
		s->end = ctxra_sat_add(rq->index, max(rq->cached, 1UL));
		s->requested = s->end - s->start;
		/* Pieces, with a step that their misses will tell. */
		if (rq->sparse) {
			s->kind = CTXRA_STRIDED;
			ctxra_governor_init(s);
		}
		return;
	}
	/* Begin with what was there before; nothing (start == end) joins nothing. */
	s->start = rq->index - min(rq->cached, rq->index);
	s->end = rq->index;
	s->requested = s->end - s->start;
}

/* Is this stream, with pages in [@start, @end), dense? For a trial at least. */
static bool ctxra_stream_try(struct ctxra_stream *s, struct ctxra_budget *budget, unsigned long start,
		    unsigned long end)
{
	if (s->hits < DENSE_HITS || 2UL * s->requested < end - start)
		return false;
	if (s->hits < TOKENLESS_HITS) {
		if (!budget->tokens)
			return false;
		budget->tokens--;
		s->on_trial = true;
	}
	s->kind = CTXRA_FORWARD;
	ctxra_governor_init(s);
	return true;
}

static void count_hit(struct ctxra_stream *s)
{
	s->hits = min(s->hits + 1, U8_MAX);
}

/* The stretch grew at its end, or at its start. */
static void note_direction(struct ctxra_stream *s, bool upwards)
{
	if (upwards)
		s->direction = min(max(s->direction, 0) + 1, MAX_DIRECTION);
	else
		s->direction = max(min(s->direction, 0) - 1, -MAX_DIRECTION);
}

static bool leaves_gap(const struct ctxra_stream *s, const struct ctxra_request *rq)
{
	return s->step >= rq->nr + max(ctxra_narrow_gap(rq) + 1, MIN_GAP);
}

/*
 * How far is this miss from the one before, and was it so before? Once that is known,
 * readers that share the pieces may come in any order.
 */
static void ctxra_measure_step(struct ctxra_stream *s, const struct ctxra_request *rq)
{
	unsigned long step = rq->index > s->last_index ? rq->index - s->last_index : s->last_index - rq->index;

	s->last_index = rq->index;
	s->last_nr = rq->nr;
	if (!step)
		return;
	if (rq->cached) {
		/* Somebody read up to here: no gap. */
		s->equal_steps = 0;
	} else if (step == s->step ||
		   (s->kind == CTXRA_STRIDED && s->step && step % s->step == 0)) {
		s->equal_steps = min(s->equal_steps + 1, U8_MAX);
	} else {
		s->step = step;
		s->equal_steps = 0;
	}
}

static bool is_strided(const struct ctxra_stream *s, const struct ctxra_request *rq)
{
	return rq->patterns & BIT(CTXRA_STRIDE) && s->equal_steps > EQUAL_STEPS && leaves_gap(s, rq);
}

/*
 * Backwards is what goes down, request by request, for longer than requests are out of
 * order; until then its misses open cells as those of any dense stream. A reader in order is
 * below the stream, too, while it comes from there.
 */
static void ctxra_update_direction(struct ctxra_stream *s, const struct ctxra_request *rq)
{
	u8 kind = s->kind;

	if (s->direction >= DIRECTION_REQUESTS)
		s->kind = CTXRA_FORWARD;
	else if (s->direction <= -DIRECTION_REQUESTS && !rq->in_order &&
		 rq->patterns & BIT(CTXRA_REVERSE) &&
		 s->end - min(s->start, rq->index) >= ctxra_reach(rq))
		s->kind = CTXRA_BACKWARD;
	if (s->kind != kind)
		s->reader_pos = rq->index;
}

/*
 * A reader met a marker: the stream is read on at its end. The stock code opens
 * a window here too; what it lacks, without the stream's own state, is where the
 * end is and how large the window should be.
 */
static enum ctxra_verdict ctxra_follow_marker(struct ctxra_stream *s, struct ctxra_budget *budget,
					const struct ctxra_request *rq, struct ctxra_window *win)
{
	enum ctxra_verdict verdict;
	unsigned long end;

	if (s->kind == CTXRA_STRIDED)
		return s->equal_steps >= EQUAL_STEPS && ctxra_governor_trusts(s) ?
		       ctxra_window_next_piece(s, rq, win) : CTXRA_SKIP_MARKER;
	if (s->kind == CTXRA_BACKWARD) {
		note_direction(s, false);
		return ctxra_window_below(s, rq, win);
	}
	/*
	 * No end of the lapses: who leaves a hole meets the marker of the window
	 * that was opened for it.
	 */
	count_hit(s);
	/* The page cache knows better than we do what is there. */
	end = max(s->end, ctxra_sat_add(rq->index, max(rq->cached, 1UL)));
	s->requested = min_t(unsigned long, U32_MAX, s->requested + (end - s->end));
	s->end = end;
	if (!s->kind && !ctxra_stream_try(s, budget, s->start, end))
		return CTXRA_STOCK;
	if (!(rq->patterns & BIT(CTXRA_TRAIL)))
		return CTXRA_STOCK;
	if (!ctxra_governor_trusts(s))
		return ctxra_governor_distrusts_marker(s, rq) ? CTXRA_SKIP_MARKER : CTXRA_STOCK;
	verdict = ctxra_window_ahead(s, rq, s->reordered ? 2 : 1, win);
	if (verdict == CTXRA_OPEN)
		note_direction(s, true);
	return verdict;
}

/* Does the user want the window that this miss would have? */
static bool may_open(const struct ctxra_stream *s, const struct ctxra_request *rq, bool joins)
{
	return s->kind == CTXRA_BACKWARD ||
	       rq->patterns & (joins ? BIT(CTXRA_TRAIL) : BIT(CTXRA_REORDER));
}

/* A miss of a stream that may be dense, or strided, or nothing. */
static enum ctxra_verdict ctxra_follow_candidate(struct ctxra_stream *s, struct ctxra_budget *budget,
				      const struct ctxra_request *rq, bool joins,
				      struct ctxra_window *win)
{
	unsigned long start = min(s->start, rq->index);
	unsigned long end = max(s->end, ctxra_sat_add(rq->index, rq->nr));

	s->requested = min_t(unsigned long, U32_MAX, ctxra_sat_add(s->requested, rq->nr));
	if (is_strided(s, rq)) {
		s->kind = CTXRA_STRIDED;
		ctxra_governor_init(s);
		s->hits = 0;
		ctxra_window_piece(s, rq, win);
		return CTXRA_OPEN;
	}
	if (end - start > ctxra_reach(rq)) {
		ctxra_stream_restart(s, rq);
		return CTXRA_STOCK;
	}
	if (!may_open(s, rq, joins) || !ctxra_stream_try(s, budget, start, end)) {
		s->start = start;
		s->end = end;
		return CTXRA_STOCK;
	}
	ctxra_window_aligned(s, rq, joins, win);
	return CTXRA_OPEN;
}

static enum ctxra_verdict ctxra_follow_strided(struct ctxra_stream *s, const struct ctxra_request *rq,
					struct ctxra_window *win)
{
	/* Requests that leave no gap: it was another pattern. */
	if (!rq->cached && leaves_gap(s, rq))
		s->hits = 0;
	else
		count_hit(s);
	if (s->hits >= DENSE_HITS) {
		ctxra_stream_restart(s, rq);
		return CTXRA_STOCK;
	}
	ctxra_window_piece(s, rq, win);
	return CTXRA_OPEN;
}

static enum ctxra_verdict ctxra_follow_miss(struct ctxra_stream *s, struct ctxra_budget *budget,
				      const struct ctxra_request *rq, struct ctxra_window *win)
{
	unsigned long rq_end = ctxra_sat_add(rq->index, rq->nr), narrow = ctxra_narrow_gap(rq);
	/* In order: at the end, or behind pages that were read since. */
	bool joins = (s->kind || s->end > s->start) && rq->index >= s->end &&
		     rq->index - s->end <= max(rq->cached, narrow);
	/* In a hole, or just below the stretch. */
	bool fills = rq->index < s->end && ctxra_sat_add(rq_end, narrow) >= s->start;

	ctxra_measure_step(s, rq);
	if (rq_end > s->end && s->end > s->start)
		note_direction(s, true);
	else if (rq->index < s->start)
		note_direction(s, false);
	if (s->kind == CTXRA_STRIDED)
		return ctxra_follow_strided(s, rq, win);
	if (joins || fills) {
		count_hit(s);
		s->holes_in_row = 0;
	} else {
		s->holes_in_row = min(s->holes_in_row + 1, U8_MAX);
	}
	if (!s->kind)
		return ctxra_follow_candidate(s, budget, rq, joins, win);

	ctxra_update_direction(s, rq);
	/*
	 * Two readers that open one window at the same time get it in pieces.
	 * This one opens the next window instead: by then its page is there.
	 */
	if (rq->in_flight && s->kind == CTXRA_FORWARD && ctxra_governor_trusts(s) &&
	    rq->patterns & BIT(CTXRA_TRAIL) &&
	    ctxra_window_ahead(s, rq, 4, win) == CTXRA_OPEN)
		return CTXRA_OPEN;
	if (s->holes_in_row > MAX_HOLES_IN_ROW) {
		ctxra_stream_restart(s, rq);
		return CTXRA_STOCK;
	}
	if (!may_open(s, rq, joins) || !ctxra_governor_trusts(s)) {
		s->start = min(s->start, rq->index);
		s->end = max(s->end, rq_end);
		return CTXRA_STOCK;
	}
	ctxra_window_aligned(s, rq, joins, win);
	return CTXRA_OPEN;
}

/* Once known, only the neighbourhood of the end that moves matters. */
static void limit_length(struct ctxra_stream *s, const struct ctxra_request *rq)
{
	unsigned long reach = ctxra_reach(rq);

	if (!s->kind || s->end - s->start <= reach)
		return;
	if (s->kind == CTXRA_BACKWARD || (s->kind == CTXRA_STRIDED && s->direction < 0))
		s->end = s->start + reach;
	else
		s->start = s->end - reach;
}

/* What the user has taken out of the patterns since it was recognised. */
static void apply_patterns(struct ctxra_stream *s, const struct ctxra_request *rq)
{
	if (s->kind == CTXRA_BACKWARD && !(rq->patterns & BIT(CTXRA_REVERSE)))
		s->kind = CTXRA_FORWARD;
	if (s->kind == CTXRA_STRIDED && !(rq->patterns & BIT(CTXRA_STRIDE)))
		ctxra_stream_restart(s, rq);
}

/**
 * ctxra_stream_may_be_stale - whether a miss is at odds with what the stream takes for read
 * @s: the stream
 * @rq: the request; @rq->in_flight is filled in
 * @page: set, if it is, to the last page that the stream takes for read ahead
 *
 * A reader in order misses a page that the stream is past. It may be of a cell that was left
 * out; if that last page is missing too, all was dropped since, or reclaimed, and is read again.
 *
 * Return: true if @rq->dropped is to be filled in.
 */
bool ctxra_stream_may_be_stale(const struct ctxra_stream *s, const struct ctxra_request *rq,
			  unsigned long *page)
{
	if (s->kind != CTXRA_FORWARD || rq->marker || rq->in_flight || !rq->in_order)
		return false;
	*page = min(s->end, rq->eof) - 1;
	return rq->index < *page;
}

/* What was read ahead is gone: the stream goes on, or once more, with this request. */
static void restart_at(struct ctxra_stream *s, const struct ctxra_request *rq)
{
	s->start = rq->index;
	s->end = rq->index;
	s->reader_pos = rq->index;
	s->direction = 0;
	s->reordered = false;
}

/* How far have readers come? */
static void update_reader_pos(struct ctxra_stream *s, const struct ctxra_request *rq)
{
	if (s->kind == CTXRA_BACKWARD)
		s->reader_pos = min(s->reader_pos, rq->index);
	else
		s->reader_pos = max(s->reader_pos, ctxra_sat_add(rq->index, rq->nr));
}

/**
 * ctxra_stream_follow - take a request into its stream and decide what to read
 * @s: the stream, of ctxra_stream_find() or ctxra_stream_start(); updated
 * @budget: of the stream's set; updated
 * @rq: the request
 * @win: set when CTXRA_OPEN is returned: not past @rq->eof, at most @rq->win
 *	pages or, in pieces, those of the last miss, and with @rq->index in it unless
 *	it is @win->ahead. Some of it may be cached: the caller trims it to what is missing.
 *
 * Context: any; the caller serialises calls for one stream.
 * Return: what to do with the call.
 */
enum ctxra_verdict ctxra_stream_follow(struct ctxra_stream *s, struct ctxra_budget *budget,
				       const struct ctxra_request *rq, struct ctxra_window *win)
{
	struct ctxra_request capped = *rq;
	enum ctxra_verdict verdict;

	if (rq->index >= rq->eof || rq->nr > rq->win)
		return CTXRA_STOCK;
	ctxra_budget_count_call(budget);
	s->probe_age = min(s->probe_age + 1, U8_MAX);
	apply_patterns(s, rq);
	if (ctxra_governor_is_other_reader(s, rq))
		ctxra_stream_start(s, &s->file, rq);
	ctxra_governor_shrink_on_thrash(s, rq);
	if (rq->dropped)
		restart_at(s, rq);
	if (s->win_cap >= rq->win)
		s->win_cap = 0;
	if (s->win_cap) {
		capped.win = max_t(unsigned long, s->win_cap, rq->nr);
		capped.ahead = capped.win;
	}
	if (rq->marker)
		verdict = ctxra_follow_marker(s, budget, &capped, win);
	else
		verdict = ctxra_follow_miss(s, budget, &capped, win);
	limit_length(s, &capped);
	update_reader_pos(s, rq);
	if (verdict == CTXRA_OPEN) {
		if (s->win_cap)
			win->pattern = CTXRA_THRASH;
		if (s->kind != CTXRA_STRIDED || win->ahead)
			ctxra_governor_count_window(s, win);
	}
	return verdict;
}

/* A gap that what may be a strided stream has left, two pieces ago, and the page before it. */
static void stride_gap(const struct ctxra_stream *s, struct ctxra_window *probe)
{
	unsigned long piece = s->direction < 0 ? ctxra_sat_add(s->last_index, s->step) :
			      s->last_index - min(s->last_index, 2UL * s->step);

	probe->start = ctxra_sat_add(piece, s->last_nr - 1);
	probe->nr = s->step - s->last_nr + 1;
}

/**
 * ctxra_stream_probe_due - whether it is time to look at how pages were used
 * @s: the stream
 * @rq: the request that it has now
 * @probe: set to the pages, if it is
 *
 * A window is looked at when enough calls have been made since, and its readers are
 * so far from it that nobody is late; or when many calls have been made. So is a gap,
 * before a stream becomes strided: readers that are late may leave gaps, too.
 *
 * Return: true if ctxra_stream_judge() is to be called.
 */
bool ctxra_stream_probe_due(struct ctxra_stream *s, const struct ctxra_request *rq,
			struct ctxra_window *probe)
{
	if (!s->kind && s->equal_steps == EQUAL_STEPS && s->step > s->last_nr) {
		stride_gap(s, probe);
		return true;
	}
	return ctxra_governor_probe_due(s, rq, probe);
}

/**
 * ctxra_stream_judge - let what is read for a stream follow the use that is made of it
 * @s: the stream
 * @budget: of its set
 * @use: of the pages of ctxra_stream_probe_due()
 */
void ctxra_stream_judge(struct ctxra_stream *s, struct ctxra_budget *budget,
			const struct ctxra_use *use)
{
	unsigned int known = use->used + use->unused + use->absent;

	if (!s->kind) {
		/*
		 * Not a gap, or not as wide: late readers, or other pieces are cached. Where
		 * nothing is, not even the piece before the gap, there is no telling.
		 */
		if (!use->used || 8 * (use->unused + use->absent) < 3 * known)
			s->equal_steps = 0;
		return;
	}
	ctxra_governor_judge(s, budget, use);
}
