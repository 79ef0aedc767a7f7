// SPDX-License-Identifier: GPL-2.0-only
/* minmax.h of 6.2 to 6.5 uses it, and does not include it. */
#include <linux/build_bug.h>
#include <linux/math.h>
#include <linux/minmax.h>

#include "grow.h"
#include "habit.h"

/* Limit of the next window: so many times the last window, and so many times the run. */
#define GROWTH		4
/*
 * Windows that a run away from the start of a file covers before the next is twice as large. Two of
 * the new ones are ahead of a reader at a time. So what is fetched behind a piece is a sixteenth of
 * its length at most, in the mean half of that, or what the stock code fetches; more only where
 * memory is short.
 */
#define PIECE_WINDOWS	64
/*
 * A run from the start of a file that is longer than so many times the last window is taken for a
 * piece: its reader has not come from there, or the files of its mount are left early.
 */
#define START_WINDOWS	30
/* Pages that a reader may leave out and still go on in order. */
#define SKIPPED		8
/* Pages before a marker that may belong to the read() that hits it, where nobody knows. */
#define UNKNOWN_PAGES	32UL
/* Of a run that ends at evicted pages, so many times what one window may take of the memory. */
#define EVICTED_WINDOWS	16
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

static enum nra_page nra_stretch_look(unsigned long from, unsigned long nr, nra_page_fn page,
				      void *data)
{
	/* Odd, so that a power-of-two stride does not pass for a sequence. */
	unsigned long step = (nr / SAMPLES) | 1, i;
	enum nra_page found;

	for (i = 1; i < nr; i += step) {
		found = page(data, from + nr - i);
		if (found != NRA_PAGE_READ)
			return found;
	}
	return page(data, from);
}

/**
 * nra_begin_is_known - whether it is known where a read() began that hits a marker
 * @prev: the page after the last one that the read() before it copied
 * @read: the read()
 *
 * pread() tells nothing.
 */
bool nra_begin_is_known(unsigned long prev, const struct nra_read *read)
{
	return read->begin >= prev && read->begin < read->index + read->folio_pages;
}

/**
 * nra_may_skip - whether a read() may have begun behind where the one before it ended
 * @end: the page after the last one that the read() before it copied
 * @read: the read()
 *
 * Then the pages between them were read ahead, and not read. If nobody knows where a read() began,
 * as of pread(), it is taken to have wanted no more than twice as much before the marker as behind
 * it, or %UNKNOWN_PAGES.
 *
 * Return: true if a window should not grow for it.
 */
bool nra_may_skip(unsigned long end, const struct nra_read *read)
{
	return end <= read->index && !nra_begin_is_known(end, read) &&
	       read->index - end > max(2 * read->req, UNKNOWN_PAGES);
}

/**
 * nra_run_end - where the reads ended that led to a marker
 * @end: the page after the last one that the open file's last read() copied
 * @read: the read() that hits the marker
 * @page: looks up a page
 * @data: for @page
 *
 * The read() before this one may have been anywhere. If this one goes on where it ended, or a
 * little behind, all pages from there to the marker are cached.
 *
 * Return: @end, or 0 if the reader did not come that way; if a page between was evicted, the page
 *	after it, so that the run ends there.
 */
unsigned long nra_run_end(unsigned long end, const struct nra_read *read, nra_page_fn page,
			  void *data)
{
	unsigned long index = read->index, at = index;
	enum nra_page found;

	if (end > index)
		return 0;
	if (nra_begin_is_known(end, read) && read->begin - end > SKIPPED)
		return 0;
	while (at > end) {
		/* Four looks per doubling of the distance. */
		at -= min((index - at) / 4 + 1, at - end);
		found = page(data, at);
		if (found == NRA_PAGE_EVICTED)
			return at + 1;
		if (found == NRA_PAGE_ABSENT)
			return 0;
	}
	return end;
}

/**
 * nra_run_measure - measure how much was read in sequence
 * @end: the page after the last one that was read
 * @unit: pages of the nearest stretch; each further stretch is as long as all nearer ones
 * @max: pages that are enough
 * @page: looks up a page
 * @data: for @page
 *
 * A stretch counts if its first page, its last page and a few between them were read.
 *
 * Return: the stretches up to the first that does not count.
 */
