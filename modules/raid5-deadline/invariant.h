/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether what we read of an array can be what we take it for. Pure. */
#ifndef RAID5_DEADLINE_INVARIANT_H
#define RAID5_DEADLINE_INVARIANT_H

#include <linux/types.h>

/**
 * struct r5d_layout_sample - what was read of an array and of the stripe it was met by
 * @stripe_of_array: the stripe says that it belongs to this array
 * @array_of_disk: the block device says that it is this array's
 * @private_is_array: md says that this is its personality's data
 * @locked: what we take for the array's lock is held, as it must be
 * @unlisted: the stripe's list head is empty, as it must be
 * @count: references to the stripe, which must be 0
 * @level: RAID level
 * @max_degraded: parity disks by raid456
 * @raid_disks: disks by raid456
 * @md_disks: disks by md
 * @stripe_disks: disks by the stripe
 * @chunk: sectors of a chunk by raid456
 * @md_chunk: sectors of a chunk by md
 * @active: stripes in use
 * @max: stripes that there are
 * @min: stripes that there should be at least
 * @sector: where the stripe is
 */
struct r5d_layout_sample {
	bool stripe_of_array;
	bool array_of_disk;
	bool private_is_array;
	bool locked;
	bool unlisted;
	int count;
	int level;
	int max_degraded;
	int raid_disks;
	int md_disks;
	int stripe_disks;
	int chunk;
	int md_chunk;
	int active;
	int max;
	int min;
	u64 sector;
};

const char *r5d_broken_invariant(const struct r5d_layout_sample *f);

#endif
