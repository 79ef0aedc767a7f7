// SPDX-License-Identifier: GPL-2.0-only
#include <linux/minmax.h>
#include <linux/xarray.h>

#include "common/folio_use.h"
#include "pagecache.h"

/*
 * Entries that one walk passes at most. Most take some ten instructions, so that a walk takes some
 * tens of microseconds at any window; it runs with preemption disabled.
 */
#define MAX_STEPS	2048U

/**
 * ctxra_is_cached - whether a page is in the page cache, or in flight to it
 * @mapping: the mapping
 * @index: the page
 */
bool ctxra_is_cached(struct address_space *mapping, pgoff_t index)
{
	void *entry = xa_load(&mapping->i_pages, index);

	return entry && !xa_is_value(entry);
}

static bool is_folio(const void *entry)
{
	return entry && !xa_is_value(entry);
}

/* The first index of the slot at @xas, in a node of the tree, or of a later slot. */
static pgoff_t slot_index(const struct xa_state *xas, unsigned int later)
{
	const struct xa_node *node = xas->xa_node;

	return round_down(xas->xa_index, (pgoff_t)XA_CHUNK_SIZE << node->shift) +
	       ((pgoff_t)(xas->xa_offset + later) << node->shift);
}

/*
 * The first index of what xas_load() found: a folio, a shadow entry, or a hole. xas_load() leaves
 * the offset of the first slot. Outside of the tree a hole has at least the aligned pages that a
 * node would have, but not page 0, which may be cached without a node.
 */
static pgoff_t first_index(const struct xa_state *xas)
{
	if (xas_is_node(xas))
		return slot_index(xas, 0);
	return xas->xa_index ? max(round_down(xas->xa_index, XA_CHUNK_SIZE), 1UL) : 0;
}

/*
 * Load the entry at @xas, not a part of one. xas_prev() may find a sibling, a slot of a large
 * entry that is not its first.
 */
static void *entry_at(struct xa_state *xas, void *entry)
{
	while (xas_retry(xas, entry) || xa_is_sibling(entry)) {
		xas_set(xas, xas->xa_index);
		entry = xas_load(xas);
	}
	return entry;
}

/*
 * Walk down from the page before @index while pages are cached, or are not, to @from at most.
 * Returns the lowest page passed, or @index. The caller holds rcu_read_lock().
 *
 * xas_prev() alone does not do, because it loses track of the index in large entries: it steps from
 * slot to slot. So tell it where each entry begins.
 */
static pgoff_t walk_down(struct address_space *mapping, pgoff_t from, pgoff_t index, bool cached)
{
	XA_STATE(xas, &mapping->i_pages, index - 1);
	pgoff_t lowest = index;
	unsigned int steps;
	void *entry;

	if (index <= from)
		return index;
	entry = xas_load(&xas);
	for (steps = 0; steps < MAX_STEPS; steps++) {
		entry = entry_at(&xas, entry);
		if (is_folio(entry) != cached)
			break;
		lowest = first_index(&xas);
		if (lowest <= from)
			return from;
		xas.xa_index = lowest;
		entry = xas_prev(&xas);
	}
	return lowest;
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
	unsigned long n;
	void *nearest;

	rcu_read_lock();
	n = index - walk_down(mapping, index - min(max, index), index, true);
	nearest = n ? xa_load(&mapping->i_pages, index - 1) : NULL;
	if (is_folio(nearest) && !mapping_mapped(mapping) && is_unused(nearest))
		n = 0;
	rcu_read_unlock();
	return n;
}

/**
 * ctxra_trail - count the pages cached without a hole just before an index, as the stock code does
 * @mapping: the mapping
 * @index: the index
 * @max: where to stop, pages
 *
 * Return: 0 to @max. It may be less after MAX_STEPS.
 */
unsigned long ctxra_trail(struct address_space *mapping, pgoff_t index, unsigned long max)
{
	unsigned long n;

	rcu_read_lock();
	n = index - walk_down(mapping, index - min(max, index), index, true);
	rcu_read_unlock();
	return n;
}

/*
 * First index in [from, to) that is missing, or to. The caller holds rcu_read_lock(). After too
 * many steps this returns an index that is cached; the stock code passes it.
 */
