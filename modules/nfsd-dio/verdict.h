/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether a write of an NFS client is to be served by direct I/O. Pure. */
#ifndef NFSD_DIO_VERDICT_H
#define NFSD_DIO_VERDICT_H

#include <linux/types.h>

/**
 * enum nd_mode - the parameter `mode`
 * @ND_UNCACHED: direct only if the stock code would have to read from the disk
 * @ND_UNALIGNED: direct whatever is cached
 */
enum nd_mode {
	ND_UNCACHED,
	ND_UNALIGNED,
	ND_NR_MODES,
};

/**
 * enum nd_verdict - what is done with a write
 * @ND_DIRECT: it is sent to the device as it is
 * @ND_PREFETCHED: the blocks at its ends are read, then the stock code has it
 * @ND_LEFT_ALIGNED: it begins and ends with a block: nothing would be read for it
 * @ND_LEFT_IO_CACHE: nfsd has decided itself how to write, by its io_cache_write
 * @ND_LEFT_FLAGS: an append, or another flag that is not known to be harmless
 * @ND_LEFT_FS: not a regular file of ext4 or XFS
 * @ND_LEFT_FILE: DAX, a swap file, always synchronous, or opened in a way that rules direct I/O out
 * @ND_LEFT_MAPPED: a process on the server has the file mapped for writing
 * @ND_LEFT_NO_DIRECT: the file system does no direct I/O on this file
 * @ND_LEFT_SECTOR: it does not begin and end with a sector
 * @ND_LEFT_EOF: it reaches into a last block that the file does not fill, or beyond
 * @ND_LEFT_LARGE: more than is ever bounced
 * @ND_LEFT_CACHED: the blocks at its ends are in the page cache
 * @ND_LEFT_HOLE: a block at its ends was never written
 * @ND_LEFT_POOL: no memory is left to bounce it
 */
enum nd_verdict {
	ND_DIRECT,
	ND_PREFETCHED,
	ND_LEFT_ALIGNED,
	ND_LEFT_IO_CACHE,
	ND_LEFT_FLAGS,
	ND_LEFT_FS,
	ND_LEFT_FILE,
	ND_LEFT_MAPPED,
	ND_LEFT_NO_DIRECT,
	ND_LEFT_SECTOR,
	ND_LEFT_EOF,
	ND_LEFT_LARGE,
	ND_LEFT_CACHED,
	ND_LEFT_HOLE,
	ND_LEFT_POOL,
	ND_NR_VERDICTS,
};

/**
 * struct nd_write - a write, and the file it is for
 * @pos: where it begins, bytes
 * @len: its length, bytes, not 0
 * @file_size: bytes
 * @max_len: the longest that is bounced, bytes
 * @block: the file system's block size, bytes, a power of two
 * @align: what direct writes to this file have to be aligned to, bytes, a power of
 *	two; 0: it takes none
 * @io_cache: nfsd asks for direct or uncached I/O itself
 * @other_flags: it has other flags than those that ask for stable storage, or is asynchronous
 * @known_fs: a regular file of ext4 or XFS
 * @file_ok: no DAX, no swap file, not append-only, not always synchronous, and opened for writing with
 *	direct I/O possible
 * @mapped: mapped shared and for writing
 * @contended: others write to the file now
 */
struct nd_write {
	loff_t pos;
	size_t len;
	loff_t file_size;
	size_t max_len;
	unsigned int block;
	unsigned int align;
	bool io_cache;
	bool other_flags;
	bool known_fs;
	bool file_ok;
	bool mapped;
	bool contended;
};

/**
 * enum nd_block - what is known of a block that a write covers in part
 * @ND_NO_BLOCK: there is none at this end
 * @ND_BLOCK_CACHED: its content is in the page cache, or on its way there
 * @ND_BLOCK_HOLE: it has no content: a hole, or allocated and never written
 * @ND_BLOCK_ON_DISK: its content is on the disk only
 */
enum nd_block {
	ND_NO_BLOCK,
	ND_BLOCK_CACHED,
	ND_BLOCK_HOLE,
	ND_BLOCK_ON_DISK,
};

/* No block at this end of a write. */
#define ND_NO_POS	(-1LL)

/* Buckets of the latency histogram: below 64 us, 128 us and so on, and the rest. */
#define ND_FIRST_BUCKET_US	64
#define ND_NR_BUCKETS		17

/**
 * nd_is_aligned - whether a write begins and ends with a block
 * @pos: where it begins, bytes
 * @len: its length, bytes
 * @block: block size, bytes, a power of two
 */
static inline bool nd_is_aligned(loff_t pos, size_t len, unsigned int block)
{
	return !((pos | len) & (block - 1));
}

enum nd_verdict nd_judge_request(const struct nd_write *write);
void nd_partial_blocks(const struct nd_write *write, loff_t *head, loff_t *tail);
enum nd_verdict nd_judge_blocks(enum nd_mode mode, bool contended, enum nd_block head,
				enum nd_block tail);
unsigned int nd_latency_bucket(u64 us);

#endif
