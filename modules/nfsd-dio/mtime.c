// SPDX-License-Identifier: GPL-2.0-only
/*
 * XFS holds an inode's ilock while a sync writes the log, and takes it exclusively to update a
 * time. 64 writers that updated it one by one each waited for a log write of their own: 213 writes
 * per second, and 2528 without the update. So one writer updates it for all whose data is on the
 * device: 2088.
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
 * @asked: tickets issued, one per write whose data is on the device
 * @lock: held by the writer that updates the times; nests in the file system's freeze protection
 * @inode: the file of @done; compared, never followed
 * @done: the last ticket that was served, if it is one of @inode
 */
struct nd_slot {
	atomic_long_t asked;
	struct mutex lock; /* protects the next two */
	const struct inode *inode;
	long done;
} ____cacheline_aligned_in_smp;

static struct nd_slot nd_slots[1 << SLOT_BITS];

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
		/* The holder updates another file and may block there. Update ours unlocked. */
		if (READ_ONCE(slot->inode) != inode)
			return file_update_time(file);
		mutex_lock(&slot->lock);
	}
	/*
	 * A reused inode address is harmless: tickets are per slot, so a new inode's ticket is
	 * above @done.
	 */
	if (slot->inode != inode || slot->done - ticket < 0) {
		WRITE_ONCE(slot->inode, inode);
		asked = atomic_long_read(&slot->asked);
		error = file_update_time(file);
		slot->done = asked;
		/* The update failed: make the waiting writers do their own. */
		if (error)
			WRITE_ONCE(slot->inode, NULL);
	}
	mutex_unlock(&slot->lock);
	return error;
}

/**
 * nd_update_time_batched - update a file's times and change attribute
 * @file: the file, whose data is on the device
 *
 * Context: may sleep; takes freeze protection unless the caller of the redirected function did.
 * Return: 0 if we or another writer updated them since the call, or a negative errno.
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
