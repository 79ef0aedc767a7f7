// SPDX-License-Identifier: GPL-2.0-only
#include <linux/log2.h>
#include <linux/minmax.h>

#include "verdict.h"

/*
 * Also true for a last block that the file does not fill: the file system keeps its bytes beyond
 * the end of the file zero, under locks of its own.
 */
static bool reaches_eof(const struct nd_write *write)
{
	loff_t below = write->file_size - write->pos;

	if (write->pos < 0 || below < 0 || below < write->len)
		return true;
	return below - write->len < (-(write->pos + write->len) & (write->block - 1));
}

/**
 * nd_judge_request - judge a write by all but its partial blocks
 * @write: the write
 *
 * Return: %ND_DIRECT if nd_judge_blocks() decides, %ND_NATIVE, or why the write is left.
 */
enum nd_verdict nd_judge_request(const struct nd_write *write)
{
	if (write->io_cache)
		return write->native ? ND_NATIVE : ND_LEFT_IO_CACHE_WRITE;
	if (!write->aligned_too && nd_is_aligned(write->pos, write->len, write->block))
		return ND_LEFT_ALIGNED;
	if (write->other_flags)
		return ND_LEFT_FLAGS;
	if (!write->known_fs)
		return ND_LEFT_FS;
	if (write->scope)
		return write->scope == ND_OTHER_DEVICE ? ND_LEFT_DEVICE : ND_LEFT_EXPORT;
	if (write->fs_error)
		return ND_LEFT_FS_ERROR;
	if (!write->file_ok)
		return ND_LEFT_FILE;
	if (write->mapped)
		return ND_LEFT_MAPPED;
	if (!write->align)
		return ND_LEFT_NO_DIRECT;
	if (!nd_is_aligned(write->pos, write->len, write->align))
		return ND_LEFT_SECTOR;
	if (reaches_eof(write))
		return ND_LEFT_EOF;
	if (write->len > write->max_len)
		return ND_LEFT_LARGE;
	return ND_DIRECT;
}

/**
 * nd_partial_blocks - find the blocks that a write covers in part
 * @write: the write
 * @head: set to the start of the block that the write begins within, bytes, or %ND_NO_POS
 * @tail: likewise for the block that it ends within; %ND_NO_POS if that is the same block
 */
void nd_partial_blocks(const struct nd_write *write, loff_t *head, loff_t *tail)
{
	loff_t mask = write->block - 1;
	loff_t end = write->pos + write->len;

	*head = write->pos & mask ? write->pos & ~mask : ND_NO_POS;
	*tail = end & mask ? end & ~mask : ND_NO_POS;
	if (*tail == *head)
		*tail = ND_NO_POS;
}

/**
 * nd_judge_blocks - judge a write by its partial blocks
 * @mode: the parameter
 * @contended: &nd_write.contended
 * @head: the block that the write begins within
 * @tail: the block that it ends within
 *
 * The stock code reads nothing for a hole, and a direct write would zero the rest of that
 * block with the inode locked exclusively.
 *
 * If direct writes lock each other out, reading ahead without that lock is faster for all.
 *
 * Return: %ND_DIRECT; %ND_PREFETCHED, which holds only if nd_dio_locks_exclusively(); or why
 * the write is left.
 */
enum nd_verdict nd_judge_blocks(enum nd_mode mode, bool contended, enum nd_block head,
				enum nd_block tail)
{
	if (head == ND_BLOCK_HOLE || tail == ND_BLOCK_HOLE)
		return ND_LEFT_HOLE;
	if (mode == ND_UNALIGNED)
		return ND_DIRECT;
	if (head != ND_BLOCK_ON_DISK && tail != ND_BLOCK_ON_DISK)
		return ND_LEFT_CACHED;
	return contended ? ND_PREFETCHED : ND_DIRECT;
}

/**
 * nd_latency_bucket - find the histogram bucket of a duration
 * @us: microseconds
 *
 * Return: 0 to %ND_NR_BUCKETS - 1.
 */
unsigned int nd_latency_bucket(u64 us)
{
	us /= ND_FIRST_BUCKET_US;
	return us ? min(ilog2(us) + 1, ND_NR_BUCKETS - 1) : 0;
}
