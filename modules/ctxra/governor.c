// SPDX-License-Identifier: GPL-2.0-only
/*
 * Readahead has to prove that it is read. A new stream takes a token and opens a few windows
 * until the first of them is found read. A stream whose pages stay unread, or are evicted
 * unread, gets smaller windows and in the end none. docs/ctxra.md has the reasons
 * ("The governor").
 */
#include <linux/kernel.h>

#include "governor.h"

/*
 * Windows that a new stream may open before the first of them must be found read. After that
 * it may open TRUST_GROWTH times as many before the next proof. From FULL_TRUST on it needs
 * none.
 */
#define INITIAL_TRUST		2
#define TRUST_GROWTH		8
#define FULL_TRUST		128

/*
 * Each new stream takes a token. A stream whose first window was read returns two. Random reads
 * return none, and so get two small windows per CALLS_PER_TOKEN calls: below 1 % of their pages.
 */
#define INITIAL_TOKENS		4
#define MAX_TOKENS		64
#define CALLS_PER_TOKEN		2048

/*
 * A trusted stream's windows are sampled now and then: at least PROBE_MIN_CALLS calls after
 * the window was opened, when the reader is PROBE_REACHES reaches away from it, and in any
 * case after PROBE_MAX_CALLS calls.
 */
#define PROBE_MIN_CALLS		8
#define PROBE_REACHES		16
#define PROBE_MAX_CALLS		200

/*
 * Beyond this many reaches from the distrusted window a request comes from another reader,
 * not from a late one.
 */
#define OTHER_READER_REACHES	4

/*
 * Before full trust, windows for requests smaller than this fraction of the largest window begin
 * with EARLY_REQUESTS requests, and may double after each WINDOWS_PER_STEP windows.
 */
#define SMALL_REQUEST		64
#define EARLY_REQUESTS		16UL
#define WINDOWS_PER_STEP	4

/* Pages. Evicted readahead makes no window smaller than this. */
#define MIN_CAP			8UL

/* Set up a budget that no file has used. */
void ctxra_budget_init(struct ctxra_budget *budget)
{
	budget->tokens = INITIAL_TOKENS;
	budget->calls = 0;
	budget->starts = 0;
}

/*
 * Calls on several sets may have the same budget at the same time. Then a change may be lost, but
 * a budget without tokens must not wrap: so read once, and write what follows from that.
 */
static void ctxra_budget_set(struct ctxra_budget *budget, u32 tokens)
{
	WRITE_ONCE(budget->tokens, tokens);
}

/* Take a token. Return: false if there is none. */
bool ctxra_budget_take(struct ctxra_budget *budget)
{
	u32 tokens = READ_ONCE(budget->tokens);

	if (!tokens)
		return false;
	ctxra_budget_set(budget, tokens - 1);
	return true;
}

/**
 * ctxra_budget_count_call - count a call
 * @budget: of the file; gets a token per CALLS_PER_TOKEN calls, up to INITIAL_TOKENS
 */
void ctxra_budget_count_call(struct ctxra_budget *budget)
{
	u32 calls = READ_ONCE(budget->calls) + 1, tokens;

	WRITE_ONCE(budget->calls, calls < CALLS_PER_TOKEN ? calls : 0);
	if (calls < CALLS_PER_TOKEN)
		return;
	tokens = READ_ONCE(budget->tokens);
	if (tokens < INITIAL_TOKENS)
		ctxra_budget_set(budget, tokens + 1);
}

