/* SPDX-License-Identifier: GPL-2.0-only */
/* Updates a file's times after its data, once for all writers that wait for it. */
#ifndef NFSD_DIO_MTIME_H
#define NFSD_DIO_MTIME_H

#include <linux/time64.h>
#include <linux/types.h>

struct file;
struct inode;

void nd_mtime_init(void);
struct timespec64 nd_sample_times(const struct inode *inode);
int nd_update_time(struct file *file, struct timespec64 before);

#endif
