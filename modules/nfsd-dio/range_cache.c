// SPDX-License-Identifier: GPL-2.0-only
/*
 * Remembers a hole of a file for RANGE_LIFETIME. SEEK_DATA is expensive in a preallocated file:
 * ext4 and XFS step over every extent that was allocated and never written, ext4 with the inode
 * locked. A large image has thousands of them, and a client that fills it would have them searched
 * for each write.
 *
 * An entry that is stale, or of another file by now, is harmless: the write is left to the stock
 * code, which is right for any write.
 */
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/spinlock.h>

#include "range_cache.h"

#define RANGE_BITS	6
#define RANGE_LIFETIME	(HZ / 4)

/* Files that share a slot evict each other's hole. */
static struct nd_range {
	spinlock_t lock;	/* protects the rest */
	const struct inode *inode;
	loff_t begin, end;
	unsigned long until;
} ranges[1 << RANGE_BITS] = {
	[0 ... (1 << RANGE_BITS) - 1].lock = __SPIN_LOCK_UNLOCKED(ranges.lock),
};

static struct nd_range *nd_range_slot(const struct inode *inode)
{
	return &ranges[hash_ptr(inode, RANGE_BITS)];
}

/**
 * nd_range_cache_lookup - whether a position was in a hole a moment ago
 * @inode: the file
 * @pos: the position, bytes
 *
 * Context: any but interrupts.
 */
bool nd_range_cache_lookup(const struct inode *inode, loff_t pos)
{
	struct nd_range *range = nd_range_slot(inode);
	bool covers;

	spin_lock(&range->lock);
	covers = range->inode == inode && pos >= range->begin && pos < range->end &&
		 time_before(jiffies, range->until);
	spin_unlock(&range->lock);
	return covers;
}

/**
 * nd_range_cache_add - cache a hole, unless a longer one of the file is cached
 * @inode: the file
 * @begin: bytes
 * @end: bytes, exclusive
 *
 * Context: any but interrupts.
 */
void nd_range_cache_add(const struct inode *inode, loff_t begin, loff_t end)
{
	struct nd_range *range = nd_range_slot(inode);

	spin_lock(&range->lock);
	/* In a file that is filled in random order, most ranges are short: keep the long one. */
	if (range->inode == inode && time_before(jiffies, range->until) &&
	    end - begin < range->end - range->begin)
		goto unlock;
	range->inode = inode;
	range->begin = begin;
	range->end = end;
	range->until = jiffies + RANGE_LIFETIME;
unlock:
	spin_unlock(&range->lock);
}
