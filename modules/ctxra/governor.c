// SPDX-License-Identifier: GPL-2.0-only
/*
 * Readahead is paid for by use: a new stream takes a token and may open few windows until
 * the first of them is seen to have been used, and one whose pages go unused, or are
 * reclaimed before they are used, gets smaller windows and in the end none. docs/ctxra.md
 * says why ("The governor").
 */
#include <linux/kernel.h>

#include "governor.h"

/*
 * A new stream may open this many windows before the first of them is seen to have been
 * used; then eight times as many before it is looked at again; then any number.
 */
#define INITIAL_TRUST	2
#define TRUST_GROWTH	8
#define FULL_TRUST	128

/*
 * Tokens, one for each new stream. One whose first window was used gives two back;
 * random reads give none, and then get two small windows in 2048 calls: below 1 %.
 */
#define INITIAL_TOKENS	4
#define MAX_TOKENS	64
#define CALLS_PER_TOKEN	2048

/*
 * A trusted stream's windows are looked at too, now and then: so many calls after one was
 * opened, and when its readers are so many times the reach away from it; or after so many.
 */
#define PROBE_MIN_CALLS	8
#define PROBE_REACHES	16
#define PROBE_MAX_CALLS	200

/*
 * As many times the reach away from pages whose use is doubted nobody is just late: others
 * read there, who did not leave those pages.
 */
#define OTHER_READER_REACHES	4

/* No window is made smaller than this for want of memory, pages. */
#define MIN_CAP	8UL

/**
 * ctxra_budget_init - the budget of a set that no file has used
 * @budget: filled in
 */
void ctxra_budget_init(struct ctxra_budget *budget)
{
	budget->tokens = INITIAL_TOKENS;
	budget->calls = 0;
}

/**
 * ctxra_budget_count_call - a call has come to this set
 * @budget: of the set; now and then it gets a token for nothing
 */
void ctxra_budget_count_call(struct ctxra_budget *budget)
{
	if (++budget->calls < CALLS_PER_TOKEN)
		return;
	budget->calls = 0;
	if (budget->tokens < INITIAL_TOKENS)
		budget->tokens++;
}

/**
 * ctxra_governor_init - this stream has just become known
 * @s: the stream
 */
void ctxra_governor_init(struct ctxra_stream *s)
{
	s->trust = INITIAL_TRUST;
	s->windows_opened = 0;
}

/**
 * ctxra_governor_trusts - whether a stream may open another window
 * @s: the stream
 *
 * Return: false if one that it has opened has to be seen to have been used first.
 */
bool ctxra_governor_trusts(const struct ctxra_stream *s)
{
	return !s->kind || s->trust >= FULL_TRUST || s->windows_opened < s->trust;
}

/* Pages between the request and the window whose use is to be judged. */
static unsigned long distance_from_probe(const struct ctxra_stream *s, const struct ctxra_request *rq)
{
	unsigned long end = s->probe_start + s->probe_nr;

	if (rq->index > end)
		return rq->index - end;
	return s->probe_start - min(s->probe_start, rq->index);
}

/**
 * ctxra_governor_distrusts_marker - whether a marker is one of a window whose use is doubted
 * @s: the stream
 * @rq: the request, at a marker
 *
 * One of the file's own window would be there without us, and a window away from what is
 * unused others read.
 *
 * Return: true if it is.
 */
bool ctxra_governor_distrusts_marker(const struct ctxra_stream *s, const struct ctxra_request *rq)
{
	return s->distrusted && !s->reordered && !rq->in_order && distance_from_probe(s, rq) <= rq->ahead;
}

/**
 * ctxra_governor_is_other_reader - whether a doubted stream's request is of other readers
 * @s: the stream
 * @rq: the request
 *
 * Return: true if it is too far from the pages whose use is doubted to be of who left them.
 */
bool ctxra_governor_is_other_reader(const struct ctxra_stream *s, const struct ctxra_request *rq)
{
	return s->distrusted && distance_from_probe(s, rq) > OTHER_READER_REACHES * ctxra_reach(rq);
}

/* Halve the stream's windows. */
static void ctxra_governor_shrink(struct ctxra_stream *s, unsigned long least)
{
	s->win_cap = max_t(unsigned long, max(s->win_size, s->win_cap) / 2, least);
	s->win_size = min(s->win_size, s->win_cap);
}

/*
 * Was this page read ahead, and nobody has come as far yet? At the end of the file there is no
 * call that would tell that its last window was used.
 */
static bool is_unread_readahead(const struct ctxra_stream *s, const struct ctxra_request *rq)
{
	if (s->kind == CTXRA_BACKWARD)
		return rq->index >= s->start && rq->index < s->reader_pos;
	return rq->index >= s->reader_pos && rq->index < s->end && s->end < rq->eof;
}

