// SPDX-License-Identifier: GPL-2.0-only
#include "invariant.h"

/* Beyond what md allows: 384 disks with version 1 metadata, 32768 stripes, growing. */
#define MAX_DISKS	4096
#define MAX_STRIPES	1048576
/* A chunk is at least a page and has whole pages. */
#define CHUNK_UNIT	8

/**
 * r5d_broken_invariant - find what cannot be, in what was read of an array
 * @f: the facts
 *
 * The build-id said that the offsets are right. This is the second opinion,
 * taken before anything of an array is changed.
 *
 * Return: what is wrong, to follow "array md0: ", or NULL.
 */
const char *r5d_broken_invariant(const struct r5d_layout_sample *f)
{
	if (!f->stripe_of_array)
		return "a stripe does not belong to the array that released it";
	if (!f->private_is_array || !f->array_of_disk)
		return "md and raid456 do not agree on which array it is";
	if (!f->locked)
		return "its lock is not held where it must be";
	if (!f->unlisted || f->count)
		return "a released stripe is in use";
	if (f->level < 4 || f->level > 6)
		return "its level is none of 4, 5 and 6";
	if (f->max_degraded != (f->level == 6 ? 2 : 1))
		return "its number of parity disks does not fit its level";
	if (f->raid_disks <= f->max_degraded || f->raid_disks > MAX_DISKS ||
	    f->raid_disks != f->md_disks || f->raid_disks != f->stripe_disks)
		return "its number of disks differs from place to place";
	if (f->chunk < CHUNK_UNIT || f->chunk % CHUNK_UNIT || f->chunk != f->md_chunk)
		return "its chunk size differs from place to place";
	if (f->min <= 0 || f->max <= 0 || f->max > MAX_STRIPES || f->active < 1 ||
	    f->active > f->max + 1)
		return "the numbers of its stripes cannot be";
	if (f->sector % CHUNK_UNIT)
		return "a stripe begins within a page";
	return NULL;
}
