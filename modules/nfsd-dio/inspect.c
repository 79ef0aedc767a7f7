// SPDX-License-Identifier: GPL-2.0-only
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/pagemap.h>
#include <linux/stat.h>
#include <linux/string.h>

#include "common/compat/ext4.h"
#include "common/compat/fileattr.h"
#include "common/compat/iocb.h"
#include "common/compat/readahead.h"
#include "fs_state.h"
#include "inflight.h"
#include "inspect.h"
#include "params.h"
#include "pool.h"
#include "range_cache.h"
#include "scope.h"

/* Flags that mean the same for a direct write as for a buffered one. */
#define KNOWN_FLAGS	(IOCB_DSYNC | IOCB_SYNC | IOCB_WRITE)

/* XFS takes the ilock once for each extent that a search steps over. */
#define MOST_EXTENTS	64

static bool is_fs(const struct inode *inode, const char *name)
{
	return !strcmp(inode->i_sb->s_type->name, name);
}

/* By name, because only the direct writes of these two were reviewed and are tested. */
static bool known_fs(const struct inode *inode)
{
	return S_ISREG(inode->i_mode) && (is_fs(inode, "ext4") || is_fs(inode, "xfs"));
}

/* Leaves both at 0 for inline data, encryption, verity, journalled data: no direct I/O. */
static void nd_inspect_alignment(const struct file *file, struct nd_write *write)
{
	struct kstat stat;

	if (vfs_getattr_nosec(&file->f_path, &stat, STATX_DIOALIGN, AT_STATX_DONT_SYNC) ||
	    !(stat.result_mask & STATX_DIOALIGN))
		return;
	write->align = stat.dio_offset_align;
	write->mem_align = stat.dio_mem_align;
}

/* Whether nfsd's own direct write is to have its times updated after its data. */
static bool nd_is_native(const struct kiocb *iocb)
{
	const struct inode *inode = file_inode(iocb->ki_filp);

	/* A file that is always synchronous would be synced before its times change. */
	return nd_native() && (iocb->ki_flags & IOCB_DIRECT) && !iocb->ki_complete &&
	       !(iocb->ki_flags & ~(KNOWN_FLAGS | IOCB_DIRECT)) && !IS_SYNC(inode) &&
	       known_fs(inode) && nd_scope(iocb->ki_filp) == ND_IN_SCOPE;
}

/**
 * nd_inspect_write - collect what nd_judge_request() needs to know of a write
 * @iocb: the write
 * @len: its length, bytes, not 0
 * @aligned_too: &nd_write.aligned_too
 * @write: set; the rest stays 0 once range, flags or file system rule direct I/O out
 */
void nd_inspect_write(const struct kiocb *iocb, size_t len, bool aligned_too,
		      struct nd_write *write)
{
	struct file *file = iocb->ki_filp;
	struct inode *inode = file_inode(file);

	*write = (struct nd_write) {
		.pos = iocb->ki_pos,
		.len = len,
		.block = i_blocksize(inode),
		.aligned_too = aligned_too,
		.io_cache = iocb->ki_flags & (IOCB_DIRECT | COMPAT_IOCB_DONTCACHE),
	};
	write->native = write->io_cache && nd_is_native(iocb);
	/* Most writes of most servers are aligned and end here. */
	if (write->io_cache || (!aligned_too && nd_is_aligned(write->pos, len, write->block)))
		return;
	write->other_flags = (iocb->ki_flags & ~KNOWN_FLAGS) || iocb->ki_complete;
	write->known_fs = known_fs(inode);
	if (write->other_flags || !write->known_fs)
		return;
	write->scope = nd_scope(file);
	if (write->scope)
		return;
	write->fs_error = nd_fs_state(inode->i_sb) != ND_FS_GOOD;
	if (write->fs_error)
		return;
	write->file_size = i_size_read(inode);
	write->max_len = ND_BOUNCE_MAX;
	write->file_ok = (file->f_mode & FMODE_CAN_ODIRECT) && (file->f_mode & FMODE_WRITE) &&
			 !IS_DAX(inode) && !IS_SWAPFILE(inode) && !IS_APPEND(inode) &&
			 /* It flushes within the write: a second one would hide a failed flush. */
			 !IS_SYNC(inode);
	write->mapped = mapping_writably_mapped(file->f_mapping);
	nd_inspect_alignment(file, write);
	write->contended = nd_has_concurrent_writers(file) || inode_is_locked(inode);
}

static bool nd_folio_has_block(struct address_space *mapping, struct folio *folio, loff_t block,
			       unsigned int size)
{
	const struct address_space_operations *ops = mapping->a_ops;
	bool has;

	if (folio_test_uptodate(folio))
		return true;
	/* A locked folio is being filled: the stock code would wait for that and read nothing. */
	if (!folio_trylock(folio))
		return true;
	has = folio->mapping == mapping &&
	      (folio_test_uptodate(folio) ||
	       (ops->is_partially_uptodate &&
		ops->is_partially_uptodate(folio, offset_in_folio(folio, block), size)));
	folio_unlock(folio);
	return has;
}

