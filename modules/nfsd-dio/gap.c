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

#include "gap.h"

#define GAP_BITS	6
#define KEPT_FOR	(HZ / 4)

/* Files that share a place forget each other's. */
static struct nd_gap {
	spinlock_t lock;	/* protects the rest */
	const struct inode *inode;
	loff_t begin, end;
	unsigned long until;
} gaps[1 << GAP_BITS] = {
	[0 ... (1 << GAP_BITS) - 1].lock = __SPIN_LOCK_UNLOCKED(gaps.lock),
};

static struct nd_gap *place(const struct inode *inode)
{
	return &gaps[hash_ptr(inode, GAP_BITS)];
}

/**
 * nd_gap_covers - whether there was no data at a place, a moment ago
 * @inode: the file
 * @pos: the place, bytes
 *
 * Context: any but interrupts.
 */
bool nd_gap_covers(const struct inode *inode, loff_t pos)
{
	struct nd_gap *gap = place(inode);
	bool covers;

	spin_lock(&gap->lock);
	covers = gap->inode == inode && pos >= gap->begin && pos < gap->end &&
		 time_before(jiffies, gap->until);
	spin_unlock(&gap->lock);
	return covers;
}

/**
 * nd_gap_keep - remember that there is no data in a part of a file, if it is the longest known
 * @inode: the file
 * @begin: where the part begins, bytes
 * @end: where it ends
 *
 * Context: any but interrupts.
 */
void nd_gap_keep(const struct inode *inode, loff_t begin, loff_t end)
{
	struct nd_gap *gap = place(inode);

	spin_lock(&gap->lock);
	/* What lies before a write is short in a file that is filled in any order. */
	if (gap->inode == inode && time_before(jiffies, gap->until) &&
	    end - begin < gap->end - gap->begin)
		goto unlock;
	gap->inode = inode;
	gap->begin = begin;
	gap->end = end;
	gap->until = jiffies + KEPT_FOR;
unlock:
	spin_unlock(&gap->lock);
}
