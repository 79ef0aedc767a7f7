// SPDX-License-Identifier: GPL-2.0-only
/*
 * Remembers a hole of a file for HOLE_LIFETIME. SEEK_DATA is expensive in a preallocated file:
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

#include "hole_cache.h"

#define HOLE_BITS	6
#define HOLE_LIFETIME	(HZ / 4)

/* Files that share a slot evict each other's hole. */
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
 * nd_hole_cache_lookup - whether a position was in a hole a moment ago
 * @inode: the file
 * @pos: the position, bytes
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
 * nd_hole_cache_add - cache a hole, unless a longer one of the file is cached
 * @inode: the file
 * @begin: bytes
 * @end: bytes, exclusive
 *
 * Context: any but interrupts.
 */
void nd_hole_cache_add(const struct inode *inode, loff_t begin, loff_t end)
{
	struct nd_hole *hole = nd_hole_slot(inode);

	spin_lock(&hole->lock);
	/* In a file that is filled in random order, most holes are short: keep the long one. */
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
