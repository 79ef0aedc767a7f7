/* SPDX-License-Identifier: GPL-2.0-only */
/* Decides whether a write of an NFS client is served by direct I/O. Pure. */
#ifndef NFSD_DIO_VERDICT_H
#define NFSD_DIO_VERDICT_H

#include <linux/types.h>

/**
 * enum nd_mode - the parameter `mode`
 * @ND_UNCACHED: direct only if the stock code would read from the disk
 * @ND_UNALIGNED: direct whatever is cached
 * @ND_AUTO: as %ND_UNCACHED; also aligned writes, where direct I/O is seen to be faster
 */
enum nd_mode {
	ND_UNCACHED,
	ND_UNALIGNED,
	ND_AUTO,
	ND_NR_MODES,
};

/**
 * enum nd_scope - whether the parameters `devices` and `exports` have a file
 * @ND_IN_SCOPE: yes, or they are empty
 * @ND_OTHER_DEVICE: it is on no device of `devices`
 * @ND_OTHER_EXPORT: it is in no directory of `exports`
 */
enum nd_scope {
	ND_IN_SCOPE,
	ND_OTHER_DEVICE,
	ND_OTHER_EXPORT,
};

/**
 * enum nd_verdict - what becomes of a write
 * @ND_DIRECT: direct I/O
 * @ND_PREFETCHED: we read its partial blocks, then the stock code writes it
 * @ND_NATIVE: nfsd made it direct; we update the times after its data
 * @ND_LEFT_ALIGNED: left to the stock code, as all below: it covers whole blocks only, and the
 * cache is faster, or direct I/O cannot serve it
 * @ND_LEFT_IO_CACHE_WRITE: nfsd itself chose direct or uncached I/O, by its io_cache_write
 * @ND_LEFT_FLAGS: an append, or a flag that is not known to be harmless
 * @ND_LEFT_FS: not a regular file of ext4 or XFS
 * @ND_LEFT_DEVICE: see %ND_OTHER_DEVICE
 * @ND_LEFT_EXPORT: see %ND_OTHER_EXPORT
 * @ND_LEFT_FS_ERROR: the file system has recorded an error
 * @ND_LEFT_FILE: see &nd_write.file_ok
 * @ND_LEFT_MAPPED: a process on the server has mapped the file for writing
 * @ND_LEFT_NO_DIRECT: the file system takes no direct I/O for this file
 * @ND_LEFT_SECTOR: the write does not begin and end at a sector boundary
 * @ND_LEFT_EOF: the write reaches into a last block that the file does not fill, or beyond
 * @ND_LEFT_LARGE: longer than a bounce buffer
 * @ND_LEFT_CACHED: the partial blocks are in the page cache
 * @ND_LEFT_HOLE: a partial block was never written
 * @ND_LEFT_POOL: the pool has too few free pages; we read the partial blocks
 * @ND_WOULD_DIRECT: %ND_DIRECT, but the module only observes
 * @ND_WOULD_PREFETCH: likewise %ND_PREFETCHED
 */
enum nd_verdict {
	ND_DIRECT,
	ND_PREFETCHED,
	ND_NATIVE,
	ND_LEFT_ALIGNED,
	ND_LEFT_IO_CACHE_WRITE,
	ND_LEFT_FLAGS,
	ND_LEFT_FS,
	ND_LEFT_DEVICE,
	ND_LEFT_EXPORT,
	ND_LEFT_FS_ERROR,
	ND_LEFT_FILE,
	ND_LEFT_MAPPED,
	ND_LEFT_NO_DIRECT,
	ND_LEFT_SECTOR,
	ND_LEFT_EOF,
	ND_LEFT_LARGE,
	ND_LEFT_CACHED,
	ND_LEFT_HOLE,
	ND_LEFT_POOL,
	ND_WOULD_DIRECT,
	ND_WOULD_PREFETCH,
	ND_NR_VERDICTS,
};

/**
 * struct nd_write - a write and its file
 * @pos: start, bytes
 * @len: length, bytes, not 0
 * @file_size: bytes
 * @max_len: the longest write that is bounced, bytes
 * @block: block size of the file system, bytes, a power of two
 * @align: alignment of direct writes to the file, bytes, a power of two; 0: it takes none
 * @mem_align: alignment of the memory that a direct write is made from, bytes, a power of two
 * @aligned_too: a write that covers whole blocks only may go direct
 * @io_cache: nfsd asks for direct or uncached I/O itself
 * @native: it asks for direct I/O, and we are to update the times after that
 * @other_flags: asynchronous, or with flags that do not just ask for stable storage
 * @known_fs: a regular file of ext4 or XFS
 * @scope: whether `devices` and `exports` have the file
 * @fs_error: the file system has recorded an error, or that is unknown
 * @file_ok: no DAX, swap, append-only or always synchronous file; open for writing and direct I/O
 * @mapped: mapped shared and for writing
 * @contended: other writers of the file are active
 */
struct nd_write {
	loff_t pos;
	size_t len;
	loff_t file_size;
	size_t max_len;
	unsigned int block;
	unsigned int align;
	unsigned int mem_align;
	bool aligned_too;
	bool io_cache;
	bool native;
	bool other_flags;
	bool known_fs;
	enum nd_scope scope;
	bool fs_error;
	bool file_ok;
	bool mapped;
	bool contended;
};

/**
 * enum nd_block - where the content of a partial block is: a block that a write covers in part
 * @ND_NO_BLOCK: the write has no partial block at this end
 * @ND_BLOCK_CACHED: in the page cache, or being read into it
 * @ND_BLOCK_HOLE: nowhere: a hole, or allocated and never written
 * @ND_BLOCK_ON_DISK: only on the disk
 */
enum nd_block {
	ND_NO_BLOCK,
	ND_BLOCK_CACHED,
	ND_BLOCK_HOLE,
	ND_BLOCK_ON_DISK,
};

/* The position of %ND_NO_BLOCK. */
#define ND_NO_POS	(-1LL)

/* The latency histogram: below 64 us, below 128 us and so on; the last bucket has the rest. */
#define ND_FIRST_BUCKET_US	64
#define ND_NR_BUCKETS		17

/* @block: a power of two. */
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
