// SPDX-License-Identifier: GPL-2.0-only
#include <linux/minmax.h>
#include <linux/xarray.h>

#include "common/compat/readahead.h"
#include "pagecache.h"

/**
 * ctxra_is_cached - whether a page is in the page cache
 * @mapping: the mapping
 * @index: the page
 *
 * A look for each page: xas_next() and xas_prev() walk beside the pages once they begin
 * within a large folio, and take all but the first of one that was reclaimed for cached.
 *
 * Context: any.
 * Return: true if it is, or is on its way.
 */
bool ctxra_is_cached(struct address_space *mapping, pgoff_t index)
{
	void *entry = xa_load(&mapping->i_pages, index);

	return entry && !xa_is_value(entry);
}

/* read() marks what it copies, and splice() what it passes on: folio_mark_accessed(). */
#define USED	(BIT(PG_referenced) | BIT(PG_active) | BIT(PG_workingset) | COMPAT_DROPBEHIND)

/* Was this folio read ahead, and nobody came for it? Not uptodate: it is on its way. */
static bool is_unused(const struct folio *folio)
{
	unsigned long flags = compat_folio_flags(folio);

	return flags & BIT(PG_uptodate) && !(flags & USED);
}

/**
 * ctxra_cached_before - pages cached without a gap just before an index
 * @mapping: the mapping
 * @index: the index
 * @max: how far to look, pages
 *
 * Context: any.
 * Return: 0 to @max; 0 too if the page before @index was read ahead and nobody
 *	came for it, so that it is no trail.
 */
unsigned long ctxra_cached_before(struct address_space *mapping, pgoff_t index,
				  unsigned long max)
{
	unsigned long n = 0;
	void *nearest;

	max = min(max, index);
	while (n < max && ctxra_is_cached(mapping, index - n - 1))
		n++;
	rcu_read_lock();
	nearest = n ? xa_load(&mapping->i_pages, index - 1) : NULL;
	if (nearest && !xa_is_value(nearest) && !mapping_mapped(mapping) && is_unused(nearest))
		n = 0;
	rcu_read_unlock();
	return n;
}

/**
 * ctxra_cached_from - pages cached without a gap from an index on
 * @mapping: the mapping
 * @index: the first page of a cached folio
 * @max: how far to look, pages
 *
 * Context: any.
 * Return: 1 to @max, or 0 if there is no gap that near.
 */
unsigned long ctxra_cached_from(struct address_space *mapping, pgoff_t index, unsigned long max)
{
	pgoff_t miss;

	rcu_read_lock();
	/* Without a gap it is the last page looked at, or, also in v6.12's updates, the next. */
	miss = page_cache_next_miss(mapping, index, max + 2);
	rcu_read_unlock();
	if (miss <= index || miss - index > max)
		return 0;
	return miss - index;
}

/**
 * ctxra_is_evicted - whether a page that is missing was cached and reclaimed
 * @mapping: the mapping
 * @index: the page
 *
 * Context: any.
 * Return: true if reclaim left a shadow entry in its place. What was dropped by
 *	request (POSIX_FADV_DONTNEED, truncation) leaves none.
 */
bool ctxra_is_evicted(struct address_space *mapping, pgoff_t index)
{
	return xa_is_value(xa_load(&mapping->i_pages, index));
}

/**
 * ctxra_sample_use - look at some pages, whether they were used
 * @mapping: the mapping
 * @start: the first of them, which is looked at
 * @nr: their number
 *
 * A file that is mapped says nothing: use by page tables is not marked.
 *
 * Context: any. Looks at PROBE_SAMPLES pages.
 * Return: what became of these.
 */
struct ctxra_use ctxra_sample_use(struct address_space *mapping, pgoff_t start, unsigned long nr)
{
	/* Odd, so that it is no multiple of a stride. */
	unsigned long step = (nr / PROBE_SAMPLES) | 1, i;
	struct ctxra_use use = {};

	if (mapping_mapped(mapping))
		return use;
	rcu_read_lock();
	for (i = 0; i < nr && i < step * PROBE_SAMPLES; i += step) {
		void *entry = xa_load(&mapping->i_pages, start + i);

		/* A shadow: reclaimed, and no telling whether it was used before. */
		if (xa_is_value(entry))
			continue;
		if (!entry)
			use.absent++;
		else if (compat_folio_flags(entry) & USED)
			use.used++;
		else if (is_unused(entry))
			use.unused++;
	}
	rcu_read_unlock();
	return use;
}

/* First cached index in [from, to), or to. */
static pgoff_t next_cached(struct address_space *mapping, pgoff_t from, pgoff_t to)
{
	XA_STATE(xas, &mapping->i_pages, from);
	void *entry;
	pgoff_t found = to;

	if (from >= to)
		return to;
	rcu_read_lock();
	xas_for_each(&xas, entry, to - 1) {
		if (xas_retry(&xas, entry) || xa_is_value(entry))
			continue;
		/* An entry of a large folio may begin before from. */
		found = max(xas.xa_index, from);
		break;
	}
	rcu_read_unlock();
	return found;
}

/* Lowest index down to which [that, index) is not cached, at least from. */
static pgoff_t missing_down_to(struct address_space *mapping, pgoff_t from, pgoff_t index)
{
	while (index > from && !ctxra_is_cached(mapping, index - 1))
		index--;
	return index;
}

/**
 * ctxra_trim_window - cut a window down to what is missing
 * @mapping: the mapping
 * @win: the window. If it is ahead of @index, the first gap in it is kept,
 *	otherwise the one that @index is in.
 * @index: the page asked for, or that carries the marker
 *
 * Context: any. At most as many steps as the window has pages.
 * Return: false if nothing is missing.
 */
bool ctxra_trim_window(struct address_space *mapping, struct ctxra_window *win, pgoff_t index)
{
	pgoff_t start = win->start, end = win->start + win->nr;

	if (win->ahead) {
		while (start < end && ctxra_is_cached(mapping, start))
			start++;
		end = next_cached(mapping, start, end);
	} else {
		start = missing_down_to(mapping, start, index);
		end = next_cached(mapping, index, end);
	}
	if (end <= start)
		return false;
	win->start = start;
	win->nr = end - start;
	win->marker = clamp(win->marker, start, end);
	return true;
}
