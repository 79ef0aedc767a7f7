// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pages that were read ahead and not read yet, one bit each, in chunks of 64. A page leaves the
 * table when it is read or evicted. The table is bounded: a set that is full replaces its chunks in
 * turn, and counts the pages of a replaced chunk as unknown.
 *
 * The page flags cannot replace the table: reclaim clears PG_referenced before it evicts a page,
 * and the multi-generation LRU keeps counts of its own. If the flag is set and no event told of a
 * read, an event is missing; see pages.c.
 */
#include <linux/bits.h>
#include <linux/mm.h>
#include <linux/mm_inline.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "account.h"
#include "common/read_racy.h"
#include "unread.h"

#define CHUNK		RAT_UNREAD_CHUNK
#define NR_SETS		(RAT_UNREAD_FILTER_SIZE / BITS_PER_LONG)
#define NR_WAYS		8

/**
 * struct rat_chunk - 64 pages of a file, aligned
 * @mapping: the file: a key, never followed. It is valid as long as the file has cached pages, and
 *	a page that is not cached any more has left the table.
 * @number: index of the first page / 64
 * @unread: the unread pages, one bit each; 0: the chunk is free
 * @dev: index of their device in the counters
 * @pattern: their pattern
 * @bit: its bit in the word of its set in the filter
 * @faulted: a page fault read some of them ahead. With the multi-generation LRU of newer kernels
 *	these have PG_referenced from the start, so the flag tells nothing.
 */
struct rat_chunk {
	const struct address_space *mapping;
	unsigned long number;
	u64 unread;
	u8 dev;
	u8 pattern;
	u8 bit;
	bool faulted;
};

/**
 * struct rat_chunk_set - chunks whose keys have the same hash
 * @lock: protects the set and its word in the filter; a leaf lock, taken in any context.
 *	rat_unread_count() and has_unread() look at chunks without it.
 * @next: the chunk to replace next, modulo %NR_WAYS
 * @chunk: the chunks
 */
struct rat_chunk_set {
	raw_spinlock_t lock;
	u16 next;
	struct rat_chunk chunk[NR_WAYS];
};

static struct rat_chunk_set *sets;
/*
 * The bits of the chunks in use, a word for each set. Another chunk may have the same bit. Each
 * cached read looks here, and most need nothing else.
 *
 * Reads look at the filter and at chunks without a lock, and miss nothing that matters to them. A
 * page is added before its folio is unlocked. Only then can a reader see PG_uptodate, or somebody
 * lock the folio to evict it. The unlock is a release, the test of PG_uptodate and the lock are an
 * acquire, so both see the bit and the chunk. No store takes them back while the page is unread,
 * because a word of the filter changes in one store, and a chunk in use stays where it is. If the
 * chunk is replaced meanwhile, its pages are counted as unknown. What a look finds in addition, in
 * a chunk that is being written, is checked again under the lock.
 */
unsigned long rat_unread_filter[NR_SETS];
/* Only where the probes or hooks see all reads: otherwise every page would seem unread. */
static bool tracking;
/* Protects @sets against rat_unread_destroy() in rat_unread_total(). Nests in nothing. */
static DEFINE_MUTEX(sets_mutex);

/**
 * rat_unread_create - allocate the table
 *
 * Return: 0 or -ENOMEM.
 */
int rat_unread_create(void)
{
	struct rat_chunk_set *new = kvcalloc(NR_SETS, sizeof(*new), GFP_KERNEL);
	unsigned int i;

	if (!new)
		return -ENOMEM;
	for (i = 0; i < NR_SETS; i++)
		raw_spin_lock_init(&new[i].lock);
	mutex_lock(&sets_mutex);
	sets = new;
	mutex_unlock(&sets_mutex);
	return 0;
}

/* When no hook or probe is registered. */
void rat_unread_destroy(void)
{
	WRITE_ONCE(tracking, false);
	mutex_lock(&sets_mutex);
	kvfree(sets);
	sets = NULL;
	mutex_unlock(&sets_mutex);
}

/**
 * rat_unread_set_tracking - empty the table, and start or stop tracking pages
 * @track: whether the probes or hooks see all reads from now on
 */
