// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes on the kernel's tracepoints. They see which pages a readahead call adds to the page cache,
 * which bios it queues, and which pages are read and evicted.
 */
#include <linux/blk_types.h>
#include <linux/bio.h>
#include <linux/module.h>
#include <linux/pagemap.h>
#include <linux/sched.h>
#include <trace/events/block.h>
#include <trace/events/filemap.h>

#include "account.h"
#include "calls.h"
#include "common/compat/folio.h"
#include "common/compat/readahead.h"
#include "tracepoints.h"
#include "pages.h"
#include "unread.h"

/* The most folios that a read handles in one batch. */
#define BATCH_FOLIOS	31UL
/* A range of up to this many pages is resolved without a look at the size of its folios. */
#define SHORT_RANGE	512UL

/**
 * rat_pages_flush_run - hand the latest run of a call's pages to the table of unread pages
 * @slot: the call
 *
 * Pages are collected in runs. The table must have a page before anybody can read it: at the first
 * bio of the call, at once where its bios cannot be seen, or at its end if no bio was needed.
 *
 * Context: the task of the call.
 */
void rat_pages_flush_run(struct rat_call_slot *slot)
{
	const struct rat_call *call = &slot->call;

	/* A random read gets what it requested, and nothing ahead. */
	if (slot->run && call->pattern != RAT_RANDOM && rat_unread_is_tracking()) {
		/* For example directory blocks, which file systems read without an event. */
		if (!call->own_file)
			rat_account_add(slot->dev, call->pattern, RAT_COL_UNKNOWN, slot->run);
		else
			rat_unread_add(slot->mapping, slot->run_start, slot->run, slot->dev,
				       call->pattern);
	}
	slot->run = 0;
}

static void rat_page_added(void *unused, struct folio *folio)
{
	unsigned long nr = folio_nr_pages(folio);
	struct rat_call_slot *slot = rat_calls_find(folio->mapping);

	if (!slot)
		return;
	WRITE_ONCE(slot->pages, slot->pages + nr);
	rat_count(entered[slot->dev], nr);
	if (slot->run && folio->index != slot->run_start + slot->run)
		rat_pages_flush_run(slot);
	if (!slot->run)
		slot->run_start = folio->index;
	slot->run += nr;
	/* The folio is still locked, but there may be no event before somebody reads it. */
	if (!slot->call.own_disk)
		rat_pages_flush_run(slot);
}

/*
 * Whether a call removes a folio again because the file system did not read it. A call that
 * reclaims memory also evicts other folios, but then its task has PF_MEMALLOC.
 */
static bool rat_is_rolled_back(struct rat_call_slot *slot, struct folio *folio)
{
	return slot && !(current->flags & PF_MEMALLOC) && !folio_test_uptodate(folio);
}

/*
 * Whether somebody may have read an evicted folio without an event. If there was an event for a
 * part of a large folio, it explains PG_referenced, and the other pages were not read.
 */
static bool rat_may_have_been_read(struct folio *folio, unsigned long nr)
{
	/* A PMD maps the whole folio, with an event for one of its pages at most. */
	if (folio_test_pmd_mappable(folio))
		return folio_test_referenced(folio) || mapping_mapped(folio->mapping);
	/* A dropbehind read does not set the flag. */
	if (!folio_test_referenced(folio) && !compat_folio_is_dropbehind(folio))
		return false;
	return rat_unread_count(folio->mapping, folio->index, nr) == nr;
}

static void rat_page_removed(void *unused, struct folio *folio)
{
	unsigned long nr = folio_nr_pages(folio);
	struct rat_call_slot *slot = rat_calls_find(folio->mapping);

	if (rat_is_rolled_back(slot, folio)) {
		rat_pages_flush_run(slot);
		rat_unread_resolve(folio->mapping, folio->index, nr, RAT_OUTCOME_DISCARDED);
		WRITE_ONCE(slot->pages, slot->pages - (long)nr);
		rat_count(entered[slot->dev], -(u64)nr);
		return;
	}
	rat_unread_resolve(folio->mapping, folio->index, nr, rat_may_have_been_read(folio, nr) ?
			   RAT_OUTCOME_UNKNOWN : RAT_OUTCOME_EVICTED);
}

static void rat_bio_queued(void *unused, struct bio *bio)
{
	struct rat_call_slot *slot;

	if (bio_op(bio) != REQ_OP_READ)
		return;
	slot = rat_calls_find_by_dev(bio->bi_bdev->bd_dev);
	if (!slot)
		return;
	rat_pages_flush_run(slot);
	/* squashfs waits for its readahead, and does not mark the bios with REQ_RAHEAD. */
	if (!(bio->bi_opf & REQ_RAHEAD))
		return;
	WRITE_ONCE(slot->sectors, slot->sectors + bio_sectors(bio));
	rat_count(block[slot->dev], bio_sectors(bio));
}

/*
 * Takes no reference, because a probe could not put it. A folio freed meanwhile tells nothing.
 * Not folio_flags_say_read(): readahead of a page that was evicted before sets PG_active and
 * PG_workingset, in workingset_refault().
 */
static bool rat_is_referenced(struct address_space *mapping, pgoff_t index)
{
	const void *entry;
	bool referenced;

	rcu_read_lock();
	entry = xa_load(&mapping->i_pages, index);
	referenced = entry && !xa_is_value(entry) &&
		     compat_folio_flags(entry) & BIT(PG_referenced);
	rcu_read_unlock();
	return referenced;
}

