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
#include "waste.h"

/* A read goes on in batches of this many folios at most. */
#define BATCH_FOLIOS	31UL
/* Ranges up to this many pages are looked up without asking how large the folios are. */
#define SHORT_RANGE	512UL

/**
 * ra_pages_flush - have the fate of pages followed that a call brought in
 * @place: the call
 *
 * They are collected in runs. It has to be before they can be read: when the
 * first bio is made, at once where no bio will be seen, or at the end for what needs none.
 *
 * Context: the task whose call it is.
 */
void ra_pages_flush(struct ra_place *place)
{
	const struct ra_call *call = &place->call;

	/* What is asked for is not read ahead. */
	if (place->run && call->pattern != RA_RANDOM && ra_waste_is_on()) {
		/* A directory's blocks, say: file systems read them in ways that are not seen. */
		if (!call->own_file)
			ra_account_add(place->dev, call->pattern, RA_UNKNOWN, place->run);
		else
			ra_waste_follow(place->mapping, place->run_start, place->run, place->dev,
					call->pattern);
	}
	place->run = 0;
}

static void page_added(void *unused, struct folio *folio)
{
	unsigned long nr = folio_nr_pages(folio);
	struct ra_place *place = ra_calls_find(folio->mapping);

	if (!place)
		return;
	WRITE_ONCE(place->pages, place->pages + nr);
	ra_count(entered[place->dev], nr);
	if (place->run && folio->index != place->run_start + place->run)
		ra_pages_flush(place);
	if (!place->run)
		place->run_start = folio->index;
	place->run += nr;
	/* It is locked still, but may be read before anything more is seen of the call. */
	if (!place->call.own_disk)
		ra_pages_flush(place);
}

/*
 * A call takes pages out again that the file system did not read. It may also
 * evict others when it has to reclaim memory: the task has a flag then.
 */
static bool taken_back(struct ra_place *place, struct folio *folio)
{
	return place && !(current->flags & PF_MEMALLOC) && !folio_test_uptodate(folio);
}

/*
 * Somebody was at the folio, but no event says so. If one did, the flag is explained, and what
 * is still open of a large folio was not read.
 */
static bool may_be_read_unseen(struct folio *folio, unsigned long nr)
{
	/* A PMD maps it whole, with an event for one page of it at most. */
	if (folio_test_pmd_mappable(folio))
		return folio_test_referenced(folio) || mapping_mapped(folio->mapping);
	/* Who drops it behind himself leaves no flag. */
	if (!folio_test_referenced(folio) && !compat_folio_is_dropbehind(folio))
		return false;
	return ra_waste_in_doubt(folio->mapping, folio->index, nr) == nr;
}

static void page_removed(void *unused, struct folio *folio)
{
	unsigned long nr = folio_nr_pages(folio);
	struct ra_place *place = ra_calls_find(folio->mapping);

	if (taken_back(place, folio)) {
		ra_pages_flush(place);
		ra_waste_forget(folio->mapping, folio->index, nr);
		WRITE_ONCE(place->pages, place->pages - (long)nr);
		ra_count(entered[place->dev], -(u64)nr);
		return;
	}
	if (may_be_read_unseen(folio, nr))
		ra_waste_unseen(folio->mapping, folio->index, nr);
	else
		ra_waste_evicted(folio->mapping, folio->index, nr);
}