static pgoff_t ctxra_next_missing(struct address_space *mapping, pgoff_t from, pgoff_t to)
{
	XA_STATE(xas, &mapping->i_pages, from);
	unsigned int steps;
	void *entry;

	if (from >= to)
		return to;
	entry = xas_load(&xas);
	for (steps = 0; steps < MAX_STEPS && from < to; steps++) {
		if (xas_retry(&xas, entry)) {
			entry = xas_load(&xas);
			continue;
		}
		/* A sibling has the same folio as the slot before it. */
		if (!is_folio(entry))
			break;
		from = xas_is_node(&xas) ? slot_index(&xas, 1) : 1;
		xas.xa_index = from - 1;
		entry = xas_next(&xas);
	}
	return min(from, to);
}

/**
 * ctxra_cached_from - count the pages cached without a hole from an index on
 * @mapping: the mapping
 * @index: the first page of a cached folio
 * @max: where to stop, pages
 *
 * Return: 1 to @max, or 0 if no hole was found within @max pages.
 */
unsigned long ctxra_cached_from(struct address_space *mapping, pgoff_t index, unsigned long max)
{
	pgoff_t miss;

	rcu_read_lock();
	miss = ctxra_next_missing(mapping, index, index + max + 1);
	rcu_read_unlock();
	/* The walk may have given up at a page that is cached. */
	return miss - index > max || ctxra_is_cached(mapping, miss) ? 0 : miss - index;
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
 * Access by page tables does not mark the folios of a mapped file. So there a folio that read() or
 * splice() marked was used, but of one without a mark it is unclear.
 *
 * Return: the use of up to CTXRA_SAMPLES pages.
 */
struct ctxra_use ctxra_sample_use(struct address_space *mapping, pgoff_t start, unsigned long nr)
{
	/* An odd step, because it is no multiple of most strides. */
	unsigned long step = (nr / CTXRA_SAMPLES) | 1, i;
	const bool mapped = mapping_mapped(mapping);
	struct ctxra_use use = {};
	bool gap = false;

	rcu_read_lock();
	for (i = 0; i < nr && i < step * CTXRA_SAMPLES; i += step) {
		void *entry = xa_load(&mapping->i_pages, start + i);

		/* A shadow entry does not tell whether the evicted page was used. */
		if (xa_is_value(entry)) {
			use.evicted++;
		} else if (!entry) {
			use.absent++;
			gap = true;
		} else if (is_used(entry)) {
			use.used++;
			use.gaps += gap;
			gap = false;
		} else if (is_unused(entry)) {
			use.unused += !mapped;
			use.unclear += mapped;
			gap |= !mapped;
		}
	}
	rcu_read_unlock();
	return use;
}

/*
 * First index in [from, to) that is cached, or to. The caller holds rcu_read_lock(). Holes cost
 * nothing, because xas_find() passes them node by node.
 */
static pgoff_t ctxra_next_cached(struct address_space *mapping, pgoff_t from, pgoff_t to)
{
	XA_STATE(xas, &mapping->i_pages, from);
	unsigned int steps = 0;
	void *entry;

	if (from >= to)
		return to;
	xas_for_each(&xas, entry, to - 1) {
		if (xas_retry(&xas, entry))
			continue;
		/* The entry of a large folio may start before from. */
		if (!xa_is_value(entry) || ++steps == MAX_STEPS)
			return max(xas.xa_index, from);
	}
	return to;
}

/**
 * ctxra_trim_window - cut a window down to one hole in the page cache
 * @mapping: the mapping
 * @win: the window; cut to the first hole in it if it is ahead of @index, else to the hole
 *	around @index
 * @index: the page that was requested, or that carries the marker
 *
 * Context: any. Takes a bounded number of steps, whatever the window: cached pages that it did not
 * get to stay in the window.
 * Return: false if all of it is cached.
 */
bool ctxra_trim_window(struct address_space *mapping, struct ctxra_window *win, pgoff_t index)
{
	pgoff_t start = win->start, end = win->start + win->nr;

	rcu_read_lock();
	if (win->ahead) {
		start = ctxra_next_missing(mapping, start, end);
		end = ctxra_next_cached(mapping, start, end);
	} else {
		start = walk_down(mapping, start, index, false);
		end = ctxra_next_cached(mapping, index, end);
	}
	rcu_read_unlock();
	if (end <= start)
		return false;
	win->start = start;
	win->nr = end - start;
	win->marker = clamp(win->marker, start, end);
	return true;
}
