/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef NFSD_DIO_LOG_H
#define NFSD_DIO_LOG_H

#include <linux/types.h>

struct inode;

bool nd_log_goes_on(const struct inode *inode, loff_t pos, size_t len, unsigned int block);

#endif
