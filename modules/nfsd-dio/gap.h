/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef NFSD_DIO_GAP_H
#define NFSD_DIO_GAP_H

#include <linux/types.h>

struct inode;

bool nd_gap_covers(const struct inode *inode, loff_t pos);
void nd_gap_keep(const struct inode *inode, loff_t begin, loff_t end);

#endif
