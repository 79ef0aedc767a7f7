// SPDX-License-Identifier: GPL-2.0-only
#include <linux/minmax.h>
#include <linux/xarray.h>

#include "common/compat/readahead.h"
#include "common/folio_use.h"
#include "pagecache.h"

/**
 * ctxra_is_cached - whether a page is in the page cache, or in flight to it
 * @mapping: the mapping
 * @index: the page
 *
 * Callers look each page up, because xas_next() and xas_prev() lose track of the index if
 * they start within a large folio, and report all but the first page of an evicted large
 * folio as cached.
 */
bool ctxra_is_cached(struct address_space *mapping, pgoff_t index)
{
	void *entry = xa_load(&mapping->i_pages, index);

	return entry && !xa_is_value(entry);
}

/*
 * Has a reader copied this folio? PG_dropbehind does not say so: a reader drops such a folio with
 * the read, so one that is still cached has not been read.
 */
static bool is_used(const struct folio *folio)
{
	return folio_flags_say_read(compat_folio_flags(folio) & ~COMPAT_DROPBEHIND);
}

/* Was this folio read ahead, and is it unread? One that is not uptodate is in flight. */
static bool is_unused(const struct folio *folio)
{
	return compat_folio_flags(folio) & BIT(PG_uptodate) && !is_used(folio);
}

/**
 * ctxra_cached_before - count the pages cached without a hole just before an index
 * @mapping: the mapping
 * @index: the index
 * @max: where to stop, pages
 *
 * Return: 0 to @max; 0 also if the page before @index is unread readahead, because no
 *	reader came this way then.
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
 * ctxra_cached_from - count the pages cached without a hole from an index on
 * @mapping: the mapping
 * @index: the first page of a cached folio
 * @max: where to stop, pages
 *
 * Return: 1 to @max, or 0 if there is no hole within @max pages.
 */
unsigned long ctxra_cached_from(struct address_space *mapping, pgoff_t index, unsigned long max)
{
	pgoff_t miss;

	rcu_read_lock();
	/*
	 * Without a hole this returns the last page of the range on 6.1, the one behind it since
	 * "readahead: fix return value of page_cache_next_miss() when no hole is found" in v6.17
	 * and in 6.12's updates, and on some kernels before that, by mistake, @index - 1.
	 */
	miss = page_cache_next_miss(mapping, index, max + 2);
	rcu_read_unlock();
	if (miss <= index || miss - index > max)
		return 0;
	return miss - index;
}

/**
 * ctxra_is_evicted - whether a missing page was reclaimed
 * @mapping: the mapping
 * @index: the page
 *
 * Return: true if reclaim left a shadow entry for it. POSIX_FADV_DONTNEED and truncation
 *	leave none.
 */
bool ctxra_is_evicted(struct address_space *mapping, pgoff_t index)
{
	return xa_is_value(xa_load(&mapping->i_pages, index));
}

/**
 * ctxra_sample_use - sample how pages have been used
 * @mapping: the mapping
 * @start: first page; it is among the samples
 * @nr: number of pages
 *
 * A mapped file gives no sample, because access by page tables does not mark the folios.
 *
 * Return: the use of up to CTXRA_SAMPLES pages.
 */
struct ctxra_use ctxra_sample_use(struct address_space *mapping, pgoff_t start, unsigned long nr)
{
	/* An odd step, because it is no multiple of most strides. */
	unsigned long step = (nr / CTXRA_SAMPLES) | 1, i;
	struct ctxra_use use = {};

	if (mapping_mapped(mapping))
		return use;
	rcu_read_lock();
	for (i = 0; i < nr && i < step * CTXRA_SAMPLES; i += step) {
		void *entry = xa_load(&mapping->i_pages, start + i);

		/* A shadow entry does not tell whether the evicted page was used. */
		if (xa_is_value(entry))
			continue;
		if (!entry)
			use.absent++;
		else if (is_used(entry))
			use.used++;
		else if (is_unused(entry))
			use.unused++;
	}
	rcu_read_unlock();
	return use;
}

/* First cached index in [from, to), or to. */
static pgoff_t ctxra_next_cached(struct address_space *mapping, pgoff_t from, pgoff_t to)
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
		/* The entry of a large folio may start before from. */
		found = max(xas.xa_index, from);
		break;
	}
	rcu_read_unlock();
	return found;
}

/* Lowest index, at least from, from which on nothing before index is cached. */
static pgoff_t missing_down_to(struct address_space *mapping, pgoff_t from, pgoff_t index)
{
	while (index > from && !ctxra_is_cached(mapping, index - 1))
		index--;
	return index;
}

/**
 * ctxra_trim_window - cut a window down to one hole in the page cache
 * @mapping: the mapping
 * @win: the window; cut to the first hole in it if it is ahead of @index, else to the hole
 *	around @index
 * @index: the page that was requested, or that carries the marker
 *
 * Context: any. Takes at most as many steps as the window has pages.
 * Return: false if all of it is cached.
 */
bool ctxra_trim_window(struct address_space *mapping, struct ctxra_window *win, pgoff_t index)
{
	pgoff_t start = win->start, end = win->start + win->nr;

	if (win->ahead) {
		while (start < end && ctxra_is_cached(mapping, start))
			start++;
		end = ctxra_next_cached(mapping, start, end);
	} else {
		start = missing_down_to(mapping, start, index);
		end = ctxra_next_cached(mapping, index, end);
	}
	if (end <= start)
		return false;
	win->start = start;
	win->nr = end - start;
	win->marker = clamp(win->marker, start, end);
	return true;
}
