// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pages that were read ahead and that nobody has read yet, a bit each, in chunks
 * of 64. A page leaves when it is read or evicted, so the table holds what is in
 * doubt only. It is bounded: when a set is full, the chunk that came first makes
 * room, and its pages are counted as of unknown fate.
 *
 * The page flags cannot tell: reclaim clears PG_referenced before it evicts, and
 * the multi-generation LRU keeps its own count. That flag, if it is set, only says
 * that a read was missed; see pages.c.
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
#include "waste.h"

#define CHUNK		64UL
#define SET_BITS	10
#define NR_SETS		BIT(SET_BITS)
#define NR_WAYS		8

/**
 * struct chunk - 64 pages of a file, aligned
 * @mapping: the file: a key, never followed. It is good as long as pages of the
 *	file are cached, and those that are not leave the table.
 * @number: which 64 pages
 * @unread: those that were read ahead and not read, a bit each; 0: free
 * @dev: whom to count them for
 * @pattern: likewise
 * @faulted: some were read ahead by a page fault: with the multi-generation LRU of newer
 *	kernels, PG_referenced is set on those from the beginning, and says nothing
 */
struct chunk {
	const struct address_space *mapping;
	unsigned long number;
	u64 unread;
	u8 dev;
	u8 pattern;
	bool faulted;
};

/**
 * struct set - chunks whose keys have the same hash
 * @lock: protects the set; a leaf, taken in any context
 * @nr: chunks in use; read without the lock to pass over an empty set
 * @next: the one to make room
 * @chunk: the chunks
 */
struct set {
	raw_spinlock_t lock;
	u16 nr;
	u16 next;
	struct chunk chunk[NR_WAYS];
};

enum fate { FATE_READ, FATE_EVICTED, FATE_UNSEEN, FATE_FORGOTTEN };

static struct set *sets;
/* Whether reads are seen: else every page would seem unread. */
static bool on;
/* Protects @sets against going away while ra_waste_open() looks. Nests in nothing. */
static DEFINE_MUTEX(sets_mutex);

/**
 * ra_waste_create - make the table
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int ra_waste_create(void)
{
	struct set *new = kvcalloc(NR_SETS, sizeof(*new), GFP_KERNEL);
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

/**
 * ra_waste_destroy - free the table
 *
 * Context: may sleep; no hook or tracepoint is in place.
 */
void ra_waste_destroy(void)
{
	WRITE_ONCE(on, false);
	mutex_lock(&sets_mutex);
	kvfree(sets);
	sets = NULL;
	mutex_unlock(&sets_mutex);
}

/**
 * ra_waste_switch - follow pages, or drop those that are followed
 * @follow: whether all reads are seen from now on
 *
 * Context: may sleep; the table exists.
 */
void ra_waste_switch(bool follow)
{
	unsigned long flags;
	unsigned int i;

	WRITE_ONCE(on, false);
	for (i = 0; i < NR_SETS; i++) {
		raw_spin_lock_irqsave(&sets[i].lock, flags);
		memset(sets[i].chunk, 0, sizeof(sets[i].chunk));
		WRITE_ONCE(sets[i].nr, 0);
		raw_spin_unlock_irqrestore(&sets[i].lock, flags);
	}
	WRITE_ONCE(on, follow);
}

/**
 * ra_waste_is_on - whether pages are followed
 */
bool ra_waste_is_on(void)
{
	return READ_ONCE(on);
}

static struct set *set_of(const struct address_space *mapping, unsigned long number)
{
	unsigned long key = (unsigned long)mapping ^ hash_long(number, BITS_PER_LONG);

	return &sets[hash_long(key, SET_BITS)];
}

/* The pages of a chunk that are in a range which begins in it. */
static u64 bits_of(unsigned long start, unsigned long nr)
{
	return GENMASK_ULL(min(start % CHUNK + nr, CHUNK) - 1, start % CHUNK);
}

/* A chunk to put pages in. */
static struct chunk *chunk_for(struct set *set, const struct address_space *mapping,
			       unsigned long number, unsigned int dev, enum ra_pattern pattern)
{
	struct chunk *chunk, *free = NULL;
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
		ra_account_add(free->dev, free->pattern, RA_UNKNOWN, hweight64(free->unread));
	}
	*free = (struct chunk) {
		.mapping = mapping,
		.number = number,
		.dev = dev,
		.pattern = pattern,
	};
	return free;
}

/**
 * ra_waste_follow - wait for the fate of pages that were read ahead
 * @mapping: the file
 * @start: first page
 * @nr: how many, 1 at least
 * @dev: place of its device in the counters
 * @pattern: whom to count them for
 *
 * Context: any; the pages are in the page cache and locked.
 */
