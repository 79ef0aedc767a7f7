// SPDX-License-Identifier: GPL-2.0-only
#include <linux/fadvise.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/pagemap.h>
#include <linux/stat.h>
#include <linux/string.h>

#include "common/compat/ext4.h"
#include "common/compat/iocb.h"
#include "common/compat/readahead.h"
#include "hole_cache.h"
#include "inflight.h"
#include "inspect.h"
#include "pool.h"

/* Flags of a write that mean the same for a direct one. */
#define KNOWN_FLAGS	(IOCB_DSYNC | IOCB_SYNC | IOCB_WRITE)

static bool is_fs(const struct inode *inode, const char *name)
{
	return !strcmp(inode->i_sb->s_type->name, name);
}

/* By name: only what these do with direct writes was read, and is tested. */
static bool known_fs(const struct inode *inode)
{
	return S_ISREG(inode->i_mode) && (is_fs(inode, "ext4") || is_fs(inode, "xfs"));
}

/*
 * What direct writes have to be aligned to, by what the file system tells statx(). It
 * says 0 where it takes none: inline data, encryption, verity, journalled data.
 */
static unsigned int nd_direct_align(const struct file *file)
{
	struct kstat stat;

	if (vfs_getattr_nosec(&file->f_path, &stat, STATX_DIOALIGN, AT_STATX_DONT_SYNC) ||
	    !(stat.result_mask & STATX_DIOALIGN))
		return 0;
	return stat.dio_offset_align;
}

/**
 * nd_inspect_write - look at a write and its file
 * @iocb: the write
 * @len: its length, bytes, not 0
 * @write: set; of one whose range, flags or file system are not for us the rest is 0
 *
 * Context: may sleep.
 */
void nd_inspect_write(const struct kiocb *iocb, size_t len, struct nd_write *write)
{
	struct file *file = iocb->ki_filp;
	struct inode *inode = file_inode(file);

	*write = (struct nd_write) {
		.pos = iocb->ki_pos,
		.len = len,
		.block = i_blocksize(inode),
		.io_cache = iocb->ki_flags & (IOCB_DIRECT | COMPAT_IOCB_DONTCACHE),
	};
	/* Most writes of most servers are aligned: they end here. */
	if (write->io_cache || nd_is_aligned(write->pos, len, write->block))
		return;
	write->other_flags = (iocb->ki_flags & ~KNOWN_FLAGS) || iocb->ki_complete;
	write->known_fs = known_fs(inode);
	if (write->other_flags || !write->known_fs)
		return;
	write->file_size = i_size_read(inode);
	write->max_len = ND_BOUNCE_MAX;
	write->file_ok = (file->f_mode & FMODE_CAN_ODIRECT) && (file->f_mode & FMODE_WRITE) &&
			 !IS_DAX(inode) && !IS_SWAPFILE(inode) && !IS_APPEND(inode) &&
			 /* Its flush is within the write, and a repetition would hide its error. */
			 !IS_SYNC(inode);
	write->mapped = mapping_writably_mapped(file->f_mapping);
	write->align = nd_direct_align(file);
	write->contended = nd_has_concurrent_writers(file) || inode_is_locked(inode);
}

static bool nd_folio_has_block(struct address_space *mapping, struct folio *folio, loff_t block,
			       unsigned int size)
{
	const struct address_space_operations *ops = mapping->a_ops;
	bool has;

	if (folio_test_uptodate(folio))
		return true;
	/* Somebody fills it just now: the stock code would wait for that, and read nothing. */
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

/**
 * nd_inspect_block - where the content of a block is
 * @file: the file
 * @block: where the block begins, bytes, or %ND_NO_POS
 * @size: of the block, bytes
 *
 * A hint: it may have changed when this returns. The file system looks again, under
 * its locks, and does the right thing with a block of any kind.
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
	if (nd_hole_cache_lookup(inode, block))
		return ND_BLOCK_HOLE;
	/* Moves f_pos, which nfsd never reads. Allocated and never written counts as a hole. */
	data = vfs_llseek(file, block, SEEK_DATA);
	if (data == block)
		return ND_BLOCK_ON_DISK;
	if (data > block)
		nd_hole_cache_add(inode, block, data);
	else if (data == -ENXIO)
		nd_hole_cache_add(inode, block, i_size_read(inode));
	return ND_BLOCK_HOLE;
}

/* How many extents hold the blocks of a write; 1 if the file system does not tell. */
static unsigned int nd_count_extents(struct inode *inode, const struct nd_write *write)
{
	loff_t begin = round_down(write->pos, write->block);
	loff_t end = round_up(write->pos + write->len, write->block);
	/* There is room for none: they are only counted. */
	struct fiemap_extent_info found = {};

	if (!inode->i_op->fiemap || inode->i_op->fiemap(inode, &found, begin, end - begin))
		return 1;
	return found.fi_extents_mapped;
}

/**
 * nd_dio_locks_exclusively - whether a direct write has the file locked exclusively, for all of its I/O
 * @file: the file
 * @write: the write, which covers parts of blocks
 *
 * Context: may sleep, takes the inode's lock.
 */
bool nd_dio_locks_exclusively(struct file *file, const struct nd_write *write)
{
	struct inode *inode = file_inode(file);

	if (is_fs(inode, "ext4") && COMPAT_EXT4_UNALIGNED_DIO_EXCLUSIVE)
		return true;
	if (is_fs(inode, "ext4") && !COMPAT_EXT4_DIO_ACROSS_EXTENTS_EXCLUSIVE)
		return false;
	return nd_count_extents(inode, write) > 1;
}

/*
 * Only waits. What is not there any more is not read again: unlike readahead, reading a
 * page by itself does not keep out hole punching on every kernel, and would bring back
 * what that has taken away.
 */
static void nd_wait_for_block(struct file *file, loff_t block)
{
	struct folio *folio;

	if (block == ND_NO_POS)
		return;
	folio = compat_folio_get(file->f_mapping, block >> PAGE_SHIFT);
	if (!folio)
		return;
	folio_wait_locked(folio);
	folio_put(folio);
}

static void nd_start_read(struct file *file, loff_t first, loff_t last)
{
	vfs_fadvise(file, first, last - first + 1, POSIX_FADV_WILLNEED);
}

/**
 * nd_prefetch - bring the blocks at the ends of a write into the page cache
 * @file: the file
 * @head: where the one begins, bytes, or %ND_NO_POS
 * @tail: the same of the other
 *
 * By readahead, and not waited for under the inode's lock: the stock code need not read
 * them within it. Errors are left for it to find.
 *
 * Context: may sleep.
 */
void nd_prefetch(struct file *file, loff_t head, loff_t tail)
{
	if (head != ND_NO_POS && tail != ND_NO_POS && tail - head <= PAGE_SIZE) {
		nd_start_read(file, head, tail);
	} else {
		if (head != ND_NO_POS)
			nd_start_read(file, head, head);
		if (tail != ND_NO_POS)
			nd_start_read(file, tail, tail);
	}
	nd_wait_for_block(file, head);
	nd_wait_for_block(file, tail);
}