void rat_unread_set_tracking(bool track)
{
	unsigned long flags;
	unsigned int i;

	WRITE_ONCE(tracking, false);
	for (i = 0; i < NR_SETS; i++) {
		raw_spin_lock_irqsave(&sets[i].lock, flags);
		memset(sets[i].chunk, 0, sizeof(sets[i].chunk));
		WRITE_ONCE(rat_unread_filter[i], 0);
		raw_spin_unlock_irqrestore(&sets[i].lock, flags);
	}
	WRITE_ONCE(tracking, track);
}

bool rat_unread_is_tracking(void)
{
	return READ_ONCE(tracking);
}

/* The bits of the pages from @start to the end of the range or of the chunk. */
static u64 chunk_bits(unsigned long start, unsigned long nr)
{
	return GENMASK_ULL(min(start % CHUNK + nr, CHUNK) - 1, start % CHUNK);
}

/* Compute the word of a set in the filter anew. The caller holds the set's lock. */
static void rat_filter_update(const struct rat_chunk_set *set)
{
	unsigned long filter = 0;
	unsigned int i;

	for (i = 0; i < NR_WAYS; i++)
		if (set->chunk[i].unread)
			filter |= BIT(set->chunk[i].bit);
	/* Cached reads on all CPUs read this cache line, so do not dirty it in vain. */
	if (rat_unread_filter[set - sets] != filter)
		WRITE_ONCE(rat_unread_filter[set - sets], filter);
}

/* Find the chunk for pages of a pattern, or take a free one, or replace the next one. */
static struct rat_chunk *rat_chunk_get(struct rat_chunk_set *set, const struct rat_chunk *key)
{
	struct rat_chunk *chunk, *free = NULL;
	unsigned int i;

	for (i = 0; i < NR_WAYS; i++) {
		chunk = &set->chunk[i];
		if (!chunk->unread)
			free = chunk;
		else if (chunk->mapping == key->mapping && chunk->number == key->number &&
			 chunk->dev == key->dev && chunk->pattern == key->pattern)
			return chunk;
	}
	if (!free) {
		free = &set->chunk[set->next++ % NR_WAYS];
		rat_account_add(free->dev, free->pattern, RAT_COL_UNKNOWN, hweight64(free->unread));
	}
	*free = *key;
	return free;
}

/**
 * rat_unread_add - add pages that were read ahead
 * @mapping: the file
 * @start: first page
 * @nr: number of pages, at least 1
 * @dev: index of the device in the counters
 * @pattern: pattern of the readahead
 *
 * Context: any; the pages are in the page cache and locked.
 */
void rat_unread_add(struct address_space *mapping, unsigned long start, unsigned long nr,
		    unsigned int dev, enum rat_pattern pattern)
{
	unsigned long flags, end = start + nr;
	bool faulted = lru_gen_in_fault();

	if (!rat_unread_is_tracking())
		return;
	while (start < end) {
		unsigned int hash = rat_unread_hash(mapping, start / CHUNK);
		struct rat_chunk_set *set = &sets[hash / BITS_PER_LONG];
		const struct rat_chunk key = {
			.mapping = mapping,
			.number = start / CHUNK,
			.dev = dev,
			.pattern = pattern,
			.bit = hash % BITS_PER_LONG,
		};
		struct rat_chunk *chunk;

		raw_spin_lock_irqsave(&set->lock, flags);
		chunk = rat_chunk_get(set, &key);
		WRITE_ONCE(chunk->unread, chunk->unread | chunk_bits(start, end - start));
		if (faulted)
			WRITE_ONCE(chunk->faulted, true);
		rat_filter_update(set);
		raw_spin_unlock_irqrestore(&set->lock, flags);
		start = (start / CHUNK + 1) * CHUNK;
	}
}

static void rat_chunk_resolve(struct rat_chunk_set *set, struct rat_chunk *chunk, u64 bits,
			      enum rat_outcome outcome)
{
	static const enum rat_column columns[] = {
		[RAT_OUTCOME_READ] = RAT_COL_USED,
		[RAT_OUTCOME_EVICTED] = RAT_COL_UNUSED,
		[RAT_OUTCOME_UNKNOWN] = RAT_COL_UNKNOWN,
	};
	u64 pages = hweight64(chunk->unread & bits);

