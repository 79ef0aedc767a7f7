/* SPDX-License-Identifier: GPL-2.0-only */
/* What differs between kernels in the readahead and page cache interfaces. */
#ifndef SEQKEEP_COMPAT_READAHEAD_H
#define SEQKEEP_COMPAT_READAHEAD_H

#include <linux/fs.h>
#include <linux/pagemap.h>
#include <linux/version.h>

/**
 * compat_ra_set_order - folio order that the next window is to grow from
 * @ra: the state that the stock code will be given
 * @order: of the folio that carries the marker
 *
 * Kept in file_ra_state since "mm/readahead: Store folio order in struct
 * file_ra_state" in v6.16; before, page_cache_async_ra() took it from the folio.
 */
static inline void compat_ra_set_order(struct file_ra_state *ra, unsigned int order)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
	ra->order = order;
#endif
}

#endif
