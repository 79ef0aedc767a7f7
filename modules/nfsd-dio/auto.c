// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the mode auto knows of each device that the file systems are on: a choice for each of a few
 * sizes, and where some of the direct writes went, to see whether their blocks are read soon after.
 */
#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/kdev_t.h>
#include <linux/ktime.h>
#include <linux/pagemap.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>
#include <linux/spinlock.h>

#include "common/compat/iocb.h"
#include "common/module.h"
#include "auto.h"
#include "device_stats.h"
#include "inspect.h"
#include "params.h"
#include "verdict.h"

/* Whether a direct write is read back is looked at so much later. */
#define READ_BACK_AGE	HZ
#define NR_WRITTEN	8

/* The latency of a write depends on its size. */
static const size_t sizes[] = { SZ_8K, SZ_64K, SZ_1M };

/* A direct write: its file, the index of its size, its position and its time. */
struct nd_written {
	const struct inode *inode;	/* NULL: none; only compared, never followed */
	unsigned int size;
	loff_t pos;
	unsigned long when;
};

/* By nd_device_index(). Devices without a row have no choice: the cache. */
static struct nd_auto_device {
	spinlock_t lock;	/* protects the rest */
	struct nd_choice choice[ARRAY_SIZE(sizes)];
	struct nd_written written[NR_WRITTEN];
	unsigned long next_written;
} devices[ND_DEVICES] = {
	[0 ... ND_DEVICES - 1].lock = __SPIN_LOCK_UNLOCKED(devices.lock),
};

static unsigned int nd_auto_size(size_t len)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes) - 1; i++)
		if (len <= sizes[i])
			break;
	return i;
}

/**
 * nd_auto_begin - find out whether an aligned write may go direct
 * @iocb: the write
 * @len: its length, bytes
 * @call: set; &nd_auto.device is NULL if the write is not for this mode, or need not be looked at
 *
 * A write that is not to be stable before it is answered waits for nothing in the cache.
 */
void nd_auto_begin(const struct kiocb *iocb, size_t len, struct nd_auto *call)
{
	const struct inode *inode = file_inode(iocb->ki_filp);
	struct nd_auto_device *device;
	unsigned int row;
	bool wanted;

	*call = (struct nd_auto) { .pos = iocb->ki_pos };
	if (nd_mode() != ND_AUTO || seqkeep_is_observing() || !(iocb->ki_flags & IOCB_DSYNC) ||
	    (iocb->ki_flags & (IOCB_DIRECT | COMPAT_IOCB_DONTCACHE)) ||
	    !nd_is_aligned(iocb->ki_pos, len, i_blocksize(inode)))
		return;
	row = nd_device_index(inode->i_sb->s_dev);
	if (row == ND_DEVICES)
		return;
	device = &devices[row];
	call->size = nd_auto_size(len);
	spin_lock(&device->lock);
	wanted = nd_choice_wants(&device->choice[call->size], ktime_get_ns());
	spin_unlock(&device->lock);
	if (wanted)
		call->device = device;
}

/* Whether a write may be made either way: its blocks are on the disk, and only there. */
static bool nd_auto_is_free(struct file *file, const struct nd_write *write)
{
	loff_t last = write->pos + write->len - 1;

	if (filemap_range_has_page(file->f_mapping, write->pos, last))
		return false;
	if (nd_inspect_block(file, write->pos, write->block) != ND_BLOCK_ON_DISK ||
	    nd_inspect_block(file, last & ~(loff_t)(write->block - 1), write->block) !=
	    ND_BLOCK_ON_DISK)
		return false;
	return !write->contended || !nd_dio_locks_exclusively(file, write);
}

/**
 * nd_auto_choose - choose the way of an aligned write
 * @file: its file
 * @write: the write
 * @may_be_direct: direct I/O can serve it
 * @call: of nd_auto_begin(); the rest is set
 *
 * Context: may sleep, takes the lock of an ext4 inode.
 */
enum nd_way nd_auto_choose(struct file *file, const struct nd_write *write, bool may_be_direct,
			   struct nd_auto *call)
{
	struct nd_auto_device *device = call->device;

