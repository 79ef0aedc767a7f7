// SPDX-License-Identifier: GPL-2.0-only
/*
 * Remembers a hole of a file, and a range with data, for RANGE_LIFETIME, because SEEK_DATA is
 * expensive:
 *
 * - It steps over every extent that was allocated and never written, ext4 with the inode locked. A
 *   large preallocated image has thousands of them, and a client that fills it would have them
 *   searched for each write.
 * - On XFS it takes the inode's ilock, behind writers that want it exclusively to update a time,
 *   and these wait for a log write.
 *
 * An entry that is stale, or of another file by now, is harmless. The stock code is right for any
 * write that is left to it. A direct write to a new hole is slow, because the file system zeroes
 * the rest of the block, and right.
 */
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/spinlock.h>

#include "range_cache.h"

/* Of 50 files that are written in turn, one in ten shares a slot. */
#define RANGE_BITS	9
#define RANGE_LIFETIME	(HZ / 4)
/* After a search the next one waits for so many times as long as it took. */
#define SEARCH_SHARE	7

/* Files that share a slot evict each other's range. */
static struct nd_range {
	spinlock_t lock;	/* protects the rest */
	const struct inode *inode;
	loff_t begin, end;
	unsigned long until;
	unsigned long next_search;
} ranges[ND_NR_RANGE_KINDS][1 << RANGE_BITS] = {
	[0 ... ND_NR_RANGE_KINDS - 1][0 ... (1 << RANGE_BITS) - 1].lock =
		__SPIN_LOCK_UNLOCKED(ranges.lock),
};

static unsigned int nd_range_index(const struct inode *inode)
{
	return hash_ptr(inode, RANGE_BITS);
}

static bool nd_range_is_fresh(const struct nd_range *range, const struct inode *inode)
{
	lockdep_assert_held(&range->lock);
	return range->inode == inode && time_before(jiffies, range->until);
}

/**
 * nd_range_cache_lookup - whether a position was in such a range a moment ago
 * @kind: the kind of range
 * @inode: the file
 * @pos: the position, bytes
 *
 * Context: any but interrupts.
 */
bool nd_range_cache_lookup(enum nd_range_kind kind, const struct inode *inode, loff_t pos)
{
	struct nd_range *range = &ranges[kind][nd_range_index(inode)];
	bool covers;

	spin_lock(&range->lock);
	covers = nd_range_is_fresh(range, inode) && pos >= range->begin && pos < range->end;
	spin_unlock(&range->lock);
	return covers;
}

/**
 * nd_range_cache_add - cache a range, unless a longer one of its kind and file is cached
 * @kind: the kind of range
 * @inode: the file
 * @begin: bytes
 * @end: bytes, exclusive
 *
 * Context: any but interrupts.
 */
void nd_range_cache_add(enum nd_range_kind kind, const struct inode *inode, loff_t begin,
			loff_t end)
{
	struct nd_range *range = &ranges[kind][nd_range_index(inode)];

	spin_lock(&range->lock);
	/* In a file that is filled in random order, most ranges are short: keep the long one. */
	if (!nd_range_is_fresh(range, inode) || end - begin >= range->end - range->begin) {
		range->inode = inode;
		range->begin = begin;
		range->end = end;
		range->until = jiffies + RANGE_LIFETIME;
	}
	spin_unlock(&range->lock);
}

/**
 * nd_range_search_begin - whether the data around a block may be searched now
 * @inode: the file
 *
 * SEEK_HOLE steps over each extent with data, and waits for the ilock each time. Let a writer do
 * so twice in RANGE_LIFETIME: one that finds a range renews it before it ends.
 *
 * Context: any but interrupts.
 */
bool nd_range_search_begin(const struct inode *inode)
{
	struct nd_range *range = &ranges[ND_RANGE_DATA][nd_range_index(inode)];
	bool may;

	spin_lock(&range->lock);
	may = time_after_eq(jiffies, range->next_search);
	if (may)
		range->next_search = jiffies + RANGE_LIFETIME / 2;
	spin_unlock(&range->lock);
	return may;
}

/**
 * nd_range_search_end - let the next search of a file wait, if this one took long
 * @inode: the file
 * @began: jiffies when the search began
 *
 * In an extent that was allocated and never written the search steps over each cached page. Let it
 * take an eighth of the time at most.
 *
 * Context: any but interrupts.
 */
void nd_range_search_end(const struct inode *inode, unsigned long began)
{
	struct nd_range *range = &ranges[ND_RANGE_DATA][nd_range_index(inode)];
	unsigned long next = jiffies + SEARCH_SHARE * (jiffies - began);

	spin_lock(&range->lock);
	if (time_after(next, range->next_search))
		range->next_search = next;
	spin_unlock(&range->lock);
}
