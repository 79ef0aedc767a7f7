// SPDX-License-Identifier: GPL-2.0-only
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/iversion.h>

#include "common/compat/mgtime.h"
#include "seen.h"

#define SAMPLES_BITS	8

/* By a hash of the file. While a write is in flight, its file stays in memory. */
static struct nd_sample {
	spinlock_t lock;	/* protects the rest */
	const struct inode *inode;
	unsigned int users;	/* writes in flight to the file */
	struct timespec64 before;
} samples[1 << SAMPLES_BITS] = {
	[0 ... (1 << SAMPLES_BITS) - 1].lock = __SPIN_LOCK_UNLOCKED(samples.lock),
};

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
	struct nd_sample *sample = &samples[hash_ptr(inode, SAMPLES_BITS)];

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

/**
 * nd_times_end - undo nd_times_begin()
 * @inode: the file
 * @times: of nd_times_begin()
 */
void nd_times_end(const struct inode *inode, const struct nd_times *times)
{
	struct nd_sample *sample = &samples[hash_ptr(inode, SAMPLES_BITS)];

	if (!times->shared)
		return;
	spin_lock(&sample->lock);
	sample->users--;
	spin_unlock(&sample->lock);
}

/**
 * nd_times_are_unseen - whether nobody has seen the times and the change attribute of a file
 * @inode: the file, whose data is on the device
 * @times: of nd_times_begin() before the write
 *
 * The file system updated both before the data. A client that has seen the values that the file
 * has now may have read old bytes since, and would trust them. A client that has seen older values
 * will see that they have changed. A client that looks from now on has the new bytes to read first.
 *
 * Return: false also where the kernel does not know.
 */
bool nd_times_are_unseen(struct inode *inode, const struct nd_times *times)
{
	/* Readers that still got old bytes have marked what they saw: pairs with their marking. */
	smp_mb();
	return compat_times_are_unseen(inode, times->before) &&
	       !(IS_I_VERSION(inode) && inode_iversion_need_inc(inode));
}
