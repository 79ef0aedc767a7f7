// SPDX-License-Identifier: GPL-2.0-only
#include "invariant.h"
#include "stripe.h"

/* More than md allows: 384 disks with version 1 metadata, 32768 stripes and a few more. */
#define MAX_DISKS	4096
#define MAX_STRIPES	1048576

/**
 * r5d_broken_invariant - find a contradiction in what was read of an array
 * @f: what was read
 *
 * The build-id has said that the offsets are right. This checks them once more, before anything of
 * the array is changed.
 *
 * Return: what is wrong, to follow "unsupported array md0: ", or NULL.
 */
const char *r5d_broken_invariant(const struct r5d_layout_sample *f)
{
	if (!f->stripe_of_array)
		return "a stripe does not belong to the array that released it";
	if (!f->private_is_array || !f->array_of_disk)
		return "md and raid456 disagree on which array it is";
	if (!f->locked)
		return "its device_lock is not held where it must be";
	if (!f->unlisted || f->count)
		return "a released stripe is in use";
	if (f->level < 4 || f->level > 6)
		return "its level is not 4, 5 or 6";
	if (f->max_degraded != (f->level == 6 ? 2 : 1))
		return "its number of parity disks is wrong for its level";
	if (f->raid_disks <= f->max_degraded || f->raid_disks > MAX_DISKS ||
	    f->raid_disks != f->md_disks || f->raid_disks != f->stripe_disks)
		return "its numbers of disks disagree";
	if (f->chunk < R5D_STRIPE_SECTORS || f->chunk % R5D_STRIPE_SECTORS ||
	    f->chunk != f->md_chunk)
		return "its chunk sizes disagree";
	if (f->min <= 0 || f->max <= 0 || f->max > MAX_STRIPES || f->active < 1 ||
	    f->active > f->max + 1)
		return "its numbers of stripes contradict each other";
	if (f->sector % R5D_STRIPE_SECTORS)
		return "a stripe is not aligned to a page";
	return NULL;
}