	if (!pages)
		return;
	if (outcome != RAT_OUTCOME_DISCARDED)
		rat_account_add(chunk->dev, chunk->pattern, columns[outcome], pages);
	WRITE_ONCE(chunk->unread, chunk->unread & ~bits);
	if (!chunk->unread)
		rat_filter_update(set);
}

/* Look without the lock whether the table seems to have unread pages of a chunk. */
static bool has_unread(const struct address_space *mapping, unsigned long number, u64 bits)
{
	unsigned int hash = rat_unread_hash(mapping, number);
	const struct rat_chunk_set *set = &sets[hash / BITS_PER_LONG];
	unsigned int i;

	if (!test_bit(hash, rat_unread_filter))
		return false;
	for (i = 0; i < NR_WAYS; i++) {
		const struct rat_chunk *chunk = &set->chunk[i];

		if (READ_RACY(chunk->mapping) == mapping && READ_RACY(chunk->number) == number &&
		    READ_RACY(chunk->unread) & bits)
			return true;
	}
	return false;
}

/**
 * rat_unread_resolve - count the outcome of unread pages, and remove them
 * @mapping: the file
 * @start: first page
 * @nr: number of pages; those that are not in the table do not matter
 * @outcome: what became of them
 *
 * Takes a lock only for chunks that have such pages.
 *
 * Context: any.
 */
void rat_unread_resolve(const struct address_space *mapping, unsigned long start, unsigned long nr,
			enum rat_outcome outcome)
{
	unsigned long flags, end = start + nr;
	unsigned int i;

	if (!rat_unread_is_tracking())
		return;
	for (; start < end; start = (start / CHUNK + 1) * CHUNK) {
		u64 bits = chunk_bits(start, end - start);
		struct rat_chunk_set *set;

		if (!has_unread(mapping, start / CHUNK, bits))
			continue;
		set = &sets[rat_unread_hash(mapping, start / CHUNK) / BITS_PER_LONG];
		raw_spin_lock_irqsave(&set->lock, flags);
		for (i = 0; i < NR_WAYS; i++) {
			struct rat_chunk *chunk = &set->chunk[i];

			if (chunk->mapping == mapping && chunk->number == start / CHUNK)
				rat_chunk_resolve(set, chunk, bits, outcome);
		}
		raw_spin_unlock_irqrestore(&set->lock, flags);
	}
}

/**
 * rat_unread_count - count the unread pages of a range that only a read marks as referenced
 * @mapping: the file
 * @start: first page
 * @nr: number of pages
 *
 * Takes no lock, because it runs at each read, and may miss changes meanwhile.
 *
 * Context: any.
 * Return: pages of the range in the table, less those of chunks that a page fault read ahead.
 */
unsigned long rat_unread_count(const struct address_space *mapping, unsigned long start,
			       unsigned long nr)
{
	unsigned long pages = 0, end = start + nr;
	unsigned int i;

	if (!rat_unread_is_tracking())
		return 0;
	for (; start < end; start = (start / CHUNK + 1) * CHUNK) {
		unsigned int hash = rat_unread_hash(mapping, start / CHUNK);
		const struct rat_chunk_set *set = &sets[hash / BITS_PER_LONG];
		u64 bits = chunk_bits(start, end - start);

		if (!test_bit(hash, rat_unread_filter))
			continue;
		for (i = 0; i < NR_WAYS; i++) {
			const struct rat_chunk *chunk = &set->chunk[i];

			if (READ_RACY(chunk->mapping) == mapping &&
			    READ_RACY(chunk->number) == start / CHUNK && !READ_RACY(chunk->faulted))
				pages += hweight64(READ_RACY(chunk->unread) & bits);
		}
	}
	return pages;
}

/* The number of pages in the table. May sleep. */
u64 rat_unread_total(void)
{
	unsigned int i, way;
	u64 pages = 0;

	mutex_lock(&sets_mutex);
	for (i = 0; sets && i < NR_SETS; i++)
		for (way = 0; way < NR_WAYS; way++)
			pages += hweight64(READ_RACY(sets[i].chunk[way].unread));
	mutex_unlock(&sets_mutex);
	return pages;
}
