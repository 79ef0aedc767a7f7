/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of unread pages: read ahead, and neither read nor evicted yet. */
#ifndef RA_TRACE_UNREAD_H
#define RA_TRACE_UNREAD_H

#include <linux/bitops.h>
#include <linux/hash.h>
#include <linux/types.h>

#include "pattern.h"

/* Pages of a chunk of the table. */
#define RAT_UNREAD_CHUNK	64UL
#define RAT_UNREAD_HASH_BITS	16
#define RAT_UNREAD_FILTER_SIZE	BIT(RAT_UNREAD_HASH_BITS)

struct address_space;

/* What became of pages that were read ahead. */
enum rat_outcome {
	RAT_OUTCOME_READ,
	RAT_OUTCOME_EVICTED,	/* unread */
	RAT_OUTCOME_UNKNOWN,	/* perhaps read, without an event */
	RAT_OUTCOME_DISCARDED,	/* not read ahead after all: not counted */
};

extern unsigned long rat_unread_filter[];

/* The bit in the filter of the chunk with this number, index / RAT_UNREAD_CHUNK, of a file. */
static inline unsigned int rat_unread_hash(const struct address_space *mapping,
					   unsigned long number)
{
	unsigned long key = (unsigned long)mapping ^ hash_long(number, BITS_PER_LONG);

	return hash_long(key, RAT_UNREAD_HASH_BITS);
}

/**
 * rat_unread_may_have - whether the pages of one chunk may be in the table
 * @mapping: the file
 * @index: one of the pages
 *
 * Inline and without a lock, because each cached read asks.
 *
 * Context: any.
 * Return: false if no page of the chunk is in the table.
 */
static inline bool rat_unread_may_have(const struct address_space *mapping, unsigned long index)
{
	return test_bit(rat_unread_hash(mapping, index / RAT_UNREAD_CHUNK), rat_unread_filter);
}

int rat_unread_create(void);
void rat_unread_destroy(void);
void rat_unread_set_tracking(bool track);
bool rat_unread_is_tracking(void);
void rat_unread_add(struct address_space *mapping, unsigned long start, unsigned long nr,
		    unsigned int dev, enum rat_pattern pattern);
void rat_unread_resolve(const struct address_space *mapping, unsigned long start, unsigned long nr,
			enum rat_outcome outcome);
unsigned long rat_unread_count(const struct address_space *mapping, unsigned long start,
			       unsigned long nr);
u64 rat_unread_total(void);

#endif
