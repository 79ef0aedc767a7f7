// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds files whose blocks are written again and again by short writes that need not be stable: logs,
 * and images on an async export. The stock code reads a block once, and the cache answers the other
 * writes to it. Direct, each would wait for the disk. One write that comes again decides for all of
 * its file for a while, because direct and cached writes to a file wait for each other.
 *
 * What is remembered is a hint. If two blocks or files look alike, or one was forgotten, a write goes
 * a slower way, and is right.
 */
#include <linux/blk_types.h>
#include <linux/compiler.h>
#include <linux/hash.h>
#include <linux/jiffies.h>

#include "again.h"

/* Of 64 MiB with blocks of 4 KiB, if no two share a slot. */
#define SLOT_BITS	14

#define FILE_BITS	8
/* So long after the last write that came again a file is still one of these. */
#define AGAIN_MS	10000

/* A tag of the block that was written last; 0: none was. Writers race for it. */
static u32 slots[1 << SLOT_BITS];

/* Files that share a slot make each other forget. Writers race for it. */
static struct nd_again_file {
	const struct inode *inode;
	unsigned long until;	/* jiffies */
} files[1 << FILE_BITS];

/* Remember a block. Returns whether it was remembered. */
static bool nd_note(const struct inode *inode, loff_t block)
{
	u64 key = (u64)hash_ptr(inode, 32) << 32 ^ (u64)block >> SECTOR_SHIFT;
	u64 hash = key * GOLDEN_RATIO_64;
	u32 *slot = &slots[hash >> (64 - SLOT_BITS)];
	u32 tag = (hash >> (32 - SLOT_BITS)) | 1;

	if (READ_ONCE(*slot) == tag)
		return true;
	WRITE_ONCE(*slot, tag);
	return false;
}

/* Whether a write @comes again, or one of the last seconds to the same file did. */
static bool nd_file_comes_again(const struct inode *inode, bool comes)
{
	struct nd_again_file *file = &files[hash_ptr(inode, FILE_BITS)];

	if (comes) {
		WRITE_ONCE(file->inode, inode);
		WRITE_ONCE(file->until, jiffies + msecs_to_jiffies(AGAIN_MS));
		return true;
	}
	return READ_ONCE(file->inode) == inode && time_before(jiffies, READ_ONCE(file->until));
}

/**
 * nd_again - whether the blocks of a file are written again
 * @inode: the file
 * @pos: where a write begins, bytes
 * @len: its length, bytes
 * @block: block size of the file system, bytes, a power of two
 *
 * A write comes again if one like it was written to one of its blocks, or ended where one of them
 * begins. To be asked of each misaligned write that is shorter than %ND_AGAIN_MAX and need not be
 * stable.
 *
 * Context: any.
 * Return: true if this write comes again, or one of the last seconds did.
 */
bool nd_again(const struct inode *inode, loff_t pos, size_t len, unsigned int block)
{
	loff_t first = pos & ~(loff_t)(block - 1), end = pos + len;
	loff_t last = (end - 1) & ~(loff_t)(block - 1);
	bool comes = nd_note(inode, first);

	if (last != first)
		comes |= nd_note(inode, last);
	/* A log goes on there. */
	if (!(end & (block - 1)))
		nd_note(inode, end);
	return nd_file_comes_again(inode, comes);
}
