/* SPDX-License-Identifier: GPL-2.0-only */
/* Does what we read of an array make sense? Pure. */
#ifndef RAID5_DEADLINE_INVARIANT_H
#define RAID5_DEADLINE_INVARIANT_H

#include <linux/types.h>

/**
 * struct r5d_layout_sample - what was read of an array and of its first stripe
 * @stripe_of_array: the stripe points to this array
 * @array_of_disk: the disk points to this array
 * @private_is_array: md points to this data of raid456
 * @locked: the array's device_lock is held, as it must be
 * @unlisted: the stripe is on no list, as it must be
 * @count: references to the stripe, which must be 0
 * @level: RAID level
 * @max_degraded: parity disks in raid456
 * @raid_disks: disks in raid456
 * @md_disks: disks in md
 * @stripe_disks: disks in the stripe
 * @chunk: sectors of a chunk in raid456
 * @md_chunk: sectors of a chunk in md
 * @active: stripes in use
 * @max: stripes in the cache
 * @min: stripes that the cache has at least
 * @sector: of the stripe
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