static bool nd_is_cached(struct address_space *mapping, loff_t block, unsigned int size)
{
	struct folio *folio = compat_folio_get(mapping, block >> PAGE_SHIFT);
	bool has;

	if (!folio)
		return false;
	has = nd_folio_has_block(mapping, folio, block, size);
	folio_put(folio);
	return has;
}

/* Whether a search over all extents of a file on XFS would wait for its ilock too often. */
static bool nd_has_many_extents(struct file *file)
{
	const struct inode_operations *ops = file_inode(file)->i_op;
	struct file_kattr attr = {};

	return !ops->fileattr_get || ops->fileattr_get(file_dentry(file), &attr) ||
	       attr.fsx_nextents > MOST_EXTENTS;
}

/*
 * Remember the data that a block is in. ext4 would search with the inode locked, and read the
 * extents that it has not cached from the disk.
 */
static void nd_remember_data(struct file *file, loff_t block)
{
	struct inode *inode = file_inode(file);
	unsigned long began = jiffies;
	loff_t begin = 0, end;

	if (!is_fs(inode, "xfs") || !nd_range_search_begin(inode) || nd_has_many_extents(file))
		return;
	end = vfs_llseek(file, begin, SEEK_HOLE);
	if (end > begin)
		nd_range_cache_add(ND_RANGE_DATA, inode, begin, end);
	if (end >= 0 && end <= block) {
		begin = block;
		end = vfs_llseek(file, begin, SEEK_HOLE);
		if (end > begin)
			nd_range_cache_add(ND_RANGE_DATA, inode, begin, end);
	}
	nd_range_search_end(inode, began);
}

/**
 * nd_inspect_block - find out where the content of a block is
 * @file: the file
 * @block: start of the block, bytes, or %ND_NO_POS
 * @size: size of the block, bytes
 *
 * The answer is a hint and may be stale on return. The file system checks again under its
 * locks, and handles a block of any kind.
 *
 * Context: may sleep, takes the lock of an ext4 inode.
 */
enum nd_block nd_inspect_block(struct file *file, loff_t block, unsigned int size)
{
	struct inode *inode = file_inode(file);
	loff_t data;

	if (block == ND_NO_POS)
		return ND_NO_BLOCK;
	if (nd_is_cached(file->f_mapping, block, size))
		return ND_BLOCK_CACHED;
	if (nd_range_cache_lookup(ND_RANGE_HOLE, inode, block))
		return ND_BLOCK_HOLE;
	if (nd_range_cache_lookup(ND_RANGE_DATA, inode, block)) {
		/* One writer renews the range, while the others still find it. */
		nd_remember_data(file, block);
		return ND_BLOCK_ON_DISK;
	}
	/* Moves f_pos, which nfsd never reads. Skips blocks allocated and never written. */
	data = vfs_llseek(file, block, SEEK_DATA);
	if (data == block) {
		nd_remember_data(file, block);
		return ND_BLOCK_ON_DISK;
	}
	if (data > block)
		nd_range_cache_add(ND_RANGE_HOLE, inode, block, data);
	else if (data == -ENXIO)
		nd_range_cache_add(ND_RANGE_HOLE, inode, block, i_size_read(inode));
	return ND_BLOCK_HOLE;
}

/* The extents that hold the blocks of a write; 1 if the file system cannot tell. */
static unsigned int nd_count_extents(struct inode *inode, const struct nd_write *write)
{
	loff_t begin = round_down(write->pos, write->block);
	loff_t end = round_up(write->pos + write->len, write->block);
	/* With room for no extent, fiemap() only counts. */
	struct fiemap_extent_info found = {};

	if (!inode->i_op->fiemap || inode->i_op->fiemap(inode, &found, begin, end - begin))
		return 1;
	return found.fi_extents_mapped;
}

/**
 * nd_dio_locks_exclusively - whether a direct write locks the inode exclusively for all of its I/O
 * @file: the file
 * @write: the write
 *
 * Context: may sleep, takes the inode's lock.
 */
bool nd_dio_locks_exclusively(struct file *file, const struct nd_write *write)
{
	struct inode *inode = file_inode(file);
	bool aligned = nd_is_aligned(write->pos, write->len, write->block);

	if (aligned && (write->len == write->block || is_fs(inode, "xfs")))
		return false;
	if (is_fs(inode, "ext4") && COMPAT_EXT4_UNALIGNED_DIO_EXCLUSIVE && !aligned)
		return true;
	if (is_fs(inode, "ext4") && !COMPAT_EXT4_DIO_ACROSS_EXTENTS_EXCLUSIVE)
		return false;
	return nd_count_extents(inode, write) > 1;
}
