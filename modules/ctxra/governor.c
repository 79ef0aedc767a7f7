// SPDX-License-Identifier: GPL-2.0-only
/*
 * Readahead has to prove that it is read. A new stream takes a token and opens a few windows
 * until the first of them is found read. A stream whose pages stay unread, or are evicted
 * unread, gets smaller windows and in the end none. docs/design/ctxra.md has the reasons
 * ("The governor").
 */
#include <linux/kernel.h>

#include "ahead.h"
#include "budget.h"
#include "governor.h"

/*
 * Windows that a new stream may open before the first of them must be found read. Then its
 * windows grow in steps, and it may open GROWING_TRUST of each size before that is proved, too. If
 * its first windows had their full size, it may then open PROVEN_TRUST. From FULL_TRUST on it needs
 * no proof.
 */
#define INITIAL_TRUST		2
#define GROWING_TRUST		4
#define PROVEN_TRUST		16
#define FULL_TRUST		128
/* Requests in a row that go the same way, without which evicted pages delay a proof. */
#define MOVING_REQUESTS		8
/* A step of the windows before full trust. */
#define GROWTH			4UL

/*
 * A trusted stream's windows are sampled now and then: at least PROBE_MIN_CALLS calls after
 * the window was opened, when the reader is PROBE_REACHES reaches away from it, and in any
 * case after PROBE_MAX_CALLS calls.
 */
#define PROBE_MIN_CALLS		8
#define PROBE_REACHES		16
/*
 * Of a stream in order whose readers had paused until its readahead was evicted. None is late, and
 * its windows, which grow with each sample, would be small for long.
 */
#define PROBE_REACHES_PAUSED	2
#define PROBE_MAX_CALLS		200

/*
 * Beyond this many reaches from the distrusted window a request comes from another reader,
 * not from a late one.
 */
#define OTHER_READER_REACHES	4

/* Before full trust a stream's first window has so many requests at most. */
#define FIRST_REQUESTS		16UL
/* On trial all its windows have. */
#define TRIAL_REQUESTS		4UL

/* Give a stream that was just recognised its first trust. */
void ctxra_governor_init(struct ctxra_stream *s)
{
	s->trust = INITIAL_TRUST;
	s->windows_opened = 0;
}

/*
 * Was a window of this stream found read, and does one more wait to be judged, if it needs that?
 * Otherwise windows that are not judged could use up the trust, and nothing would bring it back.
 */
bool ctxra_governor_has_proof(const struct ctxra_stream *s)
{
	return s->trust >= FULL_TRUST || (s->trust > INITIAL_TRUST && s->probe_nr);
}

/* A window is opened for a stream: of its trust that is one less. */
void ctxra_governor_use_trust(struct ctxra_stream *s)
{
	s->windows_opened = min_t(int, s->windows_opened + 1, U8_MAX);
}

/**
 * ctxra_governor_trusts - whether a stream may open another window
 * @s: the stream
 *
 * Return: false if a window that it opened must be found read first.
 */
bool ctxra_governor_trusts(const struct ctxra_stream *s)
{
	return !s->kind || s->trust >= FULL_TRUST || s->windows_opened < s->trust;
}

/* A stream needs no further proof. */
void ctxra_governor_trust_fully(struct ctxra_stream *s)
{
	s->trust = FULL_TRUST;
}

/* Has each size of its windows proved to be read? */
bool ctxra_governor_is_trusted(const struct ctxra_stream *s)
{
	return s->trust >= FULL_TRUST;
}

/**
 * ctxra_governor_limit - limit windows to what a stream may have
 * @s: the stream
 * @rq: its current request
 *
 * Return: the request, with the windows of this stream. They are larger than the device's only if
 * its readahead is read for sure.
 */
struct ctxra_request ctxra_governor_limit(struct ctxra_stream *s, const struct ctxra_request *rq)
{
	struct ctxra_request limited = *rq;

	if (s->win_cap >= max(rq->win, rq->grown))
		s->win_cap = 0;
	if (s->kind == CTXRA_FORWARD && s->trust >= FULL_TRUST && !ctxra_stream_goes_down(s))
		limited.win = max(rq->win, rq->grown);
	if (s->win_cap)
		limited.win = min(limited.win, max_t(unsigned long, s->win_cap, rq->nr));
	if (s->win_cap || limited.win != rq->win)
		limited.ahead = limited.win;
	return limited;
}

/**
 * ctxra_governor_first_limit - how large the first window of a stream may be
 * @s: the stream
 * @rq: its current request
 *
 * Return: pages; ULONG_MAX if there is no such limit.
 */
