/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds files whose blocks are written again. */
#ifndef NFSD_DIO_AGAIN_H
#define NFSD_DIO_AGAIN_H

#include <linux/fs.h>
#include <linux/sizes.h>

/*
 * Bytes. Longer writes that need not be stable are mostly parts of a request that a client has
 * split, to other places each time. A COMMIT follows them, and direct writes are faster then.
 */
#define ND_AGAIN_MAX	SZ_16K

bool nd_again(const struct inode *inode, loff_t pos, size_t len, unsigned int block);

#endif
