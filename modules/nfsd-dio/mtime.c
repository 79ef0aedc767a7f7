// SPDX-License-Identifier: GPL-2.0-only
/*
 * XFS holds the inode's ilock while a sync writes the log, and wants it exclusively to change a
 * time. 64 writers that did so one by one had each wait for a write of the log of its own: 213
 * writes a second instead of 2528. So one does it for all whose data is there by then.
 */
#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/mutex.h>

#include "common/compat/freeze.h"
#include "mtime.h"

#define SLOT_BITS	8

/**
 * struct nd_slot - writes to the files of one hash value
 * @asked: tickets given, one for each write whose data is there
 * @lock: held by who moves times on for the others; nests in the file system's freeze protection
 * @inode: whose times those are; compared, never followed
 * @done: the last ticket that is served, if it is one of @inode
 */
struct nd_slot {
	atomic_long_t asked;
	struct mutex lock; /* protects the next two */
	const struct inode *inode;
	long done;
} ____cacheline_aligned_in_smp;

static struct nd_slot nd_slots[1 << SLOT_BITS];

/**
 * nd_mtime_init - to be called first
 */
void nd_mtime_init(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(nd_slots); i++)
		mutex_init(&nd_slots[i].lock);
}

static int nd_slot_update_time(struct nd_slot *slot, struct file *file)
{
	const struct inode *inode = file_inode(file);
	long ticket = atomic_long_inc_return(&slot->asked), asked;
	int error = 0;

	if (!mutex_trylock(&slot->lock)) {
		/* Another file's: nothing that it waits for is to be waited for here. */
		if (READ_ONCE(slot->inode) != inode)
			return file_update_time(file);
		mutex_lock(&slot->lock);
	}
	/* An inode that has come to the place of a former one has tickets of its own. */
	if (slot->inode != inode || slot->done - ticket < 0) {
		WRITE_ONCE(slot->inode, inode);
		asked = atomic_long_read(&slot->asked);
		error = file_update_time(file);
		slot->done = asked;
		/* Then nobody was served, nor is taken for it. */
		if (error)
			WRITE_ONCE(slot->inode, NULL);
	}
	mutex_unlock(&slot->lock);
	return error;
}

/**
 * nd_update_time_batched - move the times of a file, and its change attribute, on
 * @file: the file, whose data is on the device
 *
 * Context: may sleep; where the kernel has its callers do so, the file system is kept from being
 * frozen.
 * Return: 0 once they have been moved on since it was called; a negative errno if that failed.
 */
int nd_update_time_batched(struct file *file)
{
	struct nd_slot *slot = &nd_slots[hash_ptr(file_inode(file), SLOT_BITS)];
	int error;

	compat_file_start_write(file);
	error = nd_slot_update_time(slot, file);
	compat_file_end_write(file);
	return error;
}
