// SPDX-License-Identifier: GPL-2.0-only
#include <linux/math.h>
#include <linux/minmax.h>

#include "grow.h"

/* The next window is at most that many times what was read so far, or the last window. */
#define GROWTH		4
/* Pages looked at in each stretch of a run, about. */
#define SAMPLES		8

/**
 * nra_is_expected_marker - whether a marker is the one that a reader in sequence comes to
 * @last: the file's last window
 * @index: first page of the folio that carries the marker
 * @folio_pages: pages in it, a power of two
 *
 * The stock code's own test. Its answer is to open a window that continues @last.
 */
bool nra_is_expected_marker(const struct nra_window *last, unsigned long index,
			    unsigned long folio_pages)
{
	return index == round_down(last->start + last->size - last->async_size, folio_pages);
}

static bool nra_stretch_is_read(unsigned long from, unsigned long nr, nra_is_read_fn is_read,
				void *data)
{
	/* Odd, so that a stride of a power of two does not look whole. */
	unsigned long step = (nr / SAMPLES) | 1, i;

	for (i = 1; i < nr; i += step)
		if (!is_read(data, from + nr - i))
			return false;
	return is_read(data, from);
}

/**
 * nra_run_length - look back for what was read without a gap
 * @end: the page after the last one that was read
 * @unit: length of the nearest stretch, pages; each further one is as long as all so far
 * @max: how much is enough, pages
 * @is_read: looks at one page
 * @data: for @is_read
 *
 * A stretch counts if its first page, its last one and a few between them were used.
 *
 * Return: the stretches that count, up to the first that does not.
 */
struct nra_run nra_run_length(unsigned long end, unsigned long unit, unsigned long max,
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
 * nra_next_window - how large the next window is to be
 * @size: the last window, pages
 * @mount_pages: the readahead that the mount has, pages
 * @max_window: the largest window, pages
 * @run: what was read up to the marker in the last window
 *
 * What begins in the middle of a file may be a piece of it: it has to go on for twice the
 * mount's readahead, and for as much as the last window. The start of a file is for the
 * stock code too a hint that all of it will be read: half a window does.
 *
 * Return: pages, more than @size; or 0, if it is to be what the stock code makes it.
 */
unsigned int nra_next_window(unsigned int size, unsigned long mount_pages,
			     unsigned long max_window, const struct nra_run *run)
{
	unsigned long need = run->from_start ? size / 2 : max(2 * mount_pages, (unsigned long)size);
	unsigned long next = min3((unsigned long)size * GROWTH, run->pages * GROWTH, max_window);

	/* Not yet ramped up; the newest kernels cut a window to a multiple of its folios. */
	if (size < mount_pages / 2)
		return 0;
	if (run->pages < need || next <= size)
		return 0;
	return next;
}

/**
 * nra_enlarge_window - make a window one that is followed by a larger one
 * @last: the window; its end, and its marker, stay where they are
 * @size: pages, at least as many as the file's readahead
 *
 * The stock code makes the window that follows an expected marker no smaller than the last
 * one, even beyond the file's readahead: max(ra->size, get_next_ra_size()), there for
 * MADV_HUGEPAGE. @start may wrap below 0: only start + size is used.
 */
void nra_enlarge_window(struct nra_window *last, unsigned int size)
{
	last->start -= size - last->size;
	last->size = size;
}
