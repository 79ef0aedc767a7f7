/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef NFSD_DIO_RANGE_CACHE_H
#define NFSD_DIO_RANGE_CACHE_H

#include <linux/types.h>

struct inode;

bool nd_range_cache_lookup(const struct inode *inode, loff_t pos);
void nd_range_cache_add(const struct inode *inode, loff_t begin, loff_t end);

#endif
