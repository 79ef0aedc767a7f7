// SPDX-License-Identifier: GPL-2.0-only
/*
 * max_kb=auto, between the hooks and disk.c: a small table of disks, by device number, and what
 * the kernel counts for each. No entry points to a disk, so that a disk may disappear at any time.
 */
#include <linux/blkdev.h>
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/part_stat.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>

#include "common/compat/block.h"
#include "common/read_racy.h"
#include "counters.h"
#include "disk.h"
#include "disk_stream.h"
#include "disks.h"
#include "pagecache.h"

#define NR_DISKS	16
/* A disk that was not read for so long leaves its entry to another one, ms. */
#define UNUSED_MS	60000
/* Larger windows of a disk that was not read for so long count no more, ms. */
#define UNUSED_WINDOW_MS	4000

/**
 * struct ctxra_disk_entry - a disk of the table
 * @lock: protects all else. Raw, because it is taken with preemption disabled. Nests in all locks
 *	that the reader holds; no lock nests in it.
 * @dev: device number of the whole disk, 0 if the entry is free
 * @used: time of the last window, ms
 * @disk: its streams and its window
 */
struct ctxra_disk_entry {
	raw_spinlock_t lock;
	dev_t dev;
	u32 used;
	struct ctxra_disk disk;
} ____cacheline_aligned_in_smp;

/* Not allocated, because the file in debugfs shows it whether or not the module is enabled. */
static struct ctxra_disk_entry disks[NR_DISKS] = {
	[0 ... NR_DISKS - 1].lock = __RAW_SPIN_LOCK_UNLOCKED(disks.lock),
};

/* Count what came of a sample, but for what users need not know. */
static const int outcome_counters[CTXRA_DISK_NR_OUTCOMES] = {
	[CTXRA_DISK_NOTHING] = -1,
	[CTXRA_DISK_GREW] = CTXRA_C_AUTO_GREW,
	[CTXRA_DISK_ALONE] = CTXRA_C_AUTO_ALONE,
	[CTXRA_DISK_NO_GAIN] = CTXRA_C_AUTO_NO_GAIN,
	[CTXRA_DISK_NO_SEEKS] = CTXRA_C_AUTO_NO_SEEKS,
	[CTXRA_DISK_OTHERS] = CTXRA_C_AUTO_OTHERS,
	[CTXRA_DISK_MEMORY] = CTXRA_C_AUTO_MEMORY,
	[CTXRA_DISK_UNKNOWN] = CTXRA_C_AUTO_UNKNOWN,
};

/* Forget all disks. No hook is registered. */
void ctxra_disks_clear(void)
{
	unsigned int i;

	for (i = 0; i < NR_DISKS; i++)
		disks[i].dev = 0;
}

/* The whole disk that a file is on, or NULL: a file system of several disks, or of none. */
static struct block_device *disk_of(struct inode *inode)
{
	struct block_device *bdev = S_ISBLK(inode->i_mode) ? I_BDEV(inode) : inode->i_sb->s_bdev;

	return bdev ? bdev_whole(bdev) : NULL;
}

static struct ctxra_disk_entry *find_entry(dev_t dev)
{
	unsigned int i;

	for (i = 0; i < NR_DISKS; i++)
		if (READ_RACY(disks[i].dev) == dev)
			return &disks[i];
	return NULL;
}

/* An entry that is free, or of a disk that nobody reads. */
static struct ctxra_disk_entry *find_unused(u32 now)
{
	unsigned int i;

	for (i = 0; i < NR_DISKS; i++)
		if (!READ_RACY(disks[i].dev) || (s32)(now - READ_RACY(disks[i].used)) > UNUSED_MS)
			return &disks[i];
	return NULL;
}

/**
 * ctxra_disks_window - the window of streams on a file's disk
 * @inode: the file
 * @base: the device's own window, pages
 *
 * Takes no lock, because each call asks.
 *
 * Context: any.
 * Return: pages, @base or more.
 */
unsigned long ctxra_disks_window(struct inode *inode, unsigned long base)
{
	struct block_device *disk = disk_of(inode);
	const struct ctxra_disk_entry *entry = disk ? find_entry(disk->bd_dev) : NULL;

	/* Streams may have ended, or the user has said that the disk does not rotate. */
	if (!entry || READ_RACY(entry->disk.base) != base || !compat_disk_rotates(disk) ||
	    (s32)(jiffies_to_msecs(jiffies) - READ_RACY(entry->used)) > UNUSED_WINDOW_MS)
		return base;
	return max(base, READ_RACY(entry->disk.win));
}

/* The counts change while they are summed: a little wrong is right enough. */
#define READ_STAT(disk, field)	data_race(part_stat_read(disk, field))

static struct ctxra_disk_stat read_stat(struct block_device *disk)
{
	return (struct ctxra_disk_stat){
		.ios = READ_STAT(disk, ios[STAT_READ]),
		.sectors = READ_STAT(disk, sectors[STAT_READ]),
		.written = READ_STAT(disk, sectors[STAT_WRITE]),
		.wait_ms = div_u64(READ_STAT(disk, nsecs[STAT_READ]), NSEC_PER_MSEC),
		.busy_ms = jiffies64_to_msecs(READ_STAT(disk, io_ticks)),
		.max_sectors = READ_RACY(bdev_get_queue(disk)->limits.max_sectors),
	};
}

