// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the mode auto knows of each device that the file systems are on: a choice for each of a few
 * sizes, and where some of the direct writes went, to see whether their blocks are read soon after.
 */
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/ktime.h>
#include <linux/math64.h>
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
#include "read_back.h"
#include "verdict.h"

/* A server exports only a handful of devices. The others have no choice: the cache. */
#define DEVICES	16

/* The latency of a write depends on its size. */
static const size_t sizes[] = { SZ_8K, SZ_64K, SZ_1M };

/* By nd_device_index(). */
static struct nd_auto_device {
	spinlock_t lock;	/* protects the rest */
	struct nd_choice choice[ARRAY_SIZE(sizes)];
	struct nd_read_back read_back;
} devices[DEVICES] = {
	[0 ... DEVICES - 1].lock = __SPIN_LOCK_UNLOCKED(devices.lock),
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
 * @call: set; &nd_auto.device is NULL if the write is not for this mode, or need not be inspected
 *
 * A write that is not to be stable before it is answered waits for nothing in the cache.
 */
void nd_auto_begin(const struct kiocb *iocb, size_t len, struct nd_auto *call)
{
	const struct inode *inode = file_inode(iocb->ki_filp);
	struct nd_auto_device *device;
	unsigned int row;
	bool wanted;

	*call = (struct nd_auto) { .pos = iocb->ki_pos, .len = len };
	if (nd_mode() != ND_AUTO || seqkeep_is_observing() || !(iocb->ki_flags & IOCB_DSYNC) ||
	    (iocb->ki_flags & (IOCB_DIRECT | COMPAT_IOCB_DONTCACHE)) ||
	    !nd_is_aligned(iocb->ki_pos, len, i_blocksize(inode)))
		return;
	row = nd_device_index(inode->i_sb->s_dev);
	if (row >= DEVICES)
		return;
	device = &devices[row];
	call->size = nd_auto_size(len);
	call->begin = ktime_get_ns();
	spin_lock(&device->lock);
	wanted = nd_choice_wants(&device->choice[call->size], call->begin);
	spin_unlock(&device->lock);
	if (wanted)
		call->device = device;
}

static bool nd_auto_is_cached(const struct file *file, const struct nd_write *write)
{
	return filemap_range_has_page(file->f_mapping, write->pos, write->pos + write->len - 1);
}

/* Whether a write that is not cached may be made either way: its blocks are on the disk. */
static bool nd_auto_is_free(struct file *file, const struct nd_write *write)
{
	loff_t last_block = (write->pos + write->len - 1) & ~(loff_t)(write->block - 1);

	if (nd_inspect_block(file, write->pos, write->block) != ND_BLOCK_ON_DISK)
		return false;
	if (last_block != write->pos &&
	    nd_inspect_block(file, last_block, write->block) != ND_BLOCK_ON_DISK)
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
	bool is_cached = may_be_direct && nd_auto_is_cached(file, write);
	struct nd_auto_device *device = call->device;
	u64 now;

	call->free = may_be_direct && !is_cached && nd_auto_is_free(file, write);
	now = ktime_get_ns();
	spin_lock(&device->lock);
	if (call->free)
		call->way = nd_choose(device->choice, ARRAY_SIZE(sizes), call->size, now,
				      &call->run);
	else
		nd_choice_passes(&device->choice[call->size], is_cached, now);
	spin_unlock(&device->lock);
	/* Stock writes need no look, so it counts for direct ones only. */
	if (call->way == ND_BY_CACHE)
		call->begin = now;
	return call->way;
}

/* Learn from a write whose device is locked. */
static void nd_auto_learn(struct nd_auto_device *device, const struct inode *inode,
			  const struct nd_auto *call, ssize_t result, u64 now)
{
	struct nd_choice *choice = &device->choice[call->size];
	const struct nd_written written = {
		.inode = inode,
		.size = call->size,
		.pos = call->pos,
		.when = now,
	};

	if (call->gave_up)
		nd_choice_gave_up(choice, call->run, now);
	else if (call->failed)
		nd_choice_failed(choice, now);
	else if (result != call->len)
		nd_choice_skip(choice, call->run);
	else
		nd_chosen(choice, call->run, now - call->begin, now);
	if (call->way == ND_BY_DIRECT && !call->failed && !call->gave_up)
		nd_read_back_add(&device->read_back, &written);
}

/**
 * nd_auto_end - learn from a write that has ended
 * @file: its file
 * @call: of nd_auto_begin() and nd_auto_choose()
 * @result: what the client gets: bytes written, or a negative errno
 */
void nd_auto_end(const struct file *file, const struct nd_auto *call, ssize_t result)
{
	struct nd_auto_device *device = call->device;
	const struct inode *inode = file_inode(file);
	struct nd_written written;
	bool was_taken, was_read;
	u64 now;

	if (!device || !call->free)
		return;
	now = ktime_get_ns();
	spin_lock(&device->lock);
	nd_auto_learn(device, inode, call, result, now);
	was_taken = nd_read_back_take(&device->read_back, inode, now, &written);
	spin_unlock(&device->lock);
	if (!was_taken)
		return;
	was_read = filemap_range_has_page(file->f_mapping, written.pos, written.pos);
	spin_lock(&device->lock);
	nd_choice_read_back(&device->choice[written.size], was_read);
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
			seq_printf(m, "%u:%u %zu %s %llu %llu %u %u\n", MAJOR(nd_device_at(row)),
				   MINOR(nd_device_at(row)), sizes[i] / SZ_1K, ways[choice.way],
				   div_u64(choice.ns[ND_BY_CACHE], NSEC_PER_USEC),
				   div_u64(choice.ns[ND_BY_DIRECT], NSEC_PER_USEC),
				   choice.read_back * 100 / ND_READ_BACK_ALL,
				   choice.cached * 100 / ND_CACHED_ALL);
	}
}

/* What was learned, a line for each device and size. */
int nd_auto_show(struct seq_file *m, void *unused)
{
	unsigned int row;

	seq_puts(m, "device up_to_kib way cache_us direct_us read_back_percent cached_percent\n");
	for (row = 0; row < DEVICES && nd_device_at(row); row++)
		nd_auto_device_show(m, row);
	return 0;
}
