/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds files whose blocks are written again. */
#ifndef NFSD_DIO_AGAIN_H
#define NFSD_DIO_AGAIN_H

#include <linux/fs.h>
#include <linux/sizes.h>

/* Bytes. Longer writes are those of streams, which share a block with the write before. */
#define ND_AGAIN_MAX	SZ_64K

bool nd_again(const struct inode *inode, loff_t pos, size_t len, unsigned int block);

#endif
