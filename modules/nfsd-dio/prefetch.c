// SPDX-License-Identifier: GPL-2.0-only
#include <linux/fadvise.h>
#include <linux/fs.h>
#include <linux/pagemap.h>

#include "common/compat/readahead.h"
#include "prefetch.h"
#include "verdict.h"

/*
 * If the page is gone by now, it stays so: unlike readahead, reading a single page does not keep
 * hole punching out on every kernel, and could bring punched data back.
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
 * nd_prefetch - read the partial blocks of a write into the page cache
 * @file: the file
 * @write: the write
 *
 * Waits for the reads without the inode's lock, so that the stock code need not wait for them
 * with it. The stock code also finds and reports their errors.
 */
void nd_prefetch(struct file *file, const struct nd_write *write)
{
	loff_t head, tail;

	nd_partial_blocks(write, &head, &tail);
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
