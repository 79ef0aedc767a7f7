// SPDX-License-Identifier: GPL-2.0-only
/* What a call to the readahead code tells of its stream. Pure: it asks by ctxra_facts_ops. */
#include <linux/kernel.h>

#include "request.h"
#include "stream.h"
#include "window.h"

/**
 * ctxra_args_in_order - whether the stock code can follow the reader by the file's own state
 * @args: the call
 *
 * These are its own tests: for a marker, that the state expects it; for a miss, that it is at
 * the start of the file or next to the page that was read last.
 */
bool ctxra_args_in_order(const struct ctxra_args *args)
{
	unsigned long marker = args->ra_start + args->ra_size - args->ra_async_size;

	if (args->folio_nr)
		return args->ra_size && args->index == round_down(marker, args->folio_nr);
	return !args->index || args->index - args->prev_index <= 1;
}

/**
 * ctxra_stock_reads_all - whether the stock code would read a file to its end at a marker
 * @args: the call
 *
 * A reader's own state is empty where ctxra opened all windows that it read from. If one of them
 * begins with a marker, at the start of the file, the stock code takes that for the marker of the
 * empty window, and opens the next one, of no pages. page_cache_ra_order() of 6.17 and later takes
 * no pages at the start of a file for all of them.
 */
bool ctxra_stock_reads_all(const struct ctxra_args *args)
{
	return args->folio_nr && !args->ra_size &&
	       args->index == round_down(args->ra_start - args->ra_async_size, args->folio_nr);
}

/* Was a page read, or is it of a gap (cached or dropped, and not read), as far as we can tell? */
static bool is_page(const struct ctxra_facts *facts, unsigned long index, bool of_gap)
{
	const struct ctxra_use use = facts->ops->sample_use(facts->ctx, index, 1);

	return of_gap ? use.unused || use.absent : use.used;
}

/*
 * Are there pieces a step apart in the @nr pages before @end, where a reader is, with gaps that are
 * worth leaving out? A reader that leaves out pages here and there follows no stride.
 */
static bool has_steps(const struct ctxra_facts *facts, unsigned long end, unsigned long nr)
{
	unsigned long first = end - nr, low = end - min(nr, CTXRA_MAX_TRAIL);
	unsigned long piece = end, gap, step, i;

	while (piece > low && is_page(facts, piece - 1, false))
		piece--;
	gap = piece;
	while (gap > low && is_page(facts, gap - 1, true))
		gap--;
	step = end - gap;
	if (piece == end || piece - gap < ctxra_wide_gap(end - piece))
		return false;
	for (i = 1; i <= CTXRA_SPARSE_GAPS; i++) {
		piece -= step;
		if (piece <= first || piece > end || !is_page(facts, piece, false) ||
		    !is_page(facts, piece - 1, true))
			return false;
	}
	return true;
}

/* Does this reader follow a stride, of which the stock code reads the gaps, too? */
static bool is_sparse_behind(const struct ctxra_args *args, const struct ctxra_facts *facts)
{
	unsigned long nr = min(args->prev_index, 2 * args->win);
	struct ctxra_use use;

	if (args->prev_index >= args->index || args->index - args->prev_index > 2 * args->win)
		return false;
	use = facts->ops->sample_use(facts->ctx, args->prev_index - nr, nr);
	return ctxra_use_is_sparse(&use) && has_steps(facts, args->prev_index, nr);
}

/* Pages of the file's own window, if the page that it missed was reclaimed from there. */
static unsigned long evicted_window(const struct ctxra_args *args)
{
	/* Not at the start of the file, because it may be read a second time. */
	if (!args->index || args->index < args->ra_start ||
	    args->index - args->ra_start >= args->ra_size)
		return 0;
	return args->ra_size;
}

/**
 * ctxra_request_init - find out what a call tells of its stream
 * @rq: filled in
 * @args: the call
 * @facts: asked for the pages around it
 */
void ctxra_request_init(struct ctxra_request *rq, const struct ctxra_args *args,
			const struct ctxra_facts *facts)
{
	const struct ctxra_facts_ops *ask = facts->ops;

	*rq = (struct ctxra_request){
		.index = args->index,
		.nr = args->nr,
		.win = args->win,
		.ahead = args->ahead,
		.grown = args->grown,
		.eof = args->eof,
		.since_prev = args->index - args->prev_index,
		.patterns = args->patterns,
		.marker = args->folio_nr,
		.in_order = ctxra_args_in_order(args),
	};
	if (rq->marker) {
		if (rq->in_order) {
			rq->cached = args->ra_start + args->ra_size - args->index;
			rq->sparse = rq->patterns & BIT(CTXRA_STRIDE) &&
				     is_sparse_behind(args, facts);
		} else {
			rq->cached = ask->cached_from(facts->ctx, rq->index,
						     max(rq->win, rq->grown));
		}
		return;
	}
	if (!rq->in_order)
		/* A trail that is longer than the request is all that a new stream needs. */
		rq->cached = ask->cached_before(facts->ctx, rq->index,
						min3(rq->nr + 1, rq->ahead, CTXRA_MAX_TRAIL));
	rq->evicted = ask->is_evicted(facts->ctx, rq->index);
	if (rq->evicted && rq->in_order)
		rq->evicted_window = evicted_window(args);
}
