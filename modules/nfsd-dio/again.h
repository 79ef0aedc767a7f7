/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds files whose blocks are written again. */
#ifndef NFSD_DIO_AGAIN_H
#define NFSD_DIO_AGAIN_H

#include <linux/fs.h>

bool nd_again(const struct inode *inode, loff_t pos, size_t len, unsigned int block);
void nd_again_stable(const struct inode *inode);

#endif
