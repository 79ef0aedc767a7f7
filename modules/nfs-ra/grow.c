// SPDX-License-Identifier: GPL-2.0-only
#include <linux/math.h>
#include <linux/minmax.h>

#include "grow.h"

/* Limit of the next window: so many times the last window, and so many times the run. */
#define GROWTH		4
/* Pages sampled per stretch of a run, about. */
#define SAMPLES		8

/**
 * nra_is_expected_marker - whether a marker is the one that a sequential reader hits next
 * @last: the file's last window
 * @index: first page of the folio that carries the marker
 * @folio_pages: pages in it, a power of two
 *
 * This is the stock code's own test. If it holds, the stock code opens a window after @last.
 */
bool nra_is_expected_marker(const struct nra_window *last, unsigned long index,
			    unsigned long folio_pages)
{
	return index == round_down(last->start + last->size - last->async_size, folio_pages);
}

static bool nra_stretch_is_read(unsigned long from, unsigned long nr, nra_is_read_fn is_read,
				void *data)
{
	/* Odd, so that a power-of-two stride does not pass for a sequence. */
	unsigned long step = (nr / SAMPLES) | 1, i;

	for (i = 1; i < nr; i += step)
		if (!is_read(data, from + nr - i))
			return false;
	return is_read(data, from);
}

/**
 * nra_run_measure - measure how much was read in sequence
 * @end: the page after the last one that was read
 * @unit: pages of the nearest stretch; each further stretch is as long as all nearer ones
 * @max: pages that are enough
 * @is_read: tells whether a page was read
 * @data: for @is_read
 *
 * A stretch counts if its first page, its last page and a few between them were read.
 *
 * Return: the stretches up to the first that does not count.
 */
struct nra_run nra_run_measure(unsigned long end, unsigned long unit, unsigned long max,
			       nra_is_read_fn is_read, void *data)
{
	struct nra_run run = {};

	while (run.pages < max && run.pages < end) {
		unsigned long nr = min(run.pages ?: unit, end - run.pages);

		if (!nra_stretch_is_read(end - run.pages - nr, nr, is_read, data))
			break;
		run.pages += nr;
	}
	run.from_start = run.pages == end;
	return run;
}

/**
 * nra_next_window - how large to make the next window
 * @size: the last window, pages
 * @mount_pages: the mount's readahead, pages
 * @max_window: the largest window, pages
 * @run: what was read in sequence
 *
 * A run in the middle of a file may be a short piece: it must cover twice the mount's readahead,
 * and as much as the last window. A run from the start of the file must cover half a window only,
 * because the stock code, too, takes the start as a hint that the whole file will be read.
 *
 * Return: pages, more than @size; or 0 to leave the size to the stock code.
 */
unsigned int nra_next_window(unsigned int size, unsigned long mount_pages,
			     unsigned long max_window, const struct nra_run *run)
{
	unsigned long need = run->from_start ? size / 2 : max(2 * mount_pages, (unsigned long)size);
	unsigned long next = min3((unsigned long)size * GROWTH, run->pages * GROWTH, max_window);

	/* The stock code still ramps up. Half: the newest kernels cut a window to whole folios. */
	if (size < mount_pages / 2)
		return 0;
	if (run->pages < need || next <= size)
		return 0;
	return next;
}

/**
 * nra_enlarge_window - make the last window as large as the next one is to be
 * @last: the window; its end and its marker stay in place
 * @size: pages, at least the file's readahead
 *
 * At an expected marker the stock code makes the next window no smaller than the last one, even
 * beyond the file's readahead: max(ra->size, get_next_ra_size()), which is for MADV_HUGEPAGE.
 * start may wrap below 0, because the stock code only uses start + size.
 */
void nra_enlarge_window(struct nra_window *last, unsigned int size)
{
	last->start -= size - last->size;
	last->size = size;
}
