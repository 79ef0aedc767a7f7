// SPDX-License-Identifier: GPL-2.0-only
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/fs.h>
#include <linux/ktime.h>
#include <linux/pagemap.h>
#include <linux/uio.h>

#include "common/compat/mgtime.h"
#include "common/module.h"
#include "again.h"
#include "auto.h"
#include "counters.h"
#include "device_stats.h"
#include "fs_state.h"
#include "inspect.h"
#include "mtime.h"
#include "params.h"
#include "pool.h"
#include "prefetch.h"
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

static void nd_count_latency(u64 ns)
{
	static const u8 counters[] = { ND_LATENCY_COUNTERS(ND_COUNTER) };

	static_assert(ARRAY_SIZE(counters) == ND_NR_BUCKETS);
	nd_count(counters[nd_latency_bucket(ns / NSEC_PER_USEC)]);
}

static bool nd_is_stable(const struct kiocb *iocb)
{
	return iocb->ki_flags & IOCB_DSYNC;
}

/* Whether the cache is likely to answer the next writes, once it has the blocks of this one. */
static bool nd_comes_again(const struct kiocb *iocb, const struct nd_write *write)
{
	return nd_mode() != ND_UNALIGNED && !nd_is_stable(iocb) &&
	       nd_again(file_inode(iocb->ki_filp), write->pos, write->len, write->block);
}

static enum nd_verdict nd_judge_write(const struct kiocb *iocb, size_t len, struct nd_write *write,
				      struct nd_auto *call)
{
	struct file *file = iocb->ki_filp;
	enum nd_block at_head, at_tail = ND_NO_BLOCK;
	enum nd_verdict verdict;
	loff_t head, tail;
	bool again;

	nd_auto_begin(iocb, len, call);
	nd_inspect_write(iocb, len, call->device, write);
	verdict = nd_judge_request(write);
	if (call->device)
		return nd_auto_choose(file, write, verdict == ND_DIRECT, call) == ND_BY_DIRECT ?
			ND_DIRECT : ND_LEFT_ALIGNED;
	if (verdict != ND_DIRECT)
		return verdict;
	again = nd_comes_again(iocb, write);
	nd_partial_blocks(write, &head, &tail);
	at_head = nd_inspect_block(file, head, write->block);
	/* A hole at one end decides: skip the search at the other. */
	if (at_head != ND_BLOCK_HOLE)
		at_tail = nd_inspect_block(file, tail, write->block);
	verdict = nd_judge_blocks(nd_mode(), write->contended, at_head, at_tail);
	if (verdict == ND_PREFETCHED && !again && !nd_dio_locks_exclusively(file, write))
		verdict = ND_DIRECT;
	if (verdict == ND_DIRECT && nd_is_stable(iocb))
		nd_again_stable(file_inode(file));
	return verdict == ND_DIRECT && again ? ND_PREFETCHED : verdict;
}

static enum nd_verdict nd_observed(enum nd_verdict verdict)
{
	if (verdict == ND_DIRECT)
		return ND_WOULD_DIRECT;
	if (verdict == ND_NATIVE)
		return ND_LEFT_IO_CACHE_WRITE;
	return verdict == ND_PREFETCHED ? ND_WOULD_PREFETCH : verdict;
}

/* Do what precedes the stock code's write. */
static void nd_leave(struct file *file, const struct nd_write *write, enum nd_verdict verdict)
{
	if (verdict == ND_LEFT_IO_CACHE_WRITE && !nd_native())
		pr_info_once("nfsd's own io_cache_write is not 0: leaving all writes to nfsd\n");
	else if (verdict == ND_PREFETCHED || verdict == ND_LEFT_POOL)
		nd_prefetch(file, write);
	nd_count(verdict);
	nd_device_stats_add(file_inode(file)->i_sb->s_dev, ND_D_LEFT, 1);
}

/*
 * Write, but leave the file's times and change attribute as they are.
 *
 * FMODE_NOCMTIME says so to the file system, as for the files of XFS's handles. nfsd's threads
 * share @iocb's file, also for buffered writes, so a copy of it has the flag. The copy lives as
 * long as this call, and the write has ended when the call returns, since @iocb is synchronous. So
 * nobody takes a reference to the copy, and nobody its locks.
 */
static ssize_t nd_write_without_times(struct kiocb *iocb, struct iov_iter *iter)
{
	/* Others count references, and mark errors, in the file that is copied. */
	struct file file = data_race(*iocb->ki_filp);
	struct file *shared = iocb->ki_filp;
	ssize_t written;

	file.f_mode |= FMODE_NOCMTIME;
	/* Another thread may hold the lock that was copied. */
	spin_lock_init(&file.f_lock);
	iocb->ki_filp = &file;
	written = vfs_iocb_iter_write(&file, iocb, iter);
	iocb->ki_filp = shared;
	return written;
}