unsigned long ctxra_governor_first_limit(const struct ctxra_stream *s,
					 const struct ctxra_request *rq)
{
	if (s->on_trial)
		return TRIAL_REQUESTS * rq->nr;
	return s->trust < FULL_TRUST ? FIRST_REQUESTS * rq->nr : ULONG_MAX;
}

/**
 * ctxra_governor_next_size - how large the next window of a stream may be
 * @s: the stream, which has had a window
 * @next: the size that it would have by the steps of the stock code, pages
 *
 * Random reads of a hot area chance to prove a window of a few pages, but nearly never one of many.
 * So before full trust each size has to be proved before the next. The steps are large, so that a
 * stream needs few of them.
 *
 * Return: pages; the caller limits it.
 */
unsigned long ctxra_governor_next_size(const struct ctxra_stream *s, unsigned long next)
{
	if (s->trust >= FULL_TRUST)
		return next;
	return s->on_trial || s->windows_opened ? s->win_size : GROWTH * s->win_size;
}

/* Pages between a page and the window that is to be judged. */
static unsigned long distance_from_probe(const struct ctxra_stream *s, unsigned long index)
{
	unsigned long end = s->probe_start + s->probe_nr;

	if (index > end)
		return index - end;
	return s->probe_start - min(s->probe_start, index);
}

/**
 * ctxra_governor_is_other_reader - whether another reader came to a distrusted stream
 * @s: the stream
 * @rq: the request
 *
 * Return: true if the request is too far from the unread window for the readers that left it.
 */
bool ctxra_governor_is_other_reader(const struct ctxra_stream *s, const struct ctxra_request *rq)
{
	return s->distrusted &&
	       distance_from_probe(s, rq->index) > OTHER_READER_REACHES * ctxra_reach(rq);
}

/* Halve a stream's windows. They become no smaller than @least pages. */
void ctxra_governor_shrink(struct ctxra_stream *s, unsigned long least)
{
	s->win_cap = max_t(unsigned long, max(s->win_size, s->win_cap) / 2, least);
	s->win_size = min(s->win_size, s->win_cap);
}

/* The longer part of a window that was not requested; 0 pages if all of it was. */
static void ctxra_readahead_of(const struct ctxra_window *win, const struct ctxra_request *rq,
			       unsigned long *start, unsigned long *nr)
{
	unsigned long end = win->start + win->nr, rq_end = ctxra_sat_add(rq->index, rq->nr);
	unsigned long before, behind;

	*start = win->start;
	*nr = win->nr;
	if (win->ahead)
		return;
	before = rq->index - win->start;
	behind = end - min(rq_end, end);
	*nr = max(before, behind);
	if (behind >= before)
		*start = end - behind;
}

/**
 * ctxra_governor_count_window - count a window that is being opened
 * @s: its stream
 * @rq: the request that opens it
 * @win: the window; it will be judged if no other one waits for that
 *
 * The pages that were requested prove nothing, because their reader waits for them. A window of
 * hardly any other pages is no readahead: these may be pages that a reader dropped. But where
 * memory was short, windows may be as small as the requests: all of such a window is judged, or
 * they would never grow.
 */
void ctxra_governor_count_window(struct ctxra_stream *s, const struct ctxra_request *rq,
				 const struct ctxra_window *win)
{
	unsigned long start, nr;

	/* The piece that a strided stream requests is no readahead. */
	if (s->kind == CTXRA_STRIDED && !win->ahead)
		return;
	ctxra_readahead_of(win, rq, &start, &nr);
	if (nr <= ctxra_narrow_gap(rq)) {
		if (!s->win_cap)
			return;
		start = win->start;
		nr = win->nr;
	}
	ctxra_governor_use_trust(s);
	if (s->probe_nr)
		return;
	s->probe_start = start;
	s->probe_nr = nr;
	s->probe_age = 0;
}

/**
 * ctxra_governor_probe_due - whether it is time to sample how a window was used
 * @s: the stream
 * @rq: its current request
 * @probe: set to the window
 *
 * Without full trust it is when the stream has used up its trust. For a trusted stream see
 * PROBE_MIN_CALLS: at that distance from the window no reader is late.
 *
 * Return: true if the caller must sample @probe and call ctxra_governor_judge().
 */
bool ctxra_governor_probe_due(const struct ctxra_stream *s, const struct ctxra_request *rq,
			      struct ctxra_window *probe)
{
	bool paused = s->win_cap && s->paused && !s->reordered;
	unsigned long reaches = paused ? PROBE_REACHES_PAUSED : PROBE_REACHES;