/*
 * Where the last folio of a batch is still being read in, the reader gets the folios before it
 * without an event. The next event begins at that folio. A read sets PG_referenced, and readahead
 * does not (except in a page fault, see unread.c). So pages just before @index that are in the
 * table and have the flag were read in such a batch, or in several.
 */
static void rat_pages_read_before(struct address_space *mapping, pgoff_t index)
{
	pgoff_t least = index - min(index, SHORT_RANGE);

	while (index > least && rat_unread_count(mapping, index - 1, 1)) {
		unsigned long nr = 1UL << xa_get_order(&mapping->i_pages, index - 1);
		pgoff_t start = round_down(index - 1, nr);

		/* A batch ends at the end of a folio. */
		if (start + nr != index || !rat_is_referenced(mapping, start))
			return;
		if (rat_unread_count(mapping, start, nr) != nr) {
			/* An event explains the flag. The other pages were read or skipped. */
			rat_unread_resolve(mapping, start, nr, RAT_OUTCOME_UNKNOWN);
			return;
		}
		rat_unread_resolve(mapping, start, nr, RAT_OUTCOME_READ);
		index = start;
	}
}

static noinline void rat_pages_resolve_read(struct address_space *mapping, pgoff_t index,
					    unsigned long nr)
{
	/* The order is the entry's: without a reference, the folio may be freed and reused. */
	if (nr > SHORT_RANGE) {
		unsigned long batch = BATCH_FOLIOS << xa_get_order(&mapping->i_pages, index);

		nr = min(nr, max(SHORT_RANGE, batch));
	}
	rat_pages_read_before(mapping, index);
	rat_unread_resolve(mapping, index, nr, RAT_OUTCOME_READ);
}

/*
 * A long read calls this for each batch, and @last is the end of the whole read. Most reads are of
 * cached pages that were read before. One look must do for them, if they begin and end in one
 * chunk, and the page before @index is in it, too.
 */
static void rat_pages_read(void *unused, struct address_space *mapping, pgoff_t index, pgoff_t last)
{
	if (!(index % RAT_UNREAD_CHUNK) || (index ^ last) >= RAT_UNREAD_CHUNK ||
	    rat_unread_may_have(mapping, index))
		rat_pages_resolve_read(mapping, index, last - index + 1);
}

static void rat_pages_mapped(void *unused, struct address_space *mapping, pgoff_t index,
			     pgoff_t last)
{
	/* The event has the requested pages, but large folios are mapped whole. */
	if (COMPAT_FAULT_MAPS_FOLIO && mapping_large_folio_support(mapping)) {
		index = round_down(index, 1UL << xa_get_order(&mapping->i_pages, index));
		last |= (1UL << xa_get_order(&mapping->i_pages, last)) - 1;
	}
	rat_unread_resolve(mapping, index, last - index + 1, RAT_OUTCOME_READ);
}

static void rat_page_faulted(void *unused, struct address_space *mapping, pgoff_t index)
{
	rat_pages_mapped(unused, mapping, index, index);
}

enum { ADDED, REMOVED, QUEUED, READ_PAGES, MAPPED, FAULTED };

static struct rat_tracepoint_probe probes[] = {
	[ADDED] = { "mm_filemap_add_to_page_cache", rat_page_added },
	[REMOVED] = { "mm_filemap_delete_from_page_cache", rat_page_removed },
	[QUEUED] = { "block_bio_queue", rat_bio_queued },
	/* Since "filemap: add trace events for get_pages, map_pages, and fault". */
	[READ_PAGES] = { "mm_filemap_get_pages", rat_pages_read },
	[MAPPED] = { "mm_filemap_map_pages", rat_pages_mapped },
	[FAULTED] = { "mm_filemap_fault", rat_page_faulted },
};

/**
 * rat_pages_register - register the probes
 *
 * Context: the tables of calls and of unread pages exist.
 * Return: 0, or a negative errno with no probe registered and a line in the log.
 */
int rat_pages_register(void)
{
	/* Check the types of the probes against this kernel, at compile time. */
	check_trace_callback_type_mm_filemap_add_to_page_cache(rat_page_added);
	check_trace_callback_type_mm_filemap_delete_from_page_cache(rat_page_removed);
	check_trace_callback_type_block_bio_queue(rat_bio_queued);
	return rat_tracepoints_register(probes, ARRAY_SIZE(probes));
}

/* No probe runs when it returns. */
void rat_pages_unregister(void)
{
	rat_tracepoints_unregister(probes, ARRAY_SIZE(probes));
}

/* Whether the probes see all pages that calls add to the page cache. */
bool rat_pages_see_added(void)
{
	return rat_tracepoint_is_registered(&probes[ADDED]) &&
	       rat_tracepoint_is_registered(&probes[REMOVED]);
}

/* Whether the probes see bios. */
bool rat_pages_see_bios(void)
{
	return rat_tracepoint_is_registered(&probes[QUEUED]);
}

/* Whether the probes see every read of a page. */
bool rat_pages_see_reads(void)
{
	return rat_tracepoint_is_registered(&probes[READ_PAGES]) &&
	       rat_tracepoint_is_registered(&probes[MAPPED]) &&
	       rat_tracepoint_is_registered(&probes[FAULTED]);
}