struct nra_run nra_run_measure(unsigned long end, unsigned long unit, unsigned long max,
			       nra_page_fn page, void *data)
{
	struct nra_run run = {};

	while (run.pages < max && run.pages < end) {
		unsigned long nr = min(run.pages ?: unit, end - run.pages);
		enum nra_page found = nra_stretch_look(end - run.pages - nr, nr, page, data);

		run.evicted = found == NRA_PAGE_EVICTED;
		run.dropped = !run.pages && found == NRA_PAGE_ABSENT;
		if (found != NRA_PAGE_READ)
			break;
		run.pages += nr;
	}
	run.from_start = run.pages == end;
	return run;
}

/**
 * nra_stock_window - what the stock code makes of a window at its marker
 * @size: the last window, pages
 * @file_pages: the file's limit, pages
 *
 * As get_next_ra_size(), and no smaller than the last one.
 *
 * Return: pages.
 */
unsigned long nra_stock_window(unsigned int size, unsigned long file_pages)
{
	unsigned long next = file_pages;

	if (size < file_pages / 16)
		next = 4UL * size;
	else if (size <= file_pages / 2)
		next = 2UL * size;
	return max_t(unsigned long, next, size);
}

/**
 * nra_run_grows - how long a run in the middle of a file has to be for a larger window
 * @size: the last window, pages
 *
 * Return: pages.
 */
unsigned long nra_run_grows(unsigned int size)
{
	return (unsigned long)size * PIECE_WINDOWS;
}

/*
 * A run in the middle of a file may be a piece: it must cover PIECE_WINDOWS windows before the next
 * is twice as large. A run from the start of the file must cover half a window only, because the
 * stock code, too, takes the start as a hint that the whole file will be read. A run that ends at
 * evicted pages may have been longer, and where memory is short it becomes no longer than what
 * memory holds: a quarter of that is enough. It may also be a piece that begins there, of a file
 * that does not fit into memory. A reader that begins behind pages that somebody has read finds a
 * long run, and has a small window.
 */
static unsigned long nra_grown_window(unsigned int size, const struct nra_limits *limits,
				      unsigned long max_window, const struct nra_run *run)
{
	bool from_start = run->from_start && run->pages <= (unsigned long)size * START_WINDOWS;
	unsigned long need = from_start ? size / 2 : nra_run_grows(size);
	bool fast = from_start && run->pages <= (unsigned long)size * GROWTH;
	unsigned long most = fast ? run->pages * GROWTH : 2UL * size;
	unsigned long next = min3((unsigned long)size * GROWTH, most, max_window);

	if (run->evicted)
		need = min(need, EVICTED_WINDOWS * limits->memory);
	/* The stock code still ramps up. Half: the newest kernels cut a window to whole folios. */
	if (size < limits->mount_pages / 2)
		return 0;
	return run->unsure || run->pages < need ? 0 : next;
}

/**
 * nra_run_enough - how long a run has to be measured
 * @size: the last window, pages
 * @limits: what bounds the next one
 *
 * Two of the largest windows show whether evicted pages bound the next one. A window that may still
 * grow has to be covered %PIECE_WINDOWS times. What the files of a mount do is known up to
 * nra_habit_pages().
 *
 * Return: pages.
 */
unsigned long nra_run_enough(unsigned int size, const struct nra_limits *limits)
{
	unsigned long enough = 2 * max(limits->max_window, limits->file_pages);

	if (limits->max_window)
		enough = max(enough, nra_habit_pages(limits->usual));
	if (size < limits->max_window)
		enough = max(enough, nra_run_grows(size));
	return enough;
}

/**
 * nra_read_length - how long a read() is that hits a marker
 * @prev: the page after the last one that the read() before it copied
 * @end: of nra_run_end(): where the read() before this one ended, or where evicted pages end
 *	between there and @index, or 0
 * @read: the read()
 *
 * Up to Linux 6.11 the kernel notes the end of each batch of a read(), so that only its rest is
 * known.
 *
 * Return: pages; not only those of this read(), if it began behind where the last one ended.
 */