/* Write. The times are updated before the data only where the kernel marks those that were seen. */
static ssize_t nd_write_before_times(struct kiocb *iocb, struct iov_iter *iter)
{
	if (compat_times_are_marked(file_inode(iocb->ki_filp)))
		return vfs_iocb_iter_write(iocb->ki_filp, iocb, iter);
	return nd_write_without_times(iocb, iter);
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
 * Without IOCB_DSYNC, because the file system would flush under the inode's lock, which it may hold
 * exclusively here. Like the stock code, nd_write() flushes after that lock is dropped.
 */
static bool nd_write_direct(const struct kiocb *iocb, struct iov_iter *iter, ssize_t *written)
{
	struct address_space *mapping = iocb->ki_filp->f_mapping;
	errseq_t since = filemap_sample_wb_err(mapping);
	size_t len = iov_iter_count(iter);
	struct kiocb direct = *iocb;

	direct.ki_flags &= ~(IOCB_DSYNC | IOCB_SYNC);
	direct.ki_flags |= IOCB_DIRECT;
	*written = nd_write_before_times(&direct, iter);
	if (*written != len)
		return false;
	/*
	 * The file system dropped the range's pages before and after the write, under the inode's
	 * lock. Pages that are there now are no older than our data, and another client may have
	 * written to them since, so do not write again without need. There are two needs:
	 * - the file system could not drop a dirty page, and marked an error in the mapping;
	 * - the file was mapped for writing meanwhile. A page that was dirtied and written back
	 *   during the write is clean now, was dropped, and may have put old bytes over ours.
	 * Then the stock code writes through the cache, so that cache and disk agree.
	 */
	if (!mapping_writably_mapped(mapping) && !filemap_check_wb_err(mapping, since))
		return true;
	nd_count(ND_C_FALLBACK_CACHED);
	return false;
}

/* The stock code is to write again. */
static bool nd_fall_back(ssize_t written, size_t len)
{
	if (written != len)
		nd_count_fallback(written);
	return false;
}

static bool nd_write_bounced(const struct kiocb *iocb, const struct nd_bounce *bounce,
			     const struct iov_iter *from)
{
	size_t len = iov_iter_count(from);
	struct iov_iter iter;
	ssize_t written;

	if (!nd_copy_to_bounce(bounce, from))
		return nd_fall_back(-EFAULT, len);
	stats_add(&nd_stats, ND_C_BOUNCED_BYTES, len);
	iov_iter_bvec(&iter, ITER_SOURCE, bounce->vec, bounce->nr, len);
	return nd_write_direct(iocb, &iter, &written) || nd_fall_back(written, len);
}

/* The file system does not take buffers that the device takes. */
static bool nd_must_copy;

/*
 * Whether the device takes the buffers of the network as they are. They belong to nfsd's thread
 * until it has answered, so nobody changes them meanwhile. Older kernels give addresses, not
 * pages, and want whole sectors in each page.
 */
static bool nd_device_takes(const struct iov_iter *from, const struct nd_write *write)
{
	return iov_iter_is_bvec(from) && write->mem_align && !READ_ONCE(nd_must_copy) &&
	       !(iov_iter_alignment(from) & (write->mem_align - 1));
}

/* Returns %ND_DIRECT with @done set, or %ND_LEFT_POOL with nothing done. */
static enum nd_verdict nd_write_data(const struct kiocb *iocb, const struct iov_iter *from,
				     const struct nd_write *write, bool *done)
{
	struct iov_iter iter = *from;
	struct nd_bounce bounce;
	ssize_t written;

	if (nd_device_takes(from, write)) {
		*done = nd_write_direct(iocb, &iter, &written);
		if (*done)
			nd_count(ND_C_UNCOPIED);
		if (*done || written != -EINVAL) {
			nd_fall_back(written, write->len);
			return ND_DIRECT;
		}
		WRITE_ONCE(nd_must_copy, true);
	}
	/* Aligned writes have no need of the pool: leave half of it to the others. */
	if (!nd_bounce_get(&bounce, write->len, write->aligned_too))
		return ND_LEFT_POOL;
	*done = nd_write_bounced(iocb, &bounce, from);
	nd_bounce_put(&bounce);
	return ND_DIRECT;
}

/* As nd_write_data(), with the times updated, and the sync if one was asked for. */
static enum nd_verdict nd_write_and_finish(const struct kiocb *iocb, const struct iov_iter *from,
					   const struct nd_write *write, bool *done,
					   struct nd_finish *finish)
{
	struct super_block *sb = file_inode(iocb->ki_filp)->i_sb;
	enum nd_verdict verdict;
	int error;

	nd_finish_expect(iocb, finish);
	verdict = nd_write_data(iocb, from, write, done);
	/* What waits while the file system is frozen holds no buffer. */
	if (verdict != ND_DIRECT) {
		nd_finish_cancel(iocb, finish);
	} else if (!*done) {
		/* The stock code, which writes again, may fail before it updates the times. */
		nd_finish_failed_write(iocb, finish);
	} else {
		error = nd_finish_write(iocb, write->len, finish);
		/* The update of the times may have met an error that only the mark tells of. */
		if (!error && !finish->sync && nd_fs_state(sb) == ND_FS_ERROR)
			error = -EROFS;
		if (error) {
			*done = false;
			nd_count_fallback(error);
		}
	}
	return verdict;
}

/*
 * Make nfsd's own direct write in its place, as it asked, with the times updated after the data.
 * Flushed only then, because a crash must not bring back times that were seen with old bytes. Of a
 * write that failed a part may be on the device, so the times are updated then, too.
 */
static ssize_t nd_write_native(struct kiocb *iocb, const struct iov_iter *from)
{
	struct kiocb direct = *iocb;
	struct iov_iter iter = *from;
	struct nd_finish finish;
	ssize_t written;
	int error;

	direct.ki_flags &= ~(IOCB_DSYNC | IOCB_SYNC);
	nd_finish_expect(iocb, &finish);
	written = nd_write_before_times(&direct, &iter);
	if (written <= 0) {
		nd_finish_failed_write(iocb, &finish);
		return written;
	}
	error = nd_finish_write(iocb, written, &finish);
	iocb->ki_pos = direct.ki_pos;
	if (error || finish.sync)
		nd_count(ND_C_SYNC_ERRORS);
	return error ?: finish.sync ?: written;
}

/**
 * nd_write - serve a write by direct I/O, if that is right and works
 * @iocb: a copy of the caller's; &kiocb.ki_pos is advanced if we served the write
 * @from: the data, not advanced
 * @call: set; the caller gives it to nd_auto_end() when the write has ended
 * @result: set to what write_iter() would return if we served the write
 *
 * All or nothing: unless every byte reached the device, the stock code writes the same bytes
 * to the same place. So errors and short writes are those of the stock code. nfsd's own direct
 * writes have those of the file system.
 *
 * Return: whether we served the write.
 */
bool nd_write(struct kiocb *iocb, const struct iov_iter *from, struct nd_auto *call,
	      ssize_t *result)
{
	struct inode *inode = file_inode(iocb->ki_filp);
	dev_t dev = inode->i_sb->s_dev;
	size_t len = iov_iter_count(from);
	enum nd_verdict verdict;
	struct nd_write write;
	struct nd_finish finish;
	bool done = false;
	u64 begin = 0;

	*call = (struct nd_auto) {};
	if (!len)
		return false;
	verdict = nd_judge_write(iocb, len, &write, call);
	if (seqkeep_is_observing())
		verdict = nd_observed(verdict);
	if (verdict == ND_NATIVE) {
		nd_count(verdict);
		nd_device_stats_add(dev, ND_D_LEFT, 1);
		*result = nd_write_native(iocb, from);
		return true;
	}
	if (verdict == ND_DIRECT) {
		begin = ktime_get_ns();
		verdict = nd_write_and_finish(iocb, from, &write, &done, &finish);
	}
	if (verdict != ND_DIRECT) {
		call->gave_up = verdict == ND_LEFT_POOL;
		nd_leave(iocb->ki_filp, &write, verdict);
		return false;
	}
	if (!done) {
		call->failed = true;
		nd_device_stats_add(dev, ND_D_FALLBACK, 1);
		return false;
	}
	iocb->ki_pos += len;
	/* Report a failed sync: the stock code's second one would succeed and hide it. */
	*result = finish.sync ?: len;
	nd_count(ND_DIRECT);
	if (write.aligned_too)
		nd_count(ND_C_DIRECT_ALIGNED);
	nd_device_stats_add(dev, ND_D_DIRECT, 1);
	nd_device_stats_add(dev, ND_D_BYTES, len);
	if (*result < 0)
		nd_count(ND_C_SYNC_ERRORS);
	nd_count_latency(ktime_get_ns() - begin);
	return true;
}
