// SPDX-License-Identifier: GPL-2.0-only
/*
 * A place is a file and a range of 16 requests in it. The misses of a stream come back to a place,
 * or to the next one. Random misses of a large file nearly never do.
 */
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/hash.h>
#include <linux/log2.h>

#include "recent.h"

/* Places that lie side by side share a cache line, so that the neighbours are in it, too. */
#define LINE_BITS	4
#define LINE		BIT(LINE_BITS)
#define PLACE_BITS	4

/* The slot and the signature of a place, which never is 0. */
static u32 *place_slot(struct ctxra_recent *recent, unsigned long file, unsigned long place,
		       u32 *sign)
{
	u64 hash = hash_64(file ^ hash_64(place >> LINE_BITS, 64), 64);

	*sign = (u32)hash | 1;
	return &recent->signs[(hash >> (64 - CTXRA_RECENT_BITS + LINE_BITS) << LINE_BITS) +
			      place % LINE];
}

static bool has(struct ctxra_recent *recent, unsigned long file, unsigned long place)
{
	u32 sign, *slot = place_slot(recent, file, place, &sign);

	return READ_ONCE(*slot) == sign;
}

/**
 * ctxra_recent_touch - note a miss
 * @recent: the places
 * @mapping: the file
 * @index: first page
 * @nr: pages requested, at least 1
 *
 * Takes no lock. Misses at the same time may take each other's slots, which costs a stream another
 * request until it is found.
 *
 * Context: any.
 * Return: true if a miss of about this size was here or at a neighbouring place lately.
 */
bool ctxra_recent_touch(struct ctxra_recent *recent, const void *mapping, unsigned long index,
			unsigned long nr)
{
	unsigned int shift = PLACE_BITS + order_base_2(nr);
	unsigned long place = index >> shift, file = (unsigned long)mapping + shift;
	u32 sign, *slot = place_slot(recent, file, place, &sign);
	bool near = READ_ONCE(*slot) == sign;

	if (!near)
		WRITE_ONCE(*slot, sign);
	if (place % LINE && place % LINE != LINE - 1)
		return near || READ_ONCE(slot[-1]) == sign || READ_ONCE(slot[1]) == sign;
	return near || has(recent, file, place + 1) || (place && has(recent, file, place - 1));
}
