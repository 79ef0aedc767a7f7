/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef NFSD_DIO_RANGE_CACHE_H
#define NFSD_DIO_RANGE_CACHE_H

#include <linux/types.h>

struct inode;

/**
 * enum nd_range_kind - what a range of a file has
 * @ND_RANGE_HOLE: blocks that were never written
 * @ND_RANGE_DATA: blocks with data
 */
enum nd_range_kind {
	ND_RANGE_HOLE,
	ND_RANGE_DATA,
	ND_NR_RANGE_KINDS,
};

bool nd_range_cache_lookup(enum nd_range_kind kind, const struct inode *inode, loff_t pos);
void nd_range_cache_add(enum nd_range_kind kind, const struct inode *inode, loff_t begin,
			loff_t end);
bool nd_range_search_begin(const struct inode *inode);
void nd_range_search_end(const struct inode *inode, unsigned long began);

#endif