/**
 * ctxra_governor_shrink_on_thrash - make windows smaller that are too large for the memory that there is
 * @s: the stream
 * @rq: the request
 *
 * They are if the page asked for was read ahead, and reclaimed before it was used. Windows
 * of the file's own state are as good a reason as ours; they are of a reader in order, who
 * needs no trial.
 */
void ctxra_governor_shrink_on_thrash(struct ctxra_stream *s, const struct ctxra_request *rq)
{
	if (!(rq->patterns & BIT(CTXRA_THRASH)) || !rq->evicted || rq->in_flight)
		return;
	/* Once for what was read ahead then, however many of its pages are missed. */
	if (s->win_cap && rq->index >= s->shrunk_at && rq->index - s->shrunk_at < 2 * s->win_cap)
		return;
	if (rq->evicted_window && s->trust < FULL_TRUST) {
		s->kind = CTXRA_FORWARD;
		s->trust = FULL_TRUST;
		s->win_size = rq->evicted_window;
		s->start = min(s->start, rq->index - min(rq->nr, rq->index));
		s->end = max(s->end, rq->index);
	} else if (!s->win_size || !is_unread_readahead(s, rq)) {
		return;
	}
	ctxra_governor_shrink(s, max(rq->nr, MIN_CAP));
	s->shrunk_at = rq->index;
}

/**
 * ctxra_governor_count_window - a window is being opened
 * @s: its stream
 * @win: the window: how it was used will be looked at, unless that is so of another one
 */
void ctxra_governor_count_window(struct ctxra_stream *s, const struct ctxra_window *win)
{
	s->windows_opened = min(s->windows_opened + 1, U8_MAX);
	if (s->probe_nr)
		return;
	s->probe_start = win->start;
	s->probe_nr = win->nr;
	s->probe_age = 0;
}

/**
 * ctxra_governor_probe_due - whether it is time to look at how a window was used
 * @s: the stream
 * @rq: the request that it has now
 * @probe: set to the window's pages, if it is
 *
 * When enough calls have been made since it was opened, and the readers are so far from it
 * that nobody is late; or when many calls have been made.
 *
 * Return: true if ctxra_governor_judge() is to be called.
 */
bool ctxra_governor_probe_due(const struct ctxra_stream *s, const struct ctxra_request *rq,
			  struct ctxra_window *probe)
{
	if (!s->probe_nr)
		return false;
	*probe = (struct ctxra_window){ .start = s->probe_start, .nr = s->probe_nr };
	if (s->trust < FULL_TRUST)
		return s->windows_opened >= s->trust;
	if (s->probe_age < PROBE_MIN_CALLS)
		return false;
	return distance_from_probe(s, rq) >= PROBE_REACHES * ctxra_reach(rq) || s->probe_age >= PROBE_MAX_CALLS;
}

static void ctxra_governor_demote(struct ctxra_stream *s)
{
	s->kind = CTXRA_CANDIDATE;
	s->trust = 0;
	s->end = s->start;
	s->requested = 0;
	s->hits = 0;
	s->win_size = 0;
	s->win_cap = 0;
}

/**
 * ctxra_governor_judge - let what is read for a stream follow the use that is made of it
 * @s: the stream
 * @budget: of its set
 * @use: of the pages of ctxra_governor_probe_due()
 */
void ctxra_governor_judge(struct ctxra_stream *s, struct ctxra_budget *budget,
			  const struct ctxra_use *use)
{
	/* What was read ahead was cached: now it is not, as its reader dropped it. */
	unsigned int used = use->used + use->absent, unused = use->unused;

	if (s->trust < FULL_TRUST) {
		/* Until almost all of it was used, there is nothing more for it. */
		s->distrusted = 4 * unused > used;
		if (!used || s->distrusted)
			return;
		s->trust *= TRUST_GROWTH;
		s->windows_opened = 0;
		if (s->on_trial)
			budget->tokens = min(budget->tokens + 2, MAX_TOKENS);
		s->on_trial = false;
	} else if (unused > used && used + unused >= 4) {
		ctxra_governor_shrink(s, 1);
		/* Not worth more than what is asked for: no stream, and others have to wait. */
		if (s->win_cap < 2 * s->last_nr) {
			budget->tokens /= 2;
			ctxra_governor_demote(s);
		}
	} else if (8 * unused <= used) {
		/* What was taken is given back slowly: memory is as short as it was. */
		s->win_cap += DIV_ROUND_UP(s->win_cap, 8);
	}
	s->probe_nr = 0;
}