/* Give a stream that was just recognised its first trust. */
void ctxra_governor_init(struct ctxra_stream *s)
{
	s->trust = INITIAL_TRUST;
	s->windows_opened = 0;
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

/**
 * ctxra_governor_win_limit - how large the windows of a stream may grow for now
 * @s: the stream
 * @rq: its current request
 *
 * Random reads of a hot area chance to prove a small window, and then would read large ones for
 * single pages. So before full trust the windows of such small requests grow in steps.
 *
 * Return: pages; ULONG_MAX if there is no such limit.
 */
unsigned long ctxra_governor_win_limit(const struct ctxra_stream *s,
				       const struct ctxra_request *rq)
{
	if (!s->trust || s->trust >= FULL_TRUST || rq->nr >= rq->win / SMALL_REQUEST)
		return ULONG_MAX;
	return EARLY_REQUESTS * rq->nr << min(s->windows_opened / WINDOWS_PER_STEP, 16);
}

/* Pages between the request and the window that is to be judged. */
static unsigned long distance_from_probe(const struct ctxra_stream *s,
					 const struct ctxra_request *rq)
{
	unsigned long end = s->probe_start + s->probe_nr;

	if (rq->index > end)
		return rq->index - end;
	return s->probe_start - min(s->probe_start, rq->index);
}

/**
 * ctxra_governor_distrusts_marker - whether a marker belongs to readahead that is unread
 * @s: the stream
 * @rq: the request, at a marker
 *
 * Not so for the marker that the file's own state expects, because the stock code would have
 * put it there without us, nor for one far from the unread window, because others read there.
 */
bool ctxra_governor_distrusts_marker(const struct ctxra_stream *s, const struct ctxra_request *rq)
{
	return s->distrusted && !s->reordered && !rq->in_order &&
	       distance_from_probe(s, rq) <= rq->ahead;
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
	       distance_from_probe(s, rq) > OTHER_READER_REACHES * ctxra_reach(rq);
}

/* Halve the stream's windows. */
static void ctxra_governor_shrink(struct ctxra_stream *s, unsigned long least)
{
	s->win_cap = max_t(unsigned long, max(s->win_size, s->win_cap) / 2, least);
	s->win_size = min(s->win_size, s->win_cap);
}

/*
 * Was this page read ahead, and has no reader come as far? Not at the end of the file: no
 * call would follow that could tell that its last window was read.
 */
static bool is_unread_readahead(const struct ctxra_stream *s, const struct ctxra_request *rq)
{
	if (s->kind == CTXRA_BACKWARD)
		return rq->index >= s->start && rq->index < s->reader_pos;
	return rq->index >= s->reader_pos && rq->index < s->end && s->end < rq->eof;
}

/**
 * ctxra_governor_shrink_on_thrash - shrink windows that do not fit into memory
 * @s: the stream
 * @rq: the request
 *
 * Windows do not fit if the page was read ahead and evicted before it was read. An evicted
 * window of the file's own state counts as well. Its reader is in order, and needs no trial.
 */
void ctxra_governor_shrink_on_thrash(struct ctxra_stream *s, const struct ctxra_request *rq)
{
	if (!(rq->patterns & BIT(CTXRA_THRASH)) || !rq->evicted || rq->in_flight)
		return;
	/* Shrink once per evicted window, not once per missing page. */
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
 * ctxra_governor_count_window - count a window that is being opened
 * @s: its stream
 * @win: the window; it will be judged if no other one waits for that
 */
void ctxra_governor_count_window(struct ctxra_stream *s, const struct ctxra_window *win)
{
	s->windows_opened = min_t(int, s->windows_opened + 1, U8_MAX);
	if (s->probe_nr)
		return;
	s->probe_start = win->start;
	s->probe_nr = win->nr;
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
	if (!s->probe_nr)
		return false;
	*probe = (struct ctxra_window){ .start = s->probe_start, .nr = s->probe_nr };
	if (s->trust < FULL_TRUST)
		return s->windows_opened >= s->trust;
	if (s->probe_age < PROBE_MIN_CALLS)
		return false;
	return distance_from_probe(s, rq) >= PROBE_REACHES * ctxra_reach(rq) ||
	       s->probe_age >= PROBE_MAX_CALLS;
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
 * ctxra_governor_judge - adapt trust and window size to how a window was used
 * @s: the stream
 * @budget: of its file
 * @use: of the pages of ctxra_governor_probe_due()
 */
void ctxra_governor_judge(struct ctxra_stream *s, struct ctxra_budget *budget,
			  const struct ctxra_use *use)
{
	/* Absent pages were read ahead, so they were cached once: their reader dropped them. */
	unsigned int used = use->used + use->absent, unused = use->unused;

	if (used)
		s->drops = use->absent > use->used;
	if (s->trust < FULL_TRUST) {
		/* No further window until 4/5 of the first one has been read. */
		s->distrusted = 4 * unused > used;
		if (!used || s->distrusted)
			return;
		s->trust *= TRUST_GROWTH;
		s->windows_opened = 0;
		if (s->on_trial)
			ctxra_budget_set(budget, min_t(u32, READ_ONCE(budget->tokens) + 2,
						       MAX_TOKENS));
		s->on_trial = false;
	} else if (unused > used && used + unused >= 4) {
		ctxra_governor_shrink(s, 1);
		/* Windows of less than two requests are not worth a stream: delay new ones. */
		if (s->win_cap < 2 * s->last_nr) {
			ctxra_budget_set(budget, READ_ONCE(budget->tokens) / 2);
			ctxra_governor_demote(s);
		}
	} else if (8 * unused <= used) {
		/* Grow the cap by 1/8 only: memory is probably still short. */
		s->win_cap += DIV_ROUND_UP(s->win_cap, 8);
	}
	s->probe_nr = 0;
}