	call->free = may_be_direct && nd_auto_is_free(file, write);
	call->begin = ktime_get_ns();
	spin_lock(&device->lock);
	if (call->free)
		call->way = nd_choose(&device->choice[call->size], call->begin, &call->run);
	else
		nd_choice_passes(&device->choice[call->size], call->begin);
	spin_unlock(&device->lock);
	return call->way;
}

/* Remember some of the direct writes, so that each is there until it is looked at. */
static void nd_remember_written(struct nd_auto_device *device, const struct inode *inode,
				const struct nd_auto *call)
{
	struct nd_written *written, *oldest = device->written;

	lockdep_assert_held(&device->lock);
	if (time_before(jiffies, device->next_written))
		return;
	for (written = device->written; written < device->written + NR_WRITTEN; written++)
		if (!written->inode || time_before(written->when, oldest->when))
			oldest = written;
	*oldest = (struct nd_written) {
		.inode = inode,
		.size = call->size,
		.pos = call->pos,
		.when = jiffies,
	};
	device->next_written = jiffies + READ_BACK_AGE / NR_WRITTEN;
}

/* Take a direct write to a file that is old enough to be looked at. */
static bool nd_take_written(struct nd_auto_device *device, const struct inode *inode,
			    struct nd_written *taken)
{
	struct nd_written *written;

	lockdep_assert_held(&device->lock);
	for (written = device->written; written < device->written + NR_WRITTEN; written++) {
		if (written->inode != inode || time_before(jiffies, written->when + READ_BACK_AGE))
			continue;
		*taken = *written;
		written->inode = NULL;
		return true;
	}
	return false;
}

/**
 * nd_auto_end - learn from a write that has ended
 * @file: its file
 * @call: of nd_auto_begin() and nd_auto_choose()
 */
void nd_auto_end(const struct file *file, const struct nd_auto *call)
{
	struct nd_auto_device *device = call->device;
	const struct inode *inode = file_inode(file);
	u64 now = ktime_get_ns();
	struct nd_choice *choice;
	struct nd_written taken;
	bool was_taken, was_read;

	if (!device || !call->free)
		return;
	choice = &device->choice[call->size];
	spin_lock(&device->lock);
	was_taken = nd_take_written(device, inode, &taken);
	if (call->gave_up)
		nd_choice_gave_up(choice, call->run);
	else if (call->failed)
		nd_choice_failed(choice, now);
	else
		nd_chosen(choice, call->run, now - call->begin, now);
	if (call->way == ND_BY_DIRECT && !call->failed && !call->gave_up)
		nd_remember_written(device, inode, call);
	spin_unlock(&device->lock);
	if (!was_taken)
		return;
	was_read = filemap_range_has_page(file->f_mapping, taken.pos, taken.pos);
	spin_lock(&device->lock);
	nd_choice_read_back(&device->choice[taken.size], was_read);
	spin_unlock(&device->lock);
}

static void nd_auto_device_show(struct seq_file *m, unsigned int row)
{
	static const char *const ways[] = { [ND_BY_CACHE] = "cache", [ND_BY_DIRECT] = "direct" };
	struct nd_choice choice;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		spin_lock(&devices[row].lock);
		choice = devices[row].choice[i];
		spin_unlock(&devices[row].lock);
		if (choice.ns[ND_BY_DIRECT])
			seq_printf(m, "%u:%u %zu %s %llu %llu %u\n", MAJOR(nd_device_at(row)),
				   MINOR(nd_device_at(row)), sizes[i] / SZ_1K, ways[choice.way],
				   div_u64(choice.ns[ND_BY_CACHE], NSEC_PER_USEC),
				   div_u64(choice.ns[ND_BY_DIRECT], NSEC_PER_USEC),
				   choice.read_back * 100 / ND_READ_BACK_ALL);
	}
}

/* What was learned, a line for each device and size. */
void nd_auto_show(struct seq_file *m)
{
	unsigned int row;

	seq_puts(m, "device up_to_kib way cache_us direct_us read_back_percent\n");
	for (row = 0; row < ND_DEVICES && nd_device_at(row); row++)
		nd_auto_device_show(m, row);
}