static void take_sample(struct ctxra_disk_entry *entry, struct block_device *disk, u32 now)
{
	const struct ctxra_disk_stat stat = read_stat(disk);
	enum ctxra_disk_outcome outcome;

	outcome = ctxra_disk_sample(&entry->disk, &stat, si_mem_available(), now);
	if (outcome_counters[outcome] >= 0)
		stats_add(&ctxra_stats, outcome_counters[outcome], 1);
}

/*
 * Note a window of a stream that goes forward. Return how large its windows may be, pages: @base,
 * which is the device's own window, or more.
 *
 * Not of md and device-mapper disks, which take bios: others may read from the same spindles by
 * another one of them, and what they count as a read is a part of one.
 */
static unsigned long add_window(struct inode *inode, const struct ctxra_disk_window *win,
				unsigned long base)
{
	struct block_device *disk = disk_of(inode);
	struct ctxra_disk_entry *entry;
	unsigned long flags, pages;
	u32 now;

	if (!disk || !queue_is_mq(bdev_get_queue(disk)) || !compat_disk_rotates(disk))
		return base;
	entry = find_entry(disk->bd_dev) ?: find_unused(jiffies_to_msecs(jiffies));
	if (!entry)
		return base;
	raw_spin_lock_irqsave(&entry->lock, flags);
	/* With the lock, so that it is never earlier than what others have noted. */
	now = jiffies_to_msecs(jiffies);
	if (entry->dev != disk->bd_dev || entry->disk.base != base) {
		WRITE_ONCE(entry->dev, disk->bd_dev);
		ctxra_disk_init(&entry->disk, base, now);
	}
	entry->used = now;
	pages = ctxra_disk_add_window(&entry->disk, win, now);
	if (ctxra_disk_sample_due(&entry->disk, now))
		take_sample(entry, disk, now);
	/* The sample may have made windows smaller. */
	pages = min(pages, entry->disk.win);
	raw_spin_unlock_irqrestore(&entry->lock, flags);
	return pages;
}

/* Count a window if it is larger than the device's. */
void ctxra_disks_count_grown(unsigned long pages, unsigned long base)
{
	if (pages <= base)
		return;
	stats_add(&ctxra_stats, CTXRA_C_GROWN_WINDOWS, 1);
	stats_add(&ctxra_stats, CTXRA_C_GROWN_PAGES, pages);
}

/**
 * ctxra_disks_note_opened - note a window that ctxra opens, with max_kb=auto
 * @inode: the file
 * @args: the call
 * @win: the window
 *
 * Context: any; takes the lock of the file's disk.
 */
void ctxra_disks_note_opened(struct inode *inode, const struct ctxra_args *args,
			     const struct ctxra_window *win)
{
	if (!args->grown || (win->pattern != CTXRA_TRAIL && win->pattern != CTXRA_REORDER))
		return;
	add_window(inode,
		   &(struct ctxra_disk_window){
			   .mapping = inode->i_mapping,
			   .start = win->start,
			   .from = win->start,
			   .eof = args->eof,
			   .nr = win->nr,
			   .shared = true,
		   },
		   args->ahead);
	ctxra_disks_count_grown(win->nr, args->ahead);
}

/* disk_stream.c asks nothing else. */
static struct ctxra_use ctxra_disks_sample_use(void *ctx, unsigned long start, unsigned long nr)
{
	return ctxra_sample_use(ctx, start, nr);
}

static const struct ctxra_facts_ops ctxra_disks_facts_ops = {
	.sample_use = ctxra_disks_sample_use,
};

/**
 * ctxra_disks_note_stock - note a window that the stock code opens, with max_kb=auto
 * @inode: the file
 * @args: the call
 *
 * Context: any; takes the lock of the file's disk.
 * Return: how large the window may be, pages; 0: as large as others, because the reader is not in
 *	order, or was not for long enough.
 */
unsigned long ctxra_disks_note_stock(struct inode *inode, const struct ctxra_args *args)
{
	const struct ctxra_facts facts = {
		.ops = &ctxra_disks_facts_ops,
		.ctx = inode->i_mapping,
	};
	struct ctxra_disk_window win;
	unsigned long pages;

	if (!args->grown || !ctxra_args_in_order(args))
		return 0;
	win = ctxra_disk_stock_window(inode->i_mapping, args, &facts);
	pages = add_window(inode, &win, args->ahead);
	return pages > args->ahead ? pages : 0;
}

static int ctxra_disks_show(struct seq_file *m, void *unused)
{
	unsigned int i;

	for (i = 0; i < NR_DISKS; i++) {
		const struct ctxra_disk_entry *entry = &disks[i];
		const struct ctxra_disk *disk = &entry->disk;
		dev_t dev = READ_RACY(entry->dev);

		if (dev)
			seq_printf(m, "%u:%u window_kb %lu streams %u alone_kb_s %u\n", MAJOR(dev),
				   MINOR(dev), READ_RACY(disk->win) << (PAGE_SHIFT - 10),
				   READ_RACY(disk->live), READ_RACY(disk->alone.rate));
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(ctxra_disks);

/* Make the file that shows the disks; it goes with the directory. */
void ctxra_disks_create_file(struct dentry *dir)
{
	debugfs_create_file("disks", 0400, dir, NULL, &ctxra_disks_fops);
}
