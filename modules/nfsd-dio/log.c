// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds writes that go on with a log: shorter than a block, one after the other. If they need not
 * be stable, the stock code reads each block once, and the cache answers the other writes to it.
 * Direct, each would wait for the disk.
 *
 * What is remembered is a hint. If files share a slot, or a write is in no log after all, the write
 * goes a slower way, and is right.
 */
#include <linux/hash.h>
#include <linux/spinlock.h>

#include "log.h"

#define LOG_BITS	8

/* Files that share a slot make each other forget. */
static struct nd_log {
	spinlock_t lock;	/* protects the rest */
	const struct inode *inode;
	loff_t end;
} logs[1 << LOG_BITS] = {
	[0 ... (1 << LOG_BITS) - 1].lock = __SPIN_LOCK_UNLOCKED(logs.lock),
};

/**
 * nd_log_goes_on - whether a write goes on where the last one like it ended, or in the same block
 * @inode: its file
 * @pos: where it begins, bytes
 * @len: its length, bytes
 * @block: block size of the file system, bytes, a power of two
 *
 * To be asked of each misaligned write that need not be stable, also of those that are longer than
 * a block and no log: a log may have both.
 *
 * Context: any but interrupts.
 */
bool nd_log_goes_on(const struct inode *inode, loff_t pos, size_t len, unsigned int block)
{
	struct nd_log *log = &logs[hash_ptr(inode, LOG_BITS)];
	loff_t mask = ~(loff_t)(block - 1);
	bool goes_on;

	spin_lock(&log->lock);
	goes_on = log->inode == inode &&
		  (pos == log->end || (pos & mask) == ((log->end - 1) & mask));
	log->inode = inode;
	log->end = pos + len;
	spin_unlock(&log->lock);
	return goes_on;
}
