// SPDX-License-Identifier: GPL-2.0-only
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/fs.h>
#include <linux/ktime.h>
#include <linux/pagemap.h>
#include <linux/uio.h>

#include "counters.h"
#include "device_stats.h"
#include "inspect.h"
#include "mtime.h"
#include "params.h"
#include "pool.h"
#include "write.h"

static void nd_count_fallback(ssize_t error)
{
	switch (error) {
	case -EINVAL:
		return nd_count(ND_C_FALLBACK_EINVAL);
	case -ENOTBLK:
		return nd_count(ND_C_FALLBACK_ENOTBLK);
	case -EBUSY:
		return nd_count(ND_C_FALLBACK_EBUSY);
	case -EIO:
		return nd_count(ND_C_FALLBACK_EIO);
	case -ENOSPC:
	case -EDQUOT:
		return nd_count(ND_C_FALLBACK_ENOSPC);
	default:
		return nd_count(error < 0 ? ND_C_FALLBACK_OTHER : ND_C_FALLBACK_SHORT);
	}
}

/* Also does what has to be done before a write is left to the stock code. */
static enum nd_verdict nd_judge_write(const struct kiocb *iocb, size_t len)
{
	struct file *file = iocb->ki_filp;
	enum nd_block at_head, at_tail = ND_NO_BLOCK;
	enum nd_verdict verdict;
	struct nd_write write;
	loff_t head, tail;

	nd_inspect_write(iocb, len, &write);
	verdict = nd_judge_request(&write);
	if (verdict == ND_LEFT_IO_CACHE)
		pr_info_once("nfsd's own io_cache_write is not 0: its writes are left to it\n");
	if (verdict != ND_DIRECT)
		return verdict;
	nd_partial_blocks(&write, &head, &tail);
	at_head = nd_inspect_block(file, head, write.block);
	/* A hole at one end decides. */
	if (at_head != ND_BLOCK_HOLE)
		at_tail = nd_inspect_block(file, tail, write.block);
	verdict = nd_judge_blocks(nd_mode(), write.contended, at_head, at_tail);
	if (verdict != ND_PREFETCHED)
		return verdict;
	if (!nd_dio_locks_exclusively(file, &write))
		return ND_DIRECT;
	nd_prefetch(file, head, tail);
	return ND_PREFETCHED;
}

static bool nd_copy_to_bounce(const struct nd_bounce *bounce, const struct iov_iter *from)
{
	struct iov_iter source = *from;
	unsigned int i;

	for (i = 0; i < bounce->nr; i++)
		if (!copy_from_iter_full(page_address(bounce->vec[i].bv_page),
					 bounce->vec[i].bv_len, &source))
			return false;
	return true;
}

/*
 * Again, now that the data is there: the file system did it before, and readers do not wait for
 * a direct write. An NFS client that read the old bytes meanwhile has them in its cache with the
 * new change attribute, or time, and would take them for the file's as long as that stays.
 */
static bool nd_update_time(struct file *file)
{
	int error = nd_update_time_batched(file);

	if (error) {
		nd_count_fallback(error);
		return false;
	}
	/*
	 * As dirty as a write through the cache leaves it: a clean inode is not flushed by nfsd for
	 * NFSv2, nor by ext4 without a journal up to v6.4 ("ext4: Use
	 * generic_buffers_fsync_noflush() implementation" changed that).
	 */
	__mark_inode_dirty(file_inode(file), I_DIRTY_PAGES);
	return true;
}

/*
 * Without what asks for stable storage: the file system would see to that within the
 * inode's lock, which on some is exclusive here. The stock code does it after the lock
 * is dropped, and so do we.
 */
static bool nd_write_direct(const struct kiocb *iocb, const struct nd_bounce *bounce, size_t len)
{
	struct address_space *mapping = iocb->ki_filp->f_mapping;
	errseq_t since = filemap_sample_wb_err(mapping);
	struct kiocb direct = *iocb;
	struct iov_iter iter;
	ssize_t written;

	direct.ki_flags &= ~(IOCB_DSYNC | IOCB_SYNC);
	direct.ki_flags |= IOCB_DIRECT;
	iov_iter_bvec(&iter, ITER_SOURCE, bounce->vec, bounce->nr, len);
	written = vfs_iocb_iter_write(direct.ki_filp, &direct, &iter);
	if (written != len) {
		nd_count_fallback(written);
		return false;
	}
	/*
	 * The file system dropped the pages before it wrote, and after, still under the inode's
	 * lock: what is there now was read, or written, since, and is no older than our data. To
	 * write again would put it over what another client has written meanwhile. But if a page
	 * could not be dropped, an error was marked: then the write goes through the cache too,
	 * and both hold the same whatever that was. So it does if the file was mapped meanwhile:
	 * what was dirtied and written back during the write is clean now, and gone, and may have
	 * put the old bytes over ours.
	 */
	if (!mapping_writably_mapped(mapping) && !filemap_check_wb_err(mapping, since))
		return true;
	nd_count(ND_C_FALLBACK_CACHED);
	return false;
}

static bool nd_write_bounced(const struct kiocb *iocb, const struct nd_bounce *bounce,
			     const struct iov_iter *from, size_t len)
{
	if (!nd_copy_to_bounce(bounce, from)) {
		nd_count_fallback(-EFAULT);
		return false;
	}
	stats_add(&nd_stats, ND_C_BOUNCED_BYTES, len);
	return nd_write_direct(iocb, bounce, len);
}

/**
 * nd_write - serve a write by direct I/O, if that is right and works
 * @iocb: the write, by value: &kiocb.ki_pos is moved on if it was served
 * @from: its data, left as it is
 * @result: set if it was served: as of write_iter()
 *
 * All or nothing: unless every byte went to the device, the write is left to the stock
 * code as a whole, which writes the same bytes to the same place. So errors, short writes
 * and whatever else may happen are those of the stock code.
 *
 * Context: may sleep.
 * Return: whether it was served.
 */
bool nd_write(struct kiocb *iocb, const struct iov_iter *from, ssize_t *result)
{
	dev_t dev = file_inode(iocb->ki_filp)->i_sb->s_dev;
	size_t len = iov_iter_count(from);
	struct nd_bounce bounce;
	enum nd_verdict verdict;
	bool done;
	u64 begin;

	if (!len)
		return false;
	verdict = nd_judge_write(iocb, len);
	if (verdict == ND_DIRECT && !nd_bounce_get(&bounce, len))
		verdict = ND_LEFT_POOL;
	if (verdict != ND_DIRECT) {
		nd_count(verdict);
		nd_device_stats_add(dev, ND_D_LEFT, 1);
		return false;
	}
	begin = ktime_get_ns();
	done = nd_write_bounced(iocb, &bounce, from, len);
	nd_bounce_put(&bounce);
	/* Without these pages, as a file system that is frozen keeps this waiting. */
	if (!done || !nd_update_time(iocb->ki_filp)) {
		nd_device_stats_add(dev, ND_D_FALLBACK, 1);
		return false;
	}
	iocb->ki_pos += len;
	/* A failed flush is said once: trying again would hide it. */
	*result = generic_write_sync(iocb, len);
	nd_count(ND_DIRECT);
	nd_device_stats_add(dev, ND_D_DIRECT, 1);
	nd_device_stats_add(dev, ND_D_BYTES, len);
	if (*result < 0)
		nd_count(ND_C_SYNC_ERRORS);
	nd_count(ND_C_LATENCY + nd_latency_bucket((ktime_get_ns() - begin) / NSEC_PER_USEC));
	return true;
}
