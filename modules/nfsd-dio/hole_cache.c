// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where a file has no data. To find where the next data is, ext4 and XFS step over every
 * extent that was allocated and never written, ext4 with the inode locked: in a large image
 * that was preallocated these are thousands, and a client that fills it asks before each write.
 * So the last answer for a file is kept for a moment.
 *
 * What has changed since, or is another file by now, is found to have no data where it has
 * some: the write is left to the stock code then, which is right for any write.
 */
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/spinlock.h>

#include "hole_cache.h"

#define HOLE_BITS	6
#define HOLE_LIFETIME	(HZ / 4)

/* Files that share a place forget each other's. */
static struct nd_hole {
	spinlock_t lock;	/* protects the rest */
	const struct inode *inode;
	loff_t begin, end;
	unsigned long until;
} holes[1 << HOLE_BITS] = {
	[0 ... (1 << HOLE_BITS) - 1].lock = __SPIN_LOCK_UNLOCKED(holes.lock),
};

static struct nd_hole *nd_hole_slot(const struct inode *inode)
{
	return &holes[hash_ptr(inode, HOLE_BITS)];
}

/**
 * nd_hole_cache_lookup - whether there was no data at a place, a moment ago
 * @inode: the file
 * @pos: the place, bytes
 *
 * Context: any but interrupts.
 */
bool nd_hole_cache_lookup(const struct inode *inode, loff_t pos)
{
	struct nd_hole *hole = nd_hole_slot(inode);
	bool covers;

	spin_lock(&hole->lock);
	covers = hole->inode == inode && pos >= hole->begin && pos < hole->end &&
		 time_before(jiffies, hole->until);
	spin_unlock(&hole->lock);
	return covers;
}

/**
 * nd_hole_cache_add - remember that there is no data in a part of a file, if it is the longest known
 * @inode: the file
 * @begin: where the part begins, bytes
 * @end: where it ends
 *
 * Context: any but interrupts.
 */
void nd_hole_cache_add(const struct inode *inode, loff_t begin, loff_t end)
{
	struct nd_hole *hole = nd_hole_slot(inode);

	spin_lock(&hole->lock);
	/* What lies before a write is short in a file that is filled in any order. */
	if (hole->inode == inode && time_before(jiffies, hole->until) &&
	    end - begin < hole->end - hole->begin)
		goto unlock;
	hole->inode = inode;
	hole->begin = begin;
	hole->end = end;
	hole->until = jiffies + HOLE_LIFETIME;
unlock:
	spin_unlock(&hole->lock);
}
