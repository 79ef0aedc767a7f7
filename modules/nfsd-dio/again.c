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
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/sizes.h>

#include "again.h"

/* Blocks of 4 KiB: 170 MiB that are written in turn, or 500 MiB at random. */
#define PLACE_BITS	16
/* 1024 files, in sets: of 100 that are written in turn, none makes another forget. */
#define FILE_BITS	8
#define FILE_SLOTS	4
/*
 * Bytes. Longer writes that need not be stable are mostly parts of a request that a client has
 * split, to other places each time. A COMMIT follows them, and direct writes are faster then.
 */
#define COUNTED_MAX	SZ_16K
/* The last writes that count, about. */
#define LATELY		16
/* A longer write counts against its file, so many times less than a short one to a new place. */
#define LONG_WEIGHT	8
#define ALL		1024

/* The last place of each slot; 0: none. Writers race for it. */
static u32 places[1 << PLACE_BITS];

/*
 * Files of one set make each other forget once there are more than its slots: the one whose last
 * short write is longest ago goes. Writers race for it. At worst a file has two slots for a while.
 */
static struct nd_again_file {
	const struct inode *inode;
	u32 used;	/* when, in jiffies */
	u16 share;	/* of its last writes that came again, 0 to ALL */
	bool cached;
} files[1 << FILE_BITS][FILE_SLOTS];

static struct nd_again_file *nd_set_of(const struct inode *inode)
{
	return files[hash_ptr(inode, FILE_BITS)];
}

/* The slot of a file, or NULL. */
static struct nd_again_file *nd_find(const struct inode *inode)
{
	struct nd_again_file *set = nd_set_of(inode);
	unsigned int i;

	for (i = 0; i < FILE_SLOTS; i++)
		if (READ_ONCE(set[i].inode) == inode)
			return &set[i];
	return NULL;
}

/* Have a file instead of the one of its set whose last short write is longest ago. */
static struct nd_again_file *nd_replace(const struct inode *inode)
{
	struct nd_again_file *set = nd_set_of(inode), *oldest = set;
	u32 now = jiffies;
	unsigned int i;

	for (i = 0; i < FILE_SLOTS; i++) {
		if (!READ_ONCE(set[i].inode)) {
			oldest = &set[i];
			break;
		}
		if (now - READ_ONCE(set[i].used) > now - READ_ONCE(oldest->used))
			oldest = &set[i];
	}
	WRITE_ONCE(oldest->share, 0);
	WRITE_ONCE(oldest->cached, false);
	WRITE_ONCE(oldest->inode, inode);
	return oldest;
}

static void nd_count_against(struct nd_again_file *file, unsigned int weight)
{
	unsigned int share = READ_ONCE(file->share);

	share -= DIV_ROUND_UP(share, weight);
	WRITE_ONCE(file->share, share);
	if (share < ALL / 16)
		WRITE_ONCE(file->cached, false);
}

static void nd_count_for(struct nd_again_file *file)
{
	unsigned int share = READ_ONCE(file->share);

	share += (ALL - share) / LATELY;
	WRITE_ONCE(file->share, share);
	if (share >= ALL / 2)
		WRITE_ONCE(file->cached, true);
}

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
 * Neighbours in a stream of longer ones share blocks, too. Those beyond %COUNTED_MAX count little,
 * and only against.
 * To be asked of each misaligned write that need not be stable.
 *
 * Context: any.
 * Return: true if half of the last writes to the file came again, or a sixteenth since half did.
 */
bool nd_again(const struct inode *inode, loff_t pos, size_t len, unsigned int block)
{
	struct nd_again_file *file = nd_find(inode);
	bool again;

	if (len > COUNTED_MAX) {
		if (!file)
			return false;
		nd_count_against(file, LATELY * LONG_WEIGHT);
		return READ_ONCE(file->cached);
	}
	if (!file)
		file = nd_replace(inode);
	again = len < block ? nd_comes_to_same_block(inode, pos, len, block) : nd_note(inode, pos);
	if (again)
		nd_count_for(file);
	else
		nd_count_against(file, LATELY);
	WRITE_ONCE(file->used, jiffies);
	return READ_ONCE(file->cached);
}

/**
 * nd_again_stable - learn that a stable write to a file goes direct
 * @inode: the file
 *
 * It waits for a write through the cache, and that one for it. So with enough of them the others
 * are faster direct, too.
 *
 * Context: any.
 */
void nd_again_stable(const struct inode *inode)
{
	struct nd_again_file *file = nd_find(inode);

	if (file)
		nd_count_against(file, LATELY);
}
