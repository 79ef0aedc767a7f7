// SPDX-License-Identifier: GPL-2.0-only
/*
 * XFS holds an inode's ilock while a sync writes the log, and takes it exclusively to update a
 * time. 64 writers that updated it one by one each waited for a log write of their own: 213 writes
 * per second, and 2528 without the update. So one writer updates it for all whose data is on the
 * device: 2088.
 */
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/iversion.h>
#include <linux/kernel.h>

#include "common/compat/freeze.h"
#include "common/compat/mgtime.h"
#include "counters.h"
#include "mtime.h"
#include "turns.h"

#define TURNS_BITS	8

static struct nd_turns nd_turns[1 << TURNS_BITS];

/* By a hash of the file. While a write is in flight, its file stays in memory. */
static struct nd_sample {
	spinlock_t lock;	/* protects the rest */
	const struct inode *inode;
	unsigned int users;	/* writes in flight to the file */
	struct timespec64 before;
} samples[1 << TURNS_BITS] = {
	[0 ... (1 << TURNS_BITS) - 1].lock = __SPIN_LOCK_UNLOCKED(samples.lock),
};

void nd_mtime_init(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(nd_turns); i++)
		nd_turns_init(&nd_turns[i]);
}

static int nd_update_time_in_turn(struct nd_turns *turns, struct file *file)
{
	const struct inode *inode = file_inode(file);
	enum nd_turn turn;
	long asked;
	int error;

	turn = nd_turn_take(turns, inode, &asked);
	if (turn == ND_TURN_DONE)
		return 0;
	error = file_update_time(file);
	/*
	 * If the update failed, or was none because the client keeps the file's times itself
	 * (FMODE_NOCMTIME), the waiting writers make their own.
	 */
	if (turn == ND_TURN_OWNER)
		nd_turn_end(turns, error || file->f_mode & FMODE_NOCMTIME ? NULL : inode, asked);
	return error;
}

/**
 * nd_times_begin - sample the times of a file before a write
 * @inode: the file, which the caller keeps open until nd_times_end()
 * @times: set
 *
 * Writes in flight to one file share the sample of the first. Of 64 that begin within a tick, which
 * is one time, the others would see no change, and one would have to update the times.
 *
 * Context: any but interrupts.
 */
void nd_times_begin(const struct inode *inode, struct nd_times *times)
{
	struct nd_sample *sample = &samples[hash_ptr(inode, TURNS_BITS)];

	*times = (struct nd_times) { .before = compat_sample_times(inode) };
	spin_lock(&sample->lock);
	if (!sample->users) {
		sample->inode = inode;
		sample->before = times->before;
	}
	/* A write to another file of this hash has a sample of its own. */
	if (sample->inode == inode) {
		sample->users++;
		times->before = sample->before;
		times->shared = true;
	}
	spin_unlock(&sample->lock);
}

void nd_times_end(const struct inode *inode, const struct nd_times *times)
{
	struct nd_sample *sample = &samples[hash_ptr(inode, TURNS_BITS)];

	if (!times->shared)
		return;
	spin_lock(&sample->lock);
	sample->users--;
	spin_unlock(&sample->lock);
}

/*
 * Whether nobody has seen the times and the change attribute that a file has now.
 *
 * The file system updated both before the data. A client that has seen the values that the file
 * has now may have read old bytes since, and would trust them. A client that has seen older values
 * will see that they have changed. A client that looks from now on has the new bytes to read first.
 */
static bool nd_times_are_unseen(struct inode *inode, struct timespec64 before)
{
	/* Readers that still got old bytes have marked what they saw: pairs with their marking. */
	smp_mb();
	return compat_times_are_unseen(inode, before) &&
	       !(IS_I_VERSION(inode) && inode_iversion_need_inc(inode));
}

static int nd_update_time_batched(struct file *file)
{
	struct nd_turns *turns = &nd_turns[hash_ptr(file_inode(file), TURNS_BITS)];
	int error;

	compat_file_start_write(file);
	error = nd_update_time_in_turn(turns, file);
	compat_file_end_write(file);
	return error;
}

/**
 * nd_update_time - update a file's times and change attribute after its data
 * @file: the file, whose data is on the device
 * @times: of nd_times_begin() before the write
 *
 * The file system updates the time before it writes the data, and readers do not wait for a direct
 * write. So a client may have cached old bytes under the new change attribute (or time), and would
 * trust them until the next change. Update both again, now that the data is on the device, unless
 * nobody has seen what the first update made of them.
 *
 * Context: may sleep; takes freeze protection unless the caller of the redirected function did.
 * Return: 0, also if another writer updated them since the call, or a negative errno.
 */
int nd_update_time(struct file *file, const struct nd_times *times)
{
	int error = 0;

	if (nd_times_are_unseen(file_inode(file), times->before))
		nd_count(ND_C_TIMES_UNSEEN);
	else
		error = nd_update_time_batched(file);
	/*
	 * Leave the inode as dirty as a buffered write does. A clean one is not flushed by nfsd for
	 * NFSv2, nor by ext4 without a journal until "ext4: Use generic_buffers_fsync_noflush()
	 * implementation" in v6.5.
	 */
	if (!error)
		__mark_inode_dirty(file_inode(file), I_DIRTY_PAGES);
	return error;
}