unsigned long nra_read_length(unsigned long prev, unsigned long end, const struct nra_read *read)
{
	unsigned long before = 0;

	/*
	 * Not of @end, which is 0 if the reader came from elsewhere. The first read() of an open
	 * file goes from where the file is positioned; a pread() is taken to be as long at most.
	 */
	if (nra_begin_is_known(prev, read) || read->first)
		before = read->index - min(read->begin, read->index);
	else if (end)
		before = read->index - min(end, read->index);
	return before + read->req;
}

/**
 * nra_smallest_window - the size below which no window is made
 * @size: the last window, pages
 * @mount_pages: the mount's readahead, pages
 * @usual: the kernel's default readahead, pages
 * @read: of nra_read_length()
 * @io_pages: the largest READ of the mount, pages
 *
 * What the stock code has without the module: windows of @usual, and for a larger read() as large
 * as it is, up to @io_pages. A window that such a read() has opened stays as large as it is,
 * because @read may be only the rest of it.
 *
 * Return: pages.
 */
unsigned long nra_smallest_window(unsigned int size, unsigned long mount_pages,
				  unsigned long usual, unsigned long read, unsigned long io_pages)
{
	unsigned long smallest = min(mount_pages, usual);

	if (read > usual)
		smallest = max(smallest, min(max_t(unsigned long, size, read), io_pages));
	return smallest;
}

/**
 * nra_next_window - how large to make the next window
 * @size: the last window, pages
 * @limits: what bounds it
 * @run: what was read in sequence
 *
 * Pages are evicted in the order in which they were read ahead, whether or not they were used. So
 * if a run ends at evicted pages, a page survives for about as long as the run. Two windows are
 * ahead of the reader at a time: two of half a run are used before they are evicted. The pages
 * before a run may also have been evicted long ago: then the windows grow with the run again.
 * How much memory there is in all does not say how much of it is left for the page cache.
 *
 * Return: pages, or 0 to leave the size to the stock code.
 */
unsigned int nra_next_window(unsigned int size, const struct nra_limits *limits,
			     const struct nra_run *run)
{
	unsigned long stock = nra_stock_window(size, limits->file_pages);
	unsigned long limit = limits->memory, next = 0;

	if (run->evicted)
		limit = min(run->pages / 2, limit);
	/*
	 * Never below what the file has without the module, or by min_kb. posix_fadvise() may have
	 * given the file more than the mount has.
	 */
	limit = max3(limit, limits->smallest, limits->max_window ? limits->file_pages : 0);
	/* For a large read() no larger than it is: a window of up to a READ may have grown. */
	if (limits->max_window && run->from_start && run->pages)
		limit = min(limit, max3(limits->from_start, limits->file_pages, limits->read));
	/* Pages are left out: back to where a new reader begins, in steps where nobody knows. */
	if (limits->max_window && run->unsure)
		limit = max3(limits->read, limits->file_pages, size / 2UL);
	else if (limits->max_window && !run->pages && !run->dropped)
		limit = max(limits->smallest, limits->file_pages);
	if (limits->max_window)
		next = nra_grown_window(size, limits, min(limits->max_window, limit), run);
	if (next > stock)
		return next;
	return stock > limit ? limit : 0;
}

/**
 * nra_steer_window - make the last window one after which the stock code opens the wanted one
 * @last: the window; its end and its marker stay in place
 * @next: pages of the wanted one
 * @file_pages: the file's limit, pages
 *
 * At an expected marker the stock code doubles or quadruples a window, up to @file_pages. It makes
 * the next window no smaller than the last one, even beyond the file's limit: max(ra->size,
 * get_next_ra_size()), which is for MADV_HUGEPAGE. start may wrap below 0, because the stock code
 * only uses start + size.
 */
void nra_steer_window(struct nra_window *last, unsigned int next, unsigned long file_pages)
{
	unsigned int size = next;

	if (next < file_pages)
		size = max(1U, next >= file_pages / 8 ? next / 2 : next / 4);
	last->start += last->size;
	last->start -= size;
	last->size = size;
}
