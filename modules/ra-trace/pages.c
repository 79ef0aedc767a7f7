// SPDX-License-Identifier: GPL-2.0-only
/*
 * What tracepoints of the kernel tell: which pages a readahead call brings into
 * the page cache, which bios it makes, which pages are read and evicted.
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

/* A read goes on in batches of this many folios at most. */
#define BATCH_FOLIOS	31UL
/* Ranges up to this many pages are looked up without asking how large the folios are. */
#define SHORT_RANGE	512UL

/**
 * rat_pages_flush_run - have the fate of pages followed that a call brought in
 * @slot: the call
 *
 * They are collected in runs. It has to be before they can be read: when the
 * first bio is made, at once where no bio will be obs, or at the end for what needs none.
 *
 * Context: the task whose call it is.
 */
void rat_pages_flush_run(struct rat_call_slot *slot)
{
	const struct rat_call *call = &slot->call;

	/* What is asked for is not read ahead. */
	if (slot->run && call->pattern != RAT_RANDOM && rat_unread_is_tracking()) {
		/* A directory's blocks, say: file systems read them in ways that are not seen. */
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
	/* It is locked still, but may be read before anything more is seen of the call. */
	if (!slot->call.own_disk)
		rat_pages_flush_run(slot);
}

/*
 * A call takes pages out again that the file system did not read. It may also
 * evict others when it has to reclaim memory: the task has a flag then.
 */
static bool rat_is_rolled_back(struct rat_call_slot *slot, struct folio *folio)
{
	return slot && !(current->flags & PF_MEMALLOC) && !folio_test_uptodate(folio);
}

/*
 * Somebody was at the folio, but no event says so. If one did, the flag is explained, and what
 * is still open of a large folio was not read.
 */
static bool rat_may_be_read(struct folio *folio, unsigned long nr)
{
	/* A PMD maps it whole, with an event for one page of it at most. */
	if (folio_test_pmd_mappable(folio))
		return folio_test_referenced(folio) || mapping_mapped(folio->mapping);
	/* Who drops it behind himself leaves no flag. */
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
		rat_unread_remove(folio->mapping, folio->index, nr);
		WRITE_ONCE(slot->pages, slot->pages - (long)nr);
		rat_count(entered[slot->dev], -(u64)nr);
		return;
	}
	if (rat_may_be_read(folio, nr))
		rat_unread_resolve_unknown(folio->mapping, folio->index, nr);
	else
		rat_unread_resolve_evicted(folio->mapping, folio->index, nr);
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
	/* squashfs reads ahead and waits for it, without saying so. */
	if (!(bio->bi_opf & REQ_RAHEAD))
		return;
	WRITE_ONCE(slot->sectors, slot->sectors + bio_sectors(bio));
	rat_count(block[slot->dev], bio_sectors(bio));
}

/* Without a reference, which could not be put here: a folio that goes meanwhile says nothing. */
static bool is_referenced(struct address_space *mapping, pgoff_t index)
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
 * Where the last folio of a batch is still being filled, the reader gets those before it, and
 * there is an event only when the rest of the read goes on at that folio. Reading sets
 * PG_referenced, readahead alone does not (but for a fault, see unread.c): pages just before
 * @index that have it and were not seen to be read were read by such a batch, or by several.
 */
static void rat_pages_read_before(struct address_space *mapping, pgoff_t index)
{
	pgoff_t least = index - min(index, SHORT_RANGE);

	while (index > least && rat_unread_count(mapping, index - 1, 1)) {
		unsigned long nr = 1UL << xa_get_order(&mapping->i_pages, index - 1);
		pgoff_t start = round_down(index - 1, nr);

		/* The batch ended before a folio, not within one. */
		if (start + nr != index || !is_referenced(mapping, start))
			return;
		if (rat_unread_count(mapping, start, nr) != nr) {
			/* The flag may come from what was seen. The rest: read, or passed over? */
			rat_unread_resolve_unknown(mapping, start, nr);
			return;
		}
		rat_unread_resolve_read(mapping, start, nr);
		index = start;
	}
}

/* Of a long read this is called for each batch, with all that is left to read. */
static void rat_pages_read(void *unused, struct address_space *mapping, pgoff_t index, pgoff_t last)
{
	unsigned long nr = last - index + 1;

	/* By its entry: without a reference, the folio may become something else. */
	if (nr > SHORT_RANGE) {
		unsigned long batch = BATCH_FOLIOS << xa_get_order(&mapping->i_pages, index);

		nr = min(nr, max(SHORT_RANGE, batch));
	}
	rat_pages_read_before(mapping, index);
	rat_unread_resolve_read(mapping, index, nr);
}

static void rat_pages_mapped(void *unused, struct address_space *mapping, pgoff_t index, pgoff_t last)
{
	/* The event has the pages that were asked for, of folios that are mapped whole. */
	if (COMPAT_FAULT_MAPS_FOLIO && mapping_large_folio_support(mapping)) {
		index = round_down(index, 1UL << xa_get_order(&mapping->i_pages, index));
		last |= (1UL << xa_get_order(&mapping->i_pages, last)) - 1;
	}
	rat_unread_resolve_read(mapping, index, last - index + 1);
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
	/* These came with "filemap: add trace events for get_pages, map_pages, and fault". */
	[READ_PAGES] = { "mm_filemap_get_pages", rat_pages_read },
	[MAPPED] = { "mm_filemap_map_pages", rat_pages_mapped },
	[FAULTED] = { "mm_filemap_fault", rat_page_faulted },
};

/**
 * rat_pages_register - attach to the tracepoints
 *
 * Context: may sleep; the tables of calls and of waste exist.
 * Return: 0, or a negative errno with nothing attached and a line in the log.
 */
int rat_pages_register(void)
{
	/* That these are what the tracepoints call, in this kernel, is checked here. */
	check_trace_callback_type_mm_filemap_add_to_page_cache(rat_page_added);
	check_trace_callback_type_mm_filemap_delete_from_page_cache(rat_page_removed);
	check_trace_callback_type_block_bio_queue(rat_bio_queued);
	return rat_tracepoints_register(probes, ARRAY_SIZE(probes));
}

/**
 * rat_pages_unregister - detach from the tracepoints
 *
 * Context: may sleep. No probe runs when it returns.
 */
void rat_pages_unregister(void)
{
	rat_tracepoints_unregister(probes, ARRAY_SIZE(probes));
}

/**
 * rat_pages_actual_known - whether pages that enter the page cache are seen
 */
bool rat_pages_actual_known(void)
{
	return rat_tracepoint_is_registered(&probes[ADDED]) && rat_tracepoint_is_registered(&probes[REMOVED]);
}

/**
 * rat_pages_bios_seen - whether bios are seen
 */
bool rat_pages_bios_seen(void)
{
	return rat_tracepoint_is_registered(&probes[QUEUED]);
}

/**
 * rat_pages_reads_seen - whether every read of a page is seen
 */
bool rat_pages_reads_seen(void)
{
	return rat_tracepoint_is_registered(&probes[READ_PAGES]) && rat_tracepoint_is_registered(&probes[MAPPED]) &&
	       rat_tracepoint_is_registered(&probes[FAULTED]);
}
