// SPDX-License-Identifier: GPL-2.0-only
/* minmax.h of 6.2 to 6.5 uses it, and does not include it. */
#include <linux/build_bug.h>
#include <linux/minmax.h>

#include "decide.h"

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
					      nra_read_length(marker->prev, end, &marker->read),
					      marker->io_pages);
	run = nra_run_measure(end, max(unit, 1UL), nra_run_enough(last->size, &limits),
			      marker->page, marker->data);
	run.unsure = nra_may_skip(marker->prev, &marker->read);
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