void ra_waste_follow(struct address_space *mapping, unsigned long start, unsigned long nr,
		     unsigned int dev, enum ra_pattern pattern)
{
	unsigned long flags, end = start + nr;
	bool faulted = lru_gen_in_fault();

	if (!ra_waste_is_on())
		return;
	while (start < end) {
		struct set *set = set_of(mapping, start / CHUNK);
		struct chunk *chunk;

		raw_spin_lock_irqsave(&set->lock, flags);
		chunk = chunk_for(set, mapping, start / CHUNK, dev, pattern);
		chunk->unread |= bits_of(start, end - start);
		if (faulted)
			chunk->faulted = true;
		raw_spin_unlock_irqrestore(&set->lock, flags);
		start = (start / CHUNK + 1) * CHUNK;
	}
}

static const enum ra_column column_of_fate[] = {
	[FATE_READ] = RA_USED,
	[FATE_EVICTED] = RA_UNUSED,
	[FATE_UNSEEN] = RA_UNKNOWN,
};

static void leave_chunk(struct set *set, struct chunk *chunk, u64 bits, enum fate fate)
{
	u64 pages = hweight64(chunk->unread & bits);

	if (!pages)
		return;
	if (fate != FATE_FORGOTTEN)
		ra_account_add(chunk->dev, chunk->pattern, column_of_fate[fate], pages);
	chunk->unread &= ~bits;
	if (!chunk->unread)
		WRITE_ONCE(set->nr, set->nr - 1);
}

static void leave(const struct address_space *mapping, unsigned long start, unsigned long nr,
		  enum fate fate)
{
	unsigned long flags, end = start + nr;
	unsigned int i;

	if (!ra_waste_is_on())
		return;
	for (; start < end; start = (start / CHUNK + 1) * CHUNK) {
		struct set *set = set_of(mapping, start / CHUNK);

		if (!READ_ONCE(set->nr))
			continue;
		raw_spin_lock_irqsave(&set->lock, flags);
		for (i = 0; i < NR_WAYS; i++) {
			struct chunk *chunk = &set->chunk[i];

			if (chunk->mapping == mapping && chunk->number == start / CHUNK)
				leave_chunk(set, chunk, bits_of(start, end - start), fate);
		}
		raw_spin_unlock_irqrestore(&set->lock, flags);
	}
}

/**
 * ra_waste_read - pages are read by someone
 * @mapping: the file
 * @start: first page
 * @nr: how many
 *
 * Context: any.
 */
void ra_waste_read(const struct address_space *mapping, unsigned long start, unsigned long nr)
{
	leave(mapping, start, nr, FATE_READ);
}

/**
 * ra_waste_evicted - pages leave the page cache
 * @mapping: the file
 * @start: first page
 * @nr: how many
 *
 * Context: any.
 */
void ra_waste_evicted(const struct address_space *mapping, unsigned long start, unsigned long nr)
{
	leave(mapping, start, nr, FATE_EVICTED);
}

/**
 * ra_waste_unseen - pages of which it cannot be said whether someone has read them
 * @mapping: the file
 * @start: first page
 * @nr: how many
 *
 * Context: any.
 */
void ra_waste_unseen(const struct address_space *mapping, unsigned long start, unsigned long nr)
{
	leave(mapping, start, nr, FATE_UNSEEN);
}

/**
 * ra_waste_forget - pages were not read ahead after all
 * @mapping: the file
 * @start: first page
 * @nr: how many
 *
 * Context: any.
 */
void ra_waste_forget(const struct address_space *mapping, unsigned long start, unsigned long nr)
{
	leave(mapping, start, nr, FATE_FORGOTTEN);
}

/**
 * ra_waste_in_doubt - pages of a range that were not seen to be read, but would be marked
 * @mapping: the file
 * @start: first page
 * @nr: how many
 *
 * Takes no lock, as it is asked at each read: what changes meanwhile may be missed.
 *
 * Context: any.
 * Return: how many of the range are in the table, and get PG_referenced by a read only.
 */
unsigned long ra_waste_in_doubt(const struct address_space *mapping, unsigned long start,
				unsigned long nr)
{
	unsigned long pages = 0, end = start + nr;
	unsigned int i;

	if (!ra_waste_is_on())
		return 0;
	for (; start < end; start = (start / CHUNK + 1) * CHUNK) {
		const struct set *set = set_of(mapping, start / CHUNK);
		u64 bits = bits_of(start, end - start);

		if (!READ_ONCE(set->nr))
			continue;
		for (i = 0; i < NR_WAYS; i++) {
			const struct chunk *chunk = &set->chunk[i];

			if (READ_RACY(chunk->mapping) == mapping &&
			    READ_RACY(chunk->number) == start / CHUNK && !READ_RACY(chunk->faulted))
				pages += hweight64(READ_RACY(chunk->unread) & bits);
		}
	}
	return pages;
}

/**
 * ra_waste_open - pages whose fate is open
 *
 * Context: may sleep.
 * Return: how many are in the table.
 */
u64 ra_waste_open(void)
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