static void bio_queued(void *unused, struct bio *bio)
{
	struct ra_place *place;

	if (bio_op(bio) != REQ_OP_READ)
		return;
	place = ra_calls_find_dev(bio->bi_bdev->bd_dev);
	if (!place)
		return;
	ra_pages_flush(place);
	/* squashfs reads ahead and waits for it, without saying so. */
	if (!(bio->bi_opf & REQ_RAHEAD))
		return;
	WRITE_ONCE(place->sectors, place->sectors + bio_sectors(bio));
	ra_count(block[place->dev], bio_sectors(bio));
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
 * PG_referenced, readahead alone does not (but for a fault, see waste.c): pages just before
 * @index that have it and were not seen to be read were read by such a batch, or by several.
 */
static void pages_got_before(struct address_space *mapping, pgoff_t index)
{
	pgoff_t least = index - min(index, SHORT_RANGE);

	while (index > least && ra_waste_in_doubt(mapping, index - 1, 1)) {
		unsigned long nr = 1UL << xa_get_order(&mapping->i_pages, index - 1);
		pgoff_t start = round_down(index - 1, nr);

		/* The batch ended before a folio, not within one. */
		if (start + nr != index || !is_referenced(mapping, start))
			return;
		if (ra_waste_in_doubt(mapping, start, nr) != nr) {
			/* The flag may come from what was seen. The rest: read, or passed over? */
			ra_waste_unseen(mapping, start, nr);
			return;
		}
		ra_waste_read(mapping, start, nr);
		index = start;
	}
}

/* Of a long read this is called for each batch, with all that is left to read. */
static void pages_got(void *unused, struct address_space *mapping, pgoff_t index, pgoff_t last)
{
	unsigned long nr = last - index + 1;

	/* By its entry: without a reference, the folio may become something else. */
	if (nr > SHORT_RANGE) {
		unsigned long batch = BATCH_FOLIOS << xa_get_order(&mapping->i_pages, index);

		nr = min(nr, max(SHORT_RANGE, batch));
	}
	pages_got_before(mapping, index);
	ra_waste_read(mapping, index, nr);
}

static void pages_mapped(void *unused, struct address_space *mapping, pgoff_t index, pgoff_t last)
{
	/* The event has the pages that were asked for, of folios that are mapped whole. */
	if (COMPAT_FAULT_MAPS_FOLIO && mapping_large_folio_support(mapping)) {
		index = round_down(index, 1UL << xa_get_order(&mapping->i_pages, index));
		last |= (1UL << xa_get_order(&mapping->i_pages, last)) - 1;
	}
	ra_waste_read(mapping, index, last - index + 1);
}

static void page_faulted(void *unused, struct address_space *mapping, pgoff_t index)
{
	pages_mapped(unused, mapping, index, index);
}

enum { ADDED, REMOVED, QUEUED, GOT, MAPPED, FAULTED };

static struct tracepoint_probe probes[] = {
	[ADDED] = { "mm_filemap_add_to_page_cache", page_added },
	[REMOVED] = { "mm_filemap_delete_from_page_cache", page_removed },
	[QUEUED] = { "block_bio_queue", bio_queued },
	/* These came with "filemap: add trace events for get_pages, map_pages, and fault". */
	[GOT] = { "mm_filemap_get_pages", pages_got },
	[MAPPED] = { "mm_filemap_map_pages", pages_mapped },
	[FAULTED] = { "mm_filemap_fault", page_faulted },
};

/**
 * ra_pages_attach - attach to the tracepoints
 *
 * Context: may sleep; the tables of calls and of waste exist.
 * Return: 0, or a negative errno with nothing attached and a line in the log.
 */
int ra_pages_attach(void)
{
	/* That these are what the tracepoints call, in this kernel, is checked here. */
	check_trace_callback_type_mm_filemap_add_to_page_cache(page_added);
	check_trace_callback_type_mm_filemap_delete_from_page_cache(page_removed);
	check_trace_callback_type_block_bio_queue(bio_queued);
	return tracepoints_attach(probes, ARRAY_SIZE(probes));
}

/**
 * ra_pages_detach - detach from the tracepoints
 *
 * Context: may sleep. No probe runs when it returns.
 */
void ra_pages_detach(void)
{
	tracepoints_detach(probes, ARRAY_SIZE(probes));
}

/**
 * ra_pages_see_actual - whether pages that enter the page cache are seen
 */
bool ra_pages_see_actual(void)
{
	return tracepoint_is_attached(&probes[ADDED]) && tracepoint_is_attached(&probes[REMOVED]);
}

/**
 * ra_pages_see_block - whether bios are seen
 */
bool ra_pages_see_block(void)
{
	return tracepoint_is_attached(&probes[QUEUED]);
}

/**
 * ra_pages_see_reads - whether every read of a page is seen
 */
bool ra_pages_see_reads(void)
{
	return tracepoint_is_attached(&probes[GOT]) && tracepoint_is_attached(&probes[MAPPED]) &&
	       tracepoint_is_attached(&probes[FAULTED]);
}
