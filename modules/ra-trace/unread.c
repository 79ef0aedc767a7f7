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
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/mm_inline.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "account.h"
#include "common/read_racy.h"
#include "unread.h"

#define CHUNK		64UL
#define SET_BITS	10
#define NR_SETS		BIT(SET_BITS)
#define NR_WAYS		8

/**
 * struct rat_chunk - 64 pages of a file, aligned
 * @mapping: the file: a key, never followed. It is valid as long as the file has cached pages, and
 *	a page that is not cached any more has left the table.
 * @number: index of the first page / 64
 * @unread: the unread pages, one bit each; 0: the chunk is free
 * @dev: index of their device in the counters
 * @pattern: their pattern
 * @faulted: a page fault read some of them ahead. With the multi-generation LRU of newer kernels
 *	these have PG_referenced from the start, so the flag tells nothing.
 */
struct rat_chunk {
	const struct address_space *mapping;
	unsigned long number;
	u64 unread;
	u8 dev;
	u8 pattern;
	bool faulted;
};

/**
 * struct rat_chunk_set - chunks whose keys have the same hash
 * @lock: protects the set; a leaf lock, taken in any context
 * @nr: chunks in use; read without @lock to skip an empty set
 * @next: the chunk to replace next, modulo %NR_WAYS
 * @chunk: the chunks
 */
struct rat_chunk_set {
	raw_spinlock_t lock;
	u16 nr;
	u16 next;
	struct rat_chunk chunk[NR_WAYS];
};

static struct rat_chunk_set *sets;
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
		WRITE_ONCE(sets[i].nr, 0);
		raw_spin_unlock_irqrestore(&sets[i].lock, flags);
	}
	WRITE_ONCE(tracking, track);
}

bool rat_unread_is_tracking(void)
{
	return READ_ONCE(tracking);
}

static struct rat_chunk_set *rat_chunk_set_of(const struct address_space *mapping,
					      unsigned long number)
{
	unsigned long key = (unsigned long)mapping ^ hash_long(number, BITS_PER_LONG);

	return &sets[hash_long(key, SET_BITS)];
}

/* The bits of the pages from @start to the end of the range or of the chunk. */
static u64 chunk_bits(unsigned long start, unsigned long nr)
{
	return GENMASK_ULL(min(start % CHUNK + nr, CHUNK) - 1, start % CHUNK);
}

/* Find the chunk for pages of a pattern, or take a free one, or replace the next one. */
static struct rat_chunk *rat_chunk_get(struct rat_chunk_set *set,
				       const struct address_space *mapping, unsigned long number,
				       unsigned int dev, enum rat_pattern pattern)
{
	struct rat_chunk *chunk, *free = NULL;
	unsigned int i;

	for (i = 0; i < NR_WAYS; i++) {
		chunk = &set->chunk[i];
		if (!chunk->unread)
			free = chunk;
		else if (chunk->mapping == mapping && chunk->number == number &&
			 chunk->dev == dev && chunk->pattern == pattern)
			return chunk;
	}
	if (free) {
		WRITE_ONCE(set->nr, set->nr + 1);
	} else {
		free = &set->chunk[set->next++ % NR_WAYS];
		rat_account_add(free->dev, free->pattern, RAT_COL_UNKNOWN, hweight64(free->unread));
	}
	*free = (struct rat_chunk) {
		.mapping = mapping,
		.number = number,
		.dev = dev,
		.pattern = pattern,
	};
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
		struct rat_chunk_set *set = rat_chunk_set_of(mapping, start / CHUNK);
		struct rat_chunk *chunk;

		raw_spin_lock_irqsave(&set->lock, flags);
		chunk = rat_chunk_get(set, mapping, start / CHUNK, dev, pattern);
		chunk->unread |= chunk_bits(start, end - start);
		if (faulted)
			chunk->faulted = true;
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
	chunk->unread &= ~bits;
	if (!chunk->unread)
		WRITE_ONCE(set->nr, set->nr - 1);
}

/**
 * rat_unread_resolve - count the outcome of unread pages, and remove them
 * @mapping: the file
 * @start: first page
 * @nr: number of pages; those that are not in the table do not matter
 * @outcome: what became of them
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
		struct rat_chunk_set *set = rat_chunk_set_of(mapping, start / CHUNK);

		if (!READ_ONCE(set->nr))
			continue;
		raw_spin_lock_irqsave(&set->lock, flags);
		for (i = 0; i < NR_WAYS; i++) {
			struct rat_chunk *chunk = &set->chunk[i];

			if (chunk->mapping == mapping && chunk->number == start / CHUNK)
				rat_chunk_resolve(set, chunk, chunk_bits(start, end - start),
						  outcome);
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
		const struct rat_chunk_set *set = rat_chunk_set_of(mapping, start / CHUNK);
		u64 bits = chunk_bits(start, end - start);

		if (!READ_ONCE(set->nr))
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