	if (!s->probe_nr)
		return false;
	*probe = (struct ctxra_window){ .start = s->probe_start, .nr = s->probe_nr };
	if (s->trust < FULL_TRUST)
		return s->windows_opened >= s->trust;
	if (s->probe_age < PROBE_MIN_CALLS)
		return false;
	return distance_from_probe(s, rq->index) >= reaches * ctxra_reach(rq) ||
	       s->probe_age >= PROBE_MAX_CALLS;
}

/**
 * ctxra_governor_demote - make a stream a candidate, of whose range nothing was requested
 * @s: the stream; it keeps its place, its step, and whether it missed an evicted page
 */
void ctxra_governor_demote(struct ctxra_stream *s)
{
	s->kind = CTXRA_CANDIDATE;
	s->trust = 0;
	s->end = s->start;
	s->unbroken = s->end;
	s->requested = 0;
	s->hits = 0;
	s->followed = 0;
	s->win_size = 0;
	s->win_cap = 0;
	s->on_trial = false;
	s->early = false;
	s->probe_nr = 0;
	s->direction = 0;
	s->distrusted = false;
}

/*
 * May a window that was found read be a proof? Where memory is short, random reads chance to read a
 * small window, or bring its pages back after it was evicted unread. Absent pages may have been
 * dropped by others, as by an NFS client that saw its file change. Such readers do not move on.
 */
static bool moves_on(const struct ctxra_stream *s, const struct ctxra_use *use)
{
	return (!s->again && !use->absent) || s->kind == CTXRA_STRIDED ||
	       abs(s->direction) >= MOVING_REQUESTS;
}

/*
 * Will the window that is to be judged never tell? It was evicted, and the readers are far from it.
 * While they are near they may bring it back.
 */
static bool is_lost(const struct ctxra_stream *s, unsigned long win, const struct ctxra_use *use)
{
	/* reader_pos is the highest page where readers go down in steps. */
	unsigned long readers_at = s->direction < 0 ? s->last_index : s->reader_pos;

	return use->evicted && !ctxra_use_known(use) && !use->unclear &&
	       distance_from_probe(s, readers_at) >= PROBE_REACHES * 2 * win;
}

/**
 * ctxra_governor_judge - adapt trust and window size to how a window was used
 * @s: the stream
 * @budget: of its file
 * @win: largest window that may be opened, pages
 * @use: of the pages of ctxra_governor_probe_due()
 */
void ctxra_governor_judge(struct ctxra_stream *s, struct ctxra_budget *budget,
			  unsigned long win, const struct ctxra_use *use)
{
	/* Absent pages were read ahead, so they were cached once: their reader dropped them. */
	unsigned int used = use->used + use->absent, unused = use->unused;
	/*
	 * A proof has to be clear. Evicted pages are none: where random reads come back to a window
	 * that was evicted unread, the pages that they request are the only ones that are cached.
	 */
	unsigned int unproved = unused + use->unclear + use->evicted;
	unsigned long most = s->win_cap ? min_t(unsigned long, win, s->win_cap) : win;

	if (used)
		s->drops = use->absent > use->used + use->unclear;
	if (s->trust < FULL_TRUST && is_lost(s, win, use)) {
		ctxra_governor_demote(s);
	} else if (s->trust < FULL_TRUST) {
		/* No further window until 4/5 of the first one has been read. */
		s->distrusted = 4 * unused > used;
		if (!used || 4 * unproved > used || !moves_on(s, use))
			return;
		if (s->kind != CTXRA_STRIDED && s->win_size < most)
			s->trust = GROWING_TRUST;
		else
			s->trust = s->trust == INITIAL_TRUST ? PROVEN_TRUST : FULL_TRUST;
		s->windows_opened = 0;
		if (s->on_trial && !s->early)
			ctxra_budget_give(budget,
					  ctxra_use_known(use) >= CTXRA_SAMPLES / 2 ? 4 : 1);
		if (s->trust >= FULL_TRUST) {
			ctxra_budget_give(budget, 4);
			ctxra_budget_give_early(budget, 4 + s->early);
			s->early = false;
		}
		s->on_trial = false;
	} else if (unused > used && used + unused >= 4) {
		ctxra_governor_shrink(s, 1);
		/* Windows of less than two requests are not worth a stream: delay new ones. */
		if (s->win_cap < 2 * s->last_nr) {
			ctxra_budget_halve(budget);
			ctxra_governor_demote(s);
		}
	} else if (8 * unused <= used) {
		/* Grow the cap by 1/8 only: memory is probably still short. */
		s->win_cap += DIV_ROUND_UP(s->win_cap, 8);
	}
	s->probe_nr = 0;
}
