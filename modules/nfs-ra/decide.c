// SPDX-License-Identifier: GPL-2.0-only
/* minmax.h of 6.2 to 6.5 uses it, and does not include it. */
#include <linux/build_bug.h>
#include <linux/minmax.h>

#include "decide.h"

/* Pages before a marker that the read() which hits it may have copied already. */
#define MOST_BACK	64

/*
 * Set the largest window of a run from the start of a file, and note the window that its reader
 * has come to.
 */
static void nra_use_habit(const struct nra_marker *marker, const struct nra_run *run,
			  struct nra_limits *limits)
{
	unsigned long end = marker->last.start + marker->last.size;

	if (!limits->max_window || !run->from_start || !run->pages)
		return;
	limits->from_start = nra_habit_window(marker->habit, run->pages, end, marker->eof,
					      marker->usual);
	nra_habit_note(marker->habit, marker->last.start, end, marker->eof, marker->usual);
}

/*
 * Whether nra_read_length() is not only the rest of a read(). If pages may have been left out
 * before it, that is its length with them, and so enough, unless it came from elsewhere.
 */
static bool nra_length_is_known(const struct nra_marker *marker, unsigned long end, bool unsure)
{
	return nra_begin_is_known(marker->prev, &marker->read) || (unsure && end);
}

/**
 * nra_decide - how large to make the next window
 * @marker: the marker, and the read() that hits it
 *
 * Return: pages, or 0 to leave the size to the stock code.
 */
unsigned int nra_decide(const struct nra_marker *marker)
{
	const struct nra_window *last = &marker->last;
	/* Only earlier reads are proof: the pages of this read() are not read yet. */
	unsigned long end = nra_run_end(marker->prev, &marker->read, marker->page, marker->data);
	unsigned long length = nra_read_length(marker->prev, end, &marker->read);
	unsigned long unit = min(marker->mount_pages, marker->usual) / 2;
	struct nra_limits limits = {
		.file_pages = marker->file_pages,
		.mount_pages = marker->mount_pages,
		.usual = marker->usual,
		.max_window = marker->max_window,
		.memory = marker->memory,
	};
	struct nra_run run;

	limits.smallest = nra_smallest_window(last->size, marker->mount_pages, marker->usual,
					      length, marker->io_pages);
	run = nra_run_measure(end, max(unit, 1UL), nra_run_enough(last->size, &limits),
			      marker->page, marker->data);
	run.unsure = nra_may_skip(marker->prev, &marker->read);
	limits.read = limits.smallest;
	if (nra_length_is_known(marker, end, run.unsure))
		limits.read = min(length, marker->io_pages);
	nra_use_habit(marker, &run, &limits);
	return nra_next_window(last->size, &limits, &run);
}

/**
 * nra_limits_folios - whether the folios of the next window have to be limited
 * @marker: the marker, and the read() that hits it
 * @next: of nra_decide()
 *
 * The stock code enlarges folios with each window, and keeps the size of a window that has grown.
 * A large read() opens windows of up to a READ without the module.
 *
 * Return: true if the window will be larger than without the module.
 */
bool nra_limits_folios(const struct nra_marker *marker, unsigned int next)
{
	return next || (marker->max_window &&
			marker->last.size > max(marker->mount_pages, marker->io_pages));
}

/*
 * The page behind those that were read ahead from @from on, and not read. They end before @most, or
 * it is 0. They lie in one piece, so few looks find their end.
 */
static unsigned long nra_unread_end(const struct nra_marker *marker, unsigned long from,
				    unsigned long most)
{
	enum nra_page found;

	if (marker->page(marker->data, from) != NRA_PAGE_UNREAD ||
	    marker->page(marker->data, most) == NRA_PAGE_UNREAD)
		return 0;
	while (most - from > 1) {
		unsigned long middle = from + (most - from) / 2;

		if (marker->page(marker->data, middle) == NRA_PAGE_UNREAD)
			from = middle;
		else
			most = middle;
	}
	/* Pages that somebody has read follow: that reader reads on. */
	found = marker->page(marker->data, most);
	return found == NRA_PAGE_ABSENT || found == NRA_PAGE_EVICTED ? most : 0;
}

/* Where reads ended before a marker, not farther back than a read() may reach; 0: nowhere. */
static unsigned long nra_read_before(const struct nra_marker *marker)
{
	unsigned long index = marker->read.index, back;

	for (back = 0; back <= MOST_BACK && back < index; back += back + 1)
		if (marker->page(marker->data, index - back - 1) == NRA_PAGE_READ)
			return index - back;
	return 0;
}

/*
 * Whether so much was read before a marker that the window behind it may have grown. Two windows of
 * the stock code, side by side, are as large as one that has.
 */
static bool nra_may_have_grown(const struct nra_marker *marker)
{
	unsigned long end = nra_read_before(marker);
	struct nra_run run = {};

	if (end)
		run = nra_run_measure(end, marker->usual / 2, nra_run_grows(marker->usual),
				      marker->page, marker->data);
	return run.pages && (run.from_start || run.pages >= nra_run_grows(marker->usual));
}

/**
 * nra_take_over - have a reader go on behind a window that another has grown
 * @marker: a marker that is not the expected one, and the read() that hits it
 * @window: set to what has to be the file's last window for that
 *
 * At such a marker, as of a program that opens a file anew for each part of it, the stock code
 * looks for the end of the cached pages, and opens a window there. It looks as far as its own
 * windows reach. Behind a larger one nothing would be read ahead, and each reader would wait at its
 * end.
 *
 * Return: true if the window has grown, as far as can be known, and is set.
 */
bool nra_take_over(const struct nra_marker *marker, struct nra_window *window)
{
	unsigned long index = marker->read.index, end;
	unsigned long size = marker->file_pages;
	unsigned long reach = max(size, min(marker->read.req, marker->io_pages));

	if (marker->max_window <= reach + 1)
		return false;
	end = nra_unread_end(marker, index + reach, index + marker->max_window);
	if (!end || !nra_may_have_grown(marker))
		return false;
	*window = (struct nra_window){
		.start = end - size,
		.size = size,
		.async_size = end - index,
	};
	return true;
}
