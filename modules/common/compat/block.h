/* SPDX-License-Identifier: GPL-2.0-only */
/* Differences between kernels in what a disk says of itself. */
#ifndef SEQKEEP_COMPAT_BLOCK_H
#define SEQKEEP_COMPAT_BLOCK_H

#include <linux/blkdev.h>

/*
 * Does the disk say that it rotates, in queue/rotational? Kernels have either blk_queue_nonrot()
 * or, since 2719bd1ee1a1 ("block: introduce blk_queue_rot()") in v7.0, blk_queue_rot(). Both are
 * macros.
 */
static inline bool compat_disk_rotates(struct block_device *bdev)
{
#ifdef blk_queue_rot
	return blk_queue_rot(bdev_get_queue(bdev));
#else
	return !blk_queue_nonrot(bdev_get_queue(bdev));
#endif
}

#endif
