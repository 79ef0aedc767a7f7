// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds files whose blocks are written again and again by short writes that need not be stable:
 * logs, and images on an async export. The stock code reads a block once, and the cache answers the
 * other writes to it. Direct, each would wait for the disk.
 *
 * Half of the last short writes to a file decide for all of its writes, because direct and cached
 * writes to a file wait for each other. Once they have, a sixteenth is enough, because its blocks
 * that are cached stay so.
 *
 * What is remembered is a hint. If two places or files look alike, or one was forgotten, a write
 * goes a slower way, and is right.
 */
#include <linux/compiler.h>
#include <linux/hash.h>
#include <linux/jhash.h>
#include <linux/kernel.h>
#include <linux/sizes.h>

#include "again.h"

/* Blocks of 4 KiB: 170 MiB that are written in turn, or 500 MiB at random. */
#define PLACE_BITS	16
#define FILE_BITS	10
/*
 * Bytes. Longer writes that need not be stable are mostly parts of a request that a client has
 * split, to other places each time. A COMMIT follows them, and direct writes are faster then.
 */
#define COUNTED_MAX	SZ_16K
/* The last writes that count, about. */
#define LATELY		16
#define ALL		1024

/* The last place of each slot; 0: none. Writers race for it. */
static u32 places[1 << PLACE_BITS];

/* Files that share a slot make each other forget. Writers race for it. */
static struct nd_again_file {
	const struct inode *inode;
	unsigned int share;	/* of its last writes that came again, 0 to ALL */
	bool cached;
} files[1 << FILE_BITS];

/* Remember a place. Returns whether it was remembered. */
static bool nd_note(const struct inode *inode, loff_t pos)
{
	u32 hash = jhash_3words(hash_ptr(inode, 32), pos, (u64)pos >> 32, 0);
	u32 *place = &places[hash >> (32 - PLACE_BITS)];

	hash |= 1;
	if (READ_ONCE(*place) == hash)
		return true;
	WRITE_ONCE(*place, hash);
	return false;
}

/* Does a short write come to a block that one like it was written to, or ended before? */
static bool nd_comes_to_same_block(const struct inode *inode, loff_t pos, size_t len,
				   unsigned int block)
{
	loff_t mask = ~(loff_t)(block - 1), end = pos + len;
	bool same = nd_note(inode, pos & mask);

	if (((end - 1) & mask) != (pos & mask))
		same |= nd_note(inode, (end - 1) & mask);
	/* A log goes on there. */
	if (!(end & ~mask))
		nd_note(inode, end);
	return same;
}

/**
 * nd_again - whether the blocks of a file are written again
 * @inode: the file
 * @pos: where a write begins, bytes
 * @len: its length, bytes
 * @block: block size of the file system, bytes, a power of two
 *
 * A write comes again if one like it began there; shorter than a block, if one was in its block.
 * Neighbours in a stream of longer ones share blocks, too. Those beyond %COUNTED_MAX do not count.
 * To be asked of each misaligned write that need not be stable.
 *
 * Context: any.
 * Return: true if half of the last writes to the file came again, or a sixteenth since half did.
 */
bool nd_again(const struct inode *inode, loff_t pos, size_t len, unsigned int block)
{
	struct nd_again_file *file = &files[hash_ptr(inode, FILE_BITS)];
	bool again, cached = false;
	unsigned int share = 0;

	if (READ_ONCE(file->inode) == inode) {
		share = READ_ONCE(file->share);
		cached = READ_ONCE(file->cached);
	}
	if (len > COUNTED_MAX)
		return cached;
	again = len < block ? nd_comes_to_same_block(inode, pos, len, block) : nd_note(inode, pos);
	if (again)
		share += (ALL - share) / LATELY;
	else
		share -= DIV_ROUND_UP(share, LATELY);
	WRITE_ONCE(file->inode, inode);
	WRITE_ONCE(file->share, share);
	cached = share >= (cached ? ALL / 16 : ALL / 2);
	WRITE_ONCE(file->cached, cached);
	return cached;
}
